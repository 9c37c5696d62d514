//! One key for each purpose (specification §16.1), so that nothing made for one can be shown at another.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
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
    #[expect(clippy::expect_used, reason = "HKDF-SHA256 refuses only outputs over 255 × 32 bytes")]
    pub(crate) fn derive_key(&self, purpose: Purpose) -> Zeroizing<[u8; 32]> {
        let mut key = Zeroizing::new([0; 32]);
        let hkdf = Hkdf::<Sha256>::new(None, self.expose());
        hkdf.expand(purpose.label(), key.as_mut_slice()).expect("32 bytes are one block");
        key
    }

    /// The same, as a key for MACs.
    #[expect(clippy::expect_used, reason = "HMAC takes keys of any length")]
    pub(crate) fn derive(&self, purpose: Purpose) -> MacKey {
        MacKey(Hmac::new_from_slice(self.derive_key(purpose).as_slice()).expect("any length is a key"))
    }
}

/// What a derived key is for.
#[derive(Clone, Copy)]
pub(crate) enum Purpose {
    /// `gen`, the mark that a token carries of the credentials it was issued under.
    Generation,
    /// Names of entries in the ephemeral store, which would otherwise hold addresses in clear.
    StoreKeys,
    /// Challenge tokens, which must open nothing that an access token opens.
    Challenge,
    /// `hash` of verification links.
    LinkHash,
    /// `signature` of verification links.
    LinkSignature,
    /// The id of an encryption key, which is stored beside what it encrypted.
    EncryptionKeyId,
}

impl Purpose {
    const fn label(self) -> &'static [u8] {
        match self {
            Self::Generation => b"axum-auth-module/v1/generation",
            Self::StoreKeys => b"axum-auth-module/v1/store-keys",
            Self::Challenge => b"axum-auth-module/v1/challenge",
            Self::LinkHash => b"axum-auth-module/v1/link-hash",
            Self::LinkSignature => b"axum-auth-module/v1/link-signature",
            Self::EncryptionKeyId => b"axum-auth-module/v1/encryption-key-id",
        }
    }
}

/// A key for HMAC-SHA256 under one purpose.
#[derive(Clone)]
pub(crate) struct MacKey(Hmac<Sha256>);

impl MacKey {
    /// The name of an entry in the ephemeral store: of fixed length, and it does not tell whose it is.
    pub(crate) fn name(&self, kind: &str, of: &[&str]) -> String {
        let parts: Vec<_> = std::iter::once(kind).chain(of.iter().copied()).map(str::as_bytes).collect();
        format!("{kind}:{}", URL_SAFE_NO_PAD.encode(self.mac(&parts)))
    }

    /// The MAC of a text as it is, with nothing before it.
    pub(crate) fn mac_of_text(&self, text: &str) -> [u8; 32] {
        self.0.clone().chain_update(text).finalize().into_bytes().into()
    }

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
