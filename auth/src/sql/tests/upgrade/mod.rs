//! Upgrades: the database of a host of version 0.1 is migrated by this version of the library, and by a later one that
//! changes tables.

mod without_a_stop;

use super::{Account, Tested, new_user, on, on_each};
use crate::AuthUser;
use crate::repository::{PasswordResetRepository, SessionKind, SessionRepository, UserRepository};
use crate::sql::check::exists;
use crate::sql::database::PerDialect;
use crate::sql::migrations::apply_missing;
use crate::sql::schema::{Definition, Migration, Step};
use crate::sql::statement::Statement;
use crate::sql::{
    AuditQuery, MigrateError, SqlAuditLog, SqlPasswordResets, SqlSessions, SqlStore, SqlUsers, Table, migrate,
};
use crate::store::EphemeralStore;
use crate::testing::databases::Kind;
use crate::user::UserField;
use std::sync::Arc;

const USER: &str = "0123456789abcdef0123456789abcdef";

/// The schema of version 0.1 as its migrations made it, with the history and a row in each table.
const fn version_0_1(kind: Kind) -> &'static str {
    match kind {
        Kind::Sqlite => include_str!("v0.1-sqlite.sql"),
        Kind::Postgres => include_str!("v0.1-postgres.sql"),
        Kind::MySql => include_str!("v0.1-mysql.sql"),
    }
}

const CHANGED_SESSIONS: Migration = Migration {
    version: 1001,
    step: Step::Alter { adds: "device" },
    sql: PerDialect {
        sqlite: "ALTER TABLE auth_sessions ADD COLUMN device TEXT NOT NULL DEFAULT 'unknown'",
        postgres: "ALTER TABLE auth_sessions ADD COLUMN device text NOT NULL DEFAULT 'unknown'",
        mysql: "ALTER TABLE auth_sessions ADD COLUMN device varchar(64) NOT NULL DEFAULT 'unknown'",
    },
};

const CHANGED_USERS: Migration = Migration {
    version: 1002,
    step: Step::Alter { adds: "locale" },
    sql: PerDialect {
        sqlite: "ALTER TABLE users ADD COLUMN locale TEXT",
        postgres: "ALTER TABLE users ADD COLUMN locale text",
        mysql: "ALTER TABLE users ADD COLUMN locale varchar(64)",
    },
};

const INDEXED_SESSIONS: Migration = Migration {
    version: 1003,
    step: Step::Index { adds: "auth_sessions_by_device" },
    sql: PerDialect {
        sqlite: "CREATE INDEX auth_sessions_by_device ON auth_sessions (device)",
        postgres: "CREATE INDEX CONCURRENTLY IF NOT EXISTS auth_sessions_by_device ON auth_sessions (device)",
        mysql: "CREATE INDEX auth_sessions_by_device ON auth_sessions (device)",
    },
};

/// The tables of a later version of the library, which changes `auth_sessions` twice and `users` once.
fn later_version() -> Vec<&'static Definition> {
    let with = |table: Table, changes: Vec<Migration>| -> &'static Definition {
        let definition = table.definition();
        let mut migrations: Vec<_> = definition
            .migrations
            .iter()
            .map(|migration| Migration {
                version: migration.version,
                step: migration.step,
                sql: migration.sql,
            })
            .collect();
        migrations.extend(changes);
        Box::leak(Box::new(Definition { name: definition.name, migrations: migrations.leak() }))
    };
    let tables = Table::ALL.iter().map(|table| match table {
        Table::AuthSessions => with(*table, vec![CHANGED_SESSIONS, INDEXED_SESSIONS]),
        Table::Users => with(*table, vec![CHANGED_USERS]),
        _ => table.definition(),
    });
    tables.collect()
}

impl Tested {
    /// What the history says, in the order of the versions.
    async fn history(&self) -> Vec<(i64, String)> {
        let text = if self.kind == Kind::MySql { "CAST(description AS char(40))" } else { "description" };
        let sql =
            format!("SELECT version, {text} AS name FROM _auth_migrations WHERE success ORDER BY version");
        let rows = self.database.fetch(Statement::new(sql)).await.unwrap();
        rows.iter().map(|row| (row.get("version").unwrap(), row.get("name").unwrap())).collect()
    }

