//! The claims of the tokens that prove a session: access tokens, refresh tokens, and the tokens in session cookies
//! (specification §10.1).

use super::skew::SKEW;
use super::{Session, State};
use crate::assurance::Level;
use crate::repository::SessionKind;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What an access token or a session cookie says of its session, and how the user signed in.
#[derive(Clone)]
pub struct SessionClaims {
    opened: Arc<Opened>,
    kind: SessionKind,
    state: Arc<State>,
}

impl SessionClaims {
    /// The user's id in its printed form (`sub`).
    #[must_use]
    pub fn user_id(&self) -> &str {
        &self.opened.user_id
    }

    /// The session's id (`sid`). It stays the same from login to logout.
    #[must_use]
    pub fn session_id(&self) -> &str {
        &self.opened.session_id
    }

    /// When the token was issued (`iat`).
    #[must_use]
    pub fn issued_at(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(self.opened.issued_at)
    }

    /// When the token expires (`exp`).
    #[must_use]
    pub fn expires_at(&self) -> SystemTime {
        UNIX_EPOCH.checked_add(Duration::from_secs(self.opened.expires_at)).unwrap_or(UNIX_EPOCH)
    }

    /// Whether the client sent an access token or a session cookie.
    #[must_use]
    pub const fn kind(&self) -> SessionKind {
        self.kind
    }

    /// How the user signed in (RFC 8176): `["pwd"]`, or `["pwd", "otp", "mfa"]`; `rec` is a recovery code.
    #[must_use]
    pub fn authenticated_by(&self) -> &[String] {
        &self.state.amr
    }

    /// How much the methods are worth together that were proven in the session, at the sign-in and later. It says nothing about
    /// when: [`Assured`](crate::extract::Assured) does. `None` if this release knows none of the methods.
    #[must_use]
    pub fn level(&self) -> Option<Level> {
        self.state.proven(&self.opened, |_| true).level()
    }

    /// Who acts for the user in the session (RFC 8693 §4.1): what the host has given to
    /// [`Admin::impersonate`](crate::Admin::impersonate). `None` in a session of the user.
    ///
    /// ```
    /// use axum_auth_module::{AuthError, Claims};
    ///
    /// async fn order<U: Send + Sync + 'static>(claims: Claims<U>) -> Result<(), AuthError> {
    ///     if claims.actor().is_some() {
    ///         return Err(AuthError::NotWhileImpersonating);
    ///     }
    ///     Ok(())
    /// }
    /// ```
    #[must_use]
    pub fn actor(&self) -> Option<&str> {
        self.state.actor()
    }

    /// The id of the trusted device on which the session has started.
    pub(crate) fn device_id(&self) -> Option<&str> {
        self.state.device.as_deref()
    }

    /// When the user signed in.
    #[must_use]
    pub fn authenticated_at(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(self.state.auth)
    }
}

impl fmt::Debug for SessionClaims {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionClaims")
            .field("user_id", &self.user_id())
            .field("session_id", &self.session_id())
            .field("issued_at", &self.issued_at())
            .field("expires_at", &self.expires_at())
            .field("kind", &self.kind)
            .field("authenticated_by", &self.authenticated_by())
            .field("authenticated_at", &self.authenticated_at())
            .field("actor", &self.actor())
            .finish()
    }
}

/// Who acts for the user (RFC 8693 §4.1).
#[derive(Serialize, Deserialize)]
pub(super) struct ActClaim<'a> {
    #[serde(borrow)]
    pub(super) sub: Cow<'a, str>,
}

impl<'a> ActClaim<'a> {
    pub(super) fn of(actor: &'a str) -> Self {
        Self { sub: actor.into() }
    }
}

/// The claims of an access token or a refresh token.
#[derive(Serialize, Deserialize)]
pub(super) struct TokenClaims<'a> {
    #[serde(borrow)]
    pub(super) sub: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) sid: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) jti: Cow<'a, str>,
    pub(super) iat: u64,
    pub(super) exp: u64,
    #[serde(borrow, rename = "gen")]
    pub(super) mark: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) nbf: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) iss: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) aud: Option<Cow<'a, str>>,
    /// For programs that read the token. The module itself reads the actor in the state of the session.
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    pub(super) act: Option<ActClaim<'a>>,
    /// In a refresh token: when the session started, in Unix seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) auth_time: Option<u64>,
    /// In a refresh token: its index within its session, from 0. Because tokens are numbered, the store does not need an entry
    /// for every used token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rotation: Option<u64>,
}

/// The claims of the token in a session cookie.
#[derive(Serialize, Deserialize)]
pub(super) struct CookieClaims<'a> {
    #[serde(borrow)]
    pub(super) sub: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) sid: Cow<'a, str>,
    /// The cookie's index within its session, from 0.
    #[serde(rename = "n")]
    pub(super) number: u64,
    pub(super) iat: u64,
    pub(super) exp: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) iss: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) aud: Option<Cow<'a, str>>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    pub(super) act: Option<ActClaim<'a>>,
}

