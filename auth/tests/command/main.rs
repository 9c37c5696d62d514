//! The command `axum-auth-module`, started as a user starts it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on has failed; clippy knows only the functions marked #[test]"
)]

mod arguments;
mod check_config;
mod check_database;
#[path = "../../src/testing/databases.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod databases;
mod init;
mod migrations;
mod password_cost;
mod secrets;
#[path = "../../src/testing/servers.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod servers;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// What a command has written, and its exit code.
#[derive(Debug)]
struct Done {
    code: i32,
    stdout: String,
    stderr: String,
}

/// The command with these arguments, in an environment of its own.
fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_axum-auth-module"));
    command.args(arguments).env_clear().stdin(Stdio::null());
    command
}

fn run(arguments: &[&str]) -> Done {
    finish(command(arguments))
}

fn finish(mut command: Command) -> Done {
    let output = command.output().unwrap();
    Done {
        code: output.status.code().expect("it was not killed"),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A directory of a test. It is deleted on drop.
struct Directory(PathBuf);

impl Directory {
    fn new() -> Self {
        static CREATED: AtomicU32 = AtomicU32::new(0);
        let number = CREATED.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("auth-command-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// The path of a file in it.
    fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    /// A file in it with this text, which only this user can read.
    fn write(&self, name: &str, text: &str) -> String {
        let path = self.file(name);
        fs::write(&path, text).unwrap();
        #[cfg(unix)]
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        path
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _left = fs::remove_dir_all(&self.0);
    }
}
