//! The cluster under a short soak test. It needs the programs of PostgreSQL and Redis: without them the tests are skipped
//! with a line on stderr, and fail if the environment variable `CI` is set.

#![allow(
    clippy::unwrap_used,
    reason = "what cannot go on has failed, in what helps the tests as in the tests themselves"
)]

use std::io::Write;
use std::process::{Command, Output};
use std::sync::{Mutex, PoisonError};

/// One soak test at a time: each needs the processors for itself.
static ALONE: Mutex<()> = Mutex::new(());

/// Runs a soak test. `None`: skipped.
fn soak(arguments: &[&str]) -> Option<Output> {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let output = Command::new(env!("CARGO_BIN_EXE_soak")).args(arguments).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    if !message.starts_with("missing programs: ") {
        return Some(output);
    }
    assert!(std::env::var_os("CI").is_none(), "tests cannot be skipped here: {message}");
    // The test harness captures what `eprintln!` writes, but not this.
    std::io::stderr().write_all(format!("skipped tests: the cluster: {message}").as_bytes()).unwrap();
    None
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn nothing_is_lost_and_nothing_works_twice_while_servers_fail() {
    let Some(output) = soak(&["--seed", "7", "--seconds", "28"]) else { return };
    assert!(output.status.success(), "{}", text(&output));
}

/// The auditor can fail: instances that do not share their store count attempts separately.
#[test]
fn a_store_for_each_instance_is_found() {
    let Some(output) = soak(&["--seed", "7", "--seconds", "8", "--sabotage"]) else { return };
    let text = text(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("passwords were guessed for probe@example.net in a minute"), "{text}");
}
