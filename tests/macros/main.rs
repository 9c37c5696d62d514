//! Hosts that compile and hosts that do not, with the compiler's messages; see `ui/README.md`.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a failed expectation is a failed test, and the texts are files of this package"
)]

mod error_gallery;
mod fixtures;
mod messages_page;
mod no_foreign_names;
mod stderr;
mod suggested_fixes_compile;

/// One `TestCases`, because each builds the library again.
#[test]
fn hosts() {
    assert_pinned();
    let hosts = trybuild::TestCases::new();
    hosts.pass("ui/passing/*.rs");
    // New messages are not applied in the run that writes them.
    if !std::env::var("TRYBUILD").is_ok_and(|mode| mode == "overwrite") {
        hosts.pass(suggested_fixes_compile::hosts());
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
