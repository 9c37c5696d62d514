//! What the features share: sign-in and sessions, authentication of requests, rate-limited checks of secrets, password
//! confirmation, hooks, events and background tasks.

mod arrival;
mod authenticate;
mod ceremony;
mod confirmation;
mod emitter;
mod flow;
mod flow_epoch;
mod guarded_users;
mod guess;
mod hooks;
mod impersonation;
mod known_clients;
mod lock_down;
mod new_account;
mod realm;
mod reset_write;
mod session;
mod sign_in;
mod steps;
mod tasks;
mod user_rows;
mod username_rules;
mod users;
mod verified_addresses;
mod warnings;
mod ways_in;

pub(crate) use arrival::{Arrival, ProvenBy};
pub use authenticate::Identity;
pub(crate) use ceremony::Ceremony;
pub(crate) use emitter::By;
#[cfg(test)]
pub(crate) use flow::is_golden;
pub(crate) use flow::{FLOW, Flow, FlowContent, Flows, SpentFlow};
pub(crate) use flow_epoch::{Ceremonies, FlowEpoch};
pub(crate) use guarded_users::GuardedUsers;
pub(crate) use guess::{Guess, PASSWORD_LIMITS};
pub(crate) use hooks::{ChangedCredential, Hooks, Recovered, Recovery, SignInRequest, WayBack};
pub use impersonation::Impersonator;
pub(crate) use known_clients::Epoch;
pub(crate) use lock_down::LockDown;
pub use new_account::{LinkedIdentity, PendingRegistration, RegistrationStarted, SignInOutcome};
pub(crate) use new_account::{Newcomer, Newcomers, ProvenIdentity};
pub(crate) use realm::Realm;
pub(crate) use reset_write::RedeemedReset;
use session::OnDevice;
pub(crate) use session::Presented;
pub(crate) use session::{ActingSession, CredentialChange, Requirements};
pub use session::{
    Credentials, DeviceToken, SessionClaims, SessionCookie, SessionInfo, TokenPair, TrustedDeviceInfo,
};
pub use sign_in::SignedIn;
pub(crate) use sign_in::{ProvenRow, SignIn};
#[cfg(feature = "passkeys")]
pub(crate) use steps::ProvenPasskey;
pub use steps::{Challenge, SecondFactor, Step};
pub(crate) use steps::{ExpectedPasskey, OpenChallenge, PasskeyProof};
pub(crate) use tasks::best_effort;
pub(crate) use user_rows::{RowsEnd, RowsOfUser, UserRow, UserRows, user_rows};
pub(crate) use username_rules::{USERNAME, UsernameRules, is_other_username};
pub(crate) use users::{Erased, Patch, Users};

use crate::actions::ActionContext;
pub(crate) use crate::assurance::{Method, Methods};
use crate::background::BackgroundWork;
use crate::client::ClientAddress;
use crate::config::AuthConfig;
use crate::crypto::Passwords;
use crate::crypto::keys::{MacKey, Purpose};
use crate::crypto::passwords::PasswordPool;
use crate::delivery::{Delivers, Notice};
use crate::events::EventSink;
use crate::languages::{Language, Messages};
use crate::limits::Limiter;
use crate::passwords::PasswordVerifier;
use crate::policy::AskedPolicy;
use crate::repository::{SessionRepository, UserRepository};
use crate::request::RequestContext;
use crate::store::{EphemeralStore, KeyedStore};
use crate::user::{AuthUser, UserRecord, UsernameField};
use emitter::EventEmitter;
use session::SessionIssuer;
use std::ops::Deref;
use std::sync::Arc;
use std::time::SystemTime;
use warnings::Warnings;
pub(crate) use ways_in::{Lease, WaysIn};

/// A handle to the configuration, the host's users, and what the features share. Cloning it is cheap.
#[derive(Clone)]
pub(crate) struct Core(Arc<Shared>);

/// The contents of a [`Core`].
pub(crate) struct Shared {
    pub(crate) config: AuthConfig,
    pub(crate) users: Arc<dyn Users>,
    pub(crate) policy: Arc<dyn AskedPolicy>,
    /// The languages of the host's users, if it has given them.
    pub(crate) messages: Option<Messages>,
    /// The delivery of notices, if the host has given one.
    pub(crate) notices: Option<Arc<dyn Delivers<Notice>>>,
    passwords: Passwords,
    reset_tokens: Passwords,
    pub(crate) store: KeyedStore,
    pub(crate) events: EventEmitter,
    /// Private: features can start sessions only with [`Core::sign_in`], and administrators with [`Core::impersonate`].
    sessions: SessionIssuer,
    limits: Limiter,
    /// Decides which clients an address without an account seems to know.
    decoys: MacKey,
    realm: Realm,
    /// What clients keep between the two requests of a ceremony.
    pub(crate) flows: Flows,
    /// Whether browsers can keep sessions in cookies.
    pub(crate) has_browsers: bool,
    /// Whether the module has USERNAMES, and whether users can be without a user name.
    username_field: UsernameField,
    hooks: Vec<Arc<dyn Hooks>>,
    pub(crate) background: BackgroundWork,
    pub(crate) warnings: Warnings,
}

