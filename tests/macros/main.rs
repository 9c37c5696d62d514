//! What the derive and `auth_module!` accept, and what they say where they do not; `ui/README.md` says how it works.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a failed expectation is a failed test, and the texts are files of this package"
)]

mod fixtures;
mod gallery;
mod host_words;
mod messages_page;
mod pasted;
mod said;

/// One `TestCases`: each builds the library anew.
#[test]
fn hosts() {
    assert_pinned();
    let hosts = trybuild::TestCases::new();
    hosts.pass("ui/passing/*.rs");
    hosts.pass(pasted::hosts());
    for (category, _) in fixtures::CATEGORIES {
        hosts.compile_fail(format!("ui/{category}/*.rs"));
    }
}

/// What the compiler says is this version's: with another one most texts would differ, and none would be wrong.
fn assert_pinned() {
    let pinned = std::fs::read_to_string("../rust-toolchain.toml").unwrap();
    let channel = pinned.lines().find_map(|line| line.strip_prefix("channel = ")).unwrap().trim_matches('"');
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = std::process::Command::new(rustc).arg("--version").output().unwrap().stdout;
    let version = String::from_utf8(version).unwrap();
    assert!(
        version.contains(channel),
        "the texts in tests/ui are those of rustc {channel}, and this is {version}"
    );
}
