//! Access and refresh tokens: JWTs under two keys, so that neither passes for the other.

use jsonwebtoken::crypto::rust_crypto;
use jsonwebtoken::errors::Result;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const ACCESS_LIFETIME: Duration = Duration::from_mins(15);
pub(crate) const REFRESH_LIFETIME: Duration = Duration::from_hours(7 * 24);

/// Which session, and how often it was refreshed.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Turn {
    pub(crate) session: u64,
    pub(crate) turn: u64,
}

#[derive(Serialize, Deserialize)]
struct Claims {
    #[serde(flatten)]
    turn: Turn,
    exp: u64,
}

/// What a login and a refresh answer.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Pair {
    access_token: String,
    refresh_token: String,
}

struct Key {
    encoding: EncodingKey,
    decoding: DecodingKey,
}

impl Key {
    fn new(secret: &[u8]) -> Self {
        Self { encoding: EncodingKey::from_secret(secret), decoding: DecodingKey::from_secret(secret) }
    }

    fn sign(&self, turn: Turn, expires: SystemTime) -> Result<String> {
        let exp = expires.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        jsonwebtoken::encode(&Header::new(Algorithm::HS256), &Claims { turn, exp }, &self.encoding)
    }

    fn verify(&self, token: &str) -> Option<Turn> {
        let mut validation = Validation::new(Algorithm::HS256);
        validation.leeway = 0;
        let token = jsonwebtoken::decode::<Claims>(token, &self.decoding, &validation).ok()?;
        Some(token.claims.turn)
    }
}

pub(crate) struct Keys {
    access: Key,
    refresh: Key,
}

impl Keys {
    pub(crate) fn new(access: &[u8], refresh: &[u8]) -> Self {
        // jsonwebtoken chooses by itself only where one backend is compiled in, and a workspace may have both.
        let _already_there = rust_crypto::DEFAULT_PROVIDER.install_default();
        Self { access: Key::new(access), refresh: Key::new(refresh) }
    }

    pub(crate) fn pair(&self, turn: Turn, now: SystemTime) -> Result<Pair> {
        Ok(Pair {
            access_token: self.access.sign(turn, now + ACCESS_LIFETIME)?,
            refresh_token: self.refresh.sign(turn, now + REFRESH_LIFETIME)?,
        })
    }

    /// The session of an access token.
    pub(crate) fn session(&self, access_token: &str) -> Option<u64> {
        self.access.verify(access_token).map(|turn| turn.session)
    }

    /// What a refresh token was made for.
    pub(crate) fn turn(&self, refresh_token: &str) -> Option<Turn> {
        self.refresh.verify(refresh_token)
    }
}
