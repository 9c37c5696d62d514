//! A host around the library's core: one user, a clock, sessions and the store in memory.

use crate::client::{ClientInfo, Visitor};
use crate::clock::Clock;
use crate::config::{AuthConfig, AuthConfigBuilder};
use crate::core::{Core, Epoch, Erased, Identity, Parts, Presented, Realm, SignIn, SignedIn, TokenPair};
use crate::error::AuthError;
use crate::policy::AllowsEverything;
use crate::repository::{MemorySessions, RepositoryError, UserRepository};
use crate::store::MemoryStore;
use crate::sync::{AtomicU64, Mutex, Ordering};
use crate::user::{AuthUser, NewUser, User, UserChange, UserField, UserPatch};
use async_trait::async_trait;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A clock that a model moves, in milliseconds since 1970. It starts so early that no clean-up is due.
#[derive(Clone)]
pub(crate) struct Time(Arc<AtomicU64>);

impl Time {
    pub(crate) fn new() -> Self {
        Self(Arc::new(AtomicU64::new(100_000)))
    }

    pub(crate) fn advance(&self, time: Duration) {
        let milliseconds = u64::try_from(time.as_millis()).expect("a short time");
        self.0.fetch_add(milliseconds, Ordering::SeqCst);
    }
}

impl Clock for Time {
    fn now(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(self.0.load(Ordering::SeqCst))
    }
}

/// The host's record, as far as the models change it.
#[derive(Clone)]
pub(crate) struct Account {
    id: u64,
    password: String,
}

impl AuthUser for Account {
    type Id = u64;

    fn realm() -> &'static str {
        "accounts"
    }

    fn id(&self) -> &u64 {
        &self.id
    }

    fn name(&self) -> &str {
        "Ada"
    }

    fn email(&self) -> &str {
        "ada@example.com"
    }

    fn password(&self) -> &str {
        &self.password
    }

    fn email_verified_at(&self) -> Option<SystemTime> {
        None
    }

    fn two_factor_secret(&self) -> Option<&str> {
        None
    }

    fn two_factor_recovery_codes(&self) -> Option<&str> {
        None
    }

    fn two_factor_confirmed_at(&self) -> Option<SystemTime> {
        None
    }

    fn password_confirmed_at(&self) -> Option<SystemTime> {
        None
    }
}

/// A table with one row.
struct Accounts(Mutex<Account>);

#[async_trait]
impl UserRepository for Accounts {
    type User = Account;

    async fn find_by_id(&self, id: &u64) -> Result<Option<Account>, RepositoryError> {
        let account = self.0.lock().expect("no panic").clone();
        Ok((account.id == *id).then_some(account))
    }

    async fn find_by_field(&self, _: UserField, _: &str) -> Result<Option<Account>, RepositoryError> {
        Ok(None)
    }

    async fn save(&self, patch: UserPatch<Account>) -> Result<Account, RepositoryError> {
        let mut account = self.0.lock().expect("no panic");
        let holds = |condition: &UserChange| {
            UserChange::current(condition.field(), &*account).is_some_and(|current| current == *condition)
        };
        if !patch.conditions().iter().all(holds) {
            return Err(RepositoryError::Stale);
        }
        for change in patch.changes() {
            match change {
                UserChange::Password(hash) => account.password.clone_from(hash),
                // No model reads it.
                UserChange::PasswordConfirmedAt(_) => {}
                _ => return Err(RepositoryError::other("no model changes this")),
            }
        }
        Ok(account.clone())
    }

    async fn create(&self, _: NewUser) -> Result<Account, RepositoryError> {
        Err(RepositoryError::other("there is one user"))
    }
}

/// The host.
#[derive(Clone)]
pub(crate) struct Host {
    pub(crate) core: Core,
    pub(crate) time: Time,
}

/// The id of the user.
pub(crate) const ADA: &str = "7";

impl Host {
    pub(crate) fn new() -> Self {
        Self::with(|config| config)
    }

    pub(crate) fn with(options: impl FnOnce(AuthConfigBuilder) -> AuthConfigBuilder) -> Self {
        let time = Time::new();
        let secrets = ["a secret for models, known to everybody", "another one, which is as well known"];
        let key = "dGhpcnR5LXR3byBieXRlcyBmb3IgdGVzdHMgb25seSE=";
        let config = AuthConfig::builder(secrets[0], secrets[1], key).clock(time.clone());
        let config = config.password_threads(NonZeroUsize::MIN);
        let accounts = Accounts(Mutex::new(Account { id: 7, password: "before".to_owned() }));
        let core = Core::new(Parts {
            config: options(config).build().expect("a valid configuration"),
            users: Arc::new(Erased(Arc::new(accounts) as Arc<dyn UserRepository<User = Account>>)),
            sessions: Arc::new(MemorySessions::with_capacity(100)),
            realm: Realm::new(None, "accounts", None),
            store: Arc::new(MemoryStore::with(Arc::new(time.clone()), 1600)),
            events: None,
            password_verifier: None,
            policy: Arc::new(AllowsEverything),
            messages: None,
            notices: None,
            has_browsers: false,
            hooks: Vec::new(),
        });
        Self { core, time }
    }

    /// The user's record as it is now.
    pub(crate) async fn user(&self) -> User {
        self.core.users.find_by_id(ADA).await.expect("the table answers").expect("there is one user")
    }

    /// Starts a session for the user as `user` says, whose password was correct.
    pub(crate) async fn sign_in(&self, user: &User) -> Result<TokenPair, AuthError> {
        match self.core.sign_in(user, SignIn::password(), &Visitor::default(), Epoch::FIRST).await? {
            SignedIn::Session(credentials) => {
                Ok(credentials.into_tokens().expect("tokens, without a browser"))
            }
            SignedIn::Step(_) => panic!("no feature asks for more"),
        }
    }

    pub(crate) async fn refresh(&self, token: &str) -> Result<TokenPair, AuthError> {
        self.core.refresh(token, &ClientInfo::default()).await
    }

    pub(crate) async fn authenticate(&self, access_token: &str) -> Result<Identity, AuthError> {
        self.core.authenticate(Presented::AccessToken(access_token), ClientInfo::default).await
    }

    /// Whether the row of the session is there.
    pub(crate) async fn has_session(&self, session_id: &str) -> bool {
        self.core.owner_of(session_id).await.expect("the rows answer").is_some()
    }

    /// Whether the access token is accepted.
    pub(crate) async fn accepts(&self, pair: &TokenPair) -> bool {
        self.authenticate(&pair.access_token).await.is_ok()
    }
}
