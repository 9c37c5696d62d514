//! The two encrypted fields, read and written without the library (specification §16.2): AES-256-GCM in
//! `v1.<key id>.<nonce and ciphertext>`, bound to version, key, user and field.

use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::{Aes256Gcm, Nonce};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;

/// The encryption key of `axum_auth_module::testing::config`.
const KEY: &[u8; 32] = b"thirty-two bytes for tests only!";

/// The id of the key that a stored text was written under.
pub(crate) fn key_id(stored: &str) -> &str {
    let [version, id, _] = parts(stored);
    assert_eq!(version, "v1");
    id
}

/// What a stored text holds.
pub(crate) fn open(stored: &str, user: &str, field: &str) -> Value {
    let sealed = URL_SAFE_NO_PAD.decode(parts(stored)[2]).unwrap();
    let (nonce, ciphertext) = sealed.split_first_chunk::<12>().unwrap();
    let bound = bound_to(key_id(stored), user, field);
    let payload = Payload { msg: ciphertext, aad: &bound };
    let plaintext = Aes256Gcm::new(KEY.into()).decrypt(&Nonce::from(*nonce), payload);
    serde_json::from_slice(&plaintext.expect("a text of this user and field")).unwrap()
}

/// A text that holds this, as the library could have written it.
pub(crate) fn seal(document: &Value, key_id: &str, user: &str, field: &str) -> String {
    let (nonce, bound) = ([7; 12], bound_to(key_id, user, field));
    let plaintext = document.to_string();
    let payload = Payload { msg: plaintext.as_bytes(), aad: &bound };
    let ciphertext = Aes256Gcm::new(KEY.into()).encrypt(&Nonce::from(nonce), payload).unwrap();
    format!("v1.{key_id}.{}", URL_SAFE_NO_PAD.encode([nonce.as_slice(), &ciphertext].concat()))
}

fn parts(stored: &str) -> [&str; 3] {
    stored.split('.').collect::<Vec<_>>().try_into().expect("three parts")
}

/// The additional data: each part with its length before it, in eight bytes.
fn bound_to(key_id: &str, user: &str, field: &str) -> Vec<u8> {
    let parts = ["v1", key_id, user, field];
    parts.iter().flat_map(|part| [&(part.len() as u64).to_be_bytes(), part.as_bytes()].concat()).collect()
}
