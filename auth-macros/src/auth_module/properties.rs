//! Properties of the module macro for any input.

mod hosts;
mod mistakes;

use super::tests::from_shell;
use super::vocabulary::keys;
use crate::catalog::{self, FEATURES, Place, method, providers};
use crate::testing::{Report, flat, garbage, identifiers, replaced, reports};
use hosts::{Entry, Value, right};
use mistakes::{Mistake, mistake};
use proc_macro2::TokenStream;
use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::HashSet;

/// Expands an input and checks what holds for all of them: the expansion is an expression, and each error points into the
/// input.
fn errors(text: &str) -> (TokenStream, Vec<Report>) {
    let expansion = from_shell(text.parse().unwrap());
    assert!(syn::parse2::<syn::Expr>(expansion.clone()).is_ok(), "the expansion is no expression:\n{text}");
    let reports = reports(expansion.clone());
    for report in &reports {
        // An empty input has no place.
        assert!(report.is_within(text) || text.trim().is_empty(), "{report:?} points nowhere in\n{text}");
    }
    (expansion, reports)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Each feature is called, in the order of the list.
    #[test]
    fn a_right_host_is_a_module_without_an_error(host in right(), base in prop::option::of(0_usize..4)) {
        let mut host = match base {
            Some(named) => host.with_base(named),
            None => host,
        };
        let (expansion, reports) = errors(&host.text());
        prop_assert!(reports.is_empty(), "{reports:?}\n{}", host.text());
        let expansion = expansion.to_string();
        let mut rest = expansion.as_str();
        for word in host.features().clone() {
            let row = FEATURES.iter().find(|row| row.word == word).unwrap();
            let method = format!(". {} (", method(row));
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

    /// Whatever is wrong, the host's values are compiled, so that an editor knows what is in them: also values that are given
    /// twice, for nothing, in the wrong place or for an unknown word.
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
            !no_values.contains(&word) && !catalog::words().any(|known| known == word)
        };
        for written in identifiers(text.parse().unwrap()) {
            prop_assert!(!is_value(&written.0) || back.contains(&written), "{written:?} is lost from\n{text}");
        }
    }

    /// Every word of a host without a mistake is in the expansion, except for one of the grammar.
    #[test]
    fn every_word_comes_back(host in right(), base in prop::option::of(0_usize..4)) {
        let host = match base {
            Some(named) => host.with_base(named),
            None => host,
        };
        let text = host.text();
        let (expansion, _) = errors(&text);
        let back: HashSet<_> = identifiers(expansion).into_iter().collect();
        for written in identifiers(text.parse().unwrap()) {
            prop_assert!(written.0 == "within" || back.contains(&written), "{written:?} is lost from\n{text}");
        }
    }

    /// To complete a word, an editor inserts a marker after it, expands both inputs, and finds the place by the marker. So both
    /// expansions must be the same up to there, whatever else is wrong.
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
        prop_assert!(found.is_some() || !is_complete, "`{word}` at {at:?} is lost from\n{text}");
        let before = ..found.unwrap_or(0);
        prop_assert_eq!(&begun[before], &completed[before], "`{}` at {:?} in\n{}", word, at, text);
    }

    /// No tokens between correct ones, or instead of them, make the macro panic.
    #[test]
    fn garbage_does_not_panic(
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

    /// Nor does an input of such tokens alone.
    #[test]
    fn nothing_but_garbage_does_not_panic(garbage in prop::collection::vec(garbage(words()), 0..12)) {
        errors(&garbage.join(" "));
    }
}

/// The text that an editor inserts after an unfinished word.
const MARKER: &str = "Marker";

/// All words of the macro.
fn words() -> Vec<&'static str> {
    let keys = keys().map(|(word, _)| word);
    keys.chain(catalog::words())
        .chain(Place::SHARED.into_iter().flat_map(providers).map(|(word, _)| word))
        .collect()
}
