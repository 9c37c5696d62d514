//! What is done in the name of a session (specification §11.9).
//!
//! A service begins with [`Core::begin`], which checks what the endpoint requires, and writes only through the [`ActingSession`]
//! that it returns. Each write first swaps the session's row, which fails if the session has ended, and is then conditional on
//! the password hash under which the request was authenticated. A write therefore loses against everything that ends the session,
//! however long ago the session was read.

use super::{Decision, SWAPS, Session, State};
use crate::client::ClientAddress;
use crate::config::{Limit, LimitUnit};
use crate::core::guarded_users::{Guard, Save};
use crate::core::{Core, CredentialChange, Identity, Patch};
use crate::endpoint::{Confirmation, Endpoint};
use crate::error::AuthError;
use crate::repository::RepositoryError;
use crate::user::{User, UserChange, UserField, UserRecord};
use async_trait::async_trait;
use futures_util::future::BoxFuture;

/// What must be true before something is done in the name of a session.
#[derive(Clone, Copy)]
pub(crate) struct Requirements {
    /// What must have been confirmed recently in the session.
    pub(crate) confirmation: Confirmation,
    /// The limits that count the call. They must be limits of all calls by account.
    pub(crate) calls: &'static [Limit],
}

/// A session in whose name a service acts: the requirements of the endpoint are met. Only [`Core::begin`] makes one.
#[derive(Clone)]
pub(crate) struct ActingSession {
    core: Core,
    who: Identity,
    client: ClientAddress,
}

impl Core {
    /// Begins what an endpoint does in the name of a session: checks what the endpoint requires of the session, and then counts the call
    /// towards the endpoint's limits of all calls.
    ///
    /// # Errors
    /// Those of [`require_for`](Self::require_for); [`AuthError::TooManyAttempts`].
    pub(crate) async fn begin(
        &self,
        endpoint: &Endpoint,
        who: &Identity,
        client: ClientAddress,
    ) -> Result<ActingSession, AuthError> {
        self.require_for(endpoint, who).await?;
        self.count(endpoint.limits, who, client).await
    }

    /// The same for an endpoint whose requirements depend on the request, and which changes something of the account.
    ///
    /// # Errors
    /// [`AuthError::NotWhileImpersonating`]; [`AuthError::PasswordConfirmationRequired`]; [`AuthError::TooManyAttempts`].
    pub(crate) async fn begin_with(
        &self,
        required: Requirements,
        who: &Identity,
        client: ClientAddress,
    ) -> Result<ActingSession, AuthError> {
        who.require_own_session()?;
        self.require(who, required.confirmation).await?;
        self.count(required.calls, who, client).await
    }

    async fn count(
        &self,
        calls: &'static [Limit],
        who: &Identity,
        client: ClientAddress,
    ) -> Result<ActingSession, AuthError> {
        let is_of_calls = |limit: &&Limit| limit.counts() == LimitUnit::Calls;
        for limit in calls.iter().filter(is_of_calls) {
            self.count_call(&[*limit], &who.user_id(), client).await?;
        }
        Ok(ActingSession { core: self.clone(), who: who.clone(), client })
    }
}

impl ActingSession {
    pub(crate) fn core(&self) -> &Core {
        &self.core
    }

    pub(crate) fn who(&self) -> &Identity {
        &self.who
    }

    /// The user, as the record was read when the request was authenticated.
    pub(crate) fn user(&self) -> &dyn UserRecord {
        self.who.user()
    }

    pub(crate) fn client(&self) -> ClientAddress {
        self.client
    }

    /// Swaps the session's row for itself. That fails if the session has ended meanwhile.
    ///
    /// # Errors
    /// [`AuthError::Unauthenticated`] if the session has ended; [`AuthError::Unavailable`] when the session repository fails.
    pub(crate) async fn check_alive(&self) -> Result<(), AuthError> {
        self.swap().await.map(drop)
    }

    async fn swap(&self) -> Result<Session, AuthError> {
        let sessions = &self.core.sessions;
        let swapped = sessions.change(&self.who.row, |session| {
            match sessions.accepts(session, self.who.session.opened()) {
                true => Decision::Write(State::clone(&session.state), session.record.expires_at, true),
                false => Decision::Keep(false),
            }
        });
        match swapped.await? {
            Some((session, true)) => Ok(session),
            Some((_, false)) | None => Err(AuthError::Unauthenticated),
        }
    }

