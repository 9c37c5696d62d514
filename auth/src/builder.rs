//! Putting a module together: what `auth_module!` expands to, and what a host may as well write by hand.

use crate::actions::{CreatesNewUsers, ResetsUserPasswords, UpdatesUserPasswords, UpdatesUserProfile};
use crate::config::AuthConfig;
use crate::config::{ConfigError, ConfigProblem};
use crate::delivery::{EmailVerificationDelivery, PasswordResetDelivery};
use crate::events::EventSink;
use crate::feature::{Feature, FeatureSet, missing_feature};
use crate::module::{AuthModule, Providers};
use crate::repository::{PasswordResetRepository, UserRepository};
use crate::store::{EphemeralStore, MemoryStore, SharedStore};
use crate::user::AuthUser;
use std::any::Any;
use std::sync::Arc;

/// Collects providers and features. Made by [`AuthModule::builder`].
///
/// Each feature is a method whose parameters are what it requires, so that a feature without its provider cannot be
/// written. `auth_module!` is this and better messages.
///
/// ```
/// # use axum_auth_module::{AuthConfig, AuthModule, AuthUser, InResponse, StandardActions};
/// # use axum_auth_module::repository::{PasswordResetRepository, UserRepository};
/// fn module<R: UserRepository>(
///     config: AuthConfig,
///     users: R,
///     resets: impl PasswordResetRepository,
/// ) -> AuthModule<R::User> {
///     AuthModule::builder(config, users)
///         .registration(StandardActions)
///         .reset_passwords(resets, StandardActions, InResponse)
///         .two_factor_authentication()
///         .build()
/// }
/// ```
#[must_use = "a builder does nothing until `build` is called"]
pub struct AuthModuleBuilder<U: AuthUser> {
    config: AuthConfig,
    store: Option<Arc<dyn EphemeralStore>>,
    providers: Providers<U>,
    enabled: Option<FeatureSet>,
}

impl<U: AuthUser> AuthModule<U> {
    /// Starts a module from a configuration and the host's users. Login, refresh, logout and password confirmation
    /// are in it already.
    pub fn builder<R>(config: AuthConfig, user_repo: R) -> AuthModuleBuilder<U>
    where
        R: UserRepository<User = U>,
    {
        let providers = Providers::new(erased::<dyn UserRepository<User = U>, _>(user_repo, |users| users));
        AuthModuleBuilder { config, store: None, providers, enabled: None }
    }
}

impl<U: AuthUser> AuthModuleBuilder<U> {
    /// REGISTRATION: `POST /register`.
    pub fn registration<A: CreatesNewUsers<U>>(mut self, creates_new_users: A) -> Self {
        self.providers.registration =
            Some(erased::<dyn CreatesNewUsers<U>, _>(creates_new_users, |action| action));
        self
    }

    /// RESET_PASSWORDS: `POST /forgot-password` and `POST /reset-password`.
    pub fn reset_passwords<R, A, D>(
        mut self,
        password_reset_repo: R,
        resets_user_passwords: A,
        delivery: D,
    ) -> Self
    where
        R: PasswordResetRepository,
        A: ResetsUserPasswords<U>,
        D: PasswordResetDelivery,
    {
        self.providers.reset_passwords = Some((
            erased::<dyn PasswordResetRepository, _>(password_reset_repo, |resets| resets),
            erased::<dyn ResetsUserPasswords<U>, _>(resets_user_passwords, |action| action),
            erased::<dyn PasswordResetDelivery, _>(delivery, |delivery| delivery),
        ));
        self
    }

    /// EMAIL_VERIFICATION: `GET /email/verify/{id}/{hash}` and `POST /email/verification-notification`.
    pub fn email_verification<D: EmailVerificationDelivery>(mut self, delivery: D) -> Self {
        self.providers.email_verification =
            Some(erased::<dyn EmailVerificationDelivery, _>(delivery, |delivery| delivery));
        self
    }