/// The arguments of [`Core::new`].
pub(crate) struct Parts {
    pub(crate) config: AuthConfig,
    pub(crate) users: Arc<dyn Users>,
    pub(crate) sessions: Arc<dyn SessionRepository>,
    pub(crate) realm: Realm,
    pub(crate) store: Arc<dyn EphemeralStore>,
    pub(crate) events: Option<Arc<dyn EventSink>>,
    pub(crate) password_verifier: Option<Arc<dyn PasswordVerifier>>,
    pub(crate) policy: Arc<dyn AskedPolicy>,
    pub(crate) messages: Option<Messages>,
    pub(crate) notices: Option<Arc<dyn Delivers<Notice>>>,
    /// Whether browsers can keep sessions in cookies.
    pub(crate) has_browsers: bool,
    pub(crate) hooks: Vec<Arc<dyn Hooks>>,
}

impl Core {
    pub(crate) fn new(parts: Parts) -> Self {
        let Parts { config, users, sessions, realm, store, events, .. } = parts;
        let Parts { password_verifier, policy, messages, notices, has_browsers, hooks, .. } = parts;
        let pool = Arc::new(PasswordPool::start(
            config.password_threads,
            config.password_queue,
            config.bcrypt_implementation,
            config.kept_password_memory(),
        ));
        let reset_tokens = Passwords::new(Arc::clone(&pool), config.token_scheme());
        let passwords = Passwords::new(pool, config.password_scheme().with_verifier(password_verifier));
        let keys = config.jwt_secrets.derive(Purpose::StoreKeys);
        let keys = keys.map(|key| key.of_realm(realm.as_str()));
        let store = KeyedStore::new(store, keys, config.store_timeout);
        let background = BackgroundWork::default();
        Self(Arc::new(Shared {
            sessions: SessionIssuer::new(&config, sessions, realm.clone(), background.clone()),
            decoys: config.jwt_secrets.current().derive(Purpose::KnownClientDecoy).of_realm(realm.as_str()),
            flows: Flows::new(&config, &realm),
            realm,
            has_browsers,
            username_field: username_rules::field_of(&hooks),
            limits: Limiter::new(store.clone(), config.limits, Arc::clone(&config.clock), background.clone()),
            events: EventEmitter::new(events, Arc::clone(&config.clock), background.clone(), &config),
            store,
            config,
            users,
            policy,
            messages,
            notices,
            passwords,
            reset_tokens,
            hooks,
            background,
            warnings: Warnings::new(),
        }))
    }

    /// The key of an address in a repository that two modules can share. No address contains a space, so the keys of two realms
    /// differ, whatever their names.
    pub(crate) fn repository_key(&self, email: &str) -> String {
        format!("{} {email}", self.realm.as_str())
    }

    /// What the features do at moments that are not their own.
    pub(crate) fn hooks(&self) -> &[Arc<dyn Hooks>] {
        &self.hooks
    }

    /// What sets the users of the module apart in a repository that two modules can share.
    pub(crate) fn realm(&self) -> &str {
        self.realm.as_str()
    }

    pub(crate) fn now(&self) -> SystemTime {
        self.config.clock.now()
    }

    /// The language of the request that runs now; without one, the first language of the module.
    pub(crate) fn language(&self) -> Language {
        let negotiated = RequestContext::read(|current| current.language.clone());
        negotiated.or_else(|| self.messages.as_ref().map(Messages::first)).unwrap_or_default()
    }

    /// The language for a mail to this user: the one that the user has chosen, if the module has it.
    pub(crate) fn language_of(&self, user: &dyn UserRecord) -> Language {
        let chosen = user.language().zip(self.messages.as_ref());
        chosen.and_then(|(name, messages)| messages.named(name)).unwrap_or_else(|| self.language())
    }

    /// The language of a mail to the owner of an account, whose request a thief may have sent: the language that the user has chosen,
    /// or the first language of the module. The language of the request does not count.
    pub(crate) fn language_of_owner(&self, user: &dyn UserRecord) -> Language {
        let Some(messages) = &self.messages else { return Language::default() };
        user.language().and_then(|name| messages.named(name)).unwrap_or_else(|| messages.first())
    }

    /// Hashes and verifies passwords for a client.
    pub(crate) fn passwords_of(&self, client: ClientAddress) -> Passwords {
        self.passwords.of(client)
    }

    /// Hashes and verifies reset tokens for a client.
    pub(crate) fn reset_tokens_of(&self, client: ClientAddress) -> Passwords {
        self.reset_tokens.of(client)
    }

    /// The context that an action of the host receives, in a request of this client.
    pub(crate) fn action_context<U: AuthUser>(
        &self,
        users: &Arc<dyn UserRepository<User = U>>,
        client: ClientAddress,
    ) -> ActionContext<U> {
        let clock = Arc::clone(&self.config.clock);
        ActionContext::new(Arc::clone(users), self.passwords_of(client), clock, client, self.language())
    }
}

impl Deref for Core {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}
