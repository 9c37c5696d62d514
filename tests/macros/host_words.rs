//! What the compiler says is about the host: it names what the host wrote, what the same message tells of by its path,
//! and nothing else of the library's.

use crate::fixtures::{Fixture, all};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// What a message never shows: the library's insides, and those of the expansion.
const INSIDES: [&str; 7] =
    ["$crate", "private", "Arc<", "dyn ", "provided", "AuthModuleBuilder", "for_editors"];

/// Hosts of which rustc shows a line of the library: the bound in `AuthUser`, which the host derives.
const SHOW_AUTH_USER: [&str; 2] = ["a_record_that_is_not_clone", "an_id_that_cannot_be_printed"];

#[test]
fn a_message_shows_nothing_of_the_insides() {
    for fixture in all() {
        let Fixture { path, said, .. } = &fixture;
        for inside in INSIDES {
            assert!(!said.contains(inside), "{path}.stderr shows `{inside}`:\n{said}");
        }
        let shows = said.contains("$WORKSPACE");
        assert!(!shows || SHOW_AUTH_USER.contains(&fixture.name.as_str()), "{path}.stderr shows our source");
    }
}

#[test]
fn a_message_names_nothing_that_the_host_did_not_write() {
    let items = items(Path::new("../auth/src"));
    assert!(items.contains("CreatesNewUsers") && items.contains("MemoryStore"), "{items:?}");
    for Fixture { path, host, said, .. } in all() {
        let lines = said.lines().filter(|line| !line.starts_with("error") && !is_proposal(line));
        for word in lines.flat_map(words).filter(|word| items.contains(*word)) {
            let is_written = words(&host).any(|written| written == word);
            let is_told = is_told(&said, word);
            assert!(
                is_written || is_told,
                "{path}.stderr names `{word}`, which the host did not write:\n{said}"
            );
        }
    }
}

/// Whether a line is of our own making and says what can be written. rustc's begin at the margin.
fn is_proposal(line: &str) -> bool {
    let is_ours = line.starts_with("       ") || line.contains("   = note: ");
    line.contains("axum_auth_module::")
        || (is_ours && ["help: ", "note: "].iter().any(|kind| line.contains(kind)))
}

/// Whether the message names the item by its path.
fn is_told(said: &str, word: &str) -> bool {
    let is_path = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':';
    let mut paths =
        said.split("axum_auth_module::").skip(1).filter_map(|rest| rest.split(|c| !is_path(c)).next());
    paths.any(|path| path.split("::").any(|name| name == word))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
}

/// The names of all types and traits of the library.
fn items(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(items(&path));
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for kind in ["struct ", "enum ", "trait "] {
            let names = text.split(kind).skip(1).filter_map(|rest| words(rest).next());
            found.extend(names.filter(|name| name.starts_with(char::is_uppercase)).map(str::to_owned));
        }
    }
    found
}
