//! Every line of the log that has an error is made to happen, on each database and in memory, while the rows and the texts of
//! the database have a canary in them. It is in no line (specification §25.1).

use crate::support::databases::{Kind, TestDatabase, connect, run};
use crate::support::logs::OfThisThread;
use crate::support::places::create_tables;
use crate::support::providers::{Outbox, failure, faults};
use crate::support::{Account, App, Builder, PASSWORD, memory_users};
use axum::body::Bytes;
use axum::http::{Request, Response};
use axum_auth_module::actions::DeleteRecord;
use axum_auth_module::config::AuthConfigBuilder;
use axum_auth_module::delivery::{Delivers, Message, PasswordResetMessage};
use axum_auth_module::http::{HttpClient, HttpError};
use axum_auth_module::policy::{BreachedPasswords, Policy, PolicyError};
use axum_auth_module::repository::{MemorySessions, UserRepository};
use axum_auth_module::sql::{Database, SqlAuditLog, SqlPasswordResets, SqlSessions, SqlStore, SqlUsers};
use axum_auth_module::store::MemoryStore;
use axum_auth_module::telemetry::LogLine;
use axum_auth_module::testing::{
    Fault, Faults, MemoryDeletions, MemoryPasswordResets, MovableClock, ProviderMethod,
};
use axum_auth_module::user::{UserChange, UserField, UserPatch};
use axum_auth_module::values::EmailAddress;
use axum_auth_module::{BoxError, StandardActions, async_trait};
use serde_json::{Value, json};
use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

const OWNER: &str = "canary.owner@example.com";
const NAME: &str = "Canary Lovelace";
const NEW: &str = "another long password";

/// What no line may have: the address, the name and the agent, the client, hashes and SQL's own texts about rows.
const CANARIES: [&str; 5] = ["canary", "lovelace", "192.0.2.1", "$2b$", "failing row"];

const DAY: u64 = 24 * 60 * 60;

/// What each line is about. A new line with an error needs an arm. `None` if it cannot happen here.
async fn make_happen(line: &str, host: &Host) -> Option<()> {
    let app = &host.app;
    match line {
        "auth.request-failed" => {
            host.breaks("users", "INSERT", ProviderMethod::UsersCreate).await;
            host.register(OWNER).await.expect_err();
        }
        "auth.attempt-not-given-back" => {
            host.register(OWNER).await.expect_ok();
            host.faults.next(ProviderMethod::UsersFindByField, Fault::Hangs);
            let breaks = async {
                while !host.faults.have_happened() {
                    tokio::task::yield_now().await;
                }
                host.breaks("auth_store", "UPDATE", ProviderMethod::StoreGiveBack).await;
            };
            let login = async { app.login_call(OWNER, PASSWORD).await.expect(503) };
            tokio::join!(login, breaks);
        }
        "auth.last-use-not-recorded" => {
            host.register(OWNER).await.expect_ok();
            let tokens = app.login(OWNER).await;
            app.auth.background_work_finished().await;
            app.advance(600);
            host.breaks("auth_sessions", "UPDATE", ProviderMethod::SessionsTouch).await;
            app.me(&tokens.access).await.expect(200);
        }
        "auth.leaked-passwords-unknown" => {
            host.post.fails();
            host.register(OWNER).await.expect_ok();
        }
        "auth.reset-token-not-made" => {
            host.register(OWNER).await.expect_ok();
            host.breaks("password_resets", "INSERT", ProviderMethod::ResetsCreateToken).await;
            host.forgot().await;
        }
        "auth.address-not-judged" => {
            host.post.judges.store(true, Ordering::SeqCst);
            host.post.fails();
            app.post("/auth/login/email").json(&json!({ "email": OWNER })).await.expect(200);
        }
        "auth.second-factor-unreadable" => {
            host.register(OWNER).await.expect_ok();
            host.save(UserChange::TwoFactorSecret(Some("a canary that is no secret".to_owned()))).await;
            host.reset().await;
        }
        "auth.message-not-delivered" => {
            host.register(OWNER).await.expect_ok();
            host.save(UserChange::EmailVerifiedAt(Some(SystemTime::UNIX_EPOCH))).await;
            let tokens = app.login(OWNER).await;
            app.confirm_password(&tokens.access).await;
            host.post.fails();
            let other = json!({ "email": "canary.other@example.com" });
            let change = app.post("/auth/user/email-change").bearer(&tokens.access);
            change.json(&other).await.expect(200);
            host.forgot().await;
        }
        "auth.cleanup-failed" => {
            host.register(OWNER).await.expect_ok();
            let token = host.token().await;
            host.breaks("password_resets", "DELETE", ProviderMethod::ResetsDeleteByEmail).await;
            host.reset_with(&token).await;
        }
        // The audit log is in a database. In memory nothing fails when a user is deleted.
        "auth.event-lost" | "auth.audit-rows-not-deleted" | "auth.user-not-deleted"
            if host.database.is_none() =>
        {
            return None;
        }
        "auth.user-not-deleted" => {
            host.register(OWNER).await.expect_ok();
            let tokens = app.login(OWNER).await;
            app.confirm_password(&tokens.access).await;
            app.delete("/auth/user").bearer(&tokens.access).await.expect(202);
            app.advance(15 * DAY);
            host.breaks("users", "DELETE", None).await;
            app.auth.maintain().await.unwrap();
        }
        "auth.event-lost" => {
            host.breaks("auth_audit", "INSERT", None).await;
            host.register(OWNER).await.expect_ok();
        }
        "auth.audit-rows-not-deleted" => {
            host.register(OWNER).await.expect_ok();
            app.auth.background_work_finished().await;
            app.advance(40 * DAY);
            host.breaks("auth_audit", "DELETE", None).await;
            app.login(OWNER).await;
        }
        // They are of the operating system, and of the computation of a hash, whose error never depends on the password.
        "auth.password-thread-not-started"
        | "auth.password-priority-unchanged"
        | "auth.password-job-failed" => {
            return None;
        }
        _ => panic!("{line} has an error, and this table does not say how it happens"),
    }
    Some(())
}

