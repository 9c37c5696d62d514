//! Rules are cited as `specification §4.2`, and every citation leads to a section of `docs/specification.md`.

use crate::root;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The numbers of the specification's sections.
fn sections() -> BTreeSet<String> {
    let text = fs::read_to_string(root().join("docs/specification.md")).unwrap();
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let numbers = headings.filter_map(|line| line.trim_start_matches('#').split_whitespace().next());
    numbers.map(|number| number.trim_end_matches('.').to_owned()).filter(|number| is_number(number)).collect()
}

pub(super) fn is_number(text: &str) -> bool {
    !text.is_empty() && text.split('.').all(|part| part.parse::<u32>().is_ok())
}

/// Every text file of the repository that a person writes.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            if !name.starts_with('.') && name != "target" && name != "quickstart-data" {
                files(&path, found);
            }
        } else if [".rs", ".md", ".toml", ".sql", ".py"].iter().any(|ending| name.ends_with(ending)) {
            found.push(path);
        }
    }
}

/// The numbers behind `specification §`, of which a citation may name several: `§10.1, §13.6`.
fn cited(text: &str) -> impl Iterator<Item = String> {
    text.split("specification §").skip(1).flat_map(|rest| {
        let mut numbers = Vec::new();
        let mut rest = rest;
        loop {
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
            numbers.push(rest[..end].trim_end_matches('.').to_owned());
            let behind = &rest[end..];
            match behind.strip_prefix(", §").or_else(|| behind.strip_prefix(" and §")) {
                Some(next) => rest = next,
                None => return numbers,
            }
        }
    })
}

#[test]
fn every_citation_leads_to_a_section() {
    let (sections, mut paths) = (sections(), Vec::new());
    assert!(sections.len() > 50, "the specification's sections were not found: {sections:?}");
    files(&root(), &mut paths);
    let (mut wrong, mut count) = (Vec::new(), 0);
    for path in paths.iter().filter(|path| !path.ends_with("architecture/citations.rs")) {
        let text = fs::read_to_string(path).unwrap();
        for number in cited(&text) {
            count += 1;
            if !sections.contains(&number) {
                wrong.push(format!("{}: specification §{number}", path.display()));
            }
        }
        for elsewhere in ["requirements §", "contract §"] {
            if text.contains(elsewhere) {
                wrong.push(format!("{}: `{elsewhere}` is no document of this repository", path.display()));
            }
        }
    }
    assert!(count > 50, "only {count} citations were found");
    assert!(wrong.is_empty(), "citations that lead nowhere:\n{}", wrong.join("\n"));
}

#[test]
fn several_sections_can_be_cited_at_once() {
    let found: Vec<_> = cited("(specification §10.1, §13.6 and §2) and specification §4.").collect();
    assert_eq!(found, ["10.1", "13.6", "2", "4"]);
}
