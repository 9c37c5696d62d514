//! While tables are changed, other instances of the host serve requests.

use super::super::{Tested, on, run};
use super::{later_version, names_of_the_later_version, version_0_1};
use crate::repository::{SessionKind, SessionRepository};
use crate::sql::migrations::apply_missing;
use crate::sql::{MigrateError, SqlSessions};
use crate::testing::databases::Kind;
use std::sync::Arc;
use tokio::task::JoinHandle;

/// Upgrades the database, beside the test.
fn upgrade(tested: &Arc<Tested>) -> JoinHandle<Result<(), MigrateError>> {
    let tested = Arc::clone(tested);
    tokio::spawn(async move { apply_missing(&tested.another(1).await, &later_version()).await })
}

impl Tested {
    /// Waits until the database says that a statement waits.
    async fn waits(&self) {
        let waiting = match self.kind {
            Kind::Postgres => {
                "pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
            }
            _ => {
                "information_schema.processlist WHERE db = database() AND state = 'Waiting for table metadata lock'"
            }
        };
        while self.count(waiting).await == 0 {}
    }
}

/// On PostgreSQL and MySQL, every statement on a table waits behind a change of the table, and the change behind transactions.
#[tokio::test]
async fn requests_do_not_wait_behind_a_change_that_waits() {
    for kind in [Kind::Postgres, Kind::MySql] {
        on(kind, async |tested| {
            tested.run(version_0_1(kind)).await;
            let reader = tested.another(1).await;
            run(&reader, "BEGIN; SELECT count(*) FROM auth_sessions").await;
            let upgrade = upgrade(&tested);
            for _ in 0..2 {
                tested.waits().await;
                let sessions = SqlSessions::new(&tested.database);
                assert_eq!(
                    sessions.find_by_user(super::USER, &[SessionKind::Browser]).await.unwrap().len(),
                    1
                );
            }
            assert!(!upgrade.is_finished());
            run(&reader, "COMMIT").await;
            upgrade.await.unwrap().unwrap();
            assert_eq!(tested.history().await, names_of_the_later_version());
        })
        .await;
    }
}

#[tokio::test]
async fn rows_are_written_and_instances_start_while_an_index_is_built() {
    on(Kind::Postgres, async |tested| {
        tested.run(version_0_1(Kind::Postgres)).await;
        // An index is ready when the transactions have ended that could need rows from before.
        let reader = tested.another(1).await;
        run(&reader, "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM auth_store").await;
        let upgrade = upgrade(&tested);
        tested.waits().await;
        let without_the_index = &names_of_the_later_version()[..names_of_the_later_version().len() - 1];
        assert_eq!(tested.history().await, without_the_index);
        tested.run("UPDATE auth_sessions SET device = 'telephone'").await;
        apply_missing(&tested.database, &later_version()).await.unwrap();
        assert!(!upgrade.is_finished());
        run(&reader, "COMMIT").await;
        upgrade.await.unwrap().unwrap();
        assert_eq!(tested.history().await, names_of_the_later_version());
        tested.has_its_rows().await;
    })
    .await;
}

/// PostgreSQL keeps an index that it has not finished, and does not use it.
#[tokio::test]
async fn an_index_that_was_not_finished_is_built_again() {
    on(Kind::Postgres, async |tested| {
        tested.run(version_0_1(Kind::Postgres)).await;
        tested
            .run(
                "CREATE INDEX auth_sessions_by_device ON auth_sessions (kind); \
                 UPDATE pg_index SET indisvalid = FALSE WHERE indexrelid = 'auth_sessions_by_device'::regclass",
            )
            .await;
        apply_missing(&tested.database, &later_version()).await.unwrap();
        assert_eq!(tested.history().await, names_of_the_later_version());
        let valid = "pg_index WHERE indexrelid = 'auth_sessions_by_device'::regclass AND indisvalid \
                     AND pg_get_indexdef(indexrelid) LIKE '%(device)'";
        assert_eq!(tested.count(valid).await, 1);
    })
    .await;
}

/// A host that builds a large index by hand before it upgrades does not build it twice.
#[tokio::test]
async fn an_index_that_exists_is_kept() {
    on(Kind::Postgres, async |tested| {
        tested.run(version_0_1(Kind::Postgres)).await;
        tested.run("CREATE INDEX auth_sessions_by_device ON auth_sessions (kind)").await;
        apply_missing(&tested.database, &later_version()).await.unwrap();
        assert_eq!(tested.history().await, names_of_the_later_version());
    })
    .await;
}
