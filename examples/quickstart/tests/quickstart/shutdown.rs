//! Shutdown by signals.

use crate::host::{Directory, Host, log, registration};
use rustix::process::Signal;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

#[tokio::test]
async fn both_signals_end_it_cleanly() {
    for signal in [Signal::TERM, Signal::INT] {
        let directory = Directory::new();
        let mut host = Host::start(&directory, &[]);
        assert_eq!(host.post("/auth/register", registration("ada@example.com")).await.status, 201);
        assert_eq!(host.end_by(signal).code(), Some(0));
        assert!(!directory.data().join("quickstart.db-wal").exists(), "the database was closed");
    }
}

/// A login whose headers the server has read; it waits for the body.
fn half_a_login(host: &Host) -> TcpStream {
    let address = host.base().strip_prefix("http://").expect("a URL");
    let mut connection = TcpStream::connect(address).expect("connected");
    connection.set_read_timeout(Some(Duration::from_secs(30))).expect("a timeout");
    let head = "POST /auth/login HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\
                connection: close\r\nexpect: 100-continue\r\n\r\n";
    connection.write_all(head.as_bytes()).expect("sent");
    let go_on = b"HTTP/1.1 100 Continue\r\n\r\n";
    let mut response = vec![0; go_on.len()];
    connection.read_exact(&mut response).expect("a response");
    assert_eq!(response, go_on);
    connection
}

#[test]
fn a_request_in_progress_is_completed() {
    let directory = Directory::new();
    let mut host = Host::start(&directory, &[]);
    let mut login = half_a_login(&host);
    let rest = std::thread::spawn(move || {
        // After the signal, not before it.
        std::thread::sleep(Duration::from_millis(300));
        login.write_all(b"{}").expect("sent");
        let mut response = String::new();
        login.read_to_string(&mut response).expect("a response");
        response
    });
    assert_eq!(host.end_by(Signal::TERM).code(), Some(0));
    let response = rest.join().expect("a response");
    assert!(response.starts_with("HTTP/1.1 422 "), "{response}");
    assert!(!log(&directory).contains("left behind"));
}

#[test]
fn a_request_that_never_ends_is_dropped() {
    let directory = Directory::new();
    let mut host = Host::start(&directory, &[]);
    let _endless = half_a_login(&host);
    assert_eq!(host.end_by(Signal::TERM).code(), Some(0));
    assert!(log(&directory).contains("left behind"), "it was waited for");
}
