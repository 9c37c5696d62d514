//! Putting a module together: what `auth_module!` expands to, and what a host can write by hand.

use super::mount::{Mounted, Pending};
use super::{AuthModule, Inner};
use crate::actions::BoundAction;
use crate::config::{AuthConfig, ConfigError, ConfigProblem};
use crate::core::{Core, Erased, Parts, Realm};
use crate::delivery::{Delivers, Notice};
use crate::erase::erase;
use crate::events::EventSink;
use crate::feature::{EnabledFeatures, FeatureSet};
use crate::languages::Messages;
use crate::passwords::PasswordVerifier;
use crate::policy::{AllowsEverything, Asked, AskedPolicy, Policy};
use crate::posture::Deviation;
use crate::repository::{MemorySessions, SessionRepository, SharedSessions, UserRepository};
use crate::store::{EphemeralStore, MemoryStore, SharedStore};
use crate::telemetry::{self, log};
use crate::user::AuthUser;
use crate::watch::Watch;
use std::sync::Arc;

/// Collects providers and features. Made by [`AuthModule::builder`].
///
/// Each feature is a method whose parameters are what the feature requires, so that a feature without its provider
/// cannot be written. `auth_module!` calls the same methods and adds better messages.
///
/// ```
/// # use axum_auth_module::config::ConfigError;
/// # use axum_auth_module::{AuthConfig, AuthModule, AuthUser, InResponse, StandardActions};
/// # use axum_auth_module::repository::{PasswordResetRepository, UserRepository};
/// fn module<R: UserRepository>(
///     config: AuthConfig,
///     users: R,
///     resets: impl PasswordResetRepository,
/// ) -> Result<AuthModule<R::User>, ConfigError> {
///     AuthModule::builder(config, users)
///         .registration(StandardActions)
///         .reset_passwords(resets, StandardActions, InResponse)
///         .two_factor_authentication()
///         .build()
/// }
/// ```
#[must_use = "a builder does nothing until `build` is called"]
pub struct AuthModuleBuilder<U: AuthUser> {
    users: Arc<dyn UserRepository<User = U>>,
    assembly: Assembly,
}

/// What a builder has collected, without the type of the host's users.
struct Assembly {
    config: AuthConfig,
    sessions: Option<Arc<dyn SessionRepository>>,
    realm: Option<String>,
    store: Option<Arc<dyn EphemeralStore>>,
    events: Option<Arc<dyn EventSink>>,
    password_verifier: Option<Arc<dyn PasswordVerifier>>,
    policy: Option<Arc<dyn AskedPolicy>>,
    messages: Option<Messages>,
    notices: Option<Arc<dyn Delivers<Notice>>>,
    mounted: Mounted,
}

impl<U: AuthUser> AuthModuleBuilder<U> {
    /// A builder without any feature.
    pub(crate) fn new<R: UserRepository<User = U>>(config: AuthConfig, user_repo: R) -> Self {
        let users = erase::<dyn UserRepository<User = U>, _>(user_repo, |users| users);
        let users = Arc::new(Watch::over(users));
        let mounted = Mounted::default();
        let assembly = Assembly {
            config,
            sessions: None,
            realm: None,
            store: None,
            events: None,
            password_verifier: None,
            policy: None,
            messages: None,
            notices: None,
            mounted,
        };
        Self { users, assembly }
    }

    /// Adds a feature. If it was added before, the later addition replaces the earlier one.
    pub(crate) fn mount(mut self, pending: Pending) -> Self {
        self.assembly.mounted.add(pending);
        self
    }

    /// An action with the host's users.
    pub(crate) fn acting<A: ?Sized>(&self, action: Arc<A>) -> Arc<BoundAction<A, U>> {
        Arc::new(BoundAction { action, users: Arc::clone(&self.users) })
    }

    pub(crate) fn config(&self) -> &AuthConfig {
        &self.assembly.config
    }

    /// Where events go. Without a sink no event is emitted.
    pub fn events<S: EventSink>(mut self, sink: S) -> Self {
        self.assembly.events = Some(erase::<dyn EventSink, _>(sink, |sink| sink));
        self
    }

