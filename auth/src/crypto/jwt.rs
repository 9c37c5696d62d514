//! Signed tokens, each kind with its own key and its own `typ` (specification §10.2, RFC 8725 §3.11).

use super::jwt_backend;
use crate::error::AuthError;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Longer tokens are rejected unread, in bytes. The library's own tokens have a few hundred bytes.
const LONGEST: usize = 4096;

/// Signs and verifies the tokens of one kind.
pub(crate) struct TokenKey {
    typ: &'static str,
    encoding: EncodingKey,
    decoding: DecodingKey,
}

impl TokenKey {
    /// A key for tokens with this `typ` in their header.
    pub(crate) fn new(typ: &'static str, secret: &[u8]) -> Self {
        jwt_backend::ensure_installed();
        Self { typ, encoding: EncodingKey::from_secret(secret), decoding: DecodingKey::from_secret(secret) }
    }

    /// Signs these claims.
    pub(crate) fn sign<C: Serialize>(&self, claims: &C) -> Result<String, AuthError> {
        let header = Header { typ: Some(self.typ.to_owned()), ..Header::new(Algorithm::HS256) };
        jsonwebtoken::encode(&header, claims, &self.encoding).map_err(AuthError::internal)
    }

    /// Returns the claims, if the token is of this kind and its signature is valid.
    ///
    /// Three header parameters count: `typ` must be the type of this kind, `alg` must be HS256, and `crit` must be
    /// absent, because the library supports no extension. The header never selects the key. The caller must check the
    /// times in the claims against its own clock.
    pub(crate) fn open<C: DeserializeOwned + Clone>(&self, token: &str) -> Option<C> {
        if token.len() > LONGEST {
            return None;
        }
        let header = jsonwebtoken::decode_header(token).ok()?;
        if header.typ.as_deref() != Some(self.typ) || header.alg != Algorithm::HS256 || header.crit.is_some()
        {
            return None;
        }
        let mut validation = Validation::new(Algorithm::HS256);
        validation.leeway = 0;
        validation.validate_exp = false;
        validation.validate_aud = false;
        validation.required_spec_claims.clear();
        jsonwebtoken::decode(token, &self.decoding, &validation).ok().map(|opened| opened.claims)
    }
}
