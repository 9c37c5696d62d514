//! A provider in this process: it answers what a test says, and signs tokens.

use super::rsa_key::RSA_KEY;
use crate::outbound::{ConfiguredHost, HttpClient, HttpError};
use async_trait::async_trait;
use axum::body::Bytes;
use axum::http::{HeaderMap, Request, Response};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::rsa::PublicKeyComponents;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256, RsaKeyPair,
};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::future::pending;
use std::sync::Mutex;
use std::time::Duration;

/// What the provider does at a URL.
#[derive(Clone)]
pub(super) enum Answer {
    Text(u16, String),
    /// After a while.
    Slowly(String),
    NotSent,
    Failed,
    Never,
}

/// A request that has arrived.
#[derive(Clone)]
pub(super) struct Arrived {
    pub(super) url: String,
    pub(super) headers: HeaderMap,
    pub(super) body: String,
    pub(super) is_configured: bool,
}

/// The provider.
#[derive(Default)]
pub(super) struct Peer {
    answers: Mutex<HashMap<String, Answer>>,
    arrived: Mutex<Vec<Arrived>>,
}

impl Peer {
    pub(super) fn answer(&self, url: &str, answer: Answer) {
        self.answers.lock().unwrap().insert(url.to_owned(), answer);
    }

    pub(super) fn json(&self, url: &str, value: &Value) {
        self.answer(url, Answer::Text(200, value.to_string()));
    }

    /// The requests to this URL.
    pub(super) fn arrived(&self, url: &str) -> Vec<Arrived> {
        self.arrived.lock().unwrap().iter().filter(|arrived| arrived.url == url).cloned().collect()
    }
}

#[async_trait]
impl HttpClient for Peer {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (parts, body) = request.into_parts();
        let url = parts.uri.to_string();
        let is_configured = parts.extensions.get::<ConfiguredHost>().is_some();
        assert_eq!(parts.headers["user-agent"], "axum-auth-module");
        assert_eq!(parts.headers["accept"], "application/json");
        let body = String::from_utf8(body.to_vec()).unwrap();
        let arrived = Arrived { url: url.clone(), headers: parts.headers, body, is_configured };
        self.arrived.lock().unwrap().push(arrived);
        let answer = self.answers.lock().unwrap().get(&url).cloned();
        let (status, text) = match answer.unwrap_or_else(|| panic!("nobody expects a request to {url}")) {
            Answer::Text(status, text) => (status, text),
            Answer::Slowly(text) => {
                tokio::time::sleep(Duration::from_millis(100)).await;
                (200, text)
            }
            Answer::NotSent => return Err(HttpError::not_sent("no connection")),
            Answer::Failed => return Err(HttpError::failed("closed")),
            Answer::Never => pending().await,
        };
        Ok(Response::builder().status(status).body(Bytes::from(text)).unwrap())
    }
}

/// A key of the provider.
pub(super) enum Signer {
    Rsa(RsaKeyPair),
    P256(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
}

impl Signer {
    pub(super) fn rsa() -> Self {
        Self::Rsa(RsaKeyPair::from_pkcs8(&STANDARD.decode(RSA_KEY).unwrap()).unwrap())
    }

    pub(super) fn p256() -> Self {
        let random = SystemRandom::new();
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let key = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        Self::P256(EcdsaKeyPair::from_pkcs8(algorithm, key.as_ref(), &random).unwrap())
    }

    pub(super) fn ed25519() -> Self {
        let key = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        Self::Ed25519(Ed25519KeyPair::from_pkcs8(key.as_ref()).unwrap())
    }

    pub(super) const fn algorithm(&self) -> &'static str {
        match self {
            Self::Rsa(_) => "RS256",
            Self::P256(_) => "ES256",
            Self::Ed25519(_) => "EdDSA",
        }
    }

    /// The public key (RFC 7517).
    pub(super) fn jwk(&self, kid: &str) -> Value {
        let text = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        let mut key = match self {
            Self::Rsa(key) => {
                let public: PublicKeyComponents<Vec<u8>> = key.public().into();
                json!({"kty": "RSA", "n": text(&public.n), "e": text(&public.e)})
            }
            Self::P256(key) => {
                let point = key.public_key().as_ref();
                json!({"kty": "EC", "crv": "P-256", "x": text(&point[1..33]), "y": text(&point[33..])})
            }
            Self::Ed25519(key) => {
                json!({"kty": "OKP", "crv": "Ed25519", "x": text(key.public_key().as_ref())})
            }
        };
        key["kid"] = json!(kid);
        key["use"] = json!("sig");
        key["alg"] = json!(self.algorithm());
        key
    }

    fn sign(&self, message: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match self {
            Self::Rsa(key) => {
                let mut signature = vec![0; key.public().modulus_len()];
                key.sign(&RSA_PKCS1_SHA256, &random, message, &mut signature).unwrap();
                signature
            }
            Self::P256(key) => key.sign(&random, message).unwrap().as_ref().to_vec(),
            Self::Ed25519(key) => key.sign(message).as_ref().to_vec(),
        }
    }

    /// A token with this header and these claims, which may be no JSON.
    pub(super) fn token(&self, header: &str, claims: &str) -> String {
        let message = format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(claims));
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(self.sign(message.as_bytes())))
    }
}