    /// Every row of version 0.1 can be read.
    async fn has_its_rows(&self) {
        let users = SqlUsers::<Account>::new(&self.database);
        let ada = users.find_by_field(UserField::Email, "ada@example.org").await.unwrap().unwrap();
        assert_eq!(
            (ada.id.as_str(), ada.name.as_str(), ada.password()),
            (USER, "Ada Ångström", "$2b$12$hash")
        );
        assert_eq!(ada.email_verified_at.unwrap().to_rfc3339(), "2026-11-01T08:30:00.123456+00:00");
        let resets = SqlPasswordResets::new(&self.database);
        let token = resets.find_by_email("default ada@example.org").await.unwrap().unwrap();
        assert_eq!(token.token, "hash of a token");
        let sessions = SqlSessions::new(&self.database);
        let found = sessions.find_by_user(USER, &[SessionKind::Browser]).await.unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].state.as_str(), found[0].user_agent.as_deref()),
            ("v1 state", Some("Example/1.0"))
        );
        let store = SqlStore::new(&self.database);
        assert_eq!(store.get("totp-step:one").await.unwrap().unwrap(), b"once");
        let log =
            SqlAuditLog::new(&self.database).find(&AuditQuery::new().user(&USER.to_owned())).await.unwrap();
        assert_eq!(log.entries.len(), 1);
        assert_eq!(log.entries[0].event, "auth.login");
    }
}

/// The names in the history after an upgrade to the later version.
fn names_of_the_later_version() -> Vec<(i64, String)> {
    let created = Table::ALL.iter().map(|table| table.definition());
    let mut names: Vec<_> =
        created.map(|table| (table.migrations[0].version, table.name.to_owned())).collect();
    names.extend([
        (1001, "auth_sessions: device".to_owned()),
        (1002, "users: locale".to_owned()),
        (1003, "auth_sessions: auth_sessions_by_device".to_owned()),
    ]);
    names
}

#[tokio::test]
async fn a_database_of_version_0_1_is_upgraded_to_this_version() {
    on_each(async |tested| {
        tested.run(version_0_1(tested.kind)).await;
        migrate(&tested.database).await.unwrap();
        tested.has_its_rows().await;
        SqlUsers::<Account>::new(&tested.database).create(new_user("new@example.org")).await.unwrap();
        let all = Table::ALL.iter().flat_map(|table| table.definition().migrations).count();
        assert_eq!(tested.history().await.len(), all);
    })
    .await;
}

#[tokio::test]
async fn a_later_version_changes_the_tables_and_keeps_the_rows() {
    on_each(async |tested| {
        tested.run(version_0_1(tested.kind)).await;
        for _ in 0..2 {
            apply_missing(&tested.database, &later_version()).await.unwrap();
            assert_eq!(tested.history().await, names_of_the_later_version());
        }
        tested.has_its_rows().await;
        assert_eq!(tested.count("auth_sessions WHERE device = 'unknown'").await, 1);
        assert_eq!(tested.count("users WHERE locale IS NULL").await, 1);
        // The previous version, which still runs during a deployment, ignores what it does not know.
        migrate(&tested.database).await.unwrap();
        tested.has_its_rows().await;
    })
    .await;
}

