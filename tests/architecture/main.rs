//! The architecture, read from the sources: which folder may import which, where HTTP may be used, and what belongs to a
//! feature.
//!
//! A rule that fails here names the file and the line. If the rule is wrong, change it here and give the reason.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    reason = "a test that cannot go on has failed; clippy knows only the functions marked #[test]"
)]

mod asvs;
mod citations;
mod cycles;
mod features;
mod foreign_types;
mod guide;
mod imports;
mod layers;
mod links;
mod public_api;
mod recipe;
mod rust_version;
mod services;

use std::fs;
use std::path::{Path, PathBuf};

/// A line of code: no comment, and nothing after `#[cfg(test)]`, which ends every file here that has it.
struct Line {
    file: String,
    number: usize,
    text: String,
}

impl Line {
    fn place(&self) -> String {
        format!("{}:{}: {}", self.file, self.number, self.text.trim())
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The Rust files below a folder, without what builds write.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true if path.ends_with("target") => {}
            true => found.extend(sources(&path)),
            false if path.extension().is_some_and(|extension| extension == "rs") => found.push(path),
            false => {}
        }
    }
    found.sort();
    found
}

/// The documents that a person reads: Markdown outside of hidden folders and of what builds write. `auth/guide` is a link to
/// `docs/guide`.
fn documents() -> Vec<PathBuf> {
    fn below(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_symlink()
                || name.starts_with('.')
                || ["target", "node_modules", "quickstart-data"].contains(&name)
            {
                continue;
            }
            match path.is_dir() {
                true => below(&path, found),
                false if name.ends_with(".md") => found.push(path),
                false => {}
            }
        }
    }
    let mut found = Vec::new();
    below(&root(), &mut found);
    // Written for rustdoc, which resolves its links.
    found.retain(|path| !path.ends_with("src/guide/links.md"));
    found
}

/// Every line of code under a folder of the repository.
fn code(folder: &str) -> Vec<Line> {
    let base = root().join(folder);
    let mut lines = Vec::new();
    for path in sources(&base) {
        let file = path.strip_prefix(&base).unwrap().to_str().unwrap().to_owned();
        if file.ends_with("tests.rs") || file.contains("/tests/") {
            continue;
        }
        let source = fs::read_to_string(&path).unwrap();
        let mut numbered = source.lines().enumerate().peekable();
        while let Some((index, text)) = numbered.next() {
            if text == "#[cfg(test)]" && !file.ends_with("lib.rs") {
                // A module in a file of its own may be followed by code.
                match numbered.peek() {
                    Some((_, "mod tests;")) => continue,
                    _ => break,
                }
            }
            let text = text.split("//").next().unwrap_or_default().to_owned();
            lines.push(Line { file: file.clone(), number: index + 1, text });
        }
    }
    assert!(!lines.is_empty(), "no sources under {folder}");
    lines
}

/// The words that directly follow `prefix` in a line.
fn words_after<'a>(line: &'a str, prefix: &'a str) -> impl Iterator<Item = &'a str> {
    line.match_indices(prefix).map(move |(at, _)| {
        let rest = &line[at + prefix.len()..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        &rest[..end]
    })
}

#[test]
fn code_is_written_from_the_model_alone() {
    let wrong: Vec<_> = code("auth-macros/src")
        .iter()
        .filter(|line| line.file.ends_with("expand.rs"))
        .filter(|line| ["parse::", "errors::", "suggest::"].iter().any(|stage| line.text.contains(stage)))
        .map(Line::place)
        .collect();
    assert!(wrong.is_empty(), "an expansion that uses more than the model:\n{}", wrong.join("\n"));
}

#[test]
fn no_file_is_too_long_to_read() {
    let folders = ["auth/src", "auth-macros/src", "examples", "tests"];
    for path in folders.iter().flat_map(|folder| sources(&root().join(folder))) {
        let lines = fs::read_to_string(&path).unwrap().lines().count();
        assert!(lines <= 500, "{} has {lines} lines: split it", path.display());
    }
}