async fn no_line_has_a_canary(kind: Option<Kind>) {
    let with_error = || LogLine::ALL.iter().filter(|line| line.fields.contains(&"error"));
    assert!(with_error().count() > 10, "the field is called otherwise");
    for line in with_error() {
        let Some(host) = Host::start(kind, line.name).await else { return };
        let log = OfThisThread::record();
        let happened = make_happen(line.name, &host).await;
        host.app.auth.background_work_finished().await;
        assert_eq!(log.lines_with(line.message) > 0, happened.is_some(), "{}: {:?}", line.name, log.lines());
        has_no_canary(&log);
    }
}

fn has_no_canary(log: &OfThisThread) {
    for line in log.lines() {
        let lower = line.to_lowercase();
        assert!(!CANARIES.iter().any(|canary| lower.contains(canary)), "{line}");
    }
}

/// MySQL's message of a violated index has the value, and PostgreSQL's DETAIL too.
async fn a_violated_index_is_named_without_the_value(kind: Kind) {
    let Some(host) = Host::start(Some(kind), "").await else { return };
    let column = if kind == Kind::MySql { "name(50)" } else { "name" };
    host.run(&format!("CREATE UNIQUE INDEX by_name ON users ({column})")).await;
    host.register(OWNER).await.expect_ok();
    let log = OfThisThread::record();
    host.register("canary.second@example.com").await.expect_err();
    let expected = match kind {
        Kind::Sqlite => "database error 2067: a unique index is violated, constraint users.name",
        Kind::Postgres => "database error 23505: a unique index is violated, table users, constraint by_name",
        Kind::MySql => "database error 23000 (1062): a unique index is violated",
    };
    assert_eq!(log.lines_with(expected), 1, "{:?}", log.lines());
    has_no_canary(&log);
}

/// Each test's runtime has one thread, so that all lines are written on it.
macro_rules! tests {
    ($($test:ident: $kind:expr, $name:ident;)*) => {$(
        #[tokio::test]
        async fn $name() {
            $test($kind).await;
        }
    )*};
}

tests! {
    no_line_has_a_canary: None, no_line_has_a_canary_in_memory;
    no_line_has_a_canary: Some(Kind::Sqlite), no_line_has_a_canary_in_sqlite;
    no_line_has_a_canary: Some(Kind::Postgres), no_line_has_a_canary_in_postgres;
    no_line_has_a_canary: Some(Kind::MySql), no_line_has_a_canary_in_mysql;
    a_violated_index_is_named_without_the_value: Kind::Sqlite, a_violated_index_of_sqlite_is_named_without_the_value;
    a_violated_index_is_named_without_the_value: Kind::Postgres, a_violated_index_of_postgres_is_named_without_the_value;
    a_violated_index_is_named_without_the_value: Kind::MySql, a_violated_index_of_mysql_is_named_without_the_value;
}

