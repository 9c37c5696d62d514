//! Refresh and end of sessions, with their events and hooks.

use super::{RefreshOutcome, TokenPair};
use crate::client::ClientAddress;
use crate::core::{Core, Identity};
use crate::error::AuthError;
use crate::events::EventKind;
use crate::user::{User, UserRecord};

impl Core {
    /// Exchanges a refresh token for a new pair (specification §11.4).
    ///
    /// # Errors
    /// [`AuthError::InvalidRefreshToken`]; [`AuthError::RefreshTokenReused`] when the token was used before, which ends
    /// its session.
    pub(crate) async fn refresh(&self, token: &str, client: ClientAddress) -> Result<TokenPair, AuthError> {
        let claims = self.sessions.open_refresh(token).await?;
        let (session_id, generation) = (claims.session.sid.clone(), &claims.session.generation);
        let user = self.current_user(&claims.session.sub, generation).await?;
        let user = user.ok_or(AuthError::InvalidRefreshToken)?;
        match self.sessions.renew(&*user, &claims).await? {
            RefreshOutcome::Renewed(pair) => Ok(pair),
            RefreshOutcome::Reused => {
                self.session_ended(&*user, &session_id).await?;
                let event = EventKind::RefreshTokenReused { session_id };
                self.events.emit(event, Some(user.id_text()), client);
                Err(AuthError::RefreshTokenReused)
            }
        }
    }

    /// Ends the session of this request. The user's other sessions continue.
    pub(crate) async fn log_out(&self, who: &Identity, client: ClientAddress) -> Result<(), AuthError> {
        self.sessions.end(&who.session.sid).await?;
        self.session_ended(who.user(), &who.session.sid).await?;
        let session_id = who.session.sid.clone();
        self.events.emit(EventKind::Logout { session_id }, Some(who.user_id()), client);
        Ok(())
    }

    /// Must be called after a change of the user's credentials. Ends all other sessions, and returns a new pair for
    /// this one: its previous tokens have the `gen` of the previous credentials and are invalid now (specification
    /// §11.6).
    pub(crate) async fn credentials_changed(&self, who: &Identity) -> Result<TokenPair, AuthError> {
        let user = self.users.find_by_id(&who.session.sub).await?.ok_or(AuthError::Unauthenticated)?;
        let pair = self.sessions.end_others(&*user, &who.session).await?;
        for hook in &self.hooks {
            hook.credentials_changed(self, who).await?;
        }
        Ok(pair)
    }

    /// Ends all sessions of a user.
    pub(crate) async fn end_all_sessions(&self, user_id: &str) -> Result<(), AuthError> {
        self.sessions.end_all(user_id).await
    }

    /// Calls the features' hooks for a changed e-mail address.
    pub(crate) async fn email_changed(&self, before: &User, after: &User) -> Result<(), AuthError> {
        for hook in &self.hooks {
            hook.email_changed(self, before, after).await?;
        }
        Ok(())
    }

    /// Ends all sessions of a user whose record the host is about to delete, and calls the features' hooks.
    pub(crate) async fn close_account(&self, user_id: &str) -> Result<(), AuthError> {
        let user = self.users.find_by_id(user_id).await?;
        let user = user.ok_or_else(|| AuthError::internal("there is no user with this id"))?;
        self.end_all_sessions(user_id).await?;
        for hook in &self.hooks {
            hook.account_closing(self, &user).await?;
        }
        Ok(())
    }

    async fn session_ended(&self, user: &dyn UserRecord, session_id: &str) -> Result<(), AuthError> {
        for hook in &self.hooks {
            hook.session_ended(self, user, session_id).await?;
        }
        Ok(())
    }
}
