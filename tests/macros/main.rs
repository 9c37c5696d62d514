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
    let hosts = trybuild::TestCases::new();
    hosts.pass("ui/passing/*.rs");
    hosts.pass(pasted::hosts());
    for (category, _) in fixtures::CATEGORIES {
        hosts.compile_fail(format!("ui/{category}/*.rs"));
    }
}