/// A host whose data can break.
struct Host {
    app: App,
    users: Arc<dyn UserRepository<User = Account>>,
    /// Of providers in memory, and of the users in a database.
    faults: Faults,
    post: Post,
    /// Dropped last: its end deletes the database.
    database: Option<(Kind, TestDatabase)>,
}

impl Host {
    async fn start(kind: Option<Kind>, line: &str) -> Option<Self> {
        let (faults, clock) = (faults(), MovableClock::new());
        let database = match kind {
            Some(kind) => Some((kind, TestDatabase::create(kind).await?)),
            None => None,
        };
        let mut post = Post::default();
        let at = clock.clone();
        let config = |config: AuthConfigBuilder| match line {
            // A request that is given up.
            "auth.attempt-not-given-back" => config.clock(at).request_timeout(Duration::from_secs(2)),
            // A machine that is busy must not give up another request.
            _ => config
                .clock(at)
                .store_timeout(Duration::from_secs(30))
                .request_timeout(Duration::from_secs(60)),
        };
        let (users, mut app) = match &database {
            Some((kind, place)) => {
                create_tables(*kind, &place.url()).await;
                run(*kind, &place.url(), "CREATE TABLE outbox (address varchar(100) NOT NULL UNIQUE)")
                    .await
                    .unwrap();
                post.database = Some((*kind, place.url()));
                let database: Database = connect(*kind, &place.url(), 4).await;
                let database = database.timeout(Duration::from_secs(30));
                let users = SqlUsers::<Account>::new(database.clone());
                let of_the_action = users.clone();
                let (store, letters) = (SqlStore::new(database.clone()).clock(clock.clone()), post.clone());
                let audit = SqlAuditLog::new(database.clone()).keep_for(Duration::from_secs(30 * DAY));
                let module = |module: Builder| {
                    let resets = SqlPasswordResets::new(database.clone());
                    let mails = letters.outbox.clone();
                    with_post(module, letters, resets)
                        .delete_accounts(MemoryDeletions::new(), DeleteRecord::new(of_the_action), mails)
                        .sessions(SqlSessions::new(database.clone()))
                        .shared_store(store)
                        .events(audit)
                };
                let app = App::with_everything_on(faults.over(users.clone()), memory_users(), config, module);
                (Arc::new(users) as Arc<dyn UserRepository<User = Account>>, app.await)
            }
            None => {
                let (users, letters) = (memory_users(), post.clone());
                let store = MemoryStore::with(Arc::new(clock.clone()), 500_000);
                let module = |module: Builder| {
                    let (resets, sessions) = (MemoryPasswordResets::new(), MemorySessions::new());
                    with_post(module, letters, faults.over(resets))
                        .sessions(faults.over(sessions))
                        .store(faults.over(store))
                };
                let app = App::with_everything_on(faults.over(users.clone()), users.clone(), config, module);
                (Arc::new(users) as Arc<dyn UserRepository<User = Account>>, app.await)
            }
        };
        app.clock = clock;
        Some(Self { app, users, faults, post, database })
    }

    async fn run(&self, sql: &str) {
        let (kind, place) = self.database.as_ref().unwrap();
        run(*kind, &place.url(), sql).await.unwrap();
    }

    /// From now on the database refuses this statement on a table, with a text in which the row is, and the provider in memory
    /// fails at its next call.
    async fn breaks(&self, table: &str, statement: &str, method: impl Into<Option<ProviderMethod>>) {
        let Some((kind, _)) = &self.database else {
            self.faults.next(method.into().unwrap(), Fault::Fails);
            return;
        };
        let sql = match kind {
            Kind::Sqlite => format!(
                "CREATE TRIGGER broken BEFORE {statement} ON {table} BEGIN SELECT RAISE(ABORT, 'canary row'); END"
            ),
            // DETAIL: Failing row contains (…).
            Kind::Postgres if statement != "DELETE" => {
                format!("ALTER TABLE {table} ADD CONSTRAINT broken CHECK (false) NOT VALID")
            }
            Kind::Postgres => format!(
                "CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
                 RAISE EXCEPTION 'canary row %', OLD USING DETAIL = OLD::text; END $$; \
                 CREATE TRIGGER broken BEFORE {statement} ON {table} FOR EACH ROW EXECUTE FUNCTION broken()"
            ),
            Kind::MySql => format!(
                "CREATE TRIGGER broken BEFORE {statement} ON {table} FOR EACH ROW \
                 SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'canary row'"
            ),
        };
        self.run(&sql).await;
    }

