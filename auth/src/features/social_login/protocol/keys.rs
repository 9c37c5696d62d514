//! The keys of a provider (RFC 7517, RFC 7518 §6, RFC 8037).

use super::flaw::Flaw;
use super::id_token::{Algorithm, Unverified};
use crate::crypto::signatures::PublicKey;
use crate::json;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;

/// The most keys that are read.
const MOST: usize = 100;

/// Keys with which signatures are verified, without those that cannot be used.
pub(super) struct Keys(Vec<Key>);

struct Key {
    kid: Option<String>,
    algorithm: Algorithm,
    material: Material,
}

enum Material {
    Rsa { modulus: Vec<u8>, exponent: Vec<u8> },
    P256 { x: Vec<u8>, y: Vec<u8> },
    Ed25519(Vec<u8>),
}

impl Keys {
    /// Reads a set of keys, of which there may be none that can be used. `None` if the document is no set.
    pub(super) fn read(document: &[u8]) -> Option<Self> {
        let set = json::object(document)?;
        let entries = set.get("keys")?.as_array()?;
        Some(Self(entries.iter().take(MOST).filter_map(Key::read).collect()))
    }

    /// Whether there is a key with the token's `kid`. Without a `kid`, only the signature says which key it is.
    pub(super) fn know_that_of(&self, token: &Unverified<'_>) -> bool {
        match &token.kid {
            Some(kid) => self.0.iter().any(|key| key.kid.as_deref() == Some(kid)),
            None => self.verify(token).is_ok(),
        }
    }

    /// Whether a key has signed the token: one with its `kid`, or without that the only one that fits its algorithm.
    pub(super) fn verify(&self, token: &Unverified<'_>) -> Result<(), Flaw> {
        let fits =
            |key: &&Key| key.algorithm == token.algorithm && (token.kid.is_none() || key.kid == token.kid);
        let candidates: Vec<_> = self.0.iter().filter(fits).collect();
        let is_ambiguous = token.kid.is_none() && candidates.len() > 1;
        if candidates.is_empty() || is_ambiguous {
            return Err(Flaw::UnknownKey);
        }
        let is_signed = candidates.iter().any(|key| {
            let key = key.material.public_key();
            key.is_some_and(|key| key.verifies_token(token.message.as_bytes(), &token.signature))
        });
        if is_signed { Ok(()) } else { Err(Flaw::Signature) }
    }
}

impl Key {
    /// Reads a key. `None` if it is malformed, weak, private, for something else, or of a kind that is not accepted.
    fn read(entry: &Value) -> Option<Self> {
        let text = |name| match entry.get(name) {
            None | Some(Value::Null) => Some(None),
            Some(value) => value.as_str().map(Some),
        };
        let bytes = |name| URL_SAFE_NO_PAD.decode(entry.get(name)?.as_str()?).ok();
        if text("use")?.is_some_and(|purpose| purpose != "sig") || entry.get("d").is_some() {
            return None;
        }
        if let Some(operations) = entry.get("key_ops") {
            operations.as_array()?.iter().find(|operation| *operation == "verify")?;
        }
        let (algorithm, material) = match (text("kty")??, text("crv")?) {
            ("RSA", _) => (Algorithm::Rs256, Material::Rsa { modulus: bytes("n")?, exponent: bytes("e")? }),
            ("EC", Some("P-256")) => (Algorithm::Es256, Material::P256 { x: bytes("x")?, y: bytes("y")? }),
            ("OKP", Some("Ed25519")) => (Algorithm::EdDsa, Material::Ed25519(bytes("x")?)),
            _ => return None,
        };
        if text("alg")?.is_some_and(|named| Algorithm::named(named) != Some(algorithm)) {
            return None;
        }
        if !material.public_key()?.is_on_curve() {
            return None;
        }
        Some(Self { kid: text("kid")?.map(str::to_owned), algorithm, material })
    }
}

impl Material {
    fn public_key(&self) -> Option<PublicKey<'_>> {
        match self {
            Self::Rsa { modulus, exponent } => PublicKey::rsa(modulus, exponent),
            Self::P256 { x, y } => PublicKey::p256(x, y),
            Self::Ed25519(key) => PublicKey::ed25519(key),
        }
    }
}
