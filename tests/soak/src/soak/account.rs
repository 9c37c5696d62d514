//! What a client knows about an account of its own.

use super::authenticator;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;
use std::time::Instant;

/// An account. Only one client uses it, so its requests have an order, except for those that are sent at the same time.
pub(super) struct Account {
    /// The address, or several if a change of it had no response.
    pub(super) emails: Vec<String>,
    /// The password, or several if a change of it had no response. The first is the newest that was certain.
    pub(super) passwords: Vec<String>,
    /// Whether a response has said that it exists.
    pub(super) exists: bool,
    /// The name, if it is known.
    pub(super) name: Option<String>,
    pub(super) two_factor: TwoFactor,
    /// The last step whose code was sent. A new secret does not make a code of an earlier step acceptable.
    pub(super) step: u64,
    /// Sessions that must be alive.
    pub(super) sessions: Vec<Session>,
    /// Sessions that must not be alive.
    pub(super) ended: Vec<Session>,
    /// Refresh tokens that were exchanged, of sessions that may be alive.
    pub(super) exchanged: Vec<Exchanged>,
    /// Whether a request that changes it had no response. Then it is left alone until the servers run again, and a login
    /// shows what has become of it.
    pub(super) is_unknown: bool,
}

/// A session under one set of credentials.
#[derive(Clone)]
pub(super) struct Session {
    /// Its id, and how often its credentials have changed.
    pub(super) name: String,
    pub(super) id: String,
    pub(super) access: String,
    pub(super) refresh: String,
    /// Whether the session has gone on under other credentials. Then only these tokens are refused, and its row is there.
    pub(super) has_continued: bool,
}

/// A refresh token that was exchanged.
pub(super) struct Exchanged {
    pub(super) session: String,
    pub(super) token: String,
    pub(super) at: Instant,
}

/// What is known about the second factor.
pub(super) enum TwoFactor {
    Off,
    On(Device),
    /// A request that turns it on or off had no response.
    Unknown(Device),
}

/// What the user has for the second factor.
#[derive(Clone, Default)]
pub(super) struct Device {
    pub(super) secret: String,
    /// Recovery codes that must work.
    pub(super) recovery_codes: Vec<String>,
    /// A recovery code that was used, and the last one-time code.
    pub(super) used_recovery_code: Option<String>,
    pub(super) used_code: Option<String>,
}

impl Session {
    /// The session of a response with a pair of tokens.
    pub(super) fn of(body: &Value) -> Option<Self> {
        let text = |name: &str| body.get(name).and_then(Value::as_str).map(str::to_owned);
        let (access, refresh) = (text("accessToken")?, text("refreshToken")?);
        let claims = URL_SAFE_NO_PAD.decode(access.split('.').nth(1)?).ok()?;
        let claims: Value = serde_json::from_slice(&claims).ok()?;
        let id = claims.get("sid")?.as_str()?.to_owned();
        Some(Self { name: id.clone(), id, access, refresh, has_continued: false })
    }

    /// The same session after a change of its credentials, with the pair of tokens of the response.
    pub(super) fn continued(&self, body: &Value) -> Option<Self> {
        let next = Self::of(body)?;
        Some(Self { name: format!("{}'", self.name), ..next })
    }
}

impl Account {
    pub(super) fn email(&self) -> &str {
        self.emails.first().map_or("", String::as_str)
    }

    pub(super) fn password(&self) -> &str {
        self.passwords.first().map_or("", String::as_str)
    }

    /// A code of this secret for a step of which none was sent before, if there is one now.
    pub(super) fn next_code(&mut self, secret: &str) -> Option<String> {
        let step = authenticator::step();
        if step <= self.step {
            return None;
        }
        self.step = step;
        authenticator::code(secret, step)
    }

    pub(super) fn is_two_factor_on(&self) -> bool {
        matches!(self.two_factor, TwoFactor::On(_))
    }
}
