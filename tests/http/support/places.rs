//! Where a host keeps its data: in memory or in a database. Several hosts can have one place, at once or one after the
//! other, as several instances have or one that is restarted.

use super::account::table;
use super::databases::{Kind, TestDatabase, connect, run};
use super::provider::{internet, social_providers};
use super::providers::{Deletes, Outbox};
use super::routers::{self, Threads};
use super::{Account, App, Builder, addresses_of_profiles, api_scopes, memory_users, service_keys};
use crate::impersonation::SupportDesk;
use axum_auth_module::actions::DeleteRecord;
use axum_auth_module::config::AuthConfigBuilder;
use axum_auth_module::endpoint::RouterKind;
use axum_auth_module::repository::{
    MemorySessions, SessionKind, SessionRecord, SessionRepository, UserRepository,
};
use axum_auth_module::sql::{
    self, Database, SqlApiTokens, SqlDeletions, SqlIdentities, SqlPasskeys, SqlPasswordResets, SqlSessions,
    SqlStore, SqlUsers, Table,
};
use axum_auth_module::store::{EphemeralStore, MemoryStore, Slot, Window};
use axum_auth_module::testing::{
    Faults, MemoryApiTokens, MemoryDeletions, MemoryIdentities, MemoryPasskeys, MemoryPasswordResets,
    MemoryUsers, MovableClock, ProviderMethod,
};
use axum_auth_module::user::UserField;
use axum_auth_module::{BoxError, StandardActions, async_trait};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// How long a statement may take here: the tests use the machine fully, and none shall fail only because of that.
const PATIENT: Duration = Duration::from_secs(30);

/// Time limits for a host whose tests are not about time limits.
fn patient(config: AuthConfigBuilder) -> AuthConfigBuilder {
    config.request_timeout(2 * PATIENT).store_timeout(2 * PATIENT)
}

/// The users, reset tokens, sessions and entries of the store, and the time.
pub(crate) struct Place {
    pub(crate) clock: MovableClock,
    data: Data,
}

enum Data {
    Memory(Memory),
    Database(Kind, TestDatabase),
}

#[derive(Clone)]
struct Memory {
    users: MemoryUsers<Account>,
    resets: MemoryPasswordResets,
    sessions: MemorySessions,
    store: MemoryStore,
    passkeys: MemoryPasskeys,
    identities: MemoryIdentities,
    deletions: MemoryDeletions,
    api_tokens: MemoryApiTokens,
}

/// Whether the variable `RACES` has this value.
fn races(value: &str) -> bool {
    std::env::var_os("RACES").is_some_and(|rounds| rounds == value)
}

impl Place {
    /// A place in memory, which lasts longer than a host.
    pub(crate) fn memory() -> Self {
        let clock = MovableClock::new();
        let store = MemoryStore::with(Arc::new(clock.clone()), 500_000);
        let (users, resets, sessions) = (memory_users(), MemoryPasswordResets::new(), MemorySessions::new());
        let (passkeys, identities) = (MemoryPasskeys::new(), MemoryIdentities::new());
        let (deletions, api_tokens) = (MemoryDeletions::new(), MemoryApiTokens::new());
        let memory = Memory { users, resets, sessions, store, passkeys, identities, deletions, api_tokens };
        Self { clock, data: Data::Memory(memory) }
    }

    /// A new database with the tables. `None` if the test must be skipped because there is no server.
    pub(crate) async fn database(kind: Kind) -> Option<Self> {
        let database = TestDatabase::create(kind).await?;
        create_tables(kind, &database.url()).await;
        Some(Self { clock: MovableClock::new(), data: Data::Database(kind, database) })
    }

    /// Whether a restart of the host clears the store, as far as the module knows.
    pub(crate) const fn forgets(&self) -> bool {
        matches!(self.data, Data::Memory(_))
    }

    /// How many rounds a race has here that has so many in memory at most, where a round is fast. A test run has a quarter of
    /// these; the variable `RACES=full`, which the step `races` of `.ci/run` sets, asks for all of them, and `RACES=every` for as many in
    /// each database. On the browser router a race has fewer rounds, because most of what overlaps is the code of both routers.
    pub(crate) fn rounds(&self, in_memory: usize) -> usize {
        if races("every") {
            return in_memory;
        }
        let in_memory = if races("full") { in_memory } else { in_memory.div_ceil(4) };
        let in_memory = if routers::is_browser() { in_memory.div_ceil(4) } else { in_memory };
        match &self.data {
            Data::Memory(_) => in_memory,
            Data::Database(..) => in_memory.div_ceil(16),
        }
    }

