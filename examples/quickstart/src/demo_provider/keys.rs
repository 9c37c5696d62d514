//! The key that signs ID tokens: ES256, made at the start.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use serde::Serialize;
use std::io;

/// A key pair with its name.
pub(super) struct SigningKey {
    pair: EcdsaKeyPair,
    id: String,
    random: SystemRandom,
}

/// The public keys (RFC 7517).
#[derive(Serialize)]
pub(super) struct Jwks {
    keys: [Jwk; 1],
}

#[derive(Serialize)]
struct Jwk {
    kty: &'static str,
    crv: &'static str,
    alg: &'static str,
    r#use: &'static str,
    kid: String,
    x: String,
    y: String,
}

#[derive(Serialize)]
struct Header<'a> {
    alg: &'static str,
    typ: &'static str,
    kid: &'a str,
}

impl SigningKey {
    /// A new key.
    ///
    /// # Errors
    /// If there are no random bytes.
    pub(super) fn new() -> io::Result<Self> {
        let failed = |_| io::Error::other("no key can be made");
        let (random, kind) = (SystemRandom::new(), &ECDSA_P256_SHA256_FIXED_SIGNING);
        let document = EcdsaKeyPair::generate_pkcs8(kind, &random).map_err(failed)?;
        let pair = EcdsaKeyPair::from_pkcs8(kind, document.as_ref(), &random);
        let pair = pair.map_err(|rejected| io::Error::other(rejected.to_string()))?;
        let id = URL_SAFE_NO_PAD.encode(digest(&SHA256, pair.public_key().as_ref()));
        Ok(Self { pair, id, random })
    }

    /// The public key.
    pub(super) fn public(&self) -> Jwks {
        // An uncompressed point: one byte that says so, and the two coordinates.
        let coordinates = self.pair.public_key().as_ref().get(1..).unwrap_or_default();
        let (x, y) = coordinates.split_at(coordinates.len() / 2);
        let [x, y] = [x, y].map(|coordinate| URL_SAFE_NO_PAD.encode(coordinate));
        Jwks {
            keys: [Jwk { kty: "EC", crv: "P-256", alg: "ES256", r#use: "sig", kid: self.id.clone(), x, y }],
        }
    }

    /// A signed JWT with these claims.
    ///
    /// # Errors
    /// If there are no random bytes.
    pub(super) fn sign(&self, claims: &impl Serialize) -> io::Result<String> {
        let header = Header { alg: "ES256", typ: "JWT", kid: &self.id };
        let [header, claims] = [serde_json::to_vec(&header)?, serde_json::to_vec(claims)?];
        let [header, claims] = [header, claims].map(|part| URL_SAFE_NO_PAD.encode(part));
        let signed = format!("{header}.{claims}");
        let signature = self.pair.sign(&self.random, signed.as_bytes());
        let signature = signature.map_err(|_| io::Error::other("the key does not sign"))?;
        Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }
}
