//! The built program, without htmx: it says so, and the site is there.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

#[test]
fn without_htmx_the_program_says_so_and_serves_the_site() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_htmx"))
        .env_clear()
        .env("ADDR", "127.0.0.1:0")
        .env("HTMX", "/nowhere/htmx.min.js")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(program.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim_end().strip_prefix("listening on http://").unwrap();
    let mut connection = TcpStream::connect(address).unwrap();
    write!(connection, "GET /login HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut page = String::new();
    connection.read_to_string(&mut page).unwrap();
    program.kill().unwrap();
    let mut log = String::new();
    program.stderr.take().unwrap().read_to_string(&mut log).unwrap();
    program.wait().unwrap();
    assert!(page.starts_with("HTTP/1.1 200 OK\r\n") && page.contains("<form id=\"login-form\""), "{page}");
    assert!(!page.contains("<script"), "{page}");
    assert!(log.contains("htmx is missing") && log.contains("npm install"), "{log}");
}
