//! `docs/errors.md` shows every mistake that the suite knows. It is made of the suite, and this keeps it so.
//!
//! `TRYBUILD=overwrite`, which writes what the compiler says now, writes the page as well.

use crate::fixtures::{CATEGORIES, Fixture, fixtures};
use std::fmt::Write;
use std::{env, fs};

/// The page, from this package.
const PAGE: &str = "../docs/errors.md";

const INTRODUCTION: &str = "# Error gallery

What the compiler says of every mistake that the tests know: each is a host in `tests/ui` that does not compile. Where `help:`
says what to type, another test pastes it into the host, which has to compile then.

This page is made of those hosts, by `tests/macros/gallery.rs`. [messages.md](messages.md) has some of it beside what other
libraries say.
";

#[test]
fn the_gallery_shows_every_mistake() {
    let page = page();
    if env::var("TRYBUILD").is_ok_and(|mode| mode == "overwrite") {
        fs::write(PAGE, &page).unwrap();
    }
    let shown = fs::read_to_string(PAGE).unwrap_or_default();
    let differs = page.lines().zip(shown.lines()).find(|(expected, shown)| expected != shown);
    assert!(
        page == shown,
        "docs/errors.md is not made of the suite as it is; the first line that differs: {differs:?}\n\
         TRYBUILD=overwrite cargo test -p auth-tests --test macros -- gallery"
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
        for fixture in fixtures {
            let (heading, about, said) = (sentence(fixture), fixture.about(), fixture.said.trim_end());
            write!(page, "\n### {heading}\n\n{about}\n\n```text\n{said}\n```\n").unwrap();
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
