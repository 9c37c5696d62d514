//! The claims of access and refresh tokens (specification §10.1).

use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How many seconds another instance's clock may be ahead. A token with a later `iat` is invalid (specification §10.3).
const CLOCK_SKEW: u64 = 60;

/// The claims of an access token. A refresh token has the same claims and more.
#[derive(Clone, Serialize, Deserialize)]
pub struct SessionClaims {
    pub(crate) sub: String,
    pub(crate) sid: String,
    pub(crate) jti: String,
    pub(crate) iat: u64,
    pub(crate) exp: u64,
    #[serde(rename = "gen")]
    pub(crate) generation: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) nbf: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) iss: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) aud: Option<String>,
}

impl SessionClaims {
    /// The user's id in its printed form (`sub`).
    #[must_use]
    pub fn user_id(&self) -> &str {
        &self.sub
    }

    /// The session's id (`sid`). It stays the same from login to logout.
    #[must_use]
    pub fn session_id(&self) -> &str {
        &self.sid
    }

    /// When the token was issued (`iat`).
    #[must_use]
    pub fn issued_at(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(self.iat)
    }

    /// When the token expires (`exp`).
    #[must_use]
    pub fn expires_at(&self) -> SystemTime {
        UNIX_EPOCH.checked_add(Duration::from_secs(self.exp)).unwrap_or(UNIX_EPOCH)
    }

    /// Whether the token is valid at this time and has this issuer and audience. There is no leeway: a token has
    /// expired in the second that `exp` names (RFC 7519 §4.1.4).
    pub(crate) fn valid(&self, now: u64, issuer: Option<&str>, audience: Option<&str>) -> bool {
        now < self.exp
            && self.iat <= now.saturating_add(CLOCK_SKEW)
            && self.nbf.is_none_or(|nbf| nbf <= now)
            && (issuer.is_none() || self.iss.as_deref() == issuer)
            && (audience.is_none() || self.aud.as_deref() == audience)
    }
}

/// The claims of a refresh token.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct RefreshClaims {
    // With serde_json's `arbitrary_precision`, `flatten` still reads integers, but it could not read decimals.
    #[serde(flatten)]
    pub(crate) session: SessionClaims,
    /// When the session started, in Unix seconds.
    pub(crate) auth_time: u64,
    /// The token's index within its session, from 0. Because tokens are numbered, the store does not need an entry for
    /// every used token.
    pub(crate) rotation: u64,
}
