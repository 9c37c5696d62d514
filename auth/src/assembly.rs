//! Putting a module together: what `auth_module!` expands to, and what a host may as well write by hand.

use crate::config::AuthConfig;
use crate::error::ConfigError;
use crate::feature::{Feature, FeatureSet};
use crate::features::{password_confirmation, registration, session};
use crate::http::{self, Route};
use crate::module::{AuthModule, Core, Parts};
use crate::providers::{CreatesNewUsers, EventSink, UserRepository};
use crate::store::{EphemeralStore, MemoryStore};
use crate::user::AuthUser;
use std::sync::Arc;

/// A feature's routes, made once the core is there.
type MakeRoutes<U> = Box<dyn FnOnce(&Core<U>) -> Vec<Route>>;

/// Collects providers and features. Made by [`AuthModule::builder`].
///
/// Each feature is a method whose parameters are what it requires, so that a feature without its provider cannot be
/// written. `auth_module!` is this and better messages.
///
/// ```
/// # use auth::{AuthConfig, AuthModule, AuthUser, StandardActions, UserRepository};
/// fn module<R: UserRepository>(config: AuthConfig, users: R) -> AuthModule<R::User> {
///     AuthModule::builder(config, users).registration(StandardActions).build()
/// }
/// ```
#[must_use = "a builder does nothing until `build` is called"]
pub struct AuthModuleBuilder<U: AuthUser> {
    config: AuthConfig,
    users: Arc<dyn UserRepository<User = U>>,
    store: Option<Arc<dyn EphemeralStore>>,
    events: Option<Arc<dyn EventSink>>,
    features: Vec<(Feature, MakeRoutes<U>)>,
    enabled: Option<FeatureSet>,
}

impl<U: AuthUser> AuthModule<U> {
    /// Starts a module from a configuration and the host's users. Login, refresh, logout and password confirmation
    /// are in it already.
    pub fn builder<R>(config: AuthConfig, user_repo: R) -> AuthModuleBuilder<U>
    where
        R: UserRepository<User = U>,
    {
        AuthModuleBuilder {
            config,
            users: Arc::new(user_repo),
            store: None,
            events: None,
            features: Vec::new(),
            enabled: None,
        }
    }
}

impl<U: AuthUser> AuthModuleBuilder<U> {
    /// REGISTRATION: `POST /register`.
    pub fn registration<A: CreatesNewUsers<U>>(self, creates_new_users: A) -> Self {
        let action: Arc<dyn CreatesNewUsers<U>> = Arc::new(creates_new_users);
        self.with(Feature::Registration, move |core| registration::routes(core, action))
    }

    /// Where events go. Without a sink none is emitted.
    pub fn events<S: EventSink>(mut self, sink: S) -> Self {
        self.events = Some(Arc::new(sink));
        self
    }

    /// Where short-lived facts are kept. Default: a [`MemoryStore`] on the configured clock, which serves one
    /// instance.
    pub fn store<S: EphemeralStore>(mut self, store: S) -> Self {
        self.store = Some(Arc::new(store));
        self
    }

    /// Decides at start-up which of the features that were added answer; the others answer 404, as if they were not
    /// there (requirements §1, asynchronous configuration).
    ///
    /// # Errors
    /// When a feature is asked for that was not added.
    pub fn enabled(mut self, features: impl Into<FeatureSet>) -> Result<Self, ConfigError> {
        let features = features.into();
        let added: FeatureSet = self.features.iter().map(|(feature, _)| *feature).collect();
        let unknown = features.difference(added);
        if !unknown.is_empty() {
            let message = format!("this module is built without {unknown}; it has {added}");
            return Err(ConfigError::one("features", message));
        }
        self.enabled = Some(features);
        Ok(self)
    }

    /// The module.
    pub fn build(self) -> AuthModule<U> {
        let Self { config, users, store, events, features, enabled } = self;
        let store = store.unwrap_or_else(|| Arc::new(MemoryStore::on_clock(Arc::clone(&config.clock))));
        let core = Core::new(Parts { config: config.clone(), users, store, events });
        let is_on = |feature: &Feature| enabled.is_none_or(|enabled| enabled.contains(*feature));
        let features: Vec<_> = features.into_iter().filter(|(feature, _)| is_on(feature)).collect();
        let set = features.iter().map(|(feature, _)| *feature).collect();
        let mut routes = session::routes(&core);
        routes.extend(password_confirmation::routes(&core));
        routes.extend(features.into_iter().flat_map(|(_, make)| make(&core)));
        let router = http::router(routes, &config);
        AuthModule::assemble(core, set, router)
    }

    /// Adds a feature; the last of two of the same counts.
    fn with(mut self, feature: Feature, routes: impl FnOnce(&Core<U>) -> Vec<Route> + 'static) -> Self {
        self.features.retain(|(added, _)| *added != feature);
        self.features.push((feature, Box::new(routes)));
        self
    }
}
