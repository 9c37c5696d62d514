//! What access and refresh tokens say (specification §10.1).

use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How far another instance's clock may be ahead of ours: a token issued later than that is not one of ours.
const CLOCK_SKEW: u64 = 60;

/// The claims of an access token, and the ones that a refresh token shares with it.
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

    /// Whether the token counts at this time and is from this issuer for this audience. There is no leeway: a token
    /// has expired in the very second that `exp` names (RFC 7519 §4.1.4).
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
    // For integers this works in a build with serde_json's `arbitrary_precision`, too; decimals would not be read.
    #[serde(flatten)]
    pub(crate) session: SessionClaims,
    /// When the session began.
    pub(crate) auth_time: u64,
    /// The how-manieth refresh token of its session it is, from 0. One number a session is all that has to be stored
    /// to know which tokens were used.
    pub(crate) rotation: u64,
}
