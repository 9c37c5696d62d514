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

    /// This ring with other previous values.
    pub(crate) fn with_previous(self, previous: Vec<K>) -> Self {
        Self { previous, ..self }
    }
}

impl KeyRing<Secret> {
    /// The keys for one purpose.
    pub(crate) fn derive_keys(&self, purpose: Purpose) -> Self {
        self.map(|secret| secret.derive_key(purpose))
    }

    /// The keys for one purpose, for MACs.
    pub(crate) fn derive(&self, purpose: Purpose) -> KeyRing<MacKey> {
        self.map(|secret| secret.derive(purpose))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crypto::jwt::TokenKeys;
    use crate::crypto::links::LinkKeys;
    use proptest::prelude::*;

    /// Secrets by their number, the current one first.
    fn ring(numbers: &[u8]) -> KeyRing<Secret> {
        let mut secrets = numbers.iter().map(|number| Secret::new(vec![*number; 32]));
        KeyRing::new(secrets.next().unwrap(), secrets.collect())
    }

    /// One to three different secrets of five.
    fn rings() -> impl Strategy<Value = Vec<u8>> {
        Just(vec![1, 2, 3, 4, 5]).prop_shuffle().prop_flat_map(|numbers| {
            (1..=3_usize).prop_map(move |count| numbers.iter().take(count).copied().collect())
        })
    }

    proptest! {
        /// For every purpose: what one ring makes, another one accepts exactly if it has the first one's current secret.
        #[test]
        fn a_ring_accepts_exactly_what_one_of_its_secrets_has_made(maker in rings(), verifier in rings()) {
            let accepts = verifier.contains(&maker[0]);
            let (maker, verifier) = (ring(&maker), ring(&verifier));
            for purpose in Purpose::ALL {
                let made = maker.derive(*purpose).current().mac(&[b"7"]);
                prop_assert_eq!(verifier.derive(*purpose).any(|key| key.mac(&[b"7"]) == made), accepts);
                let keys = |ring: &KeyRing<Secret>| TokenKeys::new("at+jwt", &ring.derive_keys(*purpose));
                let token = keys(&maker).sign(&serde_json::json!({ "sub": "7" })).unwrap();
                prop_assert_eq!(keys(&verifier).open::<serde_json::Value>(&token).is_some(), accepts);
                for other in Purpose::ALL.iter().filter(|other| *other != purpose) {
                    prop_assert!(!verifier.derive(*other).any(|key| key.mac(&[b"7"]) == made));
                }
            }
            let link = LinkKeys::new(&maker).sign("7", "ada@example.com", "1");
            let verify = |hash, signature| {
                LinkKeys::new(&verifier).verify("7", "ada@example.com", "1", hash, signature)
            };
            prop_assert_eq!(verify(&link.hash, &link.signature), accepts);
        }
    }

    #[test]
    fn both_macs_of_a_link_must_be_of_one_secret() {
        let sign = |number| LinkKeys::new(&ring(&[number])).sign("7", "ada@example.com", "1");
        let (one, other, keys) = (sign(1), sign(2), LinkKeys::new(&ring(&[1, 2])));
        let verify = |hash: &str, signature: &str| keys.verify("7", "ada@example.com", "1", hash, signature);
        assert!(verify(&one.hash, &one.signature) && verify(&other.hash, &other.signature));
        assert!(!verify(&one.hash, &other.signature) && !verify(&other.hash, &one.signature));
    }
}
