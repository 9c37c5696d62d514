//! JSON Web Tokens over HS256, for both hosts that are written by hand: this one, and that of the bench `requests`.

use axum::http::StatusCode;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::{SystemTime, UNIX_EPOCH};

/// A key for each kind of token.
pub(crate) struct Keys {
    access: Key,
    pub(crate) refresh: Key,
    #[allow(dead_code, reason = "the host of the bench `requests` has no second factor")]
    pub(crate) challenge: Key,
}

pub(crate) struct Key {
    encoding: EncodingKey,
    decoding: DecodingKey,
    validation: Validation,
    /// How long a token of this kind is valid, in seconds.
    lifetime: u64,
}

#[derive(Serialize, Deserialize)]
struct Token {
    sub: String,
    iat: u64,
    exp: u64,
}

impl Keys {
    pub(crate) fn new() -> Self {
        // jsonwebtoken chooses by itself only where one backend is compiled in, and a workspace may have both.
        let _already_there = jsonwebtoken::crypto::rust_crypto::DEFAULT_PROVIDER.install_default();
        let [access, refresh, challenge] =
            [(1, 900), (2, 604_800), (3, 300)].map(|(byte, lifetime)| Key::new(&[byte; 32], lifetime));
        Self { access, refresh, challenge }
    }

    /// The pair of tokens of a user.
    ///
    /// # Errors
    /// 500 if a token cannot be made.
    pub(crate) fn pair(&self, user: u64) -> Result<Value, StatusCode> {
        Ok(json!({ "accessToken": self.access.sign(user)?, "refreshToken": self.refresh.sign(user)? }))
    }

    /// The user of the access token of a request, or 401.
    pub(crate) fn user_of(&self, request: &Parts) -> Result<u64, StatusCode> {
        let header = request.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let token = header.and_then(|value| value.strip_prefix("Bearer ")).ok_or(StatusCode::UNAUTHORIZED)?;
        self.access.verify(token)
    }
}

impl Key {
    fn new(secret: &[u8], lifetime: u64) -> Self {
        Self {
            encoding: EncodingKey::from_secret(secret),
            decoding: DecodingKey::from_secret(secret),
            validation: Validation::new(Algorithm::HS256),
            lifetime,
        }
    }

    pub(crate) fn sign(&self, user: u64) -> Result<String, StatusCode> {
        let iat = now();
        let token = Token { sub: user.to_string(), iat, exp: iat + self.lifetime };
        let token = jsonwebtoken::encode(&Header::new(Algorithm::HS256), &token, &self.encoding);
        token.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// The user of a token, or 401.
    pub(crate) fn verify(&self, token: &str) -> Result<u64, StatusCode> {
        let token = jsonwebtoken::decode::<Token>(token, &self.decoding, &self.validation);
        let token = token.map_err(|_| StatusCode::UNAUTHORIZED)?;
        token.claims.sub.parse().map_err(|_| StatusCode::UNAUTHORIZED)
    }
}

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}