    /// UPDATE_PROFILE_INFORMATION: `PUT /user/profile-information`.
    pub fn update_profile_information<A: UpdatesUserProfile<U>>(mut self, updates_user_profile: A) -> Self {
        self.providers.update_profile_information =
            Some(erased::<dyn UpdatesUserProfile<U>, _>(updates_user_profile, |action| action));
        self
    }

    /// UPDATE_PASSWORDS: `PUT /user/password`.
    pub fn update_passwords<A: UpdatesUserPasswords<U>>(mut self, updates_user_passwords: A) -> Self {
        self.providers.update_passwords =
            Some(erased::<dyn UpdatesUserPasswords<U>, _>(updates_user_passwords, |action| action));
        self
    }

    /// TWO_FACTOR_AUTHENTICATION: the `/user/two-factor-*` routes and `POST /two-factor-challenge`. It needs nothing.
    pub fn two_factor_authentication(mut self) -> Self {
        self.providers.two_factor_authentication = true;
        self
    }

    /// Where events go. Without a sink none is emitted.
    pub fn events<S: EventSink>(mut self, sink: S) -> Self {
        self.providers.events = Some(erased::<dyn EventSink, _>(sink, |sink| sink));
        self
    }

    /// Where short-lived facts are kept. Default: a [`MemoryStore`] on the configured clock, which serves one
    /// instance.
    pub fn store<S: EphemeralStore>(mut self, store: S) -> Self {
        self.store = Some(erased::<dyn EphemeralStore, _>(store, |store| store));
        self
    }

    /// The same for a host of several instances: the compiler asks for a store that they can share. `deployment: many`
    /// of `auth_module!`.
    pub fn shared_store<S: SharedStore>(self, store: S) -> Self {
        self.store(store)
    }

    /// Decides at start-up which of the features that were added answer; the others answer 404, as if they were not
    /// there (specification §4.2).
    ///
    /// # Errors
    /// When a feature is asked for that was not added.
    pub fn enabled(mut self, features: impl Into<FeatureSet>) -> Result<Self, ConfigError> {
        let (features, added) = (features.into(), self.providers.features());
        let unknown = features.difference(added);
        if !unknown.is_empty() {
            let message = format!("this module is built without {unknown}; it has {added}");
            return Err(ConfigError::one("features", message));
        }
        let missing = features.missing_requirements().into_iter().map(|(feature, required)| ConfigProblem {
            option: "features".into(),
            message: missing_feature(feature, required),
        });
        ConfigError::check(missing.collect())?;
        self.enabled = Some(features);
        Ok(self)
    }

    /// The module.
    pub fn build(self) -> AuthModule<U> {
        let Self { config, store, mut providers, enabled } = self;
        if let Some(enabled) = enabled {
            Feature::ALL
                .iter()
                .copied()
                .filter(|off| !enabled.contains(*off))
                .for_each(|off| providers.remove(off));
        }
        let store = store.unwrap_or_else(|| Arc::new(MemoryStore::on_clock(Arc::clone(&config.clock))));
        AuthModule::new(config, store, providers)
    }
}

/// A module of whatever users the host expects, which there is not. Generated code asks for it before it comes with the
/// one that there is, so that a repository of other users is reported at the repository.
#[must_use]
pub fn expected<U: AuthUser>() -> Option<AuthModule<U>> {
    None
}

/// The provider behind the one pointer that the module keeps. What is erased already stays as it is. `D` is to be named: an
/// inferred one would be `P`, and the result a pointer to a pointer.
fn erased<D: ?Sized + 'static, P: 'static>(provider: P, erase: fn(Arc<P>) -> Arc<D>) -> Arc<D> {
    match (&provider as &dyn Any).downcast_ref::<Arc<D>>() {
        Some(provider) => Arc::clone(provider),
        None => erase(Arc::new(provider)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::EventChannel;

    #[test]
    fn what_is_shared_already_is_not_put_behind_another_pointer() {
        let sink: Arc<dyn EventSink> = Arc::new(EventChannel::new(1));
        let kept = erased::<dyn EventSink, _>(Arc::clone(&sink), |sink| sink);
        assert!(Arc::ptr_eq(&sink, &kept));
    }
}
