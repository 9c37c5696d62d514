//! Encryption of the two fields that are stored encrypted, and of reset tokens in the store (specification §16.2).
//!
//! A stored value has the form `v1.<key id>.<nonce and ciphertext>`. The key id allows a host to change its key: it
//! names the key that encrypted the value. A value is bound to its user and field; it cannot be decrypted in another
//! record or column.

use super::keys::{Purpose, Secret};
use super::random;
use super::ring::KeyRing;
use crate::error::AuthError;
use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::{Aes256Gcm, Nonce};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use zeroize::Zeroizing;

/// The only version so far.
const VERSION: &str = "v1";
/// The length of an AES-256 key (specification §5.2).
pub(crate) const KEY_BYTES: usize = 32;
/// The length of a GCM nonce (NIST SP 800-38D §5.2.1.1).
const NONCE_BYTES: usize = 12;

/// The host's encryption keys: the current key encrypts; the current and the previous keys decrypt.
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

/// Whose value it is and its field, to which it is bound.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    /// The user's id in its printed form; of a reset token the key of its address in the host's table.
    pub(crate) user: &'a str,
    /// The field's name.
    pub(crate) field: &'static str,
}

impl Encryption {
    pub(crate) fn new(current: &[u8; KEY_BYTES], previous: &[[u8; KEY_BYTES]]) -> Self {
        Self { current: Key::new(current), previous: previous.iter().map(Key::new).collect() }
    }

    /// An encryption with keys that are derived from a ring of secrets for one purpose.
    pub(crate) fn derived(secrets: &KeyRing<Secret>, purpose: Purpose) -> Self {
        let keys = secrets.derive_keys(purpose).map(Key::derived);
        let previous = keys.previous().to_vec();
        Self { current: keys.into_current(), previous }
    }

    /// Encrypts with the current key.
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

    /// Decrypts a value that the current key or a previous one encrypted for this place.
    ///
    /// # Errors
    /// [`AuthError::Internal`] if the value was corrupted or moved, or if its key is not configured any more.
    pub(crate) fn decrypt(&self, place: Place<'_>, stored: &str) -> Result<Zeroizing<Vec<u8>>, AuthError> {
        let parts: Vec<_> = stored.split('.').collect();
        let [VERSION, id, sealed] = parts.as_slice() else {
            return Err(failure("has an unknown version"));
        };
        let key = std::iter::once(&self.current).chain(&self.previous).find(|key| key.id == *id);
        let key = key.ok_or_else(|| failure("was encrypted with a key that is not configured"))?;
        let sealed = URL_SAFE_NO_PAD.decode(sealed).map_err(|_| failure("is corrupted"))?;
        let (nonce, sealed) =
            sealed.split_first_chunk::<NONCE_BYTES>().ok_or_else(|| failure("is corrupted"))?;
        let bound = place.bound_to(id);
        let payload = Payload { msg: sealed, aad: &bound };
        let opened = key.cipher.decrypt(&Nonce::from(*nonce), payload);
        opened.map(Zeroizing::new).map_err(|_| failure("is corrupted, or belongs to another user or field"))
    }

    /// Whether the current key encrypted the value.
    #[cfg(test)]
    fn is_current(&self, stored: &str) -> bool {
        stored.split('.').nth(1) == Some(&self.current.id)
    }
}

impl Key {
    #[expect(clippy::expect_used, reason = "a derived key has 32 bytes")]
    fn derived(secret: &Secret) -> Self {
        Self::new(secret.expose().try_into().expect("a derived key has 32 bytes"))
    }

    fn new(key: &[u8; KEY_BYTES]) -> Self {
        let mac = Secret::new(key.to_vec()).derive(Purpose::EncryptionKeyId).mac(&[]);
        let id = mac.first_chunk::<6>().map(|id| URL_SAFE_NO_PAD.encode(id)).unwrap_or_default();
        Self { id, cipher: Aes256Gcm::new(key.into()) }
    }
}

impl Place<'_> {
    /// The additional authenticated data of a value in this place: each part is preceded by its length.
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
    fn a_value_can_be_decrypted_in_its_place_only() {
        let encryption = Encryption::new(&[1; 32], &[]);
        let stored = encryption.encrypt(HERE, b"secret").unwrap();
        assert_eq!(encryption.decrypt(HERE, &stored).unwrap().as_slice(), b"secret");
        for elsewhere in [Place { user: "8", ..HERE }, Place { field: "twoFactorRecoveryCodes", ..HERE }] {
            assert!(encryption.decrypt(elsewhere, &stored).is_err());
        }
        assert_ne!(encryption.encrypt(HERE, b"secret").unwrap(), stored, "every encryption has a new nonce");
    }

    #[test]
    fn a_changed_or_truncated_value_cannot_be_decrypted() {
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
    fn a_previous_key_decrypts_and_the_current_key_encrypts() {
        let old = Encryption::new(&[1; 32], &[]);
        let stored = old.encrypt(HERE, b"secret").unwrap();
        let new = Encryption::new(&[2; 32], &[[1; 32]]);
        assert_eq!(new.decrypt(HERE, &stored).unwrap().as_slice(), b"secret");
        assert!(!new.is_current(&stored) && new.is_current(&new.encrypt(HERE, b"secret").unwrap()));
        assert!(Encryption::new(&[2; 32], &[]).decrypt(HERE, &stored).is_err());
    }
    #[test]
    fn keys_of_a_ring_decrypt_what_any_of_them_has_encrypted_for_one_purpose() {
        let ring = |bytes: &[u8]| {
            let mut secrets = bytes.iter().map(|byte| Secret::new(vec![*byte; 40]));
            KeyRing::new(secrets.next().unwrap(), secrets.collect())
        };
        let stored = Encryption::derived(&ring(&[1]), Purpose::ResetToken).encrypt(HERE, b"secret").unwrap();
        let opens = |secrets: &[u8], purpose| {
            Encryption::derived(&ring(secrets), purpose).decrypt(HERE, &stored).is_ok()
        };
        assert!(opens(&[1], Purpose::ResetToken) && opens(&[2, 3, 1], Purpose::ResetToken));
        assert!(!opens(&[2], Purpose::ResetToken) && !opens(&[1], Purpose::SessionState));
    }
}
