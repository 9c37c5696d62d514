//! The command `axum-auth-module`: begins a project, makes secrets, checks a configuration or a table of users, shows the
//! migrations, and measures password hashes (cargo feature `command`).
//!
//! ```text
//! axum-auth-module init             a new project with a host that runs
//! axum-auth-module secrets          new secrets, in the form of an .env file
//! axum-auth-module check-config     every problem of a configuration, and how it deviates from OWASP ASVS
//! axum-auth-module check-database   what a table of users lacks, with the SQL that adds it
//! axum-auth-module migrations       the SQL that makes the library's tables
//! axum-auth-module password-cost    the cost of password hashes for a time on this machine
//! ```
//!
//! `--help` after any of them says more. Install it with the cargo features that your host has, because they decide what a
//! configuration may contain and which databases it can open:
//!
//! ```sh
//! cargo install axum-auth-module --features command,sqlite,argon2
//! ```
//!
//! Or make it a program of your host, in `src/bin/auth.rs`. It then always has the version and the cargo features of the host:
//!
//! ```no_run
//! fn main() -> std::process::ExitCode {
//!     axum_auth_module::command::run()
//! }
//! ```
//!
//! The exit code is 0 if everything is fine, 1 if a check has found something, and 2 if the command could not do its work: its
//! arguments are wrong, or a file or database cannot be read. Results are on stdout. What is in the way, and the progress of a
//! measurement, is on stderr.

mod arguments;
mod check_config;
mod check_database;
mod env_file;
mod init;
mod migrations;
mod password_cost;
mod progress;
mod secrets;

use arguments::Task;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

/// Does what the arguments of this process ask for. Returns its exit code.
#[must_use]
pub fn run() -> ExitCode {
    let done = arguments::read(lexopt::Parser::from_env()).and_then(|task| match task {
        Task::Print(text) => print(&text).map(|()| Outcome::Fine),
        Task::Init(options) => init::run(&options),
        Task::Secrets(options) => secrets::run(&options),
        Task::CheckConfig(options) => check_config::run(&options),
        Task::CheckDatabase(options) => check_database::run(options),
        Task::Migrations(options) => migrations::run(&options),
        Task::PasswordCost(options) => password_cost::run(&options),
    });
    match done {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::Found) => ExitCode::from(1),
        Err(Failure(message)) => {
            // Nobody may read it any more.
            let _unread = writeln!(io::stderr(), "{message}");
            ExitCode::from(2)
        }
    }
}

/// What a task that could be done has led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Fine,
    /// A check has found something.
    Found,
}

/// Why a task could not be done. It contains no secret.
struct Failure(String);

impl Failure {
    fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

/// Writes to stdout.
fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        // The reader, such as `head`, has what it wants.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|error| Failure(format!("stdout cannot be written: {error}"))),
    }
}

/// Runs a future to its end, on this thread.
fn block_on<T>(future: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| Failure(format!("the runtime cannot start: {error}")))?.block_on(future)
}