/// The claims of the token of a trusted device.
#[derive(Serialize, Deserialize)]
pub(super) struct DeviceClaims<'a> {
    #[serde(borrow)]
    pub(super) sub: Cow<'a, str>,
    /// The id of the device's row.
    #[serde(borrow, rename = "did")]
    pub(super) id: Cow<'a, str>,
    pub(super) iat: u64,
    pub(super) exp: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) iss: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) aud: Option<Cow<'a, str>>,
}

/// A credential whose signature and times are valid. Its session may have ended.
#[derive(Clone)]
pub(crate) struct Opened {
    pub(in crate::core) user_id: String,
    pub(super) session_id: String,
    pub(super) issued_at: u64,
    pub(super) expires_at: u64,
    pub(super) kind: OpenedKind,
}

/// What a credential of each kind says beside its session.
#[derive(Clone)]
pub(super) enum OpenedKind {
    /// An access token or a refresh token.
    Token {
        mark: String,
    },
    Cookie {
        number: u64,
    },
}

impl From<&TokenClaims<'_>> for Opened {
    fn from(claims: &TokenClaims<'_>) -> Self {
        Self {
            user_id: claims.sub.to_string(),
            session_id: claims.sid.to_string(),
            issued_at: claims.iat,
            expires_at: claims.exp,
            kind: OpenedKind::Token { mark: claims.mark.to_string() },
        }
    }
}

impl From<&CookieClaims<'_>> for Opened {
    fn from(claims: &CookieClaims<'_>) -> Self {
        Self {
            user_id: claims.sub.to_string(),
            session_id: claims.sid.to_string(),
            issued_at: claims.iat,
            expires_at: claims.exp,
            kind: OpenedKind::Cookie { number: claims.number },
        }
    }
}

impl Opened {
    #[cfg(test)]
    pub(super) fn of_cookie(number: u64) -> Self {
        let (user_id, session_id) = ("7".to_owned(), "id".to_owned());
        let (issued_at, expires_at) = (1_795_000_000, 1_795_086_400);
        Self { user_id, session_id, issued_at, expires_at, kind: OpenedKind::Cookie { number } }
    }

    #[cfg(test)]
    pub(super) fn of_token(mark: &str) -> Self {
        Self { kind: OpenedKind::Token { mark: mark.to_owned() }, ..Self::of_cookie(0) }
    }

    /// A browser session's credential, as if its cookie that was used last was presented now. `None` for other sessions.
    #[cfg_attr(not(feature = "social-login"), allow(dead_code, reason = "providers alone use it"))]
    pub(super) fn of_browser(session: &Session, now: u64) -> Option<Self> {
        Some(Self {
            user_id: session.record.user_id.clone(),
            session_id: session.id().to_owned(),
            issued_at: now,
            expires_at: crate::clock::unix_seconds(session.record.expires_at),
            kind: OpenedKind::Cookie { number: session.state.cookie?.last_seen() },
        })
    }

    /// The claims together with what the session's row says.
    pub(in crate::core) fn in_session(self: Arc<Self>, session: &Session) -> SessionClaims {
        let (kind, state) = (session.record.kind, Arc::clone(&session.state));
        SessionClaims { opened: self, kind, state }
    }
}

impl SessionClaims {
    /// The credential itself.
    pub(in crate::core) fn opened(&self) -> &Opened {
        &self.opened
    }
}

/// The registered claims that decide whether a token is valid (RFC 7519 §4.1).
pub(super) struct Registered<'a> {
    pub(super) iat: u64,
    pub(super) exp: u64,
    pub(super) nbf: Option<u64>,
    pub(super) iss: Option<&'a str>,
    pub(super) aud: Option<&'a str>,
}

impl Registered<'_> {
    /// Whether the token is valid at this time and has this issuer and audience. It must not have been issued later than
    /// another instance's clock may be ahead. There is no leeway for its end: a token has
    /// expired in the second that `exp` names (RFC 7519 §4.1.4).
    pub(super) fn valid(&self, now: u64, issuer: Option<&str>, audience: Option<&str>) -> bool {
        now < self.exp
            && self.iat <= now.saturating_add(SKEW.as_secs())
            && self.nbf.is_none_or(|nbf| nbf <= now)
            && (issuer.is_none() || self.iss == issuer)
            && (audience.is_none() || self.aud == audience)
    }
}

impl TokenClaims<'_> {
    pub(super) fn registered(&self) -> Registered<'_> {
        let Self { iat, exp, nbf, iss, aud, .. } = self;
        Registered { iat: *iat, exp: *exp, nbf: *nbf, iss: iss.as_deref(), aud: aud.as_deref() }
    }
}

impl DeviceClaims<'_> {
    pub(super) fn registered(&self) -> Registered<'_> {
        let Self { iat, exp, iss, aud, .. } = self;
        Registered { iat: *iat, exp: *exp, nbf: None, iss: iss.as_deref(), aud: aud.as_deref() }
    }
}

impl CookieClaims<'_> {
    pub(super) fn registered(&self) -> Registered<'_> {
        let Self { iat, exp, iss, aud, .. } = self;
        Registered { iat: *iat, exp: *exp, nbf: None, iss: iss.as_deref(), aud: aud.as_deref() }
    }
}
