//! A load generator for authentication over HTTP, and a comparison of hosts with and without the library. The figures are in
//! `tests/benches/README.md`.
//!
//! ```sh
//! tests/benches/load/run                            # the comparison; prints the tables of that page
//! tests/benches/load/run --only socket --rounds 3
//! load --url http://127.0.0.1:3000 --case claims --path /me --bearer "$TOKEN"       # a server that is running already
//! ```

#[path = "../../../soak/src/soak/authenticator.rs"]
mod authenticator;

mod accounts;
mod cases;
mod compare;
mod databases;
mod engine;
mod hosts;
mod measure;
mod options;
mod plot;
mod single;
mod tables;
mod wire;

use clap::Parser;
use options::{Command, Options};
use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let options = Options::parse();
    let done = match &options.command {
        Some(Command::Compare(comparison)) => compare::run(comparison),
        None => single::run(&options.single),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing is left to do if standard error is closed.
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}
