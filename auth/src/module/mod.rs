//! The module: what every feature works with, and what a host keeps in its state.

mod authentication;
mod claims;
mod confirmation;
mod core;
mod events;
mod rotation;
mod sessions;

pub(crate) use authentication::Identity;
pub use claims::SessionClaims;
pub(crate) use core::{Core, Parts};
pub(crate) use events::Events;
pub(crate) use sessions::RefreshOutcome;
pub use sessions::TokenPair;

use crate::feature::FeatureSet;
use crate::user::AuthUser;
use axum::Router;

/// The authentication module of one user type: what `auth_module!` and [`AuthModule::builder`] make.
///
/// It is cheap to clone and lives in the host's state, where the extractors find it:
///
/// ```
/// use auth::{AuthModule, CurrentUser};
/// use axum::extract::FromRef;
/// # use auth::AuthUser;
/// # #[derive(Clone, AuthUser)] struct Account { id: i64, name: String, email: String, password: String,
/// #   email_verified_at: Option<std::time::SystemTime>, two_factor_secret: Option<String>,
/// #   two_factor_recovery_codes: Option<String>, two_factor_confirmed_at: Option<std::time::SystemTime>,
/// #   password_confirmed_at: Option<std::time::SystemTime> }
///
/// #[derive(Clone)]
/// struct App { auth: AuthModule<Account> }
///
/// impl FromRef<App> for AuthModule<Account> {
///     fn from_ref(app: &App) -> Self { app.auth.clone() }
/// }
///
/// async fn me(CurrentUser(account): CurrentUser<Account>) -> String {
///     account.name
/// }
///
/// fn app(auth: AuthModule<Account>) -> axum::Router {
///     axum::Router::new()
///         .route("/me", axum::routing::get(me))
///         .nest("/auth", auth.router())
///         .with_state(App { auth })
/// }
/// ```
pub struct AuthModule<U: AuthUser> {
    core: Core<U>,
    features: FeatureSet,
    router: Router,
}

impl<U: AuthUser> AuthModule<U> {
    pub(crate) fn assemble(core: Core<U>, features: FeatureSet, router: Router) -> Self {
        Self { core, features, router }
    }

    /// The module's routes, to be nested where the host wants them.
    ///
    /// Nest it: `.nest("/auth", auth.router())`. Then every answer below `/auth` is the module's, the 404 of an
    /// unknown route included. What is not below it stays the host's.
    pub fn router<S>(&self) -> Router<S>
    where
        S: Clone + Send + Sync + 'static,
    {
        self.router.clone().with_state(())
    }

    /// The features that are on.
    #[must_use]
    pub fn features(&self) -> FeatureSet {
        self.features
    }

    pub(crate) fn core(&self) -> &Core<U> {
        &self.core
    }
}

impl<U: AuthUser> Clone for AuthModule<U> {
    fn clone(&self) -> Self {
        Self { core: self.core.clone(), features: self.features, router: self.router.clone() }
    }
}

/// Names the features that are on, and nothing that is secret.
impl<U: AuthUser> std::fmt::Debug for AuthModule<U> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AuthModule").field("features", &self.features.to_string()).finish_non_exhaustive()
    }
}
