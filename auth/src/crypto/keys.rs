//! One derived key for each purpose (specification §16.1), so that a value made for one purpose is invalid for any
//! other.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hkdf::Hkdf;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

/// A secret of the host. It has no `Debug` and no `Display`, and its memory is cleared when it is dropped.
#[derive(Clone)]
pub(crate) struct Secret(Zeroizing<Vec<u8>>);

impl Secret {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        Self(Zeroizing::new(bytes))
    }

    pub(crate) fn expose(&self) -> &[u8] {
        &self.0
    }

    /// The key for one purpose, by HKDF-SHA256 (RFC 5869) with the purpose's label.
    #[expect(clippy::expect_used, reason = "HKDF-SHA256 refuses only outputs over 255 × 32 bytes")]
    pub(crate) fn derive_key(&self, purpose: Purpose) -> Self {
        let mut key = Zeroizing::new(vec![0; 32]);
        let hkdf = Hkdf::<Sha256>::new(None, self.expose());
        hkdf.expand(purpose.label(), key.as_mut_slice()).expect("32 bytes are one block");
        Self(key)
    }

    /// The key for one purpose, for MACs.
    pub(crate) fn derive(&self, purpose: Purpose) -> MacKey {
        self.derive_key(purpose).mac_key()
    }

    /// This secret itself as a key for MACs. Preparing it is part of the work of a MAC, and done once here.
    #[expect(clippy::expect_used, reason = "HMAC takes keys of any length")]
    pub(super) fn mac_key(&self) -> MacKey {
        MacKey(Hmac::new_from_slice(self.expose()).expect("any length is a key"))
    }
}

/// Generates [`Purpose`] and its labels from one list. Labels are frozen: another label gives another key.
macro_rules! purposes {
    ($($(#[$doc:meta])* $variant:ident $label:literal;)*) => {
        /// The purpose of a derived key (specification §16.1).
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Purpose {
            $($(#[$doc])* $variant,)*
        }

        impl Purpose {
            #[cfg(test)]
            pub(super) const ALL: &'static [Self] = &[$(Self::$variant),*];

            const fn label(self) -> &'static [u8] {
                match self { $(Self::$variant => concat!("axum-auth-module/v1/", $label).as_bytes(),)* }
            }
        }
    };
}

purposes! {
    /// `gen`, which binds a token to the credentials of its user.
    Generation "generation";
    /// The MAC of a session's stored state.
    SessionState "session-state";
    /// Keys of the ephemeral store. Without a MAC they would contain addresses in clear text.
    StoreKeys "store-keys";
    /// Challenge tokens, which must not be accepted as access tokens.
    Challenge "challenge";
    /// Tokens in session cookies, which must not be accepted as bearer tokens.
    SessionCookie "session-cookie";
    /// Challenge tokens in cookies, which must not be accepted in a body.
    BrowserChallenge "browser-challenge";
    /// Tokens of trusted devices.
    TrustedDevice "trusted-device";
    /// Tokens of trusted devices in cookies, which must not be accepted in a body.
    BrowserDevice "browser-device";
    /// `hash` of verification links.
    LinkHash "link-hash";
    /// `signature` of verification links.
    LinkSignature "link-signature";
    /// The encryption of what a client keeps between two requests.
    Flow "flow";
    /// The MAC of an address that was proven, in a challenge.
    ProvenAddress "proven-address";
    /// Whether an address without an account counts as one that knows a client.
    KnownClientDecoy "known-client-decoy";
    /// The encryption of a reset token that is mailed again.
    ResetToken "reset-token";
    /// The MAC of a password before it is hashed, of `password_pepper`.
    PasswordPepper "password-pepper";
    /// The id of a pepper, which is stored with each hash.
    PasswordPepperId "password-pepper-id";
    /// The id of an encryption key, which is stored with each value.
    EncryptionKeyId "encryption-key-id";
}

/// A key for HMAC-SHA256, for one purpose.
#[derive(Clone)]
pub(crate) struct MacKey(Hmac<Sha256>);

impl MacKey {
    /// Another key for each realm, so that two modules with one secret and one store do not share entries.
    #[expect(clippy::expect_used, reason = "HMAC takes keys of any length")]
    pub(crate) fn of_realm(&self, realm: &str) -> Self {
        Self(Hmac::new_from_slice(&self.mac(&[b"realm", realm.as_bytes()])).expect("any length is a key"))
    }

    /// A key of the ephemeral store. Its length is fixed, and it does not reveal the user or address of the entry.
    pub(crate) fn store_key(&self, kind: &str, of: &[&str]) -> String {
        let parts: Vec<_> = std::iter::once(kind).chain(of.iter().copied()).map(str::as_bytes).collect();
        format!("{kind}:{}", URL_SAFE_NO_PAD.encode(self.mac(&parts)))
    }

    /// The MAC of a text, without a length prefix.
    pub(crate) fn mac_of_text(&self, text: &str) -> [u8; 32] {
        self.0.clone().chain_update(text).finalize().into_bytes().into()
    }

    /// The MAC of the parts. Each part is preceded by its length, so that two different lists never have the same MAC
    /// input.
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
    fn every_purpose_has_its_own_key() {
        let secret = Secret::new(vec![7; 32]);
        let keys: std::collections::HashSet<_> =
            Purpose::ALL.iter().map(|purpose| secret.derive_key(*purpose).expose().to_vec()).collect();
        assert_eq!(keys.len(), Purpose::ALL.len());
    }

    #[test]
    fn lists_that_concatenate_to_the_same_text_have_different_macs() {
        let key = Secret::new(vec![7; 32]).derive(Purpose::Generation);
        assert_ne!(key.mac(&[b"ab", b"c"]), key.mac(&[b"a", b"bc"]));
    }
}
