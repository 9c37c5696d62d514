//! Listing and ending sessions. No HTTP.

use super::{END, END_OTHERS};
use crate::client::ClientAddress;
use crate::config::Settings;
use crate::core::{Core, Identity, SessionInfo};
use crate::error::AuthError;
use crate::events::SessionEnd;
use crate::posture::Deviation;

/// The sessions of a user, with the rules and events of the routes.
#[derive(Clone)]
pub struct SessionListService {
    core: Core,
}

impl SessionListService {
    pub(super) fn new(core: &Core) -> Self {
        Self { core: core.clone() }
    }

    /// How the options of the feature deviate from ASVS.
    pub(super) fn posture(&self) -> Vec<Deviation> {
        of_settings(&self.core.config)
    }

    /// The user's sessions: the current one first, then by their last use (specification §9.20).
    ///
    /// # Errors
    /// [`AuthError::Unavailable`] when the session repository fails.
    pub async fn list(&self, who: &Identity) -> Result<Vec<SessionInfo>, AuthError> {
        self.core.sessions_of(&who.user_id(), Some(who.session.session_id())).await
    }

    /// Ends a session of the user. For the current session it is a logout.
    ///
    /// # Errors
    /// [`AuthError::NotFound`] if the user has no such session; [`AuthError::PasswordConfirmationRequired`] unless the option
    /// `sessions.confirm_password` is off; [`AuthError::Unauthenticated`] if the session has ended.
    pub async fn end(&self, who: &Identity, id: &str, client: ClientAddress) -> Result<(), AuthError> {
        let acting = self.core.begin(&END, who, client).await?;
        if id == who.session.session_id() {
            return self.core.log_out(who, client).await;
        }
        acting.check_alive().await?;
        match self.core.end_session(&who.user_id(), id, SessionEnd::Revoked, client).await? {
            true => Ok(()),
            false => Err(AuthError::NotFound),
        }
    }

    /// Ends all sessions of the user but the current one, and returns their number. Trusted devices stay.
    ///
    /// # Errors
    /// [`AuthError::PasswordConfirmationRequired`] unless the option `sessions.confirm_password` is off;
    /// [`AuthError::Unauthenticated`] if the session has ended; [`AuthError::Unavailable`] when the session repository fails.
    pub async fn end_others(&self, who: &Identity, client: ClientAddress) -> Result<u64, AuthError> {
        self.core.begin(&END_OTHERS, who, client).await?.check_alive().await?;
        let (reason, current) = (SessionEnd::OthersRevoked, Some(who.session.session_id()));
        self.core.end_visible_sessions(&who.user_id(), current, reason, client).await
    }
}

/// How the options of the feature deviate from ASVS.
pub(crate) fn of_settings(settings: &Settings) -> Vec<Deviation> {
    if settings.sessions.confirm_password {
        return Vec::new();
    }
    let message = "who has a credential of a session can end the user's other sessions without the password";
    vec![Deviation::new("sessions.confirm_password", &["7.5.2"], message)]
}
