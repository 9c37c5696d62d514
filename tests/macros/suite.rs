//! The run of the suite.
//!
//! With `TRYBUILD=overwrite` it writes the current messages. Whatever reads messages waits for that, so that one run
//! writes everything.

use crate::{every_feature, fixtures, suggested_fixes_compile};
use std::panic::catch_unwind;
use std::sync::OnceLock;

/// Whether the run of the suite passed.
static PASSED: OnceLock<bool> = OnceLock::new();

/// Whether this run writes the current messages.
pub(crate) fn overwrites() -> bool {
    std::env::var("TRYBUILD").is_ok_and(|mode| mode == "overwrite")
}

/// Waits until the messages are the current ones.
pub(crate) fn messages_are_written() {
    if overwrites() {
        assert!(run(), "the suite has failed; the test `hosts` says where");
    }
}

#[test]
fn hosts() {
    assert!(run());
    if overwrites() {
        // The new messages have to be there before their help can be applied.
        let corrected = suggested_fixes_compile::hosts();
        trybuild::TestCases::new().compile_fail(&corrected);
        suggested_fixes_compile::check_overwritten(&corrected);
    }
}

/// Compiles every host, once.
fn run() -> bool {
    *PASSED.get_or_init(|| catch_unwind(compile).is_ok())
}

/// One `TestCases`, because each builds the library again. All of its hosts are expected to fail: with a passing one, trybuild
/// would run cargo for each host, instead of once.
fn compile() {
    assert_pinned();
    if overwrites() {
        every_feature::write();
    }
    let hosts = trybuild::TestCases::new();
    if !overwrites() {
        hosts.compile_fail(suggested_fixes_compile::hosts());
    }
    for (category, _) in fixtures::CATEGORIES {
        hosts.compile_fail(format!("ui/{category}/*.rs"));
    }
}

/// The expected messages are those of one compiler version. Another one words some of them differently.
fn assert_pinned() {
    let pinned = std::fs::read_to_string("../rust-toolchain.toml").unwrap();
    let channel = pinned.lines().find_map(|line| line.strip_prefix("channel = ")).unwrap().trim_matches('"');
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = std::process::Command::new(rustc).arg("--version").output().unwrap().stdout;
    let version = String::from_utf8(version).unwrap();
    assert!(
        version.contains(channel),
        "the messages in tests/ui are those of rustc {channel}, but this is {version}"
    );
}
