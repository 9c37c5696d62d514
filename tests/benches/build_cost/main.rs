//! What the derive and `auth_module!` cost a host's build: `cargo bench -p auth-tests --bench build_cost`.
//!
//! Three hosts under `hosts/` are built over and over, in turns: `with_macro`, the same `by_hand`, and one over
//! `plain_axum`. What is printed is the figures of `docs/build-cost.md`. Everything happens in copies, below the target
//! directory. `BUILD_COST_ROUNDS` and `BUILD_COST_CLEAN_ROUNDS` say how often; the latter build all dependencies anew.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the figures are what this is for")]

mod cargo;
mod figures;
mod graph;
mod measure;
mod report;
mod sizes;
mod workspaces;

use measure::Rounds;
use std::error::Error;
use std::process::ExitCode;
use std::{env, fs};

/// What went wrong, for whoever started it.
type Failure = Box<dyn Error>;

fn main() -> ExitCode {
    // `cargo test --benches` starts benches as well, without this word; a test is not to take a quarter of an hour.
    if !env::args().any(|argument| argument == "--bench") {
        println!("nothing is measured but by `cargo bench`");
        return ExitCode::SUCCESS;
    }
    match run() {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<String, Failure> {
    let rounds =
        Rounds { clean: number("BUILD_COST_CLEAN_ROUNDS", 3)?, others: number("BUILD_COST_ROUNDS", 10)? };
    let workspaces = workspaces::Workspaces::lay_out()?;
    let report = report::write(&workspaces, rounds)?;
    // A gigabyte that nobody needs any more.
    fs::remove_dir_all(workspaces::folder())?;
    Ok(report)
}

/// A number of rounds, one at least.
fn number(variable: &str, default: u32) -> Result<u32, Failure> {
    let Ok(text) = env::var(variable) else { return Ok(default) };
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| format!("{variable}: expected a number above 0, not `{text}`").into())
}
