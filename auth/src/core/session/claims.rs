//! The claims of the tokens that prove a session: access tokens, refresh tokens, and the tokens in session cookies
//! (specification §10.1).

use super::Session;
use crate::repository::SessionKind;
use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How many seconds another instance's clock may be ahead. A token with a later `iat` is invalid (specification §10.3).
const TOKEN_SKEW: u64 = 60;

/// What an access token or a session cookie says of its session, and how the user signed in.
#[derive(Clone, Debug)]
pub struct SessionClaims {
    user_id: String,
    session_id: String,
    issued_at: u64,
    expires_at: u64,
    kind: SessionKind,
    authenticated_by: Vec<String>,
    authenticated_at: u64,
}

impl SessionClaims {
    /// The user's id in its printed form (`sub`).
    #[must_use]
    pub fn user_id(&self) -> &str {
        &self.user_id
    }

    /// The session's id (`sid`). It stays the same from login to logout.
    #[must_use]
    pub fn session_id(&self) -> &str {
        &self.session_id
    }

    /// When the token was issued (`iat`).
    #[must_use]
    pub fn issued_at(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(self.issued_at)
    }

    /// When the token expires (`exp`).
    #[must_use]
    pub fn expires_at(&self) -> SystemTime {
        UNIX_EPOCH.checked_add(Duration::from_secs(self.expires_at)).unwrap_or(UNIX_EPOCH)
    }

    /// Whether the client sent an access token or a session cookie.
    #[must_use]
    pub const fn kind(&self) -> SessionKind {
        self.kind
    }

    /// How the user signed in (RFC 8176): `["pwd"]`, or `["pwd", "otp", "mfa"]`; `rec` is a recovery code.
    #[must_use]
    pub fn authenticated_by(&self) -> &[String] {
        &self.authenticated_by
    }

    /// When the user signed in.
    #[must_use]
    pub fn authenticated_at(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(self.authenticated_at)
    }
}

/// The claims of an access token. A refresh token has the same claims and more.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct AccessClaims {
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

/// The claims of a refresh token.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct RefreshClaims {
    // With serde_json's `arbitrary_precision`, `flatten` still reads integers, but it could not read decimals.
    #[serde(flatten)]
    pub(crate) session: AccessClaims,
    /// When the session started, in Unix seconds.
    pub(crate) auth_time: u64,
    /// The token's index within its session, from 0. Because tokens are numbered, the store does not need an entry for
    /// every used token.
    pub(crate) rotation: u64,
}

/// The claims of the token in a session cookie.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct CookieClaims {
    pub(crate) sub: String,
    pub(crate) sid: String,
    /// The cookie's index within its session, from 0.
    #[serde(rename = "n")]
    pub(crate) number: u64,
    pub(crate) iat: u64,
    pub(crate) exp: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) iss: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) aud: Option<String>,
}

/// A credential whose signature and times are valid. Its session may have ended.
#[derive(Clone)]
pub(crate) enum Opened {
    Access(AccessClaims),
    Cookie(CookieClaims),
}

impl Opened {
    pub(in crate::core) fn user_id(&self) -> &str {
        match self {
            Self::Access(claims) => &claims.sub,
            Self::Cookie(claims) => &claims.sub,
        }
    }

    pub(super) fn session_id(&self) -> &str {
        match self {
            Self::Access(claims) => &claims.sid,
            Self::Cookie(claims) => &claims.sid,
        }
    }

    /// The claims together with what the session's row says.
    pub(in crate::core) fn in_session(&self, session: &Session) -> SessionClaims {
        let (issued_at, expires_at) = match self {
            Self::Access(claims) => (claims.iat, claims.exp),
            Self::Cookie(claims) => (claims.iat, claims.exp),
        };
        SessionClaims {
            user_id: self.user_id().to_owned(),
            session_id: self.session_id().to_owned(),
            issued_at,
            expires_at,
            kind: session.record.kind,
            authenticated_by: session.state.amr.clone(),
            authenticated_at: session.state.auth,
        }
    }
}

/// The registered claims that decide whether a token is valid (RFC 7519 §4.1).
pub(super) struct Registered<'a> {
    pub(super) iat: u64,
    exp: u64,
    nbf: Option<u64>,
    iss: Option<&'a str>,
    aud: Option<&'a str>,
}

impl Registered<'_> {
    /// Whether the token is valid at this time and has this issuer and audience. There is no leeway: a token has
    /// expired in the second that `exp` names (RFC 7519 §4.1.4).
    pub(super) fn valid(&self, now: u64, issuer: Option<&str>, audience: Option<&str>) -> bool {
        now < self.exp
            && self.iat <= now.saturating_add(TOKEN_SKEW)
            && self.nbf.is_none_or(|nbf| nbf <= now)
            && (issuer.is_none() || self.iss == issuer)
            && (audience.is_none() || self.aud == audience)
    }
}

impl AccessClaims {
    pub(super) fn registered(&self) -> Registered<'_> {
        let Self { iat, exp, nbf, iss, aud, .. } = self;
        Registered { iat: *iat, exp: *exp, nbf: *nbf, iss: iss.as_deref(), aud: aud.as_deref() }
    }
}

impl CookieClaims {
    pub(super) fn registered(&self) -> Registered<'_> {
        let Self { iat, exp, iss, aud, .. } = self;
        Registered { iat: *iat, exp: *exp, nbf: None, iss: iss.as_deref(), aud: aud.as_deref() }
    }
}
