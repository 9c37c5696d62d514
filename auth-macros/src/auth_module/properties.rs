//! What holds of the module macro whatever it is given.

mod hosts;
mod mistakes;

use super::catalog::{FEATURES, KEYS, Place, providers};
use super::tests::from_shell;
use crate::testing::{Report, flat, garbage, identifiers, replaced, reports};
use hosts::{Entry, Value, right};
use mistakes::{Mistake, mistake};
use proc_macro2::TokenStream;
use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::HashSet;

/// Expands, and checks what holds of every input: what comes out is an expression, and each error points into the
/// input.
fn errors(text: &str) -> (TokenStream, Vec<Report>) {
    let expansion = from_shell(text.parse().unwrap());
    assert!(syn::parse2::<syn::Expr>(expansion.clone()).is_ok(), "no expression comes of\n{text}");
    let reports = reports(expansion.clone());
    for report in &reports {
        // The shell keeps away what is empty.
        assert!(report.is_within(text) || text.trim().is_empty(), "{report:?} points nowhere in\n{text}");
    }
    (expansion, reports)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Each feature is called, in the order of the list.
    #[test]
    fn a_right_host_is_a_module_without_an_error(mut host in right()) {
        let (expansion, reports) = errors(&host.text());
        prop_assert!(reports.is_empty(), "{reports:?}\n{}", host.text());
        let expansion = expansion.to_string();
        let mut rest = expansion.as_str();
        for word in host.features().clone() {
            let method = format!(". {} (", word.to_lowercase());
            let Some((_, behind)) = rest.split_once(&method) else { panic!("no call of {word}: {expansion}") };
            rest = behind;
        }
    }

    /// One mistake is one error, and nothing follows from it.
    #[test]
    fn a_mistake_is_one_error(mut host in right(), mistake in mistake(), place in any::<Index>()) {
        let count = mistake.errors(&host, place);
        prop_assume!(mistake.make(&mut host, place));
        let (_, reports) = errors(&host.text());
        prop_assert_eq!(reports.len(), count, "{:?}\n{}", reports, host.text());
    }

    /// Whatever is wrong, the host's values are compiled where they stand, so that an editor knows what is in them: also
    /// what is given twice, for nothing, in the wrong place or under a word that there is not.
    #[test]
    fn every_value_comes_back(mut host in right(), mistake in mistake(), place in any::<Index>()) {
        // What is no expression cannot.
        prop_assume!(!matches!(mistake, Mistake::Value(_)));
        prop_assume!(mistake.make(&mut host, place));
        let text = host.text();
        let (expansion, _) = errors(&text);
        let back: HashSet<_> = identifiers(expansion).into_iter().collect();
        let no_values = ["within", "enabled", "axum_auth_module", "feature", "Feature"];
        let is_value = |word: &str| {
            !no_values.contains(&word) && !FEATURES.iter().any(|feature| feature.word == word)
        };
        for written in identifiers(text.parse().unwrap()) {
            prop_assert!(!is_value(&written.0) || back.contains(&written), "{written:?} is lost of\n{text}");
        }
    }

    /// Nothing that a host without a mistake wrote is lost, but for one word of the grammar.
    #[test]
    fn every_word_comes_back(host in right()) {
        let text = host.text();
        let (expansion, _) = errors(&text);
        let back: HashSet<_> = identifiers(expansion).into_iter().collect();
        for written in identifiers(text.parse().unwrap()) {
            prop_assert!(written.0 == "within" || back.contains(&written), "{written:?} is lost of\n{text}");
        }
    }

    /// Where a word is begun, an editor completes it: it puts a word of its own there, expands both, and looks in the one
    /// for the place that it found in the other. So up to there both have to be the same, whatever else is wrong.
    #[test]
    fn an_editor_finds_its_place(
        mut host in right(),
        mistake in mistake(),
        place in any::<Index>(),
        (cursor, typed) in (any::<Index>(), any::<Index>()),
    ) {
        // In what is no expression, or no bare word, there may be nothing to complete.
        let is_complete = !matches!(mistake, Mistake::Value(_) | Mistake::Feature(..));
        prop_assume!(mistake.make(&mut host, place));
        let text = host.text();
        let words = identifiers(text.parse().unwrap());
        let (word, at) = &words[cursor.index(words.len())];
        // Neither these two nor Rust's own words are looked up.
        prop_assume!(!["within", "enabled"].contains(&word.as_str()));
        prop_assume!(syn::parse_str::<syn::Ident>(word).is_ok());
        let rest = at.start + typed.index(word.len()) + 1..at.end;
        let (begun, completed) = (replaced(&text, rest.clone(), ""), replaced(&text, rest, MARKER));
        let (begun, completed) = (flat(errors(&begun).0), flat(errors(&completed).0));
        let found = completed.iter().position(|token| token.contains(MARKER));
        prop_assert!(found.is_some() || !is_complete, "`{word}` at {at:?} is lost of\n{text}");
        let before = ..found.unwrap_or(0);
        prop_assert_eq!(&begun[before], &completed[before], "`{}` at {:?} in\n{}", word, at, text);
    }

    /// Whatever stands between what is right, or in its place, is answered.
    #[test]
    fn garbage_is_answered(
        host in right(),
        garbage in prop::collection::vec((garbage(words()), any::<Index>(), 0..5), 1..6),
    ) {
        let mut host = host;
        for (tokens, place, kind) in garbage {
            let at = place.index(host.entries.len());
            match (kind, &mut host.entries[at]) {
                (0, entry) => entry.key = tokens,
                (1, entry) => entry.value = Value::One(tokens),
                (2, Entry { value: Value::Map(pairs), .. }) => pairs.push((tokens, "value".to_owned())),
                (2, Entry { value: Value::Features(words, _), .. }) => words.push(tokens),
                (3, Entry { value: Value::Map(pairs), .. }) => pairs.insert(0, ("CreatesNewUsers".to_owned(), tokens)),
                (3, Entry { value: Value::Features(words, _), .. }) => words.insert(0, tokens),
                (_, entry) => entry.key = format!("{tokens} {}", entry.key),
            }
        }
        errors(&host.text());
    }

    /// So is an input that is nothing else.
    #[test]
    fn nothing_but_garbage_is_answered(garbage in prop::collection::vec(garbage(words()), 0..12)) {
        errors(&garbage.join(" "));
    }
}

/// What an editor puts behind the word that is begun.
const MARKER: &str = "Marker";

/// All words that mean something in the macro.
fn words() -> Vec<&'static str> {
    let places = [Place::PasswordResetRepo, Place::Actions, Place::Delivery];
    let keys = KEYS.iter().map(|(word, _)| *word);
    let features = FEATURES.iter().map(|feature| feature.word);
    keys.chain(features).chain(places.into_iter().flat_map(providers).map(|(word, _)| word)).collect()
}
