//! The two MACs of a verification link (specification §15.4), each with its own key.

use super::keys::{MacKey, Purpose, Secret};
use super::random::hex_of;
use super::ring::KeyRing;
use subtle::ConstantTimeEq;

/// Makes and verifies the MACs.
#[derive(Clone)]
pub(crate) struct LinkKeys(KeyRing<LinkKey>);

/// The keys of the two MACs, both of one secret.
#[derive(Clone)]
struct LinkKey {
    hash: MacKey,
    signature: MacKey,
}

/// The MACs of a link, in hexadecimal digits.
pub(crate) struct LinkMacs {
    pub(crate) hash: String,
    pub(crate) signature: String,
}

impl LinkKeys {
    pub(crate) fn new(secrets: &KeyRing<Secret>) -> Self {
        Self(secrets.map(|secret| LinkKey {
            hash: secret.derive(Purpose::LinkHash),
            signature: secret.derive(Purpose::LinkSignature),
        }))
    }

    /// The MACs of a link for this user and this address until `expires`, with the current keys.
    pub(crate) fn sign(&self, id: &str, email: &str, expires: &str) -> LinkMacs {
        self.0.current().sign(id, email, expires)
    }

    /// Whether the MACs of a link are those of this user, this address and `expires`, with the keys of one secret.
    pub(crate) fn verify(&self, id: &str, email: &str, expires: &str, hash: &str, signature: &str) -> bool {
        self.0.any(|key| {
            let expected = key.sign(id, email, expires);
            equal(hash, &expected.hash) & equal(signature, &expected.signature)
        })
    }
}

impl LinkKey {
    /// `hash` is the MAC of the e-mail address, `signature` that of `id:hash:expires`. Only the id can contain a colon,
    /// and it comes first, so different parts never give the same text.
    fn sign(&self, id: &str, email: &str, expires: &str) -> LinkMacs {
        let hash = hex_of(&self.hash.mac_of_text(email));
        let signature = hex_of(&self.signature.mac_of_text(&format!("{id}:{hash}:{expires}")));
        LinkMacs { hash, signature }
    }
}

/// Compares in constant time.
fn equal(sent: &str, expected: &str) -> bool {
    sent.as_bytes().ct_eq(expected.as_bytes()).into()
}
