//! Changing a profile, and what follows from a new address. No HTTP.

use crate::actions::{ProfileData, UpdatesUserProfile};
use crate::core::{Core, run_to_completion, spawn};
use crate::error::AuthError;
use crate::repository::RepositoryError;
use crate::user::{AuthUser, UserChange, UserPatch};
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

/// Changes of profile, with the rules of the route.
pub struct UpdateProfileInformationService<U: AuthUser> {
    core: Core<U>,
    updates_user_profile: Arc<dyn UpdatesUserProfile<U>>,
}

impl<U: AuthUser> UpdateProfileInformationService<U> {
    pub(crate) fn new(core: Core<U>, updates_user_profile: Arc<dyn UpdatesUserProfile<U>>) -> Self {
        Self { core, updates_user_profile }
    }

    pub(super) fn core(&self) -> &Core<U> {
        &self.core
    }

    pub(super) fn extra_fields(&self) -> &[&'static str] {
        self.updates_user_profile.extra_fields()
    }

    /// Has the host change the profile (specification §9.10).
    ///
    /// # Errors
    /// [`AuthError::EmailTaken`] and whatever else the action refuses with.
    pub async fn update(&self, user: &U, data: ProfileData) -> Result<(), AuthError> {
        let (service, before) = (self.clone(), user.clone());
        let watch = Watch(Some((self.clone(), user.clone())));
        let outcome = run_to_completion(async move {
            let update = service.updates_user_profile.update(&before, data, &service.core.actions);
            let updated = AssertUnwindSafe(update).catch_unwind().await;
            // An action may fail after it has written: the guard looks at what is stored, not at what it says.
            service.guard_address(&before).await?;
            Ok(updated.map_err(|_| AuthError::internal("the action that updates a profile panicked"))??)
        });
        let outcome = outcome.await;
        watch.stop();
        outcome
    }

    /// Sees to it that a new address is an unverified one, and that nothing that was sent to either address works.
    async fn guard_address(&self, before: &U) -> Result<(), AuthError> {
        let Some(after) = self.core.users.find_by_id(before.id()).await? else { return Ok(()) };
        if after.email() == before.email() {
            return Ok(());
        }
        if after.email_verified_at().is_some() {
            let patch = UserPatch::new(after.id().clone())
                .with(UserChange::EmailVerifiedAt(None))
                .only_if(UserChange::Email(after.email().to_owned()));
            match self.core.users.save(patch).await {
                // The address has changed once more, and that change is guarded by its own request.
                Ok(_) | Err(RepositoryError::Stale) => {}
                Err(failure) => return Err(failure.into()),
            }
        }
        if let Some(resets) = &self.core.password_resets {
            resets.delete_by_email(before.email()).await?;
            resets.delete_by_email(after.email()).await?;
        }
        Ok(())
    }
}

/// Guards the address as soon as a request is given up, without waiting for an action that may hang for long after it
/// has written. The guard that follows the action's end comes all the same.
struct Watch<U: AuthUser>(Option<(UpdateProfileInformationService<U>, U)>);

impl<U: AuthUser> Watch<U> {
    fn stop(mut self) {
        self.0 = None;
    }
}

impl<U: AuthUser> Drop for Watch<U> {
    fn drop(&mut self) {
        let Some((service, before)) = self.0.take() else { return };
        spawn("guarding a new address", async move {
            if let Err(error) = service.guard_address(&before).await {
                tracing::error!(code = error.code().as_str(), "a new address could not be guarded");
            }
        });
    }
}

impl<U: AuthUser> Clone for UpdateProfileInformationService<U> {
    fn clone(&self) -> Self {
        Self { core: self.core.clone(), updates_user_profile: Arc::clone(&self.updates_user_profile) }
    }
}
