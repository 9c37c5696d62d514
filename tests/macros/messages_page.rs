//! `docs/messages.md` shows messages of ours beside those of others. This keeps ours as they are.

use std::fs;

/// The page, from this package.
const PAGE: &str = "../docs/messages.md";

/// What stands before the path of each file that is shown.
const OURS: &str = "Ours, `tests/";

#[test]
fn the_page_shows_what_the_compiler_says() {
    let page = fs::read_to_string(PAGE).unwrap();
    let shown: Vec<_> = page.split(OURS).skip(1).map(path_and_text).collect();
    assert_eq!(shown.len(), 5, "the page compares five situations");
    for (path, text) in shown {
        let said = fs::read_to_string(path).unwrap();
        assert_eq!(
            text.trim_end(),
            said.trim_end(),
            "docs/messages.md does not show what is in tests/{path}"
        );
    }
}

/// The path, and what is in the block of text below it.
fn path_and_text(section: &str) -> (&str, &str) {
    let (path, rest) = section.split_once('`').unwrap();
    let (_, block) = rest.split_once("```text\n").unwrap();
    (path, block.split_once("```").unwrap().0)
}
