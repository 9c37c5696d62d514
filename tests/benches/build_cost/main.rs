//! What the derive and `auth_module!` cost a host's build: `cargo bench --manifest-path tests/benches/Cargo.toml --bench build_cost`.
//!
//! It builds four hosts under `hosts/` again and again, in turns: `with_macro`, the same `by_hand`, one that has its login over
//! `plain_axum`, and `bare_axum` without one. It prints the figures of `tests/benches/build_cost/README.md`. All builds are in copies below the target directory.
//! `BUILD_COST_ROUNDS` is the number of rounds, `BUILD_COST_CLEAN_ROUNDS` the number of builds with all dependencies.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "printing the figures is its purpose")]

mod cargo;
mod figures;
mod measure;
mod report;
mod sizes;
mod workspaces;

use measure::Rounds;
use std::error::Error;
use std::process::ExitCode;
use std::{env, fs};

/// Why a measurement failed.
type Failure = Box<dyn Error>;

fn main() -> ExitCode {
    // `cargo test --benches` starts benches as well, without this argument. A test must not take ten minutes.
    if !env::args().any(|argument| argument == "--bench") {
        println!("run `cargo bench` to measure");
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
    // A gigabyte of build output.
    fs::remove_dir_all(workspaces::folder())?;
    Ok(report)
}

/// A number of rounds, at least one.
fn number(variable: &str, default: u32) -> Result<u32, Failure> {
    let Ok(text) = env::var(variable) else { return Ok(default) };
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| format!("{variable}: expected a number above 0, not `{text}`").into())
}