    /// How many rounds each of many races has that a test runs one after the other: a tenth, except with `RACES=every`.
    pub(crate) fn rounds_of_each(&self, in_memory: usize) -> usize {
        if races("every") { in_memory } else { self.rounds(in_memory).div_ceil(10) }
    }

    /// A host on this place with every feature.
    pub(crate) async fn start(&self) -> App {
        self.start_with(|config| config).await
    }

    /// The same with another configuration.
    pub(crate) async fn start_with(
        &self,
        config: impl FnOnce(AuthConfigBuilder) -> AuthConfigBuilder,
    ) -> App {
        self.start_at(&self.clock, config).await
    }

    /// The same without CHANGE_EMAILS: a profile update changes the address at once.
    pub(crate) async fn start_with_addresses_of_profiles(
        &self,
        config: impl FnOnce(AuthConfigBuilder) -> AuthConfigBuilder,
    ) -> App {
        self.start_as(&self.clock, config, addresses_of_profiles).await
    }

    /// Starts a host whose providers break as planned. The place must be in memory.
    pub(crate) async fn start_faulty(
        &self,
        faults: &Faults,
        config: impl FnOnce(AuthConfigBuilder) -> AuthConfigBuilder,
    ) -> App {
        self.start_faulty_apart(faults, (faults, |_, _| false), config).await
    }

    /// Starts a host whose providers break as planned. The calls of the store with these methods and keys have other faults than the
    /// rest. The place must be in memory.
    pub(crate) async fn start_faulty_apart(
        &self,
        faults: &Faults,
        apart: (&Faults, fn(ProviderMethod, &str) -> bool),
        config: impl FnOnce(AuthConfigBuilder) -> AuthConfigBuilder,
    ) -> App {
        let Data::Memory(memory) = &self.data else { panic!("the place is not in memory") };
        let Memory { users, resets, sessions, store, passkeys, identities, deletions, api_tokens } =
            memory.clone();
        let outbox = Outbox::default();
        let post = outbox.clone();
        let net = faults.over(internet());
        let (deletions, deletes) = (faults.over(deletions), Deletes::from(users.clone()));
        let api_tokens = faults.over(api_tokens);
        let (resets, sessions, passkeys, identities, store) = (
            faults.over(resets),
            faults.over(sessions),
            faults.over(passkeys),
            faults.over(identities),
            Apart { apart: apart.0.over(store.clone()), store: faults.over(store), is_apart: apart.1 },
        );
        let module = |module: Builder| {
            let module = module.sessions(sessions).store(store).policy(SupportDesk);
            module
                .reset_passwords(resets, StandardActions, post.clone())
                .email_login(post.clone())
                .change_emails(post.clone())
                .security_notices(post.clone())
                .invitations(post.clone())
                .delete_accounts(deletions, deletes, post)
                .api_tokens(api_tokens, api_scopes())
                .service_tokens(service_keys())
                .passkeys(passkeys)
                .social_login(identities, social_providers(), net)
        };
        let config = |base: AuthConfigBuilder| config(base.clock(self.clock.clone()));
        let mut app = App::with_everything_on(faults.over(users.clone()), users, config, module).await;
        (app.clock, app.outbox) = (self.clock.clone(), outbox);
        app
    }

    /// The same with a clock of its own.
    pub(crate) async fn start_at(
        &self,
        clock: &MovableClock,
        config: impl FnOnce(AuthConfigBuilder) -> AuthConfigBuilder,
    ) -> App {
        self.start_as(clock, config, |module| module).await
    }

    /// The same with another module. What `module` adds stands in the place of what is there.
    pub(crate) async fn start_as(
        &self,
        clock: &MovableClock,
        config: impl FnOnce(AuthConfigBuilder) -> AuthConfigBuilder,
        module: impl FnOnce(Builder) -> Builder,
    ) -> App {
        let config = |base: AuthConfigBuilder| config(patient(base.clock(clock.clone())));
        let mut app = match &self.data {
            Data::Memory(memory) => on_memory(memory.clone(), config, module).await,
            Data::Database(kind, database) => {
                let database = connect::<Database>(*kind, &database.url(), 8).await.timeout(PATIENT);
                on_database_as(database, clock, config, module).await
            }
        };
        app.clock = clock.clone();
        app
    }

    /// The rows of all sessions of a user.
    pub(crate) async fn rows(&self, user: &str) -> Vec<SessionRecord> {
        self.sessions()
            .await
            .find_by_user(user, SessionKind::ALL)
            .await
            .unwrap_or_else(|error| panic!("{error:?}"))
    }

