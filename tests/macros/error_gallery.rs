//! `docs/errors.md` shows every mistake of the suite, from which it is generated.
//!
//! `TRYBUILD=overwrite`, which writes the current messages, writes the page too.

use crate::fixtures::{CATEGORIES, Fixture, fixtures};
use crate::suite;
use std::fmt::Write;
use std::fs;

/// The page, from this package.
const PAGE: &str = "../docs/errors.md";

const INTRODUCTION: &str = "# Error gallery

The compiler's message for every mistake that the tests know. Each is a host in `tests/ui` that does not compile. If `help:`
contains a text to paste, another test pastes it into the host, which must then compile.

This page is generated from these hosts by `tests/macros/error_gallery.rs`.
";

/// Without it, the messages below do not come.
const HANDLERS: &str = "Of a handler that is wrong, rustc says that `Handler<…>` is not satisfied, and not why. Write `#[axum::debug_handler]` above the handler (the feature
`macros` of axum): then it says what is shown below.
";

/// What axum says at start-up. `tests/http/every_route/first_day.rs` compares the quotations with axum's panics.
const PANICS: &str = "When the host starts, axum panics if routes are in each other's way, which the compiler cannot see:

- \"Overlapping method route\", or \"Cannot merge two `MethodRouter`s that both have a fallback\": both routers are at one path. Nest
  `browser_router()` at another one, such as `/web/auth`.
- \"conflict with previously registered route: /{*__private__axum_fallback}\": a router is nested below a parameter, such as
  `/{tenant}/auth`, and axum can nest no router with a fallback there. Write
  `nest(\"/{tenant}/auth\", auth.router().reset_fallback())`: unknown paths are then the host's.
";

#[test]
fn the_gallery_shows_every_mistake() {
    let page = page();
    if suite::overwrites() {
        fs::write(PAGE, &page).unwrap();
    }
    let shown = fs::read_to_string(PAGE).unwrap_or_default();
    let differs = page.lines().zip(shown.lines()).find(|(expected, shown)| expected != shown);
    assert!(
        page == shown,
        "docs/errors.md differs from the suite; the first line that differs: {differs:?}\n\
         TRYBUILD=overwrite cargo test -p auth-tests --test macros -- error_gallery"
    );
}

fn page() -> String {
    let categories: Vec<_> =
        CATEGORIES.iter().map(|(category, title)| (*title, fixtures(category))).collect();
    let mut page = INTRODUCTION.to_owned();
    for (title, fixtures) in &categories {
        write!(page, "\n**{title}**\n\n").unwrap();
        for fixture in fixtures {
            writeln!(page, "- [{}](#{})", sentence(fixture), anchor(fixture)).unwrap();
        }
    }
    for (title, fixtures) in &categories {
        write!(page, "\n## {title}\n").unwrap();
        if title.starts_with("What axum says") {
            write!(page, "\n{HANDLERS}\n{PANICS}").unwrap();
        }
        for fixture in fixtures {
            let (heading, about, stderr) = (sentence(fixture), fixture.about(), fixture.stderr.trim_end());
            write!(page, "\n### {heading}\n\n{about}\n\n```text\n{stderr}\n```\n").unwrap();
        }
    }
    page
}

/// The file's name as a sentence.
fn sentence(fixture: &Fixture) -> String {
    let mut letters = fixture.name.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect::<String>().replace('_', " ")
}

/// What that heading is linked by.
fn anchor(fixture: &Fixture) -> String {
    fixture.name.replace('_', "-")
}
