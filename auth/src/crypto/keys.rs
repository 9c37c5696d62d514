//! One key for each purpose (contract §3), so that nothing made for one can be shown at another.

use hkdf::Hkdf;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

/// A secret that a host configured: kept out of every print, cleared from memory at the end.
#[derive(Clone)]
pub(crate) struct Secret(Zeroizing<Vec<u8>>);

impl Secret {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        Self(Zeroizing::new(bytes))
    }

    pub(crate) fn expose(&self) -> &[u8] {
        &self.0
    }

    /// The key for one purpose, by HKDF-SHA256 (RFC 5869) under the purpose's own label.
    #[expect(
        clippy::expect_used,
        reason = "HKDF-SHA256 refuses only outputs over 255 × 32 bytes, HMAC no key at all"
    )]
    pub(crate) fn derive(&self, purpose: Purpose) -> MacKey {
        let mut key = Zeroizing::new([0; 32]);
        Hkdf::<Sha256>::new(None, self.expose())
            .expand(purpose.label(), &mut *key)
            .expect("32 bytes are one block");
        MacKey(Hmac::new_from_slice(&*key).expect("any length is a key"))
    }
}

/// What a derived key is for.
#[derive(Clone, Copy)]
pub(crate) enum Purpose {
    /// `gen`, the mark that a token carries of the credentials it was issued under.
    Generation,
    /// Names of entries in the ephemeral store, which would otherwise hold addresses in clear.
    StoreKeys,
}

impl Purpose {
    const fn label(self) -> &'static [u8] {
        match self {
            Self::Generation => b"axum-auth-module/v1/generation",
            Self::StoreKeys => b"axum-auth-module/v1/store-keys",
        }
    }
}

/// A key for HMAC-SHA256 under one purpose.
#[derive(Clone)]
pub(crate) struct MacKey(Hmac<Sha256>);

impl MacKey {
    /// The MAC of the parts, each preceded by its length: no two lists of parts give the same input.
    pub(crate) fn mac(&self, parts: &[&[u8]]) -> [u8; 32] {
        let mut mac = self.0.clone();
        for part in parts {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_two_purposes_differ_and_parts_do_not_run_into_each_other() {
        let secret = Secret::new(vec![7; 32]);
        let key = secret.derive(Purpose::Generation);
        assert_ne!(key.mac(&[b"a"]), secret.derive(Purpose::StoreKeys).mac(&[b"a"]));
        assert_ne!(key.mac(&[b"ab", b"c"]), key.mac(&[b"a", b"bc"]));
    }
}