    /// The sessions, without a host.
    pub(crate) async fn sessions(&self) -> Arc<dyn SessionRepository> {
        match &self.data {
            Data::Memory(memory) => Arc::new(memory.sessions.clone()),
            Data::Database(..) => Arc::new(SqlSessions::new(self.pool().await)),
        }
    }

    /// The user with this address.
    pub(crate) async fn user(&self, email: &str) -> Account {
        self.find(email).await.expect("a user with this address")
    }

    /// The user with this address, if there is one.
    pub(crate) async fn find(&self, email: &str) -> Option<Account> {
        let found = match &self.data {
            Data::Memory(memory) => memory.users.find_by_field(UserField::Email, email).await,
            Data::Database(..) => {
                SqlUsers::<Account>::new(self.pool().await).find_by_field(UserField::Email, email).await
            }
        };
        found.unwrap_or_else(|error| panic!("{error:?}"))
    }

    /// Suspends the user with this address, behind the module's back.
    pub(crate) async fn suspend(&self, email: &str) {
        match &self.data {
            Data::Memory(memory) => assert!(memory.users.update(email, |user| user.active = false)),
            Data::Database(kind, database) => {
                let sql = format!("UPDATE users SET active = FALSE WHERE email = '{email}'");
                run(*kind, &database.url(), &sql).await.unwrap();
            }
        }
    }

    /// Deletes the record of the user with this address, behind the module's back.
    pub(crate) async fn remove(&self, email: &str) {
        match &self.data {
            Data::Memory(memory) => assert!(memory.users.remove(email)),
            Data::Database(kind, database) => {
                let sql = format!("DELETE FROM users WHERE email = '{email}'");
                run(*kind, &database.url(), &sql).await.unwrap();
            }
        }
    }

    /// A connection to the database.
    ///
    /// # Panics
    /// If the place is in memory.
    async fn pool(&self) -> Database {
        let Data::Database(kind, database) = &self.data else { panic!("not in memory") };
        connect::<Database>(*kind, &database.url(), 1).await.timeout(PATIENT)
    }
}

/// A store whose calls of these methods with these keys go another way.
struct Apart<S> {
    store: S,
    apart: S,
    is_apart: fn(ProviderMethod, &str) -> bool,
}

impl<S> Apart<S> {
    fn of(&self, method: ProviderMethod, key: &str) -> &S {
        if (self.is_apart)(method, key) { &self.apart } else { &self.store }
    }
}

#[async_trait]
impl<S: EphemeralStore> EphemeralStore for Apart<S> {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, BoxError> {
        self.of(ProviderMethod::StoreGet, key).get(key).await
    }

    async fn put(&self, key: &str, value: &[u8], ttl: Duration) -> Result<(), BoxError> {
        self.of(ProviderMethod::StorePut, key).put(key, value, ttl).await
    }

    async fn swap(&self, key: &str, old: Option<&[u8]>, new: &[u8], ttl: Duration) -> Result<bool, BoxError> {
        self.of(ProviderMethod::StoreSwap, key).swap(key, old, new, ttl).await
    }

    async fn delete(&self, key: &str) -> Result<(), BoxError> {
        self.of(ProviderMethod::StoreDelete, key).delete(key).await
    }

    async fn count(&self, key: &str, limit: u32, window: Duration) -> Result<Slot, BoxError> {
        self.of(ProviderMethod::StoreCount, key).count(key, limit, window).await
    }

    async fn give_back(&self, key: &str, window: Window) -> Result<(), BoxError> {
        self.of(ProviderMethod::StoreGiveBack, key).give_back(key, window).await
    }

    fn is_durable(&self) -> bool {
        self.store.is_durable()
    }
}

async fn on_memory(
    memory: Memory,
    config: impl FnOnce(AuthConfigBuilder) -> AuthConfigBuilder,
    also: impl FnOnce(Builder) -> Builder,
) -> App {
    let Memory { users, resets, sessions, store, passkeys, identities, deletions, api_tokens } = memory;
    let deletes = Deletes::from(users.clone());
    let net = internet();
    let outbox = Outbox::default();
    let post = outbox.clone();
    let module = |module: Builder| {
        let module = module
            .sessions(sessions)
            .store(store)
            .passkeys(passkeys)
            .social_login(identities, social_providers(), net)
            .reset_passwords(resets, StandardActions, post.clone())
            .email_verification(post.clone())
            .email_login(post.clone())
            .change_emails(post.clone())
            .security_notices(post.clone())
            .invitations(post.clone())
            .delete_accounts(deletions, deletes, post.clone())
            .api_tokens(api_tokens, api_scopes())
            .service_tokens(service_keys())
            .policy(SupportDesk)
            .notices(post);
        also(module)
    };
    let mut app = App::with_everything_on(users.clone(), users, config, module).await;
    app.outbox = outbox;
    app
}

