//! The audit log on each database: what the requests leave in it, for how long, and how it is looked up
//! (specification §22.7).

mod lookups;
mod retention;
mod transactions;
mod waiting;

use crate::support::databases::{Kind, TestDatabase, connect};
use crate::support::places::create_tables;
use crate::support::{Account, App, Builder, memory_users};
use axum_auth_module::events::EventName;
use axum_auth_module::sql::{AuditEntry, AuditQuery, Database, SqlAuditLog, SqlUsers};
use axum_auth_module::testing::MovableClock;
use std::time::Duration;

/// A host whose users and audit log are in one database.
pub(super) struct Host {
    pub(super) app: App,
    pub(super) audit: SqlAuditLog,
    /// Dropped last: its end deletes the database.
    _place: TestDatabase,
}

/// A pool of connections to a new database with all tables, and the database itself. `None` if there is no server.
pub(super) async fn database(kind: Kind) -> Option<(Database, TestDatabase)> {
    let place = TestDatabase::create(kind).await?;
    create_tables(kind, &place.url()).await;
    let database: Database = connect(kind, &place.url(), 4).await;
    let database = database.timeout(Duration::from_secs(30));
    Some((database, place))
}

impl Host {
    /// A host with every feature.
    pub(super) async fn start(kind: Kind, log: impl FnOnce(SqlAuditLog) -> SqlAuditLog) -> Option<Self> {
        let (database, place) = database(kind).await?;
        let audit = log(SqlAuditLog::new(&database));
        Some(Self::on(database, place, audit, |module| module).await)
    }

    pub(super) async fn on(
        database: Database,
        place: TestDatabase,
        audit: SqlAuditLog,
        module: impl FnOnce(Builder) -> Builder,
    ) -> Self {
        let (users, sink, clock) = (SqlUsers::<Account>::new(database), audit.clone(), MovableClock::new());
        let at = clock.clone();
        let module = |builder: Builder| module(builder.events(sink));
        let mut app = App::with_everything_on(users, memory_users(), |config| config.clock(at), module).await;
        app.clock = clock;
        Self { app, audit, _place: place }
    }

    /// What is in the log, newest first, when all of it is written.
    pub(super) async fn entries(&self) -> Vec<AuditEntry> {
        self.app.auth.background_work_finished().await;
        let page = self.audit.find(&AuditQuery::new().at_most(1000)).await.unwrap();
        assert_eq!(self.audit.lost() + self.app.auth.dropped_events(), 0);
        page.entries
    }

    /// The names of these events, oldest first.
    pub(super) async fn names(&self) -> Vec<String> {
        self.entries().await.into_iter().rev().map(|entry| entry.event).collect()
    }

    /// How many events of this kind are in the log.
    pub(super) async fn count(&self, kind: EventName) -> usize {
        self.entries().await.iter().filter(|entry| entry.event_name() == Some(kind)).count()
    }
}

/// Makes each of these functions, which take a [`Kind`], a test on each database.
macro_rules! on_each_database {
    ($($test:ident),+ $(,)?) => {$(
        mod $test {
            use $crate::support::databases::Kind;

            #[tokio::test(flavor = "multi_thread")]
            async fn in_sqlite() {
                super::$test(Kind::Sqlite).await;
            }

            #[tokio::test(flavor = "multi_thread")]
            async fn in_postgres() {
                super::$test(Kind::Postgres).await;
            }

            #[tokio::test(flavor = "multi_thread")]
            async fn in_mysql() {
                super::$test(Kind::MySql).await;
            }
        }
    )+};
}
pub(super) use on_each_database;
