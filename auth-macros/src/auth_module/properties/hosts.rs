//! Hosts without a mistake, as text and in parts.

use crate::catalog::{FeatureRow, OPTIONAL, Place, Provider, providers};
use crate::testing::{in_every_build, with_required};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

/// The word of the value for the providers that are not named.
pub(super) const BASE: &str = "..";

/// The macro's input as it will be written.
#[derive(Clone, Debug)]
pub(super) struct Host {
    pub(super) entries: Vec<Entry>,
    pub(super) trailing_comma: bool,
}

/// `key: value`
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) value: Value,
}

#[derive(Clone, Debug)]
pub(super) enum Value {
    One(String),
    /// `{ key: value, … }`
    Map(Vec<(String, String)>),
    /// `[WORD, …]`, or with `enabled(…) within` before it.
    Features(Vec<String>, bool),
}

impl Host {
    pub(super) fn text(&self) -> String {
        let entries: Vec<_> = self.entries.iter().map(Entry::text).collect();
        entries.join(",\n") + if self.trailing_comma { "," } else { "" }
    }

    pub(super) fn value(&mut self, key: &str) -> Option<&mut Value> {
        self.entries.iter_mut().find(|entry| entry.key == key).map(|entry| &mut entry.value)
    }

    /// Gives the providers of each map by `..value`, except for this many that keep their names.
    pub(super) fn with_base(mut self, named: usize) -> Self {
        for entry in &mut self.entries {
            if let Value::Map(pairs) = &mut entry.value {
                // A value for all is not used for what is optional.
                pairs.retain(|(word, _)| !OPTIONAL.iter().any(|optional| optional.word == word));
                pairs.truncate(named.min(pairs.len().saturating_sub(1)));
                pairs.push((BASE.to_owned(), "others(a, b)?".to_owned()));
            }
        }
        self
    }

    pub(super) fn features(&mut self) -> &mut Vec<String> {
        match self.value("features") {
            Some(Value::Features(words, _)) => words,
            other => panic!("the features are {other:?}"),
        }
    }
}

impl Entry {
    pub(super) fn one(key: &str, value: String) -> Self {
        Self { key: key.to_owned(), value: Value::One(value) }
    }

    pub(super) fn text(&self) -> String {
        let value = match &self.value {
            Value::One(value) => value.clone(),
            Value::Map(pairs) => {
                let pair = |(word, value): &(String, String)| match word.as_str() {
                    BASE => format!("{BASE}{value}"),
                    _ => format!("{word}: {value}"),
                };
                let pairs: Vec<_> = pairs.iter().map(pair).collect();
                format!("{{ {} }}", pairs.join(", "))
            }
            Value::Features(words, false) => format!("[{}]", words.join(", ")),
            Value::Features(words, true) => {
                format!("enabled(settings.features) within [{}]", words.join(", "))
            }
        };
        format!("{}: {value}", self.key)
    }
}

fn expr() -> impl Strategy<Value = String> {
    select(vec![
        "value",
        "AuthConfig::from_env()?",
        "store().await?",
        "Accounts::<Account, 3>::new(&pool)",
        "CreateAccount { plan: free, ..other }",
        "{ let a = b; a }",
        "if a { b } else { c }",
        "match a { b => c, d => e }",
        "|a: u8| -> u8 { a }",
        "a < b && c > d",
        "vec![a, b, c: d]",
        "async move { 'x: loop { break 'x } }",
        "unsafe { &mut *a }",
        "(a, b).0 as usize",
        "..",
    ])
    .prop_map(str::to_owned)
}

fn exprs() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(expr(), 24)
}

/// What these features need in this place.
fn needed(features: &[&'static FeatureRow], place: Place) -> Vec<&'static Provider> {
    let needs = features.iter().flat_map(|feature| feature.needs);
    needs.filter(|provider| provider.place == place).collect()
}

/// These features and all that they require, each once.
fn complete(features: Vec<&'static FeatureRow>) -> Vec<&'static FeatureRow> {
    let mut complete: Vec<_> = features.into_iter().flat_map(with_required).collect();
    complete.sort_unstable_by_key(|row| row.word);
    complete.dedup_by_key(|row| row.word);
    complete
}

/// A host without a mistake: any features in any order, with all that they need, key by key in any order.
pub(super) fn right() -> impl Strategy<Value = Host> {
    let all = in_every_build();
    let count = all.len();
    let features = subsequence(all, 0..=count).prop_map(complete).prop_shuffle();
    let as_one = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    let options = vec!["messages", "events", "password_verifier", "policy", "store", "realm"];
    let options = subsequence(options, 0..=6);
    let deployment = select(vec![None, Some("one"), Some("many")]);
    let parts = (features, exprs(), as_one, (options, deployment));
    let entries = parts.prop_map(
        |(features, exprs, (enabled, one_action, one_delivery, has_optional), (options, deployment))| {
            let mut exprs = exprs.into_iter().cycle();
            let mut one = |key: &str| Entry::one(key, exprs.next().unwrap());
            let mut entries = vec![one("config"), one("user_repo")];
            // Several instances have to share a store.
            let deployment = deployment.filter(|word| *word != "many" || options.contains(&"store"));
            entries.extend(deployment.map(|word| Entry::one("deployment", word.to_owned())));
            entries.extend(options.into_iter().map(&mut one));
            let own = needed(&features, Place::Own);
            entries.extend(own.iter().map(|needed| one(needed.word)));
            // They have to share their settings, too.
            let settings = providers(Place::Own).filter(|(_, provider)| provider.setting.is_some());
            let settings = settings.filter(|(word, _)| own.iter().all(|needed| needed.word != *word));
            entries.extend(settings.filter(|_| deployment == Some("many")).map(|(word, _)| one(word)));
            for (place, is_one) in [(Place::Actions, one_action), (Place::Delivery, one_delivery)] {
                let needed = needed(&features, place);
                let key = place.key().unwrap();
                match (needed.is_empty(), is_one) {
                    (true, _) => {}
                    // A block, and a struct without its name, begin like a map.
                    (false, true) => entries.push(Entry::one(key, "Providers::of(pool)?".to_owned())),
                    (false, false) => {
                        let pair = |needed: &&Provider| (needed.word.to_owned(), "value(a, b)?".to_owned());
                        let mut pairs: Vec<_> = needed.iter().map(pair).collect();
                        // It may be given, and is not missed.
                        let optional = OPTIONAL.iter().filter(|optional| optional.place == place);
                        let optional = optional.filter(|optional| {
                            has_optional && features.iter().any(|feature| optional.serves(feature))
                        });
                        pairs.extend(optional.map(|optional| pair(&optional)));
                        let value = Value::Map(pairs);
                        entries.push(Entry { key: key.to_owned(), value });
                    }
                }
            }
            let words = features.iter().map(|feature| feature.word.to_owned()).collect();
            entries.push(Entry { key: "features".to_owned(), value: Value::Features(words, enabled) });
            entries
        },
    );
    (entries.prop_shuffle(), any::<bool>())
        .prop_map(|(entries, trailing_comma)| Host { entries, trailing_comma })
}
