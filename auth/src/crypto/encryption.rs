//! Encryption of the two fields that are stored encrypted (specification §16.2).
//!
//! What is stored is a versioned text, `v1.<key id>.<nonce and ciphertext>`, so that a host can change its key: the
//! id says under which one a value was written. The value is bound to its user and its field; moved to another record
//! or column it does not open.

use super::keys::{Purpose, Secret};
use super::random;
use crate::error::AuthError;
use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::{Aes256Gcm, Nonce};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use zeroize::Zeroizing;

/// The only version there is.
const VERSION: &str = "v1";
/// Length of an AES-256 key (specification §5.2).
pub(crate) const KEY_BYTES: usize = 32;
/// Length of a GCM nonce (NIST SP 800-38D §5.2.1.1).
const NONCE_BYTES: usize = 12;

/// The host's encryption keys: one that writes, and earlier ones that still read.
#[derive(Clone)]
pub(crate) struct Encryption {
    current: Key,
    previous: Vec<Key>,
}

#[derive(Clone)]
struct Key {
    id: String,
    cipher: Aes256Gcm,
}

/// Where a value belongs.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    /// The user's id, printed.
    pub(crate) user: &'a str,
    /// The field's name.
    pub(crate) field: &'static str,
}

impl Encryption {
    pub(crate) fn new(current: &[u8; KEY_BYTES], previous: &[[u8; KEY_BYTES]]) -> Self {
        Self { current: Key::new(current), previous: previous.iter().map(Key::new).collect() }
    }

    /// Encrypts under the current key.
    pub(crate) fn encrypt(&self, place: Place<'_>, plaintext: &[u8]) -> Result<String, AuthError> {
        let nonce: [u8; NONCE_BYTES] = random::bytes()?;
        let Key { id, cipher } = &self.current;
        let bound = place.bound_to(id);
        let payload = Payload { msg: plaintext, aad: &bound };
        let sealed =
            cipher.encrypt(&Nonce::from(nonce), payload).map_err(|_| failure("could not be encrypted"))?;
        let sealed = URL_SAFE_NO_PAD.encode([nonce.as_slice(), &sealed].concat());
        Ok(format!("{VERSION}.{id}.{sealed}"))
    }

    /// Decrypts what the current key or an earlier one encrypted for this place.
    ///
    /// # Errors
    /// [`AuthError::Internal`] for whatever does not open: a value that was corrupted, moved or written under a key
    /// that is not configured any more says nothing about what it held.
    pub(crate) fn decrypt(&self, place: Place<'_>, stored: &str) -> Result<Zeroizing<Vec<u8>>, AuthError> {
        let parts: Vec<_> = stored.split('.').collect();
        let [VERSION, id, sealed] = parts.as_slice() else {
            return Err(failure("is not of a version that is known"));
        };
        let key = std::iter::once(&self.current).chain(&self.previous).find(|key| key.id == *id);
        let key = key.ok_or_else(|| failure("was written under a key that is not configured"))?;
        let sealed = URL_SAFE_NO_PAD.decode(sealed).map_err(|_| failure("is corrupted"))?;
        let (nonce, sealed) =
            sealed.split_first_chunk::<NONCE_BYTES>().ok_or_else(|| failure("is corrupted"))?;
        let bound = place.bound_to(id);
        let payload = Payload { msg: sealed, aad: &bound };
        let opened = key.cipher.decrypt(&Nonce::from(*nonce), payload);
        opened.map(Zeroizing::new).map_err(|_| failure("is corrupted, or of another user or field"))
    }

    /// Whether a value was written under the current key. One that was not is rewritten when it is next saved.
    #[cfg(test)]
    fn is_current(&self, stored: &str) -> bool {
        stored.split('.').nth(1) == Some(&self.current.id)
    }
}

impl Key {
    fn new(key: &[u8; KEY_BYTES]) -> Self {
        let mark = Secret::new(key.to_vec()).derive(Purpose::EncryptionKeyId).mac(&[]);
        let id = mark.first_chunk::<6>().map(|id| URL_SAFE_NO_PAD.encode(id)).unwrap_or_default();
        Self { id, cipher: Aes256Gcm::new(key.into()) }
    }
}

impl Place<'_> {
    /// The additional data of a value in this place: every part with its length before it.
    fn bound_to(self, key_id: &str) -> Vec<u8> {
        let parts = [VERSION, key_id, self.user, self.field];
        parts.iter().flat_map(|part| [&(part.len() as u64).to_be_bytes(), part.as_bytes()].concat()).collect()
    }
}

fn failure(what: &str) -> AuthError {
    AuthError::internal(format!("an encrypted field {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: Place<'_> = Place { user: "7", field: "twoFactorSecret" };

    #[test]
    fn a_value_opens_in_its_place_and_nowhere_else() {
        let encryption = Encryption::new(&[1; 32], &[]);
        let stored = encryption.encrypt(HERE, b"secret").unwrap();
        assert_eq!(encryption.decrypt(HERE, &stored).unwrap().as_slice(), b"secret");
        for elsewhere in [Place { user: "8", ..HERE }, Place { field: "twoFactorRecoveryCodes", ..HERE }] {
            assert!(encryption.decrypt(elsewhere, &stored).is_err());
        }
        assert_ne!(encryption.encrypt(HERE, b"secret").unwrap(), stored, "a new nonce each time");
    }

    #[test]
    fn what_is_not_whole_does_not_open() {
        let encryption = Encryption::new(&[1; 32], &[]);
        let stored = encryption.encrypt(HERE, b"secret").unwrap();
        for at in 0..stored.len() {
            let mut broken = stored.clone().into_bytes();
            broken[at] = if broken[at] == b'A' { b'B' } else { b'A' };
            let broken = String::from_utf8(broken).unwrap();
            assert!(encryption.decrypt(HERE, &broken).is_err(), "{broken}");
            assert!(encryption.decrypt(HERE, stored.split_at(at).0).is_err(), "{at}");
        }
        assert!(encryption.decrypt(HERE, "secret").is_err());
    }

    #[test]
    fn an_earlier_key_reads_and_the_current_one_writes() {
        let old = Encryption::new(&[1; 32], &[]);
        let stored = old.encrypt(HERE, b"secret").unwrap();
        let new = Encryption::new(&[2; 32], &[[1; 32]]);
        assert_eq!(new.decrypt(HERE, &stored).unwrap().as_slice(), b"secret");
        assert!(!new.is_current(&stored) && new.is_current(&new.encrypt(HERE, b"secret").unwrap()));
        assert!(Encryption::new(&[2; 32], &[]).decrypt(HERE, &stored).is_err());
    }
}
