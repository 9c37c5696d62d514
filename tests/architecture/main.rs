//! The house, read from its sources: what may import what, and who may know HTTP.
//!
//! A rule that fails here names the file and the line. If the rule is wrong, change it here and say why.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    reason = "a test that cannot go on has failed; clippy knows only the functions marked #[test]"
)]

mod citations;
mod cycles;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The layers of `auth/src`, from the ground up. A file imports from its own layer and from those on lower floors;
/// layers on one floor do not know each other.
const FLOORS: &[&[&str]] = &[
    &["user", "feature", "clock", "client", "error", "uri", "erase"],
    &["values"],
    &["crypto", "events"],
    &["config", "store"],
    &["limits", "repository", "delivery"],
    &["actions"],
    &["core", "sql", "mail", "testing"],
    &["http"],
    &["features"],
    &["module"],
    &["extract", "builder", "services"],
    &["private"],
];

/// Where axum may be named. Everything else works without HTTP.
fn may_know_axum(path: &str) -> bool {
    let handler = |name: &str| path.starts_with("features/") && path.ends_with(name);
    path.starts_with("http/")
        || ["mod.rs", "handlers.rs", "payload.rs"].into_iter().any(handler)
        // The module holds the finished router; the crate's own documentation shows hosts.
        || ["module/mod.rs", "extract.rs", "lib.rs"].contains(&path)
}

/// A line of code: no comment, and nothing behind `#[cfg(test)]`, which ends every file here that has it.
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

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(sources(&path)),
            false if path.extension().is_some_and(|extension| extension == "rs") => found.push(path),
            false => {}
        }
    }
    found.sort();
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
        for (index, text) in fs::read_to_string(&path).unwrap().lines().enumerate() {
            if text == "#[cfg(test)]" && !file.ends_with("lib.rs") {
                break;
            }
            let text = text.split("//").next().unwrap_or_default().to_owned();
            lines.push(Line { file: file.clone(), number: index + 1, text });
        }
    }
    assert!(!lines.is_empty(), "no sources under {folder}");
    lines
}

/// The words that stand directly behind `prefix` in a line.
fn words_after<'a>(line: &'a str, prefix: &'a str) -> impl Iterator<Item = &'a str> {
    line.match_indices(prefix).map(move |(at, _)| {
        let rest = &line[at + prefix.len()..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        &rest[..end]
    })
}

fn layer_of(file: &str) -> &str {
    file.split('/').next().unwrap().trim_end_matches(".rs")
}

#[test]
fn every_layer_stands_on_the_ones_below_it() {
    let floor: BTreeMap<_, _> = FLOORS
        .iter()
        .enumerate()
        .flat_map(|(floor, layers)| layers.iter().map(move |layer| (*layer, floor)))
        .collect();
    let mut wrong = Vec::new();
    for line in code("auth/src") {
        let layer = layer_of(&line.file);
        if layer == "lib" {
            continue;
        }
        let Some(own) = floor.get(layer) else { panic!("{layer} is on no floor; add it to FLOORS") };
        for imported in words_after(&line.text, "crate::") {
            let below = floor.get(imported).is_some_and(|floor| floor < own);
            // In a macro the name may be a parameter.
            if !imported.is_empty() && imported != layer && !below {
                wrong.push(line.place());
            }
        }
    }
    assert!(wrong.is_empty(), "imports against the order of the layers:\n{}", wrong.join("\n"));
}

#[test]
fn http_is_known_only_where_it_is_spoken() {
    let knows = |line: &Line| {
        let names_axum = words_after(&line.text, "axum").any(|_| line.text.contains("axum::"));
        names_axum && !may_know_axum(&line.file)
    };
    let wrong: Vec<_> = code("auth/src").iter().filter(|line| knows(line)).map(Line::place).collect();
    assert!(wrong.is_empty(), "axum outside of the HTTP layers:\n{}", wrong.join("\n"));
}

#[test]
fn services_work_without_http() {
    let wrong: Vec<_> = code("auth/src/features")
        .iter()
        .filter(|line| line.file.ends_with("service.rs") && line.text.contains("crate::http"))
        .map(Line::place)
        .collect();
    assert!(wrong.is_empty(), "services that know HTTP:\n{}", wrong.join("\n"));
}

#[test]
fn features_do_not_know_each_other() {
    let wrong: Vec<_> = code("auth/src/features")
        .iter()
        .filter(|line| line.file.contains('/'))
        .filter(|line| line.text.contains("crate::features") || line.text.contains("super::super"))
        .map(Line::place)
        .collect();
    assert!(wrong.is_empty(), "features that import features:\n{}", wrong.join("\n"));
}

#[test]
fn every_feature_opens_with_its_contract() {
    for entry in fs::read_dir(root().join("auth/src/features")).unwrap() {
        let folder = entry.unwrap().path();
        if !folder.is_dir() {
            continue;
        }
        let text = fs::read_to_string(folder.join("mod.rs")).unwrap();
        for promise in
            ["//! | route |", "//! **Needs**", "//! **Refuses**", "//! **Limits**", "//! **Emits**"]
        {
            assert!(text.contains(promise), "{} does not say `{promise}`", folder.display());
        }
        for file in ["handlers.rs", "service.rs", "payload.rs"] {
            assert!(folder.join(file).exists(), "{} has no {file}", folder.display());
        }
    }
}

#[test]
fn code_is_written_from_the_model_alone() {
    let wrong: Vec<_> = code("auth-macros/src")
        .iter()
        .filter(|line| line.file.ends_with("expand.rs"))
        .filter(|line| ["parse::", "errors::", "suggest::"].iter().any(|stage| line.text.contains(stage)))
        .map(Line::place)
        .collect();
    assert!(wrong.is_empty(), "an expansion that looks behind the model:\n{}", wrong.join("\n"));
}

#[test]
fn no_file_has_outgrown_a_reader() {
    let folders = ["auth/src", "auth-macros/src", "examples", "tests"];
    for path in folders.iter().flat_map(|folder| sources(&root().join(folder))) {
        let lines = fs::read_to_string(&path).unwrap().lines().count();
        assert!(lines <= 500, "{} has {lines} lines: split it", path.display());
    }
}
