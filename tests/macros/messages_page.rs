//! `docs/messages.md` compares messages with those of other libraries. This test keeps ours up to date.
//!
//! `TRYBUILD=overwrite`, which writes the current messages, writes them into the page too.

use crate::suite;
use std::fs;

/// The page, from this package.
const PAGE: &str = "../docs/messages.md";

/// The text before the path of each file that is shown.
const OURS: &str = "Ours, `tests/";

#[test]
fn the_page_shows_the_current_messages() {
    suite::messages_are_written();
    let shown = fs::read_to_string(PAGE).unwrap();
    let mut sections = shown.split(OURS);
    let mut page = sections.next().unwrap().to_owned();
    let mut count = 0;
    for section in sections {
        page += OURS;
        page += &current(section);
        count += 1;
    }
    assert_eq!(count, 5, "the page compares five situations");
    if suite::overwrites() {
        fs::write(PAGE, &page).unwrap();
    }
    let shown = fs::read_to_string(PAGE).unwrap();
    let differs = page.lines().zip(shown.lines()).find(|(expected, shown)| expected != shown);
    assert!(
        page == shown,
        "docs/messages.md does not show the current messages; the first line that differs: {differs:?}\n\
         TRYBUILD=overwrite cargo test -p auth-tests --test macros -- messages_page"
    );
}

/// A section with the file's text in its first block.
fn current(section: &str) -> String {
    let (path, rest) = section.split_once('`').unwrap();
    let (before, block) = rest.split_once("```text\n").unwrap();
    let (_, after) = block.split_once("```").unwrap();
    let stderr = fs::read_to_string(path).unwrap();
    format!("{path}`{before}```text\n{}\n```{after}", stderr.trim_end())
}