    /// Verifies stored password hashes of a kind that the library does not know. Default: no password matches them. See
    /// [`passwords`](crate::passwords).
    pub fn password_verifier<V: PasswordVerifier>(mut self, verifier: V) -> Self {
        self.assembly.password_verifier =
            Some(erase::<dyn PasswordVerifier, _>(verifier, |verifier| verifier));
        self
    }

    /// What the host does not allow: passwords, addresses and logins. Default: everything is allowed. See
    /// [`policy`](crate::policy).
    pub fn policy<P: Policy<U>>(mut self, policy: P) -> Self {
        let policy = erase::<dyn Policy<U>, _>(policy, |policy| policy);
        let app_name = self.config().app_name.clone();
        self.assembly.policy = Some(Arc::new(Asked { policy, app_name }));
        self
    }

    /// The languages of the host's users. Each response is then in the one that its request wants most (`Accept-Language`).
    /// Default: everything is in English. See [`languages`](crate::languages).
    ///
    /// ```
    /// # use axum_auth_module::{AuthModuleBuilder, AuthUser};
    /// use axum_auth_module::languages::Messages;
    ///
    /// # fn with_languages<U: AuthUser>(builder: AuthModuleBuilder<U>) -> AuthModuleBuilder<U> {
    /// builder.messages(Messages::english().and(Messages::german()))
    /// # }
    /// ```
    pub fn messages(mut self, messages: Messages) -> Self {
        self.assembly.messages = Some(messages.completed());
        self
    }

    /// How notices reach the owners of accounts: all notices, those of later features too. Without a delivery a notice is a line in
    /// the log.
    pub fn notices<D: Delivers<Notice>>(mut self, delivery: D) -> Self {
        let delivery = erase::<dyn Delivers<Notice>, _>(delivery, |delivery| delivery);
        self.assembly.notices = Some(Arc::new(Watch::over(delivery)));
        self
    }

    /// Where sessions are stored. Default: [`MemorySessions`], which serves one instance, and whose sessions end with the
    /// process.
    pub fn session_repo<R: SessionRepository>(self, session_repo: R) -> Self {
        self.with_session_repo(session_repo)
    }

    /// The session repository of a host with several instances: the compiler requires a repository that they can share.
    /// `deployment: many` of `auth_module!`.
    pub fn shared_session_repo<R: SharedSessions>(self, session_repo: R) -> Self {
        self.with_session_repo(session_repo)
    }

    fn with_session_repo<R: SessionRepository>(mut self, session_repo: R) -> Self {
        self.assembly.sessions = Some(erase::<dyn SessionRepository, _>(session_repo, |sessions| sessions));
        self
    }

    /// The name of the module's users. A module accepts neither sessions nor counters nor reset tokens of another realm, even
    /// if the two share a configuration and every repository. Default: [`AuthUser::realm`], with the configured audience in
    /// front, so two modules for two user types have two realms. Only two modules for one user type need a name.
    pub fn realm(mut self, realm: impl Into<String>) -> Self {
        self.assembly.realm = Some(realm.into());
        self
    }

    /// Where short-lived data is kept. Default: a [`MemoryStore`] on the configured clock, which serves one instance.
    pub fn store<S: EphemeralStore>(mut self, store: S) -> Self {
        self.assembly.store = Some(erase::<dyn EphemeralStore, _>(store, |store| store));
        self
    }

    /// The store of a host with several instances: the compiler requires a store that they can share. `deployment: many` of
    /// `auth_module!`.
    pub fn shared_store<S: SharedStore>(mut self, store: S) -> Self {
        self.assembly.store = Some(SharedStore::provided(Arc::new(store)));
        self
    }

    /// Decides at start-up which of the added features are enabled: those of a set, or with `None` all of them. The
    /// routes of the others are 404, as if they were not there (specification §4.3).
    ///
    /// # Errors
    /// When `enabled` contains a feature that was not added, or lacks one that an enabled feature requires; when the configuration lacks
    /// an option that an enabled feature requires.
    pub fn enabled(mut self, enabled: impl Into<EnabledFeatures>) -> Result<Self, ConfigError> {
        self.assembly.enable(enabled.into())?;
        Ok(self)
    }

