//! What a client keeps of a session: a pair of tokens, or a cookie.

use super::claims::{ActClaim, CookieClaims, TokenClaims};
use super::{Session, SessionIssuer};
use crate::clock::unix_seconds;
use crate::crypto::random;
use crate::error::AuthError;
use std::borrow::Cow;
use std::time::Duration;

/// An access token and its refresh token. It has no `Debug`, because both are secrets.
#[derive(Clone)]
#[non_exhaustive]
pub struct TokenPair {
    /// The session's id, which both tokens carry as `sid`. It is not a secret.
    pub session_id: String,
    /// The bearer token of protected routes.
    pub access_token: String,
    /// The token for the next pair. It works once.
    pub refresh_token: String,
    /// The token of the device, if the sign-in has made it a trusted one (TRUSTED_DEVICES).
    pub device: Option<DeviceToken>,
}

/// The cookie of a browser session. It has no `Debug`, because its value is a secret.
#[derive(Clone)]
#[non_exhaustive]
pub struct SessionCookie {
    /// The session's id. It is not a secret.
    pub session_id: String,
    /// The cookie's value.
    pub value: String,
    /// How long the browser keeps it. `None`: until the browser closes.
    pub max_age: Option<Duration>,
    /// The cookie of the device, if the sign-in has made it a trusted one (TRUSTED_DEVICES).
    pub device: Option<DeviceToken>,
}

/// What the client keeps of a trusted device (TRUSTED_DEVICES): a token, or the value of a cookie. It has no `Debug`, because it is a
/// secret.
#[derive(Clone)]
#[non_exhaustive]
pub struct DeviceToken {
    /// The token, which a client sends as `deviceToken`, or the value of the cookie.
    pub value: String,
    /// For how long the device is trusted.
    pub max_age: Duration,
}

/// What a client keeps of a session that has started or continues. It has no `Debug`, because both are secrets.
#[derive(Clone)]
#[non_exhaustive]
pub enum Credentials {
    /// A client that sends an `Authorization` header.
    Tokens(TokenPair),
    /// A browser.
    Cookie(SessionCookie),
}

impl Credentials {
    /// The session's id. It is not a secret.
    #[must_use]
    pub fn session_id(&self) -> &str {
        match self {
            Self::Tokens(pair) => &pair.session_id,
            Self::Cookie(cookie) => &cookie.session_id,
        }
    }

    /// The same with what the client keeps of a trusted device.
    pub(in crate::core) fn on_device(mut self, token: DeviceToken) -> Self {
        match &mut self {
            Self::Tokens(pair) => pair.device = Some(token),
            Self::Cookie(cookie) => cookie.device = Some(token),
        }
        self
    }

    /// The tokens, if the client keeps tokens. A session that a service has started outside of the browser router does.
    #[must_use]
    pub fn into_tokens(self) -> Option<TokenPair> {
        match self {
            Self::Tokens(pair) => Some(pair),
            Self::Cookie(_) => None,
        }
    }
}

impl SessionIssuer {
    /// What the client keeps of the session: the pair or the cookie with this number, under these credentials.
    pub(in crate::core) fn issue(
        &self,
        session: &Session,
        mark: &str,
        number: u64,
    ) -> Result<Credentials, AuthError> {
        match session.state.cookie {
            Some(_) => self.issue_cookie(session, number).map(Credentials::Cookie),
            None => self.issue_pair(session, mark, number).map(Credentials::Tokens),
        }
    }

    /// The cookie with this number.
    pub(super) fn issue_cookie(&self, session: &Session, number: u64) -> Result<SessionCookie, AuthError> {
        let Session { record, state } = session;
        let (now, end) = (self.clock().now(), session.latest_end(&self.config));
        let value = self.cookie.sign(&CookieClaims {
            sub: (&record.user_id).into(),
            sid: (&record.id).into(),
            number,
            iat: unix_seconds(now),
            exp: unix_seconds(end),
            iss: self.config.issuer.as_deref().map(Cow::from),
            aud: self.config.audience.as_deref().map(Cow::from),
            act: state.actor().map(ActClaim::of),
        })?;
        let rest = end.duration_since(now).unwrap_or_default();
        let max_age = state.remembered.then_some(rest);
        Ok(SessionCookie { session_id: record.id.clone(), value, max_age, device: None })
    }

    /// The pair with this number.
    pub(super) fn issue_pair(
        &self,
        session: &Session,
        mark: &str,
        number: u64,
    ) -> Result<TokenPair, AuthError> {
        let Session { record, state } = session;
        // The clock of the instance that changed the credentials may be ahead.
        let iat = unix_seconds(self.clock().now()).max(state.since);
        let end = state.auth.saturating_add(state.lifetime(self.config.session_lifetime).as_secs());
        let claims = |id: String, lifetime: Duration| TokenClaims {
            sub: (&record.user_id).into(),
            sid: (&record.id).into(),
            jti: id.into(),
            iat,
            exp: end.min(iat.saturating_add(lifetime.as_secs())),
            mark: mark.into(),
            nbf: None,
            iss: self.config.issuer.as_deref().map(Cow::from),
            aud: self.config.audience.as_deref().map(Cow::from),
            act: state.actor().map(ActClaim::of),
            auth_time: None,
            rotation: None,
        };
        let [access, refresh] = random::ids()?;
        let access = claims(access, self.config.access_token_lifetime);
        let refresh = claims(refresh, self.config.refresh_token_lifetime);
        let refresh = TokenClaims { auth_time: Some(state.auth), rotation: Some(number), ..refresh };
        Ok(TokenPair {
            session_id: record.id.clone(),
            access_token: self.access.sign(&access)?,
            refresh_token: self.refresh.sign(&refresh)?,
            device: None,
        })
    }
}