    /// Writes a patch of the user's record.
    ///
    /// # Errors
    /// Those of the repository. If the session has ended, or if the user's password has changed meanwhile, the error becomes
    /// [`AuthError::Unauthenticated`].
    pub(crate) async fn save(&self, patch: Patch) -> Result<User, RepositoryError> {
        let save = |conditions: Vec<UserChange>| -> BoxFuture<'_, Result<User, RepositoryError>> {
            Box::pin(self.core.users.save(patch.clone().only_if_all(conditions)))
        };
        self.save_with(&save).await
    }

    /// Writes the user's record with `save`, on the condition of the password hash under which the request was authenticated.
    ///
    /// # Errors
    /// Those of [`save`](Self::save).
    async fn save_with(&self, save: Save<'_>) -> Result<User, RepositoryError> {
        let mut proven = User::clone(&self.who.user);
        for _ in 0..SWAPS {
            self.swap().await.map_err(RepositoryError::other)?;
            match save(vec![UserChange::Password(proven.password().to_owned())]).await {
                Err(RepositoryError::Stale) => proven = self.hashed_again(&proven).await?,
                saved => return saved,
            }
        }
        Err(RepositoryError::other("the password was hashed again with every attempt to write the record"))
    }

    /// The record as it is now, if a login has only hashed the same password again.
    ///
    /// # Errors
    /// [`RepositoryError::Stale`] if the hash has not changed, so that another condition of the write is not met;
    /// [`AuthError::Unauthenticated`] if the password has changed.
    async fn hashed_again(&self, proven: &User) -> Result<User, RepositoryError> {
        let refused = || RepositoryError::other(AuthError::Unauthenticated);
        let sessions = &self.core.sessions;
        let now = self.core.users.find_by_id(&self.who.user_id()).await?.ok_or_else(refused)?;
        if now.password() == proven.password() {
            return Err(RepositoryError::Stale);
        }
        // Read after the record, because a login marks the rows before it writes the record.
        let session = self.swap().await.map_err(RepositoryError::other)?;
        let [before, after] = [proven, &now].map(|user| sessions.marks_of(&**user));
        match session.state.was_only_hashed_again(&before, &after) {
            true => Ok(now),
            false => Err(refused()),
        }
    }

    /// Removes a way in that is not in the user's record. The change must then be finished.
    ///
    /// # Errors
    /// Those of [`CredentialChange::remove`].
    #[cfg_attr(not(feature = "passkeys"), allow(dead_code, reason = "passkeys alone use it"))]
    pub(crate) async fn remove_way_in(
        &self,
        remove: impl Future<Output = Result<bool, AuthError>>,
    ) -> Result<CredentialChange, AuthError> {
        let change = CredentialChange::new(&self.core, &self.who, self.client);
        change.remove(remove).await?;
        Ok(change)
    }

    /// Writes a patch that changes the credentials of the user. The change must then be finished.
    ///
    /// # Errors
    /// Those of [`CredentialChange::save`].
    pub(crate) async fn change_credentials(&self, patch: Patch) -> Result<CredentialChange, RepositoryError> {
        self.core.change_credentials(&self.who, patch, self.client).await
    }
}

/// Every patch of the user's own record is written in the name of the session.
#[async_trait]
impl Guard for ActingSession {
    fn guards(&self, user_id: &str, _: &[UserChange]) -> bool {
        user_id == self.who.user_id()
    }

    /// An action may write all fields of a form. The address of the user, and when it was verified, must not undo a change that was
    /// confirmed meanwhile (specification §15.8).
    fn written(&self, changes: &[UserChange]) -> Vec<UserChange> {
        let own = self.user().email();
        let has_own_address = |change: &UserChange| matches!(change, UserChange::Email(email) if email.eq_ignore_ascii_case(own));
        if !changes.iter().any(has_own_address) || !self.core.changes_addresses() {
            return changes.to_vec();
        }
        let is_of_address =
            |change: &&UserChange| matches!(change.field(), UserField::Email | UserField::EmailVerifiedAt);
        changes.iter().filter(|change| !is_of_address(change)).cloned().collect()
    }

    async fn write(&self, _: &[UserChange], save: Save<'_>) -> Result<User, RepositoryError> {
        self.save_with(save).await
    }
}
