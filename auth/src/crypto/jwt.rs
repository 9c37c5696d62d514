//! Signed tokens, each kind with its own key and its own `typ` (specification §10.2, RFC 8725 §3.11).

use super::jwt_backend;
use super::keys::Secret;
use super::ring::KeyRing;
use crate::error::AuthError;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Longer tokens are rejected unread, in bytes. The library's own tokens have a few hundred bytes.
const LONGEST: usize = 4096;

/// Signs and verifies the tokens of one kind.
pub(crate) struct TokenKeys {
    typ: &'static str,
    keys: KeyRing<TokenKey>,
}

struct TokenKey {
    encoding: EncodingKey,
    decoding: DecodingKey,
}

impl TokenKeys {
    /// The keys for tokens with this `typ` in their header.
    pub(crate) fn new(typ: &'static str, secrets: &KeyRing<Secret>) -> Self {
        jwt_backend::ensure_installed();
        let keys = secrets.map(|secret| TokenKey {
            encoding: EncodingKey::from_secret(secret.expose()),
            decoding: DecodingKey::from_secret(secret.expose()),
        });
        Self { typ, keys }
    }

    /// Signs these claims with the current key.
    pub(crate) fn sign<C: Serialize>(&self, claims: &C) -> Result<String, AuthError> {
        let header = Header { typ: Some(self.typ.to_owned()), ..Header::new(Algorithm::HS256) };
        jsonwebtoken::encode(&header, claims, &self.keys.current().encoding).map_err(AuthError::internal)
    }

    /// Returns the claims, if the token is of this kind and one of the keys has signed it.
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
        let open = |key: &TokenKey| jsonwebtoken::decode(token, &key.decoding, &validation).ok();
        self.keys.iter().find_map(open).map(|opened| opened.claims)
    }
}
