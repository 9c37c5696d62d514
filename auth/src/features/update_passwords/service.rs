//! Changing a password. No HTTP.

use super::{LIMITS, REMOVE, UPDATE};
use crate::actions::{ActionError, BoundAction, PasswordUpdateData, UpdatesUserPasswords, typed};
use crate::client::ClientAddress;
use crate::config::Limit;
use crate::core::{Core, CredentialChange, Credentials, GuardedUsers, Guess, Identity, Patch, WaysIn};
use crate::error::AuthError;
use crate::events::{AttemptKind, EventKind};
use crate::limits::Checked;
use crate::repository::RepositoryError;
use crate::user::{AuthUser, UserChange, UserRecord};
use crate::watch::watch_action;
use async_trait::async_trait;
use std::sync::Arc;

/// `UpdatesUserPasswords` without the type of the user record.
#[async_trait]
pub(super) trait Updates: Send + Sync + 'static {
    async fn update(
        &self,
        change: &Arc<CredentialChange>,
        user: &dyn UserRecord,
        data: PasswordUpdateData,
        client: ClientAddress,
    ) -> Result<(), ActionError>;
}

#[async_trait]
impl<U: AuthUser> Updates for BoundAction<dyn UpdatesUserPasswords<U>, U> {
    async fn update(
        &self,
        change: &Arc<CredentialChange>,
        user: &dyn UserRecord,
        data: PasswordUpdateData,
        client: ClientAddress,
    ) -> Result<(), ActionError> {
        let users = GuardedUsers::shared(&self.users, Arc::clone(change));
        let context = change.core().action_context(&users, client);
        watch_action("UpdatesUserPasswords", self.action.update(typed(user)?, data, &context)).await
    }
}

/// Password updates, with the rules, limits and events of the route.
#[derive(Clone)]
pub struct UpdatePasswordsService {
    core: Core,
    updates_user_passwords: Arc<dyn Updates>,
}

impl UpdatePasswordsService {
    pub(super) fn new(core: &Core, updates_user_passwords: Arc<dyn Updates>) -> Self {
        Self { core: core.clone(), updates_user_passwords }
    }

    pub(super) fn min_password_characters(&self) -> usize {
        self.core.config.password_min_characters
    }

    /// Checks the current password, if the user has one, and has the host change it (specification §9.11). A user without a password
    /// must have confirmed recently in the session. The user's other sessions end; the acting session
    /// continues with what is returned.
    ///
    /// # Errors
    /// [`AuthError::PasswordConfirmationRequired`] for a user without a password; [`AuthError::IncorrectPassword`] and whatever else
    /// the action or the policy refuses with; [`AuthError::TooManyAttempts`].
    pub async fn update(
        &self,
        who: &Identity,
        data: PasswordUpdateData,
        client: ClientAddress,
    ) -> Result<Credentials, AuthError> {
        self.core.require_for(&UPDATE, who).await?;
        let account = who.user_id();
        let guess = Guess::at_user(AttemptKind::Password, LIMITS, &account, client);
        let attempt = self.core.attempt(&guess).await?;
        let (service, who) = (self.clone(), who.clone());
        self.core
            .run_to_completion(async move {
                let change = Arc::new(CredentialChange::new(&service.core, &who, client));
                let changed = attempt.check(service.change(&who, data, client, &change)).await;
                let changed = changed.and_then(|changed| changed);
                match changed {
                    Ok(()) => {
                        let forgotten = service.core.forget_clients(&who.user_id(), client).await;
                        let credentials = change.finish().await?;
                        forgotten.map(|()| credentials)
                    }
                    // An action may fail after it has written. Or the store has failed: it delays the response once.
                    Err(failure) => {
                        if change.is_written() {
                            service.core.forget_clients_later(who.user_id(), client);
                            change.finish().await?;
                        }
                        Err(failure)
                    }
                }
            })
            .await
    }

    /// Removes the password of a user who has another way to sign in (specification §9.28). The user's other sessions end, and so does a
    /// pending reset token. Nothing changes for a user without a password.
    ///
    /// # Errors
    /// [`AuthError::PasswordConfirmationRequired`]; [`AuthError::LastSignInMethod`]; those of the repository and the store.
    pub async fn remove(&self, who: &Identity, client: ClientAddress) -> Result<Credentials, AuthError> {
        let acting = self.core.begin(&REMOVE, who, client).await?;
        // A request that failed after it had written the record has not ended the other sessions: this one does.
        let had_none = !who.user().has_password();
        if had_none && !who.row.has_unfinished_change() {
            return self.core.go_on(who).await;
        }
        let service = self.clone();
        self.core
            .run_to_completion(async move {
                let core = &service.core;
                let id = acting.who().user_id();
                let left = |ways: WaysIn| WaysIn { password: false, ..ways };
                let removal = core.begin_removal(&id, left).await?;
                // The other way in may be the mailbox of this address.
                let counted = UserChange::Email(removal.user().email().to_owned());
                let patch =
                    Patch::of(acting.who().user()).with(UserChange::Password(String::new())).only_if(counted);
                let write = async {
                    acting.change_credentials(patch).await.map_err(|failure| match failure {
                        RepositoryError::Stale => {
                            AuthError::Unavailable("the address has changed meanwhile".into())
                        }
                        other => other.into(),
                    })
                };
                let change = removal.run(write).await?;
                if !had_none {
                    core.emit_about(EventKind::PasswordRemoved, acting.who().user(), client).await;
                }
                // Another removal in this session must not take the change for one that was interrupted.
                let finished = change.finish().await;
                drop(removal);
                finished
            })
            .await
    }

    /// Checks the current password, asks the policy about the new one, and has the action change it. What is right is a
    /// change that was written, although the action may have failed after that.
    async fn change(
        &self,
        who: &Identity,
        data: PasswordUpdateData,
        client: ClientAddress,
        change: &Arc<CredentialChange>,
    ) -> Result<Checked<Result<(), AuthError>>, AuthError> {
        let passwords = self.core.passwords_of(client);
        let is_right = match (&data.current_password, who.user().has_password()) {
            (Some(current), _) => passwords.matches(current, who.user().password()).await?,
            (None, has_password) => !has_password,
        };
        if !is_right {
            return Ok(Checked::Wrong(AuthError::IncorrectPassword));
        }
        // Asking the policy can be expensive, and whom it refuses may ask again.
        self.core.count_call(&[Limit::PasswordChoice], &who.user_id(), client).await?;
        self.core.policy.allows_password(&data.password, who.user(), &passwords).await?;
        let updated = self.updates_user_passwords.update(change, who.user(), data, client).await;
        match updated.map_err(AuthError::from) {
            Ok(()) => {
                // The password has changed, even if a later step fails.
                self.core.emit_about(EventKind::PasswordUpdated, who.user(), client).await;
                Ok(Checked::Right(Ok(())))
            }
            Err(failure) if change.is_written() => Ok(Checked::Right(Err(failure))),
            Err(AuthError::IncorrectPassword) => Ok(Checked::Wrong(AuthError::IncorrectPassword)),
            Err(failure) => Err(failure),
        }
    }
}
