//! The module: what a host keeps in its state, and how it is put together.

mod admin;
mod builder;
mod mount;
mod routers;

pub use admin::{Admin, Impersonation, Impersonator};
pub use builder::{AuthModuleBuilder, BuildChecked, expected};
pub(crate) use mount::{FeatureService, Pending};

use crate::client::ClientInfo;
use crate::config::AuthConfig;
use crate::core::{Core, Identity, Presented};
use crate::error::{AuthError, FieldErrors};
use crate::feature::FeatureSet;
use crate::http;
use crate::posture::{self, Deviation};
use crate::repository::UserRepository;
use crate::telemetry::{Sentence, log};
use crate::user::{AuthUser, UserId};
use crate::values::NewPassword;
use axum::Router;
use mount::{Mounted, Running, Services};
use routers::Routers;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

/// The authentication module of one user type: what `auth_module!` and [`AuthModule::builder`] make.
///
/// There is no middleware to add: a route asks for the user with an extractor, such as [`CurrentUser`](crate::CurrentUser).
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
#[doc(alias = "AuthLayer")]
#[doc(alias = "middleware")]
pub struct AuthModule<U> {
    inner: Arc<Inner>,
    users: PhantomData<fn() -> U>,
}

/// What a module is not: no type implements it.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a module has no middleware: a route asks for the user with an extractor",
    label = "there is nothing to add to a router or a route",
    note = "write `CurrentUser(account): CurrentUser<Account>` as a parameter of the handler; `axum_auth_module::extract` has the other extractors",
    note = "for several routes at once: `axum::middleware::from_extractor_with_state::<CurrentUser<Account>, _>(state)`"
)]
pub trait Middleware {}

#[doc(hidden)]
impl<U> AuthModule<U>
where
    Self: Middleware,
{
    pub fn middleware(&self) {}
}

/// A module without the type of its users: all code below this is compiled with the library.
pub(crate) struct Inner {
    core: Core,
    features: FeatureSet,
    services: Services,
    routers: Routers,
    posture: Vec<Deviation>,
}

impl Inner {
    /// `posture` is what the builder has found; the rest is added here.
    fn new(core: Core, features: FeatureSet, mounted: Mounted, mut posture: Vec<Deviation>) -> Self {
        let Running { services, routes, deviations, documents } = mounted.start(&core);
        posture.extend(posture::of_settings(&core.config));
        posture.extend(deviations);
        log_posture(&posture);
        let routers = Routers::new(routes, &documents, &core);
        Self { core, features, services, routers, posture }
    }
}

/// Writes one line with the number of deviations, and a line at a lower level for each. A deviation for development is a warning.
fn log_posture(posture: &[Deviation]) {
    if !posture.is_empty() {
        log::deviations(posture.len() as u64);
    }
    for deviation in posture {
        if deviation.is_for_development {
            log::in_response(Sentence(&deviation.message));
        }
        let asvs = deviation.asvs.join(", ");
        log::posture(deviation.option, Sentence(&asvs), Sentence(&deviation.message));
    }
}

impl<U> AuthModule<U> {
    fn of(inner: Inner) -> Self {
        Self { inner: Arc::new(inner), users: PhantomData }
    }

    /// Routes of the host, in the visitor's language: the errors of the extractors on them, and mails that their handlers cause.
    /// `Extension<Language>` is the [`Language`](crate::languages::Language), for the host's own texts.
    /// Without `messages` the routes stay as they are, and there is no such extension.
    ///
    /// ```
    /// use axum::{Extension, Router, routing::get};
    /// use axum_auth_module::AuthModule;
    /// use axum_auth_module::languages::Language;
    ///
    /// async fn welcome(Extension(language): Extension<Language>) -> &'static str {
    ///     if language.tag() == "de" { "Willkommen" } else { "Welcome" }
    /// }
    ///
    /// fn app<U: 'static>(auth: AuthModule<U>) -> Router {
    ///     auth.with_languages(Router::new().route("/", get(welcome))).nest("/auth", auth.router())
    /// }
    /// ```
    pub fn with_languages<S>(&self, routes: Router<S>) -> Router<S>
    where
        S: Clone + Send + Sync + 'static,
    {
        match &self.inner.core.messages {
            Some(messages) => http::with_languages(messages, routes),
            None => routes,
        }
    }

    /// The features that are enabled.
    #[must_use]
    pub fn features(&self) -> FeatureSet {
        self.inner.features
    }

    /// How the module, as it is configured, deviates from OWASP ASVS 5.0, with the ids of the requirements. The list is also in
    /// the log at start-up, at the level `debug`; one line at the level `info` says how long it is. What a store finds out about
    /// its server later is only here.
    #[must_use]
    pub fn posture(&self) -> Vec<Deviation> {
        let of_store = |warning| Deviation::new("store", &["6.3.1"], warning);
        let warnings = self.inner.core.store.warnings().into_iter().map(of_store);
        self.inner.posture.iter().cloned().chain(warnings).collect()
    }