    async fn register(&self, email: &str) -> Registered {
        let body: Value =
            json!({ "name": NAME, "email": email, "password": PASSWORD, "passwordConfirmation": PASSWORD });
        let call = self.app.post("/auth/register").header("user-agent", "canary-agent").json(&body);
        Registered(call.await.status)
    }

    /// Writes a field of the owner.
    async fn save(&self, change: UserChange) {
        let owner = self.users.find_by_field(UserField::Email, OWNER).await;
        let owner = owner.unwrap_or_else(|error| panic!("{error:?}")).unwrap();
        let saved = self.users.save(UserPatch::new(owner.id).with(change)).await;
        saved.unwrap_or_else(|error| panic!("{error:?}"));
    }

    async fn forgot(&self) {
        self.app.post("/auth/forgot-password").json(&json!({ "email": OWNER })).await.expect(200);
    }

    async fn token(&self) -> String {
        self.forgot().await;
        self.post.outbox.next::<PasswordResetMessage>().await.token
    }

    async fn reset(&self) {
        let token = self.token().await;
        self.reset_with(&token).await;
    }

    async fn reset_with(&self, token: &str) {
        let body = json!({ "email": OWNER, "token": token, "password": NEW, "passwordConfirmation": NEW });
        self.app.post("/auth/reset-password").json(&body).await.expect(200);
    }
}

struct Registered(u16);

impl Registered {
    #[track_caller]
    fn expect_ok(self) {
        assert_eq!(self.0, 201);
    }

    #[track_caller]
    fn expect_err(self) {
        assert_eq!(self.0, 500);
    }
}

fn with_post(
    module: Builder,
    post: Post,
    resets: impl axum_auth_module::repository::PasswordResetRepository,
) -> Builder {
    module
        .reset_passwords(resets, StandardActions, post.clone())
        .email_verification(post.clone())
        .notices(post.clone())
        .policy((BreachedPasswords::new(post.clone()), post))
}

/// What the host does itself, with a table of its own: deliveries, and a service of leaked passwords. Clones share it.
#[derive(Clone, Default)]
struct Post {
    outbox: Outbox,
    fails: Arc<AtomicBool>,
    /// Whether it is asked about addresses, too.
    judges: Arc<AtomicBool>,
    database: Option<(Kind, String)>,
}

impl Post {
    fn fails(&self) {
        self.fails.store(true, Ordering::SeqCst);
    }

    /// The error of the host, if it is to fail: it violates an index, and passes sqlx's error on as it is.
    async fn write(&self) -> Result<(), BoxError> {
        if !self.fails.load(Ordering::SeqCst) {
            return Ok(());
        }
        let Some((kind, url)) = &self.database else { return Err(failure()) };
        let insert = format!("INSERT INTO outbox VALUES ('{OWNER}')");
        run(*kind, url, &insert).await.unwrap();
        Ok(run(*kind, url, &insert).await?)
    }
}

/// A careless error of a host, whose text has all of its source.
#[derive(Debug)]
struct Careless(BoxError);

impl fmt::Display for Careless {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not written: {}", self.0)?;
        // In memory there is no database whose errors the library knows.
        if self.0.is::<sqlx::Error>() { write!(f, " {:?}", self.0) } else { Ok(()) }
    }
}

impl Error for Careless {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.0)
    }
}

#[async_trait]
impl<M: Message> Delivers<M> for Post {
    async fn deliver(&self, message: M) -> Result<(), BoxError> {
        self.write().await.map_err(|cause| Box::new(Careless(cause)))?;
        self.outbox.deliver(message).await
    }
}

#[async_trait]
impl Policy<Account> for Post {
    async fn allows_email(&self, _: &EmailAddress, _: Option<&Account>) -> Result<(), PolicyError> {
        match self.judges.load(Ordering::SeqCst) {
            true => self.write().await.map_err(|cause| PolicyError::failed(Careless(cause))),
            false => Ok(()),
        }
    }
}

#[async_trait]
impl HttpClient for Post {
    async fn send(&self, _: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        self.write().await.map_err(|cause| HttpError::failed(std::io::Error::other(cause)))?;
        Ok(Response::new(Bytes::new()))
    }
}
