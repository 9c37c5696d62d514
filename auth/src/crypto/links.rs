//! The two MACs of a verification link (specification §15.4), each with its own key.

use super::keys::{MacKey, Purpose, Secret};
use super::random::hex_of;
use subtle::ConstantTimeEq;

/// The keys of the two MACs.
#[derive(Clone)]
pub(crate) struct LinkKeys {
    hash: MacKey,
    signature: MacKey,
}

impl LinkKeys {
    pub(crate) fn new(secret: &Secret) -> Self {
        Self { hash: secret.derive(Purpose::LinkHash), signature: secret.derive(Purpose::LinkSignature) }
    }

    /// `hash`: the MAC of the e-mail address.
    pub(crate) fn hash(&self, email: &str) -> String {
        hex_of(&self.hash.mac_of_text(email))
    }

    /// `signature`: the MAC of `id:hash:expires`. Only the id can contain a colon, and it comes first, so different
    /// parts never give the same text.
    pub(crate) fn signature(&self, id: &str, hash: &str, expires: &str) -> String {
        hex_of(&self.signature.mac_of_text(&format!("{id}:{hash}:{expires}")))
    }
}

/// Compares a MAC in a request with the expected MAC in constant time.
pub(crate) fn equal(sent: &str, expected: &str) -> bool {
    sent.as_bytes().ct_eq(expected.as_bytes()).into()
}
