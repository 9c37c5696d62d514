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

/// Generates [`Purpose`] and its labels from one list. A label is frozen: another one is another key.
macro_rules! purposes {
    ($($(#[$doc:meta])* $variant:ident $label:literal;)*) => {
        /// What a derived key is for (specification §16.1).
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Purpose {
            $($(#[$doc])* $variant,)*
        }

        impl Purpose {
            #[cfg(test)]
            const ALL: &'static [Self] = &[$(Self::$variant),*];

            const fn label(self) -> &'static [u8] {
                match self { $(Self::$variant => concat!("axum-auth-module/v1/", $label).as_bytes(),)* }
            }
        }
    };
}

purposes! {
    /// `gen`, the mark that a token carries of the credentials under which it was issued.
    Generation "generation";
    /// Keys of the ephemeral store, which would otherwise contain addresses in clear text.
    StoreKeys "store-keys";
    /// Challenge tokens, which must not open anything that an access token opens.
    Challenge "challenge";
    /// `hash` of verification links.
    LinkHash "link-hash";
    /// `signature` of verification links.
    LinkSignature "link-signature";
    /// The id of an encryption key, which is stored beside the values that the key encrypted.
    EncryptionKeyId "encryption-key-id";
}

/// A key for HMAC-SHA256 under one purpose.
#[derive(Clone)]
pub(crate) struct MacKey(Hmac<Sha256>);

impl MacKey {
    /// A key in the ephemeral store: it has a fixed length and does not reveal whose entry it is.
    pub(crate) fn store_key(&self, kind: &str, of: &[&str]) -> String {
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
    fn every_purpose_has_a_key_of_its_own() {
        let secret = Secret::new(vec![7; 32]);
        let keys: std::collections::HashSet<_> =
            Purpose::ALL.iter().map(|purpose| *secret.derive_key(*purpose)).collect();
        assert_eq!(keys.len(), Purpose::ALL.len());
    }

    #[test]
    fn parts_do_not_run_into_each_other() {
        let key = Secret::new(vec![7; 32]).derive(Purpose::Generation);
        assert_ne!(key.mac(&[b"ab", b"c"]), key.mac(&[b"a", b"bc"]));
    }
}
