//! What a page may know about its session. No HTTP.

use crate::core::{Core, Identity};
use std::time::{Duration, SystemTime};

/// Reports the state of a browser session.
#[derive(Clone)]
pub struct BrowserSessionsService {
    core: Core,
}

/// The session of a browser.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BrowserSession {
    /// Whether the password was confirmed recently in this session.
    pub is_confirmed: bool,
    /// When the session ends without further requests.
    pub expires_at: SystemTime,
    /// How the user signed in (RFC 8176): `["pwd"]`, or `["pwd", "otp", "mfa"]`; `rec` is a recovery code.
    pub authenticated_by: Vec<String>,
    /// Who acts for the user in the session, if somebody does.
    pub actor: Option<String>,
}

impl BrowserSessionsService {
    pub(super) fn new(core: &Core) -> Self {
        Self { core: core.clone() }
    }

    /// The session of a request (specification §27.6).
    #[must_use]
    pub fn session(&self, who: &Identity) -> BrowserSession {
        BrowserSession {
            is_confirmed: self.core.is_confirmed(who, Duration::MAX),
            expires_at: who.session_end(&self.core.config),
            authenticated_by: who.session.authenticated_by().to_vec(),
            actor: who.session.actor().map(str::to_owned),
        }
    }
}
