//! Key rings: the current secret with the previous ones, and what is derived from each of them (specification §16.5).

use super::keys::{MacKey, Purpose, Secret};

/// One value for each configured secret. What is made is made with the current one; what was made with any of them is
/// accepted.
///
/// "Previous" secrets are accepted whether they are older or newer than the current one: while instances are restarted
/// with another current secret, each accepts what the others make.
#[derive(Clone)]
pub(crate) struct KeyRing<K> {
    current: K,
    previous: Vec<K>,
}

impl<K> KeyRing<K> {
    pub(crate) const fn new(current: K, previous: Vec<K>) -> Self {
        Self { current, previous }
    }

    /// The value that signs.
    pub(crate) const fn current(&self) -> &K {
        &self.current
    }

    pub(crate) fn into_current(self) -> K {
        self.current
    }

    /// The values that only verify.
    pub(crate) fn previous(&self) -> &[K] {
        &self.previous
    }

    /// All values, the current one first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &K> {
        std::iter::once(&self.current).chain(&self.previous)
    }

    /// Whether one of the values accepts.
    pub(crate) fn any(&self, accepts: impl FnMut(&K) -> bool) -> bool {
        self.iter().any(accepts)
    }

    /// What is made of each value.
    pub(crate) fn map<T>(&self, make: impl FnMut(&K) -> T) -> KeyRing<T> {
        let mut make = make;
        KeyRing { current: make(&self.current), previous: self.previous.iter().map(make).collect() }
    }

    /// The same ring with other previous values.
    pub(crate) fn with_previous(self, previous: Vec<K>) -> Self {
        Self { previous, ..self }
    }
}

impl KeyRing<Secret> {
    /// The keys for one purpose.
    pub(crate) fn derive_keys(&self, purpose: Purpose) -> Self {
        self.map(|secret| secret.derive_key(purpose))
    }

    /// The same keys, for MACs.
    pub(crate) fn derive(&self, purpose: Purpose) -> KeyRing<MacKey> {
        self.map(|secret| secret.derive(purpose))
    }
}
