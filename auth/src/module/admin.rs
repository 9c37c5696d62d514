//! Functions for administrators.

use super::AuthModule;
use crate::client::ClientAddress;
use crate::core::{Ceremonies, Core, SessionInfo};
use crate::error::AuthError;
use crate::events::{EventKind, SessionEnd};
use crate::user::{AuthUser, User, UserId};

/// Functions for administrators, without routes. [`AuthModule::admin`] returns it.
///
/// **The host must check who calls them.** Each that changes something emits its event with [`Actor::Administrator`](crate::events::Actor).
///
/// ```
/// # use axum_auth_module::{AuthError, AuthModule, AuthUser};
/// # async fn lost_device<U: AuthUser>(auth: AuthModule<U>, user_id: U::Id) -> Result<(), AuthError> {
/// for session in auth.admin().sessions_of(&user_id).await? {
///     println!("{:?} {:?}", session.last_used_at, session.user_agent);
/// }
/// let ended = auth.admin().end_all_sessions(&user_id).await?;
/// println!("{ended} sessions have ended");
/// # Ok(()) }
/// ```
pub struct Admin<'a, U: AuthUser>(&'a AuthModule<U>);

impl<U: AuthUser> AuthModule<U> {
    /// Functions for administrators.
    #[must_use]
    pub fn admin(&self) -> Admin<'_, U> {
        Admin(self)
    }
}

impl<U: AuthUser> Admin<'_, U> {
    /// The sessions of a user, by their last use.
    ///
    /// # Errors
    /// [`AuthError::Unavailable`] when the session repository fails.
    pub async fn sessions_of(&self, user_id: &U::Id) -> Result<Vec<SessionInfo>, AuthError> {
        self.core().sessions_of(&user_id.to_text(), None).await
    }

    /// Ends a session, whosever it is. Returns whether it existed.
    ///
    /// # Errors
    /// [`AuthError::Unavailable`] when the session repository fails.
    pub async fn end_session(&self, session_id: &str) -> Result<bool, AuthError> {
        self.core().end_session_of_anybody(session_id).await
    }

    /// Ends every session of a user, and returns their number. The account knows no client any more: for the limits of failed
    /// attempts, all of them are strangers until they log in again.
    ///
    /// # Errors
    /// [`AuthError::Unavailable`] when the session repository or the store fails.
    pub async fn end_all_sessions(&self, user_id: &U::Id) -> Result<u64, AuthError> {
        self.core().end_sessions_by_administrator(&user_id.to_text()).await
    }

    /// Ends the sessions of all users, for example after a leak of the signing secrets, and returns their number. It emits
    /// one `auth.session-ended` without a user, whose `session_id` is empty.
    ///
    /// # Errors
    /// [`AuthError::Unavailable`] when the session repository fails.
    pub async fn end_everybodys_sessions(&self) -> Result<u64, AuthError> {
        let ended = self.core().end_everybodys_sessions().await?;
        let (session_id, reason) = (String::new(), SessionEnd::Administrator);
        self.core().events.emit_by_administrator(EventKind::SessionEnded { session_id, reason }, None).await;
        Ok(ended)
    }

    /// Clears the counters of failed attempts of a user: a lockout of the account ends. Counters for single clients and
    /// for the account at a single client expire by themselves.
    ///
    /// # Errors
    /// [`AuthError::Internal`] when there is no such user; [`AuthError::Unavailable`] when the store fails.
    pub async fn unlock(&self, user_id: &U::Id) -> Result<(), AuthError> {
        let user = self.user(user_id).await?;
        self.core().unlock(&user.id_text(), user.email()).await?;
        self.core().events.emit_by_administrator(EventKind::Unlocked, Some(user.id_text())).await;
        Ok(())
    }

    pub(crate) fn core(&self) -> &Core {
        self.0.core()
    }

    /// The service of a feature, if the feature is enabled.
    pub(crate) fn service<S: 'static>(&self) -> Option<&S> {
        self.0.service()
    }

    /// The user with this id.
    pub(crate) async fn user(&self, user_id: &U::Id) -> Result<User, AuthError> {
        let user = self.core().users.find_by_id(&user_id.to_text()).await?;
        user.ok_or_else(|| AuthError::internal("there is no user with this id"))
    }
}

impl Core {
    /// Ends every session of a user, makes every client of the user unknown, and returns the number of sessions.
    pub(crate) async fn end_sessions_by_administrator(&self, user_id: &str) -> Result<u64, AuthError> {
        let (reason, nobody) = (SessionEnd::Administrator, ClientAddress::UNKNOWN);
        // The sessions end also if the store cannot be reached.
        let ceremonies = self.end_ceremonies(&[Ceremonies::OfCredentials], user_id).await;
        let ended = self.end_sessions(user_id, None, reason, nobody).await?;
        ceremonies?;
        self.forget_clients(user_id, nobody).await?;
        Ok(ended)
    }

    /// Ends a session, whosever it is.
    async fn end_session_of_anybody(&self, session_id: &str) -> Result<bool, AuthError> {
        let Some(user_id) = self.owner_of(session_id).await? else { return Ok(false) };
        let (reason, nobody) = (SessionEnd::Administrator, ClientAddress::UNKNOWN);
        self.end_session(&user_id, session_id, reason, nobody).await
    }
}
