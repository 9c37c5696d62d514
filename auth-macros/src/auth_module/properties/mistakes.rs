//! What can be wrong with a host, one thing at a time.

use super::super::vocabulary::keys;
use super::hosts::{Entry, Host, Value};
use crate::catalog::{self, FEATURES, OPTIONAL, Provider};
use crate::testing::misspelled;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// One thing that can be wrong in the macro's input.
#[derive(Clone, Debug)]
pub(super) enum Mistake {
    /// An entry is left out that something needs.
    Omitted,
    /// An entry is there twice.
    Doubled,
    /// A key is spelled so.
    Key(&'static str, String),
    /// A feature is written so.
    Feature(&'static str, String),
    /// A feature is listed twice.
    FeatureTwice,
    /// An action or a delivery is given twice.
    PairTwice,
    /// A key that there is not is given.
    Stranger(String),
    /// An action or a delivery is given outside of its map.
    Misplaced,
    /// An entry has this value.
    Value(&'static str),
    /// A provider is given that no feature needs.
    Unneeded,
}

pub(super) fn mistake() -> impl Strategy<Value = Mistake> {
    let keys: Vec<_> = keys().map(|(word, _)| word).collect();
    let features: Vec<_> = catalog::words().collect();
    prop_oneof![
        Just(Mistake::Omitted),
        Just(Mistake::Doubled),
        misspelled(keys).prop_map(|(key, written)| Mistake::Key(key, written)),
        misspelled(features.clone()).prop_map(|(word, written)| Mistake::Feature(word, written)),
        (select(features), 0..3).prop_map(|(word, way)| {
            let written = match way {
                0 => word.to_lowercase(),
                1 => format!("axum_auth_module::feature::Feature::{word}"),
                _ => format!("\"{}\"", word.to_lowercase().replace('_', "-")),
            };
            Mistake::Feature(word, written)
        }),
        Just(Mistake::FeatureTwice),
        Just(Mistake::PairTwice),
        Just(Mistake::Misplaced),
        select(vec!["theme", "Zz", "q", "app_name", "jwtSecret"])
            .prop_map(|key| Mistake::Stranger(key.to_owned())),
        select(vec!["", "a b", "+", "match", "a +", "(a +)", "{ a b }", "let"]).prop_map(Mistake::Value),
        Just(Mistake::Unneeded),
    ]
}

impl Mistake {
    /// How many errors it is: what is missing is said of each feature that asks for it.
    pub(super) fn errors(&self, host: &Host, place: Index) -> usize {
        match (self, &host.entries[place.index(host.entries.len())]) {
            (Self::Omitted, Entry { value: Value::Map(pairs), .. }) => {
                pairs.iter().filter(|(word, _)| OPTIONAL.iter().all(|optional| optional.word != word)).count()
            }
            _ => 1,
        }
    }

    /// Makes it in a host without another one, and says whether that was possible there.
    pub(super) fn make(self, host: &mut Host, place: Index) -> bool {
        let at = place.index(host.entries.len());
        match self {
            Self::Omitted => {
                // One value is as many errors as it has needs, which its text does not say.
                let entry = host.entries.remove(at);
                !matches!(
                    entry.key.as_str(),
                    "messages" | "events" | "password_verifier" | "policy" | "store" | "realm" | "deployment"
                ) && (!matches!(entry.key.as_str(), "actions" | "delivery")
                    || matches!(entry.value, Value::Map(_)))
            }
            Self::Doubled => {
                host.entries.push(host.entries[at].clone());
                true
            }
            Self::Key(key, written) => match host.entries.iter_mut().find(|entry| entry.key == key) {
                Some(entry) => {
                    entry.key = written;
                    true
                }
                None => false,
            },
            Self::Feature(word, written) => match host.features().iter_mut().find(|listed| *listed == word) {
                Some(listed) => {
                    *listed = written;
                    true
                }
                None => false,
            },
            Self::FeatureTwice => {
                let words = host.features();
                words.first().cloned().map(|word| words.push(word)).is_some()
            }
            Self::PairTwice => match &mut host.entries[at].value {
                Value::Map(pairs) => pairs.first().cloned().map(|pair| pairs.push(pair)).is_some(),
                Value::One(_) | Value::Features(..) => false,
            },
            Self::Misplaced => {
                let Value::Map(pairs) = &mut host.entries[at].value else { return false };
                let Some((word, value)) = pairs.pop() else { return false };
                host.entries.insert(at, Entry::one(&word, value));
                true
            }
            Self::Stranger(key) => {
                host.entries.insert(at, Entry::one(&key, "value".to_owned()));
                true
            }
            Self::Value(value) => {
                host.entries[at].value = Value::One(value.to_owned());
                true
            }
            Self::Unneeded => give_for_nothing(host, place),
        }
    }
}

/// Gives something that no listed feature asks for, if there is anything of the kind.
fn give_for_nothing(host: &mut Host, place: Index) -> bool {
    let listed = host.features().clone();
    let off = FEATURES.iter().filter(|feature| !listed.iter().any(|word| word == feature.word));
    let needs = off.flat_map(|feature| feature.needs).filter(|provider| provider.setting.is_none());
    let is_used = |provider: &&Provider| {
        FEATURES
            .iter()
            .any(|feature| listed.iter().any(|word| word == feature.word) && provider.serves(feature))
    };
    let unneeded: Vec<_> = needs.chain(OPTIONAL.iter().filter(|optional| !is_used(optional))).collect();
    if unneeded.is_empty() {
        return false;
    }
    let provider = unneeded[place.index(unneeded.len())];
    let Some(key) = provider.place.key() else {
        host.entries.push(Entry::one(provider.word, "value".to_owned()));
        return true;
    };
    let pair = (provider.word.to_owned(), "value".to_owned());
    match host.value(key) {
        None => {
            host.entries.push(Entry { key: key.to_owned(), value: Value::Map(vec![pair]) });
            true
        }
        Some(Value::Map(pairs)) => {
            pairs.push(pair);
            true
        }
        Some(_) => false,
    }
}
