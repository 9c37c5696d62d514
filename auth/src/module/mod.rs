//! The module: what a host keeps in its state.

mod providers;
mod services;

pub(crate) use providers::Providers;
pub use services::Services;

use crate::client::ClientAddress;
use crate::config::AuthConfig;
use crate::core::{Core, Identity, Parts};
use crate::error::{AuthError, FieldErrors};
use crate::events::EventKind;
use crate::feature::FeatureSet;
use crate::features::two_factor_authentication;
use crate::http;
use crate::store::EphemeralStore;
use crate::user::{AuthUser, UserId};
use crate::values::NewPassword;
use axum::Router;
use std::sync::Arc;

/// The authentication module of one user type: what `auth_module!` and [`AuthModule::builder`] make.
///
/// It is cheap to clone and lives in the host's state, where the extractors find it:
///
/// ```
/// use axum_auth_module::{AuthModule, CurrentUser};
/// use axum::extract::FromRef;
/// # use axum_auth_module::AuthUser;
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
    services: Arc<Services<U>>,
    router: Router,
}

impl<U: AuthUser> AuthModule<U> {
    pub(crate) fn new(config: AuthConfig, store: Arc<dyn EphemeralStore>, providers: Providers<U>) -> Self {
        let core = Core::new(Parts {
            users: Arc::clone(&providers.users),
            events: providers.events.clone(),
            features: providers.features(),
            password_resets: providers.reset_passwords.as_ref().map(|(resets, ..)| Arc::clone(resets)),
            config,
            store,
        });
        let services = Services::new(&core, providers);
        let router = http::router(services.routes(), &core.config);
        Self { core, services: Arc::new(services), router }
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
        self.core.features
    }

    /// The services behind the routes, for hosts with another front end than HTTP.
    ///
    /// ```
    /// # use axum_auth_module::{AuthError, AuthModule, AuthUser};
    /// # use axum_auth_module::client::ClientAddress;
    /// # use axum_auth_module::services::LoggedIn;
    /// # use axum_auth_module::values::{EmailAddress, Password};
    /// # async fn log_in<U: AuthUser>(auth: AuthModule<U>) -> Result<(), AuthError> {
    /// let (email, password) = (EmailAddress::parse("ada@example.com")?, Password::to_check("…".to_owned()));
    /// match auth.services().session.login(&email, &password, ClientAddress::UNKNOWN).await? {
    ///     LoggedIn::Session(pair) => println!("{}", pair.access_token),
    ///     _ => println!("this user has a second factor"),
    /// }
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn services(&self) -> &Services<U> {
        &self.services
    }

    /// Who an access token stands for, as `CurrentUser` finds out.
    ///
    /// # Errors
    /// [`AuthError::Unauthenticated`]; anything else when the repository or the store fails.
    pub async fn authenticate(&self, access_token: &str) -> Result<Identity<U>, AuthError> {
        self.core.authenticate(access_token).await
    }

    /// Reads a password that is to be set, as the routes do: with the least length that is configured.
    ///
    /// # Errors
    /// Those of [`NewPassword::parse`].
    pub fn new_password(&self, text: String, confirmation: &str) -> Result<NewPassword, FieldErrors> {
        NewPassword::parse(text, confirmation, self.core.config.password_min_characters)
    }

    /// Ends every session of a user, as an administrator does whose user has lost a device.
    ///
    /// # Errors
    /// [`AuthError::Unavailable`] when the store cannot be reached.
    pub async fn end_all_sessions(&self, user_id: &U::Id) -> Result<(), AuthError> {
        self.core.sessions.end_all(&user_id.to_text()).await
    }

    /// Switches a user's second factor off and ends every session, as an administrator does whose user has lost both
    /// the app and the recovery codes. Nothing is asked for: that it is the user who wants it is for the host to know.
    ///
    /// # Errors
    /// Those of the repository and the store.
    pub async fn reset_two_factor(&self, user_id: &U::Id) -> Result<(), AuthError> {
        let user = self.core.users.find_by_id(user_id).await?;
        let user = user.ok_or_else(|| AuthError::internal("there is no user with this id"))?;
        self.core.users.save(two_factor_authentication::off(&user)).await?;
        let id = Some(user_id.to_text());
        self.core.events.emit(EventKind::TwoFactorDisabled, id, ClientAddress::UNKNOWN);
        self.end_all_sessions(user_id).await
    }

    pub(crate) fn core(&self) -> &Core<U> {
        &self.core
    }
}

impl<U: AuthUser> Clone for AuthModule<U> {
    fn clone(&self) -> Self {
        Self { core: self.core.clone(), services: Arc::clone(&self.services), router: self.router.clone() }
    }
}

/// Names the features that are on, and nothing that is secret.
impl<U: AuthUser> std::fmt::Debug for AuthModule<U> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AuthModule").field("features", &self.features().to_string()).finish_non_exhaustive()
    }
}
