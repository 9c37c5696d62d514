//! Messages name only what the host wrote and, by their paths, items of the library that the host can use.

use crate::fixtures::{Fixture, all};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Words that no message shows: internals of the library and of the expansion.
const INSIDES: [&str; 7] =
    ["$crate", "private::", "Arc<", "dyn ", "::provided", "AuthModuleBuilder", "for_editors"];

/// Hosts for which rustc shows a line of the library: `AuthUser`, which the host derives, or its bounds, the bound of
/// `SqlUsers::new`, the method that an action implements, whose line names `#[async_trait]`, or the setter of an option.
const SHOW_A_BOUND: [&str; 6] = [
    "a_hash_without_its_cargo_feature",
    "a_record_that_is_not_clone",
    "a_record_without_its_derive",
    "an_action_without_async_trait",
    "an_id_without_display",
    "ui/sql/",
];

/// The hosts without those for which axum itself writes the message: it names its own traits, and other extractors.
fn of_the_library() -> impl Iterator<Item = Fixture> {
    all().into_iter().filter(|fixture| !fixture.path.starts_with("ui/handlers/"))
}

#[test]
fn a_message_shows_no_internals() {
    for fixture in of_the_library() {
        let Fixture { path, stderr, .. } = &fixture;
        for inside in INSIDES {
            assert!(!stderr.contains(inside), "{path}.stderr shows `{inside}`:\n{stderr}");
        }
        let shows = stderr.contains("$WORKSPACE");
        let may_show = SHOW_A_BOUND.iter().any(|host| path.contains(host));
        assert!(!shows || may_show, "{path}.stderr shows our source");
    }
}

#[test]
fn a_message_names_nothing_that_the_host_did_not_write() {
    let items = items(Path::new("../auth/src"));
    assert!(items.contains("CreatesNewUsers") && items.contains("MemoryStore"), "{items:?}");
    for Fixture { path, host, stderr, .. } in of_the_library() {
        let lines = stderr.lines().filter(|line| !line.starts_with("error") && !is_proposal(line));
        for word in lines.flat_map(words).filter(|word| items.contains(*word)) {
            let is_written = words(&host).any(|written| written == word);
            let is_told = is_told(&stderr, word);
            assert!(
                is_written || is_told,
                "{path}.stderr names `{word}`, which the host did not write:\n{stderr}"
            );
        }
    }
}

/// Whether a line is the library's own and says what can be written. Lines of rustc begin at the margin.
fn is_proposal(line: &str) -> bool {
    let is_ours = line.starts_with("       ") || line.contains("   = note: ");
    line.contains("axum_auth_module::")
        || (is_ours && ["help: ", "note: "].iter().any(|kind| line.contains(kind)))
}

/// Whether the message names the item by its path.
fn is_told(stderr: &str, word: &str) -> bool {
    let is_path = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':';
    let mut paths =
        stderr.split("axum_auth_module::").skip(1).filter_map(|rest| rest.split(|c| !is_path(c)).next());
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
