//! Sealed texts that a client keeps between two requests (specification §10.6).
//!
//! Each text has a key and a nonce of its own, which follow from a random salt and the purpose: of any number of texts no two have
//! one nonce under one key.

use super::keys::{Purpose, Secret};
use super::random;
use super::ring::KeyRing;
use crate::error::AuthError;
use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::{Aes256Gcm, Nonce};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hkdf::Hkdf;
use sha2::Sha256;
use zeroize::Zeroizing;

/// The beginning of every text, with the version.
const PREFIX: &str = "fl1.";
/// The most characters of a text.
const MOST_CHARACTERS: usize = 4096;
const SALT_BYTES: usize = 24;
const KEY_BYTES: usize = 32;
const NONCE_BYTES: usize = 12;

/// Seals and opens texts of one module.
#[derive(Clone)]
pub(crate) struct FlowKeys {
    keys: KeyRing<Secret>,
    realm: String,
}

impl FlowKeys {
    pub(crate) fn new(secrets: &KeyRing<Secret>, realm: &str) -> Self {
        Self { keys: secrets.derive_keys(Purpose::Flow), realm: realm.to_owned() }
    }

    /// Seals a JSON document for a purpose. It is padded with blanks to a multiple of `padded`, so that the length of the text does
    /// not tell what is in the document.
    pub(crate) fn seal(&self, purpose: &str, document: &[u8], padded: usize) -> Result<String, AuthError> {
        let salt: [u8; SALT_BYTES] = random::bytes()?;
        let mut content = Zeroizing::new(document.to_vec());
        content.resize(document.len().next_multiple_of(padded.max(1)), b' ');
        let (cipher, nonce) = cipher(self.keys.current(), &salt, purpose);
        let payload = Payload { msg: &content, aad: &self.bound_to(purpose) };
        let sealed = cipher.encrypt(&Nonce::from(nonce), payload);
        let sealed = sealed.map_err(|_| AuthError::internal("a flow token could not be encrypted"))?;
        let text = format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode([&salt[..], &sealed].concat()));
        match text.len() {
            ..=MOST_CHARACTERS => Ok(text),
            _ => Err(AuthError::internal("a flow token is too long")),
        }
    }

    /// The document, if this module has sealed the text for this purpose, with one of its secrets.
    pub(crate) fn open(&self, purpose: &str, text: &str) -> Option<Zeroizing<Vec<u8>>> {
        let encoded = text.strip_prefix(PREFIX).filter(|_| text.len() <= MOST_CHARACTERS)?;
        // Only the canonical spelling: no padding, and no bits that stand for nothing.
        let bytes = URL_SAFE_NO_PAD.decode(encoded).ok()?;
        let (salt, sealed) = bytes.split_first_chunk::<SALT_BYTES>()?;
        let bound = self.bound_to(purpose);
        self.keys.iter().find_map(|secret| {
            let (cipher, nonce) = cipher(secret, salt, purpose);
            cipher.decrypt(&Nonce::from(nonce), Payload { msg: sealed, aad: &bound }).ok().map(Zeroizing::new)
        })
    }

    /// The additional authenticated data: each part is preceded by its length.
    fn bound_to(&self, purpose: &str) -> Vec<u8> {
        let parts = [PREFIX, purpose, &self.realm];
        parts.iter().flat_map(|part| [&(part.len() as u64).to_be_bytes(), part.as_bytes()].concat()).collect()
    }
}

/// The cipher of a text and its nonce, by HKDF-SHA256 (RFC 5869) with the salt; the info is what it is, and the purpose.
#[expect(clippy::expect_used, reason = "HKDF-SHA256 refuses only outputs over 255 × 32 bytes")]
fn cipher(secret: &Secret, salt: &[u8], purpose: &str) -> (Aes256Gcm, [u8; NONCE_BYTES]) {
    let (mut key, mut nonce) = (Zeroizing::new([0; KEY_BYTES]), [0; NONCE_BYTES]);
    let hkdf = Hkdf::<Sha256>::new(Some(salt), secret.expose());
    for (part, of) in [(key.as_mut_slice(), "key"), (&mut nonce, "nonce")] {
        hkdf.expand_multi_info(&[of.as_bytes(), b" ", purpose.as_bytes()], part)
            .expect("44 bytes are two blocks");
    }
    (Aes256Gcm::new((&*key).into()), nonce)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(secrets: &[u8], realm: &str) -> FlowKeys {
        let mut secrets = secrets.iter().map(|byte| Secret::new(vec![*byte; 40]));
        FlowKeys::new(&KeyRing::new(secrets.next().unwrap(), secrets.collect()), realm)
    }

    const DOCUMENT: &[u8] = br#"{"a":1}"#;

    fn sealed() -> String {
        keys(&[1], "shop").seal("email-login", DOCUMENT, 256).unwrap()
    }

    #[test]
    fn a_text_opens_for_its_purpose_realm_and_secret_only() {
        let text = sealed();
        let opened = keys(&[1], "shop").open("email-login", &text).unwrap();
        assert!(opened.starts_with(DOCUMENT) && opened.len() == 256, "{opened:?}");
        assert!(keys(&[2, 1], "shop").open("email-login", &text).is_some(), "a previous secret");
        assert!(keys(&[2], "shop").open("email-login", &text).is_none(), "another secret");
        assert!(keys(&[1], "shop").open("email-confirmation", &text).is_none(), "another purpose");
        assert!(keys(&[1], "shop2").open("email-login", &text).is_none(), "another realm");
        assert_ne!(sealed(), text, "every text has a salt of its own");
    }

    #[test]
    fn a_changed_text_does_not_open() {
        let (keys, text) = (keys(&[1], "shop"), sealed());
        for at in 0..text.len() {
            for bit in 0..7 {
                let mut changed = text.clone().into_bytes();
                changed[at] ^= 1 << bit;
                let changed = String::from_utf8(changed).unwrap();
                assert!(keys.open("email-login", &changed).is_none(), "{changed}");
            }
            let (shorter, _) = text.split_at(at);
            assert!(keys.open("email-login", shorter).is_none(), "{at}");
        }
        for other in
            [format!("{text}="), format!("{text}A"), format!(" {text}"), text.replace("fl1.", "fl2.")]
        {
            assert!(keys.open("email-login", &other).is_none(), "{other}");
        }
    }

    #[test]
    fn the_length_of_a_text_does_not_tell_the_length_of_the_document() {
        let length = |document: &[u8]| keys(&[1], "shop").seal("email-login", document, 1024).unwrap().len();
        assert_eq!(length(b"{}"), length(&[b'1'; 1024]));
        assert!(length(&[b'1'; 1024]) < length(&[b'1'; 1025]));
    }

    #[test]
    fn a_text_has_at_most_4096_characters() {
        let keys = keys(&[1], "shop");
        assert!(keys.seal("email-login", &[b' '; 4096], 1).is_err());
        let long = format!("fl1.{}", "A".repeat(4093));
        assert!(keys.open("email-login", &long).is_none());
    }
}
