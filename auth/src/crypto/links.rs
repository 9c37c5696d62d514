//! The two MACs of a verification link (specification §15.4), each under a key of its own.

use super::keys::{MacKey, Purpose, Secret};
use super::random::hex_of;
use subtle::ConstantTimeEq;

/// Makes and checks them.
#[derive(Clone)]
pub(crate) struct LinkKeys {
    hash: MacKey,
    signature: MacKey,
}

impl LinkKeys {
    pub(crate) fn new(secret: &Secret) -> Self {
        Self { hash: secret.derive(Purpose::LinkHash), signature: secret.derive(Purpose::LinkSignature) }
    }

    /// `hash`: of the address.
    pub(crate) fn hash(&self, email: &str) -> String {
        hex_of(&self.hash.mac_of_text(email))
    }

    /// `signature`: of `id:hash:expires`. None of the three has a colon but the id perhaps, and it comes first; two
    /// lists of parts with the same text would have to agree in the other two.
    pub(crate) fn signature(&self, id: &str, hash: &str, expires: &str) -> String {
        hex_of(&self.signature.mac_of_text(&format!("{id}:{hash}:{expires}")))
    }
}

/// Compares what was sent with what it has to be, in a time that does not tell how much of it is right.
pub(crate) fn equal(sent: &str, expected: &str) -> bool {
    sent.as_bytes().ct_eq(expected.as_bytes()).into()
}