    /// Checks what the features require of each other and of the configuration, as [`build`](Self::build) does. `auth_module!` calls it
    /// for features that require an option.
    ///
    /// # Errors
    /// Those of [`build`](Self::build).
    pub fn checked(self) -> Result<Self, ConfigError> {
        self.assembly.check()?;
        Ok(self)
    }

    /// The module.
    ///
    /// # Errors
    /// When a feature requires another one that was not added, or an option of the configuration that is not set.
    pub fn build(self) -> Result<AuthModule<U>, ConfigError> {
        self.assembly.check()?;
        Ok(self.build_checked())
    }
}

/// Builds a module whose features `auth_module!` has checked at compile time.
pub trait BuildChecked<U> {
    /// The module.
    #[doc(hidden)]
    fn build_checked(self) -> AuthModule<U>;
}

impl<U: AuthUser> BuildChecked<U> for AuthModuleBuilder<U> {
    fn build_checked(self) -> AuthModule<U> {
        let users = Arc::new(Erased(self.users));
        AuthModule::of(self.assembly.build(users, U::realm()))
    }
}

impl Assembly {
    fn enable(&mut self, enabled: EnabledFeatures) -> Result<(), ConfigError> {
        let added = self.features();
        let features = enabled.or_all_of(added);
        let unknown = features.difference(added);
        if !unknown.is_empty() {
            let message = format!("this module is built without {unknown}; it has {added}");
            return Err(ConfigError::one("features", message));
        }
        self.mounted.retain(|feature| features.contains(feature));
        self.check()
    }

    /// Whether the features have what they require of each other and of the configuration.
    fn check(&self) -> Result<(), ConfigError> {
        let missing = self.features().missing_requirements();
        let missing = missing.map(|required| ConfigProblem::new("features", required.message()));
        ConfigError::check(missing.chain(self.mounted.problems().cloned()).collect())
    }

    fn features(&self) -> FeatureSet {
        self.mounted.features().collect()
    }

    /// The module of these users, whose type has this name.
    fn build(self, users: Arc<dyn crate::core::Users>, realm_of_users: &str) -> Inner {
        let features = self.features();
        let Self { config, sessions, realm, store, events, password_verifier, policy, .. } = self;
        let Self { messages, notices, mounted, .. } = self;
        telemetry::describe();
        let mut posture = Vec::new();
        let sessions = sessions.unwrap_or_else(|| {
            log::only_memory_has_sessions();
            let message =
                "sessions are in memory: a restart logs everybody out, and instances do not share them";
            posture.push(Deviation::new("session_repo", &["7.4.5"], message));
            Arc::new(MemorySessions::new())
        });
        let store = store.unwrap_or_else(|| {
            let message =
                "counters of failed attempts and used one-time codes are in memory: a restart forgets them";
            posture.push(Deviation::new("store", &["6.3.1", "6.5.1"], message));
            Arc::new(MemoryStore::on_clock(Arc::clone(&config.clock)))
        });
        if events.is_none() {
            let message = "nobody receives the events of logins and of changed credentials";
            posture.push(Deviation::new("events", &["16.3.1"], message));
        }
        let policy = policy.unwrap_or_else(|| Arc::new(AllowsEverything));
        posture.extend(crate::posture::of_passwords(&policy.meets()));
        let (has_browsers, hooks) = (mounted.has_browsers(), mounted.hooks());
        if has_browsers && config.browser.is_insecure {
            log::cookies_are_insecure();
        }
        if has_browsers {
            posture.extend(crate::posture::of_cookies(&config));
        }
        let realm = Realm::new(realm, realm_of_users, config.audience.as_deref());
        let core = Core::new(Parts {
            config,
            users,
            sessions: Arc::new(Watch::over(sessions)),
            realm,
            store: Arc::new(Watch::over(store)),
            events,
            password_verifier,
            policy,
            messages,
            notices,
            has_browsers,
            hooks,
        });
        Inner::new(core, features, mounted, posture)
    }
}

/// Always `None`. The macro mentions it first so that `U` is inferred from the type that the host expects; a repository
/// with another user type is then reported at the repository.
#[must_use]
pub fn expected<U>() -> Option<AuthModule<U>> {
    None
}