#[tokio::test]
async fn a_new_database_gets_every_migration() {
    on_each(async |tested| {
        apply_missing(&tested.database, &later_version()).await.unwrap();
        assert_eq!(tested.history().await, names_of_the_later_version());
        assert_eq!(tested.count("auth_sessions WHERE device = 'unknown'").await, 0);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn twenty_processes_may_upgrade_at_once() {
    on_each(async |tested| {
        tested.run(version_0_1(tested.kind)).await;
        let upgrades = (0..20).map(|_| {
            let tested = Arc::clone(&tested);
            tokio::spawn(async move { apply_missing(&tested.another(1).await, &later_version()).await })
        });
        for upgrade in upgrades.collect::<Vec<_>>() {
            upgrade.await.unwrap().unwrap();
        }
        assert_eq!(tested.history().await, names_of_the_later_version());
        tested.has_its_rows().await;
    })
    .await;
}

#[tokio::test]
async fn a_change_that_fails_is_an_error_and_can_be_repeated() {
    on_each(async |tested| {
        tested.run(version_0_1(tested.kind)).await;
        tested.run("ALTER TABLE users ADD COLUMN locale INTEGER").await;
        let error = apply_missing(&tested.database, &later_version()).await.unwrap_err();
        assert!(matches!(error, MigrateError::Database(_)), "{error}");
        tested.run("ALTER TABLE users DROP COLUMN locale").await;
        apply_missing(&tested.database, &later_version()).await.unwrap();
        assert_eq!(tested.history().await, names_of_the_later_version());
    })
    .await;
}

/// The library changes no table that it has not created: it checks the table again, and records that.
#[tokio::test]
async fn a_table_of_users_of_the_host_is_never_changed() {
    on_each(async |tested| {
        tested
            .run(
                Table::Users.definition().migrations[0]
                    .in_sqlx("users", tested.database.dialect())
                    .sql
                    .as_str(),
            )
            .await;
        migrate(&tested.database).await.unwrap();
        apply_missing(&tested.database, &later_version()).await.unwrap();
        assert_eq!(tested.history().await, names_of_the_later_version());
        let sql = Statement::new("SELECT locale FROM users");
        assert!(tested.database.fetch(sql).await.is_err(), "the table has been changed");
        assert!(exists(&tested.database, "auth_sessions").await.unwrap());
    })
    .await;
}

#[tokio::test]
async fn a_table_of_users_of_the_host_that_lacks_something_now_is_an_error() {
    on_each(async |tested| {
        tested
            .run(
                Table::Users.definition().migrations[0]
                    .in_sqlx("users", tested.database.dialect())
                    .sql
                    .as_str(),
            )
            .await;
        migrate(&tested.database).await.unwrap();
        tested.run("ALTER TABLE users DROP COLUMN two_factor_secret").await;
        migrate(&tested.database).await.unwrap();
        let error = apply_missing(&tested.database, &later_version()).await.unwrap_err();
        assert!(matches!(error, MigrateError::UsersDiffer(_)), "{error}");
        assert_eq!(tested.history().await.len(), Table::ALL.len());
    })
    .await;
}

/// MySQL cannot take back what a process has done that ended in the middle of its migration.
#[tokio::test]
async fn an_unfinished_change_is_finished() {
    on(Kind::MySql, async |tested| {
        tested.run(version_0_1(Kind::MySql)).await;
        apply_missing(&tested.database, &later_version()).await.unwrap();
        tested
            .run(
                "UPDATE _auth_migrations SET success = FALSE, execution_time = -1 WHERE version > 1000; \
                 ALTER TABLE users DROP COLUMN locale",
            )
            .await;
        // A version that does not know these migrations leaves them alone.
        migrate(&tested.database).await.unwrap();
        assert_eq!(tested.history().await.len(), Table::ALL.len());
        apply_missing(&tested.database, &later_version()).await.unwrap();
        assert_eq!(tested.history().await, names_of_the_later_version());
        assert_eq!(tested.count("users WHERE locale IS NULL").await, 1);
        tested.has_its_rows().await;
    })
    .await;
}

/// The versions are unique, and those of a table increase: the first creates it, the others change it. On MySQL a change is
/// one statement. On PostgreSQL an index is built beside requests.
#[test]
fn every_table_has_a_sound_history() {
    let mut versions = Vec::new();
    for table in later_version() {
        let of_table: Vec<_> = table.migrations.iter().map(|migration| migration.version).collect();
        assert!(of_table.is_sorted(), "{}: {of_table:?}", table.name);
        for (number, Migration { version, step, sql }) in table.migrations.iter().enumerate() {
            assert_eq!(*step == Step::Create, number == 0, "{}: {version}", table.name);
            let statements = sql.mysql.trim_end().trim_end_matches(';').matches(';').count() + 1;
            assert_eq!(statements, 1, "{}: {version}", table.name);
            let expected = match step {
                Step::Create => "CREATE TABLE ".to_owned(),
                Step::Alter { .. } => format!("ALTER TABLE {} ADD COLUMN ", table.name),
                Step::Index { adds } => {
                    format!("CREATE INDEX CONCURRENTLY IF NOT EXISTS {adds} ON {} ", table.name)
                }
            };
            assert!(sql.postgres.contains(&expected), "{}: {version}: {}", table.name, sql.postgres);
        }
        versions.extend(of_table);
    }
    versions.sort_unstable();
    assert!(versions.windows(2).all(|pair| pair[0] < pair[1]), "{versions:?}");
}
