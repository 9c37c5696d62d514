//! The keys under which metrics are recorded: one for each combination of values of the labels, made once.

use metrics::{Key, Label, Level, Metadata};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::sync::{PoisonError, RwLock};

/// Where the metrics come from.
pub(super) static METADATA: Metadata<'static> =
    Metadata::new(super::TARGET, Level::INFO, Some(super::TARGET));

/// The keys of a metric with `N` labels. The program has all values of the labels, so the number of keys is bounded.
pub(super) struct Keys<const N: usize> {
    name: &'static str,
    labels: [&'static str; N],
    known: RwLock<Known<N>>,
}

type Known<const N: usize> = HashMap<[&'static str; N], Key, BuildHasherDefault<DefaultHasher>>;

impl<const N: usize> Keys<N> {
    pub(super) const fn new(name: &'static str, labels: [&'static str; N]) -> Self {
        Self { name, labels, known: RwLock::new(HashMap::with_hasher(BuildHasherDefault::new())) }
    }

    /// Uses the key for these values of the labels.
    pub(super) fn with<T>(&self, values: [&'static str; N], using: impl FnOnce(&Key) -> T) -> T {
        if let Some(key) = self.known.read().unwrap_or_else(PoisonError::into_inner).get(&values) {
            return using(key);
        }
        let labels = self.labels.into_iter().zip(values);
        let labels: Vec<_> = labels.map(|(label, value)| Label::from_static_parts(label, value)).collect();
        let key = Key::from_parts(self.name, labels);
        let used = using(&key);
        self.known.write().unwrap_or_else(PoisonError::into_inner).insert(values, key);
        used
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_combination_of_values_has_its_key() {
        let keys = Keys::new("requests", ["method", "path"]);
        for _ in 0..2 {
            for values in [["GET", "/a"], ["POST", "/a"], ["GET", "/b"]] {
                let [method, path] = values;
                let labels = [Label::new("method", method), Label::new("path", path)];
                keys.with(values, |key| assert_eq!(*key, Key::from_parts("requests", labels.to_vec())));
            }
        }
        assert_eq!(keys.known.read().unwrap().len(), 3);
    }
}
