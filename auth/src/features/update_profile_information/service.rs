//! Changing a profile, and what follows from a changed address. No HTTP.

use crate::actions::{Acting, ActionError, ProfileData, UpdatesUserProfile, typed};
use crate::client::ClientAddress;
use crate::core::{Core, Patch, run_to_completion, spawn};
use crate::error::AuthError;
use crate::repository::RepositoryError;
use crate::user::{AuthUser, User, UserChange, UserRecord};
use async_trait::async_trait;
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

/// `UpdatesUserProfile` without the type of the user record.
#[async_trait]
pub(super) trait Updates: Send + Sync + 'static {
    async fn update(&self, core: &Core, user: &dyn UserRecord, data: ProfileData) -> Result<(), ActionError>;
    fn extra_fields(&self) -> &[&'static str];
}

#[async_trait]
impl<U: AuthUser> Updates for Acting<dyn UpdatesUserProfile<U>, U> {
    async fn update(&self, core: &Core, user: &dyn UserRecord, data: ProfileData) -> Result<(), ActionError> {
        let context = core.action_context(&self.users, ClientAddress::UNKNOWN);
        self.action.update(typed(user)?, data, &context).await
    }

    fn extra_fields(&self) -> &[&'static str] {
        self.action.extra_fields()
    }
}

/// Profile updates, with the rules of the route.
#[derive(Clone)]
pub struct UpdateProfileInformationService {
    core: Core,
    updates_user_profile: Arc<dyn Updates>,
}

impl UpdateProfileInformationService {
    pub(super) fn new(core: &Core, updates_user_profile: Arc<dyn Updates>) -> Self {
        Self { core: core.clone(), updates_user_profile }
    }

    pub(super) fn extra_fields(&self) -> &[&'static str] {
        self.updates_user_profile.extra_fields()
    }

    /// Has the host change the profile (specification §9.10).
    ///
    /// # Errors
    /// [`AuthError::EmailTaken`] and whatever else the action refuses with.
    pub async fn update(&self, user: &dyn UserRecord, data: ProfileData) -> Result<(), AuthError> {
        let (service, before) = (self.clone(), user.shared());
        let on_timeout = OnTimeout(Some((self.clone(), User::clone(&before))));
        let outcome = run_to_completion(async move {
            let update = service.updates_user_profile.update(&service.core, &*before, data);
            let updated = AssertUnwindSafe(update).catch_unwind().await;
            // An action may fail after it has written, so this looks at the stored record and not at the outcome.
            service.unverify_changed_email(&before).await?;
            Ok(updated.map_err(|_| AuthError::internal("the action that updates a profile panicked"))??)
        });
        let outcome = outcome.await;
        on_timeout.cancel();
        outcome
    }

    /// If the address has changed: clears `emailVerifiedAt`, and tells the features, so that nothing that was sent to
    /// either address works.
    async fn unverify_changed_email(&self, before: &User) -> Result<(), AuthError> {
        let Some(after) = self.core.users.find_by_id(&before.id_text()).await? else { return Ok(()) };
        if after.email() == before.email() {
            return Ok(());
        }
        if after.email_verified_at().is_some() {
            let patch = Patch::of(&*after)
                .with(UserChange::EmailVerifiedAt(None))
                .only_if(UserChange::Email(after.email().to_owned()));
            match self.core.users.save(patch).await {
                // The address has changed again, and the request that did so unverifies that address.
                Ok(_) | Err(RepositoryError::Stale) => {}
                Err(failure) => return Err(failure.into()),
            }
        }
        self.core.email_changed(before, &after).await
    }
}

/// Unverifies a changed address as soon as the request times out, without waiting for an action that may hang for long
/// after it has written. The same step after the end of the action still happens.
struct OnTimeout(Option<(UpdateProfileInformationService, User)>);

impl OnTimeout {
    fn cancel(mut self) {
        self.0 = None;
    }
}

impl Drop for OnTimeout {
    fn drop(&mut self) {
        let Some((service, before)) = self.0.take() else { return };
        spawn("unverifying a changed address", async move {
            if let Err(error) = service.unverify_changed_email(&before).await {
                tracing::error!(code = error.code().as_str(), "a changed address could not be unverified");
            }
        });
    }
}
