//! The run of the suite.
//!
//! With `TRYBUILD=overwrite` it writes the current messages. Whatever reads messages waits for that, so that one run
//! writes everything.

use crate::{every_feature, fixtures, suggested_fixes_compile};
use std::process::Command;
use std::sync::OnceLock;

/// Whether the run of the suite passed.
static PASSED: OnceLock<bool> = OnceLock::new();

/// The variable of the flags that cargo gives to rustc. trybuild leaves it as it is.
const FLAGS_VARIABLE: &str = "CARGO_ENCODED_RUSTFLAGS";

/// The variable of the directory in which cargo builds. trybuild sets another one for what cargo has built, and without this one
/// cargo would build the procedural macros of the tests a second time.
const BUILD_DIRECTORY_VARIABLE: &str = "CARGO_BUILD_BUILD_DIR";

/// The flags with which trybuild compiles hosts. It builds the hosts' dependencies without the last one, and cargo would then build
/// them again for the hosts.
const FLAGS: [&str; 6] = ["--cfg", "trybuild", "--verbose", "-A", "dead_code", "--diagnostic-width=140"];

/// Whether this run writes the current messages.
pub(crate) fn overwrites() -> bool {
    std::env::var("TRYBUILD").is_ok_and(|mode| mode == "overwrite")
}

/// Waits until the messages are the current ones.
pub(crate) fn messages_are_written() {
    // The process that compiles has written them before it reads any.
    if overwrites() && !compiles() {
        assert!(run(), "the suite has failed; the test `hosts` says where");
    }
}

#[test]
fn hosts() {
    if compiles() {
        compile();
    } else {
        assert!(run());
    }
}

/// Whether this is the process that [`run`] starts.
fn compiles() -> bool {
    std::env::var(FLAGS_VARIABLE).is_ok_and(|flags| flags == encoded_flags())
}

/// Compiles every host, once: runs the test `hosts` in a process of its own, which has the flags in its environment.
fn run() -> bool {
    let run = || {
        let program = std::env::current_exe().unwrap();
        // `debug/deps/macros-…` below the directory of the build.
        let build_directory = program.ancestors().nth(3).unwrap();
        let mut suite = Command::new(&program);
        suite.args(["--exact", "suite::hosts", "--nocapture"]);
        suite.env(FLAGS_VARIABLE, encoded_flags()).env(BUILD_DIRECTORY_VARIABLE, build_directory);
        suite.status().unwrap().success()
    };
    *PASSED.get_or_init(run)
}

fn encoded_flags() -> String {
    FLAGS.join("\u{1f}")
}

fn compile() {
    compile_together();
    if overwrites() {
        // The new messages have to be there before their help can be applied.
        let corrected = suggested_fixes_compile::hosts();
        trybuild::TestCases::new().compile_fail(&corrected);
        suggested_fixes_compile::check_overwritten(&corrected);
    }
}

/// One `TestCases`, because each builds the library again. All of its hosts are expected to fail: with a passing one, trybuild
/// would run cargo for each host, instead of once.
fn compile_together() {
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
