//! DELETE_ACCOUNTS: a user has the account deleted, and can change their mind for some time.
//!
//! **Needs** a repository of deletions, an implementation of `DeletesUsers` and a delivery.
//!
//! Somebody who has taken an account over must not be able to destroy it: while a deletion is pending, its user, the owner of a previous
//! address and an administrator can cancel it.

mod entries;
mod handlers;
mod hooks;
mod pass;
mod restoration;
mod service;

pub use restoration::Restored;
#[cfg(feature = "command")]
pub(super) use service::of_settings;
pub use service::{DeleteAccountsService, ScheduledDeletion};

use crate::actions::DeletesUsers;
use crate::config::Limit;
use crate::delivery::{AccountDeletionMessage, Delivers};
use crate::endpoint::{
    Confirmation, Credential, Endpoint, EndpointBody, EndpointField, EndpointFieldKind, EndpointResponse,
    ResponseCondition,
};
use crate::erase::erase;
use crate::error::{AuthError, ErrorCode};
use crate::events::EventName;
use crate::feature::Feature;
use crate::module::{Admin, AuthModuleBuilder, Pending};
use crate::repository::DeletionRepository;
use crate::user::AuthUser;
use crate::watch::Watch;
use entries::Rows;
use hooks::OfDeletions;
use service::Parts;
use std::sync::Arc;
use std::time::SystemTime;

const DELETE: Endpoint = Endpoint::delete("/user", "deleteAccount")
    .of(Feature::DeleteAccounts)
    .summary("Schedules the deletion of the user's account, and ends every session.")
    .requires(Credential::RecentConfirmation)
    .confirmed_by(Confirmation::step_up)
    .returns(&[EndpointResponse::object(
        "DeletionScheduled",
        &[EndpointField::MESSAGE, EndpointField::required("deletesAt", EndpointFieldKind::Time)],
    )])
    .accepts()
    .changes_cookies()
    .emits(&[EventName::DeletionScheduled, EventName::SessionEnded, EventName::AccountDeleted]);

const RESTORE: Endpoint = Endpoint::post("/user/restore", "restoreAccount")
    .of(Feature::DeleteAccounts)
    .summary("Cancels the deletion of an account, with the token of a sign-in, which starts the session, or with that of a mail.")
    .takes(EndpointBody::Optional(&[EndpointField::optional("restoreToken", EndpointFieldKind::NonEmptyText)]))
    .returns(&[
        EndpointResponse::SIGNED_IN.when(ResponseCondition::Request("for the token of a sign-in")),
        EndpointResponse::MESSAGE.when(ResponseCondition::Request("for the token of a mail")),
    ])
    .limits(&[Limit::MailTokens])
    .emits(&[EventName::DeletionCancelled, EventName::Login, EventName::LoginFailed, EventName::SessionEnded])
    .refuses(&[ErrorCode::InvalidMailToken, ErrorCode::ExpiredMailToken, ErrorCode::NotAllowed]);

impl<U: AuthUser> AuthModuleBuilder<U> {
    /// DELETE_ACCOUNTS: `DELETE /user` and `POST /user/restore`.
    pub fn delete_accounts<R, A, D>(self, deletion_repo: R, deletes_users: A, delivery: D) -> Self
    where
        R: DeletionRepository,
        A: DeletesUsers<U>,
        D: Delivers<AccountDeletionMessage>,
    {
        let deletions = erase::<dyn DeletionRepository, _>(deletion_repo, |deletions| deletions);
        let action = erase::<dyn DeletesUsers<U>, _>(deletes_users, |action| action);
        let delivery = erase::<dyn Delivers<AccountDeletionMessage>, _>(delivery, |delivery| delivery);
        let parts = Parts {
            deletions: Rows(Arc::new(Watch::over(deletions))),
            deletes_users: self.acting(action),
            delivery: Arc::new(Watch::over(delivery)),
        };
        self.mount(pending(parts))
    }
}

fn pending(parts: Parts) -> Pending {
    let hooks = OfDeletions(parts.clone());
    Pending::new(|core| DeleteAccountsService::new(core, parts)).with_hooks(hooks)
}

impl<U: AuthUser> Admin<'_, U> {
    /// Schedules the deletion of a user's account, as the user can do, and returns from when on it can be deleted. Every session ends. If a
    /// deletion is pending already, its time stays. With a grace of zero the user is deleted before this returns.
    ///
    /// ```
    /// use axum_auth_module::{AuthError, AuthModule, AuthUser};
    ///
    /// async fn asked_by_letter<U: AuthUser>(auth: AuthModule<U>, user_id: U::Id) -> Result<(), AuthError> {
    ///     let deletes_at = auth.admin().schedule_deletion(&user_id).await?;
    ///     println!("the account will be deleted at {deletes_at:?}");
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    /// Those of the repositories and the store; [`AuthError::Internal`] when there is no such user, or when DELETE_ACCOUNTS is not
    /// enabled.
    pub async fn schedule_deletion(&self, user_id: &U::Id) -> Result<SystemTime, AuthError> {
        let user = self.user(user_id).await?;
        self.deletions("schedule_deletion")?.schedule_by_administrator(&user).await
    }

    /// Cancels the pending deletion of a user's account, and returns whether there was one. Nobody is signed in by that.
    ///
    /// # Errors
    /// Those of the repositories; [`AuthError::Internal`] when there is no such user, or when DELETE_ACCOUNTS is not enabled.
    pub async fn cancel_deletion(&self, user_id: &U::Id) -> Result<bool, AuthError> {
        let user = self.user(user_id).await?;
        self.deletions("cancel_deletion")?.cancel_by_administrator(&user).await
    }

    /// From when on a user's account can be deleted, if a deletion is pending: a host does not show such an account to others.
    ///
    /// # Errors
    /// Those of the repository; [`AuthError::Internal`] when DELETE_ACCOUNTS is not enabled.
    pub async fn deletion_of(&self, user_id: &U::Id) -> Result<Option<SystemTime>, AuthError> {
        self.deletions("deletion_of")?.deletion_of(user_id).await
    }

    fn deletions(&self, function: &str) -> Result<&DeleteAccountsService, AuthError> {
        let service = self.service();
        service.ok_or_else(|| AuthError::internal(format!("`{function}` needs DELETE_ACCOUNTS")))
    }
}
