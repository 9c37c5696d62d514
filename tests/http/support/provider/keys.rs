//! The keys of a provider of the tests, and what it signs with them.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use ring::rand::SystemRandom;
use ring::rsa::PublicKeyComponents;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256, RsaKeyPair,
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256, Sha512};

/// The algorithms that the library accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Algorithm {
    Rs256,
    Es256,
    EdDsa,
}

impl Algorithm {
    pub(crate) const ALL: [Self; 3] = [Self::Rs256, Self::Es256, Self::EdDsa];

    /// The left half of a text's hash, as `at_hash` is (OpenID Connect Core 1.0 §3.1.3.6). Ed25519 goes with SHA-512.
    pub(crate) fn half_hash(self, of: &str) -> String {
        match self {
            Self::Rs256 | Self::Es256 => text(&Sha256::digest(of)[..16]),
            Self::EdDsa => text(&Sha512::digest(of)[..32]),
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Rs256 => "RS256",
            Self::Es256 => "ES256",
            Self::EdDsa => "EdDSA",
        }
    }
}

/// How an ID token is signed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Signature {
    /// With the key that its header names.
    #[default]
    Right,
    /// A bit of it is another one.
    Flipped,
    /// With another key of the same kind.
    OfAnotherKey,
    /// It is empty.
    Absent,
    /// HMAC with the client's secret.
    HmacOfSecret,
    /// HMAC with the public key as it is published: the key of a confused verification.
    HmacOfPublicKey,
}

pub(crate) struct Key {
    pub(crate) kid: String,
    pub(crate) algorithm: Algorithm,
    pair: Pair,
}

enum Pair {
    Rsa(Box<RsaKeyPair>),
    Ec(EcdsaKeyPair),
    Ed(Ed25519KeyPair),
}

impl Key {
    /// A key with this name. All of RSA are one and the same.
    pub(crate) fn new(kid: &str, algorithm: Algorithm) -> Self {
        let random = SystemRandom::new();
        let pair = match algorithm {
            Algorithm::Rs256 => {
                let der = include_bytes!("../../passkeys/rsa-of-tests.der");
                Pair::Rsa(Box::new(RsaKeyPair::from_pkcs8(der).unwrap()))
            }
            Algorithm::Es256 => {
                let kind = &ECDSA_P256_SHA256_FIXED_SIGNING;
                let pkcs8 = EcdsaKeyPair::generate_pkcs8(kind, &random).unwrap();
                Pair::Ec(EcdsaKeyPair::from_pkcs8(kind, pkcs8.as_ref(), &random).unwrap())
            }
            Algorithm::EdDsa => {
                let pkcs8 = Ed25519KeyPair::generate_pkcs8(&random).unwrap();
                Pair::Ed(Ed25519KeyPair::from_pkcs8(pkcs8.as_ref()).unwrap())
            }
        };
        Self { kid: kid.to_owned(), algorithm, pair }
    }

    /// As it is published (RFC 7517, RFC 8037).
    pub(crate) fn jwk(&self) -> Value {
        let mut jwk = match &self.pair {
            Pair::Rsa(pair) => {
                let public = PublicKeyComponents::<Vec<u8>>::from(pair.public());
                json!({ "kty": "RSA", "n": text(&public.n), "e": text(&public.e) })
            }
            Pair::Ec(pair) => {
                let (x, y) = pair.public_key().as_ref()[1..].split_at(32);
                json!({ "kty": "EC", "crv": "P-256", "x": text(x), "y": text(y) })
            }
            Pair::Ed(pair) => {
                json!({ "kty": "OKP", "crv": "Ed25519", "x": text(pair.public_key().as_ref()) })
            }
        };
        jwk["kid"] = self.kid.as_str().into();
        jwk["use"] = "sig".into();
        jwk["alg"] = self.algorithm.name().into();
        jwk
    }

    fn sign(&self, message: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match &self.pair {
            Pair::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &random, message, &mut signature).unwrap();
                signature
            }
            Pair::Ec(pair) => pair.sign(&random, message).unwrap().as_ref().to_vec(),
            Pair::Ed(pair) => pair.sign(message).as_ref().to_vec(),
        }
    }

    /// A JWT of this header and these claims.
    pub(crate) fn jwt(&self, header: &Value, claims: &Value, how: Signature, secret: &str) -> String {
        let message =
            format!("{}.{}", text(header.to_string().as_bytes()), text(claims.to_string().as_bytes()));
        let signature = match how {
            Signature::Right => self.sign(message.as_bytes()),
            Signature::Flipped => {
                let mut signature = self.sign(message.as_bytes());
                let last = signature.len() - 1;
                signature[last] ^= 1;
                signature
            }
            Signature::OfAnotherKey if self.algorithm == Algorithm::Rs256 => {
                // There is one key of RSA: its signature of something else.
                self.sign(b"another message")
            }
            Signature::OfAnotherKey => Self::new("another", self.algorithm).sign(message.as_bytes()),
            Signature::Absent => Vec::new(),
            Signature::HmacOfSecret => hmac(secret.as_bytes(), &message),
            Signature::HmacOfPublicKey => hmac(self.jwk().to_string().as_bytes(), &message),
        };
        format!("{message}.{}", text(&signature))
    }
}

fn hmac(key: &[u8], message: &str) -> Vec<u8> {
    let mac = Hmac::<Sha256>::new_from_slice(key).unwrap().chain_update(message);
    mac.finalize().into_bytes().to_vec()
}

/// Base64url without padding.
pub(crate) fn text(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}
