//! Functions for administrators.

use super::AuthModule;
use crate::client::{ClientAddress, Visitor};
use crate::clock::rfc3339;
pub use crate::core::Impersonator;
use crate::core::{By, Ceremonies, Core, Credentials, LockDown, Recovery, SessionInfo, TokenPair};
#[cfg(any(feature = "passkeys", feature = "social-login"))]
use crate::core::{RowsOfUser, UserRows};
use crate::error::AuthError;
use crate::events::{EventKind, SessionEnd};
use crate::user::{AuthUser, User, UserId};
use serde_json::{Map, Value, json};
use std::time::SystemTime;

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

/// A session in which somebody acts for a user ([`Admin::impersonate`]). It has no `Debug`, because the tokens are secrets.
#[derive(Clone)]
#[non_exhaustive]
pub struct Impersonation {
    /// The tokens of the session. A refresh does not prolong it.
    pub tokens: TokenPair,
    /// When it ends: an hour after its start, or after `session_lifetime` if that is shorter.
    pub expires_at: SystemTime,
}

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

    /// Removes all rows of a user, and ends every session.
    #[cfg(any(feature = "passkeys", feature = "social-login"))]
    pub(crate) async fn remove_rows(&self, rows: &impl UserRows, user_id: &U::Id) -> Result<u64, AuthError> {
        let user = self.user(user_id).await?;
        let rows = RowsOfUser::of(self.core(), rows, &user_id.to_text());
        // Before, so that no session adds another one; and after, because a session may have begun with one of them.
        self.end_all_sessions(user_id).await?;
        let removed = rows.remove(&*user, By::Administrator, |_| true).await?;
        self.end_all_sessions(user_id).await?;
        Ok(removed)
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

    /// Removes a user's password, ends every session and sends a mail with which the user signs in again: for a user whose password
    /// somebody else knows. With RESET_PASSWORDS the mail has a new reset token, and earlier reset tokens end. With EMAIL_LOGIN alone
    /// the mail has no secret: it says that the user can sign in by mail. The second factor stays. A call that has failed can be
    /// repeated. For a user without a password the sessions end and the mail is sent.
    ///
    /// A suspended user gets no mail, and with [`InResponse`](crate::delivery::InResponse) nobody does: these users ask for a
    /// token themselves.
    ///
    /// ```
    /// use axum_auth_module::{AuthError, AuthModule, AuthUser};
    ///
    /// async fn found_in_a_leak<U: AuthUser>(auth: AuthModule<U>, user_id: U::Id) -> Result<(), AuthError> {
    ///     auth.admin().require_new_password(&user_id).await
    /// }
    /// ```
    ///
    /// # Errors
    /// Those of the repositories and the store; [`AuthError::Internal`] when there is no such user, and before anything is changed
    /// when neither RESET_PASSWORDS nor EMAIL_LOGIN is enabled.
    pub async fn require_new_password(&self, user_id: &U::Id) -> Result<(), AuthError> {
        self.require_way_back("require_new_password")?;
        let (core, user) = (self.core(), self.user(user_id).await?);
        // A reset reads the record before the token: one that still finds the token has read the previous password, and its write
        // is refused.
        core.end_recovery(&user).await?;
        if core.remove_password(&user, |_| Some(Vec::new())).await? {
            core.emit_about(EventKind::PasswordRemoved, &*user, By::Administrator).await;
        }
        self.end_all_sessions(user_id).await?;
        core.mail_way_back(&user.id_text(), Recovery::PasswordRemoved).await
    }

    /// Locks an account down that somebody else has used (specification §15.9): the password is removed, and so is a second factor that
    /// was put in force within seven days, or whose secret was shown since then. Every session ends, and so does whatever else somebody
    /// may have left there. Then the user gets the mail that [`require_new_password`](Self::require_new_password) sends. A call that has
    /// failed can be repeated.
    ///
    /// The address stays. If a thief has changed it, the owner takes it back with the link in the mail to the previous address, or
    /// the host with `change_email` (CHANGE_EMAILS), first.
    ///
    /// ```
    /// use axum_auth_module::{AuthError, AuthModule, AuthUser};
    ///
    /// async fn somebody_was_in_my_account<U: AuthUser>(auth: AuthModule<U>, user_id: U::Id) -> Result<(), AuthError> {
    ///     auth.admin().lock_down(&user_id).await
    /// }
    /// ```
    ///
    /// # Errors
    /// Those of the repositories and the store; [`AuthError::Internal`] when there is no such user, and before anything is changed
    /// when neither RESET_PASSWORDS nor EMAIL_LOGIN is enabled.
    pub async fn lock_down(&self, user_id: &U::Id) -> Result<(), AuthError> {
        self.require_way_back("lock_down")?;
        let (core, id) = (self.core(), user_id.to_text());
        core.lock_down(&id, &LockDown::by_administrator(core.now())).await?;
        core.finish_lock_down(&id).await
    }

    /// Starts a session of one hour in which somebody acts for a user, for example to reproduce a problem that the user reports. The host's
    /// [`Policy::allows_impersonation`](crate::policy::Policy::allows_impersonation) must allow it; without it nobody may.
    ///
    /// `actor` says who acts: a name of 1 to 100 characters, or the claims of the administrator's own session. `reason` has 1 to 200
    /// characters. Both are in the event `auth.impersonation-started`; the actor is in the session's claims as `act`
    /// ([`Claims::actor`](crate::services::SessionClaims::actor)), in the user's list of sessions, and the user gets a notice
    /// (SECURITY_NOTICES).
    ///
    /// Nothing is proven in such a session: the routes that change something of the account or ask for a recent confirmation refuse it with
    /// 403 `not_while_impersonating`, and [`ConfirmedUser`](crate::ConfirmedUser) does, too. The host's own routes decide by
    /// `Claims::actor`. It ends with the user's other sessions, for example when the user changes the password.
    ///
    /// For a session with a cookie there is [`Browser::impersonate`](crate::extract::Browser::impersonate).
    ///
    /// ```
    /// use axum_auth_module::{AuthError, AuthModule, AuthUser, Claims, Impersonation};
    ///
    /// async fn see_what_the_user_sees<U: AuthUser>(
    ///     auth: AuthModule<U>, administrator: Claims<U>, user_id: U::Id, ticket: &str,
    /// ) -> Result<Impersonation, AuthError> {
    ///     auth.admin().impersonate(&administrator, &user_id, ticket).await
    /// }
    /// ```
    ///
    /// # Errors
    /// [`AuthError::ValidationFailed`] for the fields `actor` and `reason`; [`AuthError::NotAllowed`] if the policy does not allow it, if
    /// the actor is the user, and if the user is suspended or is going to be deleted; [`AuthError::NotWhileImpersonating`] if the
    /// administrator's session is impersonated itself; those of the repositories; [`AuthError::Internal`] when there is no such user.
    pub async fn impersonate(
        &self,
        actor: impl Into<Impersonator>,
        user_id: &U::Id,
        reason: &str,
    ) -> Result<Impersonation, AuthError> {
        let user = self.user(user_id).await?;
        match self.core().impersonate(&actor.into(), &user, reason, &Visitor::default()).await? {
            (Credentials::Tokens(tokens), expires_at) => Ok(Impersonation { tokens, expires_at }),
            (Credentials::Cookie(_), _) => Err(AuthError::internal("a session with tokens has a cookie")),
        }
    }

    /// What the library stores about a user, as JSON: for a request for access to personal data (Art. 15 GDPR). It has the user's record
    /// without what is secret, the sessions, and what the features store. The host adds its own data, and the entries of the user in a
    /// [`SqlAuditLog`](crate::sql::SqlAuditLog). Counters of limits and marks of known clients are not in it: they are stored under
    /// values from which nobody can tell the user.
    ///
    /// ```
    /// use axum_auth_module::{AuthError, AuthModule, AuthUser};
    ///
    /// async fn copy_of_my_data<U: AuthUser>(auth: AuthModule<U>, user_id: U::Id) -> Result<String, AuthError> {
    ///     let data = auth.admin().export(&user_id).await?;
    ///     Ok(format!("{data:#}"))
    /// }
    /// ```
    ///
    /// # Errors
    /// Those of the repositories and the store; [`AuthError::Internal`] when there is no such user.
    pub async fn export(&self, user_id: &U::Id) -> Result<Value, AuthError> {
        self.core().export(&self.user(user_id).await?).await
    }

    /// Fails in a module whose users could not get in again without their password.
    fn require_way_back(&self, function: &str) -> Result<(), AuthError> {
        match self.core().has_way_back() {
            true => Ok(()),
            false => Err(AuthError::internal(format!("`{function}` needs RESET_PASSWORDS or EMAIL_LOGIN"))),
        }
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
    /// What is stored about a user.
    async fn export(&self, user: &User) -> Result<Value, AuthError> {
        let time = |time: Option<SystemTime>| time.map(rfc3339);
        let mut data = Map::new();
        let record = json!({
            "id": user.id_text(),
            "name": user.name(),
            "email": user.email(),
            "username": user.username(),
            "language": user.language(),
            "hasPassword": user.has_password(),
            "emailVerifiedAt": time(user.email_verified_at()),
            "twoFactorConfirmedAt": time(user.two_factor_confirmed_at()),
            "passwordConfirmedAt": time(user.password_confirmed_at()),
        });
        data.insert("user".to_owned(), record);
        let sessions = self.sessions_of(&user.id_text(), None).await?;
        let sessions = sessions.into_iter().map(|session| {
            json!({
                "id": session.id,
                "createdAt": rfc3339(session.created_at),
                "lastUsedAt": rfc3339(session.last_used_at),
                "expiresAt": rfc3339(session.expires_at),
                "client": session.client,
                "userAgent": session.user_agent,
                "authenticatedBy": session.authenticated_by,
                "actor": session.actor,
            })
        });
        data.insert("sessions".to_owned(), sessions.collect());
        for hook in self.hooks() {
            if let Some((called, stored)) = hook.stored_about(self, user).await? {
                data.insert(called.to_owned(), stored);
            }
        }
        Ok(Value::Object(data))
    }

    /// Ends every session of a user, makes every client of the user unknown, and returns the number of sessions.
    pub(crate) async fn end_sessions_by_administrator(&self, user_id: &str) -> Result<u64, AuthError> {
        // The sessions end also if the store cannot be reached.
        let ceremonies = self.end_ceremonies(&[Ceremonies::OfCredentials], user_id).await;
        let ended = self.end_sessions(user_id, None, SessionEnd::Administrator, By::Administrator).await?;
        ceremonies?;
        self.forget_clients(user_id, ClientAddress::UNKNOWN).await?;
        Ok(ended)
    }

    /// Ends a session, whosever it is.
    async fn end_session_of_anybody(&self, session_id: &str) -> Result<bool, AuthError> {
        let Some(user_id) = self.owner_of(session_id).await? else { return Ok(false) };
        self.end_session(&user_id, session_id, SessionEnd::Administrator, By::Administrator).await
    }
}
