//! The rows are consistent, and the library says the same in the texts that cannot be generated.

use super::names::{value, variant};
use super::*;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn names_are_computed_from_the_word() {
    assert_eq!(variant("TWO_FACTOR_AUTHENTICATION"), "TwoFactorAuthentication");
    assert_eq!(value("RESET_PASSWORDS"), "reset-passwords");
    assert_eq!(
        missing_provider("CreatesNewUsers"),
        "Missing provider: CREATES_NEW_USERS. Register an implementation of CreatesNewUsers."
    );
}

#[test]
fn every_word_is_used_once() {
    let providers = FEATURES.iter().flat_map(|feature| feature.needs).chain(OPTIONAL);
    let providers = providers.map(|provider| provider.word);
    let all: Vec<_> = words().chain(providers).collect();
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len(), "{all:?}");
}

#[test]
fn a_row_requires_only_what_exists() {
    for feature in FEATURES {
        for required in feature.requires {
            let is_there = |other: &str| words().any(|word| word == other) && other != feature.word;
            assert!(required.any_of.iter().all(|other| is_there(other)), "{feature:?}");
            assert!(required.with.is_none_or(is_there), "{feature:?}");
        }
        for required in feature.cargo_features {
            assert!(CARGO_FEATURES.iter().any(|(known, _)| known == required), "{feature:?}");
        }
    }
    for (provider, setting) in settings() {
        assert!(setting.with.iter().all(|with| words().any(|word| word == *with)), "{provider:?}");
    }
    assert!(OPTIONAL.iter().all(|provider| provider.setting.is_some()));
}

#[test]
fn every_cargo_feature_is_one_of_the_library() {
    let manifest = fs::read_to_string(library().join("../Cargo.toml")).unwrap();
    for (feature, _) in CARGO_FEATURES {
        let line = manifest.lines().find(|line| line.starts_with(&format!("{feature} = [")));
        let switch = format!("\"axum-auth-module-macros/{feature}\"");
        assert!(line.is_some_and(|line| line.contains(&switch)), "`{feature}` does not enable {switch}");
    }
}

/// `#[diagnostic::on_unimplemented]` takes literals alone. Each must be the sentence of the provider's row.
#[test]
fn a_trait_that_is_not_implemented_is_reported_with_the_sentence_of_its_row() {
    let sources = sources(&library());
    // The trait of deliveries is generic over the message, and names it by a parameter.
    let providers = FEATURES.iter().flat_map(|feature| feature.needs);
    let providers = providers.filter(|provider| provider.message.is_none());
    let rows = providers.map(|provider| (provider.module, provider.trait_name, provider.missing()));
    let users = ("repository", "UserRepository", missing_provider("UserRepository"));
    for (module, trait_name, sentence) in rows.chain([users]) {
        // A module can have a trait of another one, as `http` has.
        let message = sources.iter().find_map(|(_, text)| {
            let (before, _) = text.split_once(&format!("\npub trait {trait_name}"))?;
            let (_, message) = before.rsplit_once("    message = \"")?;
            message.split_once("\",\n").map(|(message, _)| message)
        });
        assert_eq!(message, Some(sentence.as_str()), "{module}::{trait_name}");
    }
}

fn library() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../auth/src")
}

fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push((path.clone(), fs::read_to_string(&path).unwrap()));
        }
    }
    found
}
