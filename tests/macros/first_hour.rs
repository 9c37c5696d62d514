//! `tests/ui/first-hour.md` says what a newcomer's mistakes are answered with. This test compares its quotations with the compiler's
//! messages in `ui` and with the texts of the library.

use crate::suite;
use std::fs;
use std::path::Path;

/// The page, from this package.
const PAGE: &str = "ui/first-hour.md";

/// How much each table has at least, so that the test fails if it no longer finds the rows.
const LEAST: [(&str, usize); 3] =
    [("The compiler answers", 60), ("The program answers", 28), ("Where the answer is", 45)];

/// A row: its cells.
fn rows(title: &str) -> Vec<Vec<String>> {
    let page = fs::read_to_string(PAGE).unwrap();
    let (_, section) = page.split_once(&format!("\n## {title}\n")).unwrap_or_else(|| panic!("no `{title}`"));
    let section = section.split("\n## ").next().unwrap();
    let lines = section.lines().filter(|line| line.starts_with("| ") || line.starts_with("|-"));
    let cells = |line: &str| -> Vec<String> {
        let line = line.replace("\\|", "\u{1}");
        let cells = line.trim_matches('|').split(" | ").map(|cell| cell.trim().replace('\u{1}', "|"));
        cells.collect()
    };
    lines.map(cells).skip(2).collect()
}

/// The texts between double quotation marks of a cell, in their parts between `…`.
fn quotations(cell: &str) -> Vec<String> {
    let quoted = cell.split(['“', '”']).skip(1).step_by(2);
    quoted.flat_map(|text| text.split('…')).map(words).filter(|part| !part.is_empty()).collect()
}

/// The words of a text, without line breaks, the frames of the compiler's messages, and the backslashes that continue a
/// literal.
fn words(text: &str) -> String {
    let frame = |word: &&str| !["|", "=", "\\"].contains(word);
    text.replace("\\\"", "\"").split_whitespace().filter(frame).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_compiler_says_what_the_page_quotes() {
    suite::messages_are_written();
    for row in rows(LEAST[0].0) {
        let [mistake, host, answer, rating] = &row[..] else { panic!("{row:?}") };
        assert!(("1"..="5").contains(&rating.trim_end_matches('*')), "{row:?}");
        let Some((_, path)) = host.split_once("](") else {
            assert!(quotations(answer).is_empty(), "{mistake}: nothing shows that");
            continue;
        };
        let host = Path::new("ui").join(path.trim_end_matches(')'));
        assert!(host.is_file(), "{mistake}: there is no {}", host.display());
        let output = host.with_extension("stderr");
        if !output.is_file() {
            assert!(host.starts_with("ui/passing"), "{mistake}: {} has no messages", host.display());
            assert!(answer.starts_with("compiles"), "{mistake}: {answer}");
            continue;
        }
        let output = words(&fs::read_to_string(output).unwrap());
        assert!(!quotations(answer).is_empty(), "{mistake}: nothing is quoted");
        for quotation in quotations(answer) {
            assert!(output.contains(&quotation), "{mistake}: {} does not say `{quotation}`", host.display());
        }
    }
}

#[test]
fn the_library_says_what_the_page_quotes() {
    let source = words(&source(Path::new("../auth/src")));
    for row in rows(LEAST[1].0) {
        let [situation, answer, rating] = &row[..] else { panic!("{row:?}") };
        assert!(("1"..="5").contains(&rating.trim_end_matches('*')), "{row:?}");
        for quotation in quotations(answer) {
            assert!(source.contains(&quotation), "{situation}: no text of the library is `{quotation}`");
        }
    }
}

/// What is the library's to say has a 4 at least. A star marks what rustc or axum says.
#[test]
fn nothing_of_the_library_is_a_riddle() {
    for (title, least) in LEAST {
        let rows = rows(title);
        assert!(rows.len() >= least, "{title} has {} rows", rows.len());
        for row in rows.iter().filter(|_| title != LEAST[2].0) {
            let rating = row.last().unwrap();
            assert!(["4", "5"].contains(&rating.as_str()) || rating.ends_with('*'), "{row:?}");
        }
    }
}

/// The answers are links; `tests/architecture/links.rs` follows them.
#[test]
fn every_question_has_an_answer() {
    for row in rows(LEAST[2].0) {
        let [question, answer] = &row[..] else { panic!("{row:?}") };
        assert!(answer.contains("]("), "{question}: {answer}");
    }
}

fn source(folder: &Path) -> String {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let text = |path: std::path::PathBuf| match path.is_dir() {
        true => source(&path),
        false => fs::read_to_string(path).unwrap(),
    };
    entries.map(text).collect()
}
