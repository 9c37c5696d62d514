//! A feature is a folder: it mounts itself, knows no other feature, and nothing else names it but the tables.

use crate::{Line, code, root};
use axum_auth_module::feature::{Feature, FeatureSet};
use std::fs;

/// What may name a feature beside its own folder: the tables that list features or what belongs to them, the words that
/// editors show, and the templates of mails, which have the names of their messages.
const TABLES: [&str; 5] = ["features/mod.rs", "feature.rs", "lib.rs", "private", "mail/"];

/// The folders of `auth/src/features`.
fn folders() -> Vec<String> {
    let entries = fs::read_dir(root().join("auth/src/features")).unwrap().map(|entry| entry.unwrap().path());
    let folders = entries.filter(|path| path.is_dir());
    folders.map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect()
}

/// `reset-passwords` as the folder, the variant and the constant are called.
fn names(feature: Feature) -> [String; 3] {
    let snake = feature.value().replace('-', "_");
    let capitalized = |word: &str| word[..1].to_uppercase() + &word[1..];
    let variant: String = feature.value().split('-').map(capitalized).collect();
    let constant = snake.to_uppercase();
    [snake, variant, constant]
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_')
}

#[test]
fn every_feature_has_a_folder() {
    for feature in FeatureSet::all().iter() {
        let [folder, ..] = names(feature);
        assert!(folders().contains(&folder), "there is no folder features/{folder}");
    }
}

#[test]
fn nothing_names_a_feature_but_its_folder_and_the_tables() {
    let mut wrong = Vec::new();
    for feature in FeatureSet::all().iter() {
        let names = names(feature);
        let own = format!("features/{}/", names[0]);
        let is_elsewhere = |line: &&Line| {
            let file = line.file.as_str();
            !file.starts_with(&own) && !TABLES.iter().any(|table| file.starts_with(table))
        };
        let is_named = |line: &&Line| {
            // Texts are not code.
            let code: String = line.text.split('"').step_by(2).collect();
            let [folder, variant, constant] = &names;
            let is_word = words(&code).any(|word| word == variant || word == constant);
            // A field may have the name of a folder: `core.sessions`. A path and a call name the feature.
            let marks = [
                format!("{folder}::"),
                format!("::{folder}"),
                format!(".{folder}("),
                format!("fn {folder}("),
            ];
            is_word || marks.iter().any(|mark| code.contains(mark))
        };
        wrong.extend(code("auth/src").iter().filter(is_elsewhere).filter(is_named).map(Line::place));
    }
    assert!(wrong.is_empty(), "features that are named outside of their folder:\n{}", wrong.join("\n"));
}

/// A set of every feature has those of a later version, too, which a host of today has not listed.
#[test]
fn no_example_enables_what_it_has_not_listed() {
    let names_all =
        |line: &&Line| line.text.contains("FeatureSet::all") || line.text.contains("Feature::ALL");
    let wrong: Vec<_> = code("examples").iter().filter(names_all).map(Line::place).collect();
    assert!(wrong.is_empty(), "hosts that enable every feature of the library:\n{}", wrong.join("\n"));
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
fn only_handlers_know_http() {
    let is_free = |line: &&Line| !(line.file.ends_with("handlers.rs") || line.file.ends_with("payload.rs"));
    let wrong: Vec<_> = code("auth/src/features")
        .iter()
        .filter(is_free)
        .filter(|line| line.text.contains("crate::http") || line.text.contains("axum::"))
        .map(Line::place)
        .collect();
    assert!(wrong.is_empty(), "HTTP outside of the handlers:\n{}", wrong.join("\n"));
}

#[test]
fn every_feature_declares_what_it_needs() {
    for folder in folders() {
        let text = fs::read_to_string(root().join("auth/src/features").join(&folder).join("mod.rs")).unwrap();
        assert!(text.contains("//! **Needs**"), "features/{folder}/mod.rs does not say what it needs");
        assert!(
            text.contains("const ") && text.contains("Endpoint = "),
            "features/{folder} declares no endpoint"
        );
    }
}