    /// A service behind the routes, for hosts with another front end than HTTP: the same rules, limits and events. `None`
    /// when its feature is not enabled. [`services`](crate::services) lists the services.
    ///
    /// ```
    /// # use axum_auth_module::{AuthError, AuthModule, AuthUser};
    /// use axum_auth_module::client::ClientAddress;
    /// use axum_auth_module::services::{Credentials, LoginService, SignedIn};
    /// use axum_auth_module::values::{EmailAddress, Password};
    ///
    /// # async fn log_in<U: AuthUser>(auth: AuthModule<U>) -> Result<(), AuthError> {
    /// let (email, password) = (EmailAddress::parse("ada@example.com")?, Password::to_check("…".to_owned()));
    /// if let Some(sessions) = auth.service::<LoginService>() {
    ///     match sessions.login(&email, &password, ClientAddress::UNKNOWN).await? {
    ///         SignedIn::Session(Credentials::Tokens(pair)) => println!("{}", pair.access_token),
    ///         _ => println!("this user has a second factor"),
    ///     }
    /// }
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn service<S: 'static>(&self) -> Option<&S> {
        self.inner.services.of()
    }

    /// The user and the session of an access token, with the checks of `CurrentUser`.
    ///
    /// # Errors
    /// [`AuthError::Unauthenticated`]; any other error when the repository or the store fails.
    pub async fn authenticate(&self, access_token: &str) -> Result<Identity, AuthError> {
        self.inner.core.authenticate(Presented::AccessToken(access_token), ClientInfo::default).await
    }

    /// Checks a new password as the routes do, with the configured minimum length.
    ///
    /// # Errors
    /// Those of [`NewPassword::parse`].
    pub fn new_password(&self, text: String, confirmation: &str) -> Result<NewPassword, FieldErrors> {
        NewPassword::parse(text, confirmation, self.config().password_min_characters)
    }

    /// Does now what the module does by itself every [`maintenance_interval`](Self::maintenance_interval) while it serves requests:
    /// deletes expired sessions, API tokens and entries of the store, at most 1000 of each, and with `DELETE_ACCOUNTS` the users whose
    /// deletion is due. Returns how many of the first three were deleted.
    ///
    /// # Errors
    /// [`AuthError::Unavailable`] when a repository or the store fails. A user whose deletion fails is no error, but in the log.
    pub async fn maintain(&self) -> Result<u64, AuthError> {
        self.inner.core.maintain().await
    }

    /// Waits until nothing is left to do of what earlier requests have started and no response waited for: sending mails, passing
    /// events to the sink, recording the last use of sessions, the rest of a change whose client has closed the connection. Each such
    /// task ends after two minutes.
    ///
    /// A host that shuts down waits for it after its last response, with a time limit of its own; otherwise a mail that is being
    /// sent is lost.
    ///
    /// ```no_run
    /// # use axum_auth_module::{AuthModule, AuthUser};
    /// # async fn serve<U: AuthUser>(
    /// #     auth: AuthModule<U>, serving: std::future::Ready<std::io::Result<()>>,
    /// # ) -> std::io::Result<()> {
    /// // `axum::serve(listener, app).with_graceful_shutdown(signal)`
    /// serving.await?;
    /// let a_moment = std::time::Duration::from_secs(10);
    /// if tokio::time::timeout(a_moment, auth.background_work_finished()).await.is_err() {
    ///     tracing::warn!("the server ends while a mail or an event is being delivered");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn background_work_finished(&self) {
        self.inner.core.background.finished().await;
    }

    /// How many events were dropped so far, because the [`EventSink`](crate::events::EventSink) is too slow.
    #[must_use]
    pub fn dropped_events(&self) -> u64 {
        self.inner.core.events.dropped()
    }

    pub(crate) fn core(&self) -> &Core {
        &self.inner.core
    }

    fn config(&self) -> &AuthConfig {
        &self.inner.core.config
    }
}

impl<U: AuthUser> AuthModule<U> {
    /// A module with login, refresh, logout and password confirmation, and no feature. `auth_module!` and
    /// [`builder`](Self::builder) add features.
    pub fn new<R: UserRepository<User = U>>(config: AuthConfig, user_repo: R) -> Self {
        Self::builder(config, user_repo).build_checked()
    }

    /// How often the module cleans up while it serves requests (`maintenance_interval`): a host that can be idle for longer calls
    /// [`maintain`](Self::maintain) from a timer of this interval.
    #[must_use]
    pub fn maintenance_interval(&self) -> Duration {
        self.config().maintenance_interval
    }

    /// Must be called before the host deletes a user's record: it ends every session of the user and removes what the
    /// features store about the user, for example a pending reset token.
    ///
    /// # Errors
    /// Those of the repositories and the store; [`AuthError::Internal`] when there is no such user.
    pub async fn close_account(&self, user_id: &U::Id) -> Result<(), AuthError> {
        self.inner.core.close_account(&user_id.to_text()).await
    }
}

impl<U> Clone for AuthModule<U> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner), users: PhantomData }
    }
}

/// Names the enabled features and shows no secret.
impl<U> fmt::Debug for AuthModule<U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthModule").field("features", &self.features().to_string()).finish_non_exhaustive()
    }
}