/// A host whose users, reset tokens, sessions and store are in one database.
pub(crate) async fn on_database(
    database: Database,
    clock: &MovableClock,
    config: impl FnOnce(AuthConfigBuilder) -> AuthConfigBuilder,
) -> App {
    on_database_as(database, clock, config, |module| module).await
}

async fn on_database_as(
    database: Database,
    clock: &MovableClock,
    config: impl FnOnce(AuthConfigBuilder) -> AuthConfigBuilder,
    also: impl FnOnce(Builder) -> Builder,
) -> App {
    let outbox = Outbox::default();
    let post = outbox.clone();
    let (users, at) = (SqlUsers::<Account>::new(database.clone()), clock.clone());
    let deletes = DeleteRecord::new(users.clone());
    let (deletions, api_tokens) = (database.clone(), database.clone());
    let module = |module: Builder| {
        let module = module
            .sessions(SqlSessions::new(database.clone()))
            .shared_store(SqlStore::new(database.clone()).clock(clock.clone()))
            .passkeys(SqlPasskeys::new(database.clone()))
            .social_login(SqlIdentities::new(database.clone()), social_providers(), internet())
            .reset_passwords(SqlPasswordResets::new(database), StandardActions, post.clone())
            .email_verification(post.clone())
            .email_login(post.clone())
            .change_emails(post.clone())
            .security_notices(post.clone())
            .invitations(post.clone())
            .delete_accounts(SqlDeletions::new(deletions), deletes, post.clone())
            .api_tokens(SqlApiTokens::new(api_tokens), api_scopes())
            .service_tokens(service_keys())
            .policy(SupportDesk)
            .notices(post);
        also(module)
    };
    let config = |base: AuthConfigBuilder| config(base.clock(at));
    let mut app = App::with_everything_on(users, memory_users(), config, module).await;
    (app.clock, app.outbox) = (clock.clone(), outbox);
    app
}

/// Creates the tables of the library and of the host.
pub(crate) async fn create_tables(kind: Kind, url: &str) {
    run(kind, url, table(kind)).await.unwrap();
    sql::migrate_only(connect::<Database>(kind, url, 1).await, Table::WITHOUT_USERS).await.unwrap();
}

/// The whole of a test in memory or in a database of this kind.
pub(crate) fn run_in(
    router: RouterKind,
    kind: Option<Kind>,
    test: fn(&Place) -> Pin<Box<dyn Future<Output = ()> + '_>>,
) {
    let test = async move {
        let place = match kind {
            None => Place::memory(),
            Some(kind) => match Place::database(kind).await {
                Some(place) => place,
                None => return,
            },
        };
        test(&place).await;
    };
    routers::run(router, Threads::Many, Box::pin(test));
}

/// Makes each of these functions, which take a [`Place`], a test in memory and in each kind of database. After
/// `on_both_routers:`, it is one on each of the routers.
macro_rules! in_every_place {
    (on_both_routers: $($test:ident),+ $(,)?) => {$(
        mod $test {
            mod bearer {
                $crate::support::places::in_every_place!(@ Bearer super::super::$test);
            }

            mod browser {
                $crate::support::places::in_every_place!(@ Browser super::super::$test);
            }
        }
    )+};
    ($($test:ident),+ $(,)?) => {$(
        mod $test {
            $crate::support::places::in_every_place!(@ Bearer super::$test);
        }
    )+};
    (@ $router:ident $test:path) => {
        use $crate::support::databases::Kind;
        use $crate::support::places::run_in;
        use axum_auth_module::endpoint::RouterKind;

        #[test]
        fn in_memory() {
            run_in(RouterKind::$router, None, |place| Box::pin($test(place)));
        }

        #[test]
        fn in_sqlite() {
            run_in(RouterKind::$router, Some(Kind::Sqlite), |place| Box::pin($test(place)));
        }

        #[test]
        fn in_postgres() {
            run_in(RouterKind::$router, Some(Kind::Postgres), |place| Box::pin($test(place)));
        }

        #[test]
        fn in_mysql() {
            run_in(RouterKind::$router, Some(Kind::MySql), |place| Box::pin($test(place)));
        }
    };
}
pub(crate) use in_every_place;
