//! What the features share: the one way to a session, the credential of a request, attempts at a secret, recent
//! confirmation, events and background tasks.

mod attempts;
mod authenticate;
mod challenges;
mod confirmation;
mod emitter;
pub(crate) mod session;
mod tasks;

pub use authenticate::Identity;
pub(crate) use challenges::ChallengeClaims;
pub(crate) use session::RefreshOutcome;
pub use session::{SessionClaims, TokenPair};
pub(crate) use tasks::{best_effort, run_to_completion, spawn};

use crate::actions::ActionContext;
use crate::config::AuthConfig;
use crate::crypto::Passwords;
use crate::crypto::keys::{MacKey, Purpose};
use crate::crypto::password_pool::PasswordPool;
use crate::events::EventSink;
use crate::feature::FeatureSet;
use crate::limits::Limiter;
use crate::repository::{PasswordResetRepository, UserRepository};
use crate::store::EphemeralStore;
use crate::user::AuthUser;
use challenges::Challenges;
use emitter::EventEmitter;
use session::Sessions;
use std::ops::Deref;
use std::sync::Arc;
use std::time::SystemTime;

/// The configuration, the host's repository, and the services that the features share. A handle; cloning is cheap.
pub(crate) struct Core<U: AuthUser>(Arc<Shared<U>>);

/// What a [`Core`] is a handle to.
pub(crate) struct Shared<U: AuthUser> {
    pub(crate) config: AuthConfig,
    pub(crate) users: Arc<dyn UserRepository<User = U>>,
    pub(crate) passwords: Passwords,
    pub(crate) sessions: Sessions,
    pub(crate) challenges: Challenges,
    pub(crate) store: Arc<dyn EphemeralStore>,
    pub(crate) features: FeatureSet,
    /// Where reset tokens are, when the host has RESET_PASSWORDS.
    pub(crate) password_resets: Option<Arc<dyn PasswordResetRepository>>,
    pub(crate) limits: Limiter,
    /// Names entries of the store.
    pub(crate) names: MacKey,
    pub(crate) events: EventEmitter,
    pub(crate) actions: ActionContext<U>,
}

/// What a core is made of.
pub(crate) struct Parts<U: AuthUser> {
    pub(crate) config: AuthConfig,
    pub(crate) users: Arc<dyn UserRepository<User = U>>,
    pub(crate) store: Arc<dyn EphemeralStore>,
    pub(crate) events: Option<Arc<dyn EventSink>>,
    pub(crate) features: FeatureSet,
    pub(crate) password_resets: Option<Arc<dyn PasswordResetRepository>>,
}

impl<U: AuthUser> Core<U> {
    pub(crate) fn new(parts: Parts<U>) -> Self {
        let Parts { config, users, store, events, features, password_resets } = parts;
        let pool = Arc::new(PasswordPool::start(config.password_threads, config.password_queue));
        let passwords = Passwords::new(pool, config.bcrypt_cost);
        let clock = Arc::clone(&config.clock);
        Self(Arc::new(Shared {
            actions: ActionContext::new(Arc::clone(&users), passwords.clone(), Arc::clone(&clock)),
            sessions: Sessions::new(&config, Arc::clone(&store)),
            challenges: Challenges::new(&config, Arc::clone(&store)),
            limits: Limiter::new(Arc::clone(&store), config.jwt_secret.derive(Purpose::StoreKeys)),
            names: config.jwt_secret.derive(Purpose::StoreKeys),
            store,
            features,
            password_resets,
            events: EventEmitter::new(events, clock),
            config,
            users,
            passwords,
        }))
    }

    pub(crate) fn now(&self) -> SystemTime {
        self.config.clock.now()
    }
}

impl<U: AuthUser> Clone for Core<U> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<U: AuthUser> Deref for Core<U> {
    type Target = Shared<U>;

    fn deref(&self) -> &Shared<U> {
        &self.0
    }
}
