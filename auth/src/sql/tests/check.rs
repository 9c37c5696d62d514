//! What is wrong with a host's table, and that the statements of the report mend it.

use super::{Account, Member, Tested, new_user, on, on_each};
use crate::repository::UserRepository;
use crate::sql::{CheckError, MigrateError, SqlUsers, migrate};
use crate::testing::databases::Kind;
use crate::user::UserField;

/// A table of users that was there before the library.
fn existing(kind: Kind) -> &'static str {
    match kind {
        Kind::Sqlite => {
            "CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL, password TEXT NOT NULL, \
             email_verified_at TEXT)"
        }
        Kind::Postgres => {
            "CREATE TABLE users (id bigserial PRIMARY KEY, name text NOT NULL, email text NOT NULL, \
             password text NOT NULL, email_verified_at timestamp, two_factor_secret text NOT NULL DEFAULT '')"
        }
        Kind::MySql => {
            "CREATE TABLE users (id bigint AUTO_INCREMENT PRIMARY KEY, name varchar(100) NOT NULL, \
             email varchar(200) NOT NULL, password varchar(255) NOT NULL, email_verified_at datetime(6), \
             two_factor_secret varchar(300) NOT NULL DEFAULT '')"
        }
    }
}

const ROWS: &str = "INSERT INTO users (name, email, password) VALUES ('Ada', 'Ada@Example.com', 'x'), \
                    ('Bob', ' bob@example.com', 'x'), ('Grace', 'grace@example.com', 'x')";

/// The report of the library's own table `users`.
async fn report(tested: &Tested) -> String {
    match migrate(&tested.database).await {
        Err(MigrateError::UsersDiffer(differ)) => differ.to_string(),
        other => panic!("{other:?}"),
    }
}

/// The report of an adapter.
fn differences(result: Result<(), CheckError>) -> String {
    match result {
        Err(CheckError::UsersDiffer(differ)) => differ.to_string(),
        other => panic!("{other:?}"),
    }
}

/// Runs the statements of a report.
async fn mend(tested: &Tested, report: &str) {
    let (_, statements) = report.split_once("\n\n").unwrap();
    tested.run(statements).await;
}

#[tokio::test]
async fn an_existing_table_is_mended_by_pasting_the_report() {
    let mut reports = String::new();
    for kind in Kind::ALL {
        let Some(tested) = super::tested(kind).await else { return };
        tested.run(existing(kind)).await;
        tested.run(ROWS).await;
        let report = report(&tested).await;
        mend(&tested, &report).await;
        reports.push_str(&format!("## {kind:?}\n\n{report}\n\n"));

        // Now it is used, and that is recorded.
        migrate(&tested.database).await.unwrap();
        tested.run("UPDATE users SET email = upper(email)").await;
        migrate(&tested.database).await.unwrap();
        assert_eq!(tested.count("users").await, 3);
    }
    insta::assert_snapshot!(reports);
}

#[tokio::test]
async fn a_table_with_everything_is_used_as_it_is() {
    on_each(async |tested| {
        migrate(&tested.database).await.unwrap();
        SqlUsers::<Account>::new(tested.database.clone()).check().await.unwrap();
        tested.run("DROP TABLE _auth_migrations; DROP TABLE password_resets; DROP TABLE auth_sessions; DROP TABLE auth_store; DROP TABLE auth_audit")
            .await;
        migrate(&tested.database).await.unwrap();
        SqlUsers::<Account>::new(tested.database.clone()).create(new_user("a@b.co")).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_table_with_other_names_is_checked_by_the_adapter() {
    on_each(async |tested| {
        tested.run(super::members(tested.kind)).await;
        let users = SqlUsers::<Member>::new(tested.database.clone()).table("order").unwrap();
        let found = differences(users.check().await);
        assert!(found.contains("mail") || found.contains("email"), "{found}");
        users.column(UserField::Email, "mail").unwrap().check().await.unwrap();
        let absent = SqlUsers::<Member>::new(tested.database.clone());
        assert!(differences(absent.check().await).contains("the table does not exist"));
    })
    .await;
}

#[tokio::test]
async fn an_index_must_prevent_duplicates() {
    for (kind, index, good) in [
        (Kind::Sqlite, "CREATE UNIQUE INDEX i ON users (lower(email))", true),
        (Kind::Sqlite, "CREATE UNIQUE INDEX i ON users (name, email)", false),
        (Kind::Sqlite, "CREATE UNIQUE INDEX i ON users (email) WHERE name <> ''", false),
        (Kind::Sqlite, "CREATE INDEX i ON users (email)", false),
        (Kind::Postgres, "CREATE UNIQUE INDEX i ON users (lower(email))", true),
        (Kind::Postgres, "CREATE UNIQUE INDEX i ON users (name, email)", false),
        (Kind::Postgres, "CREATE UNIQUE INDEX i ON users (email) WHERE name <> ''", false),
        (Kind::MySql, "CREATE UNIQUE INDEX i ON users (email)", true),
        (Kind::MySql, "CREATE UNIQUE INDEX i ON users (email, id)", false),
        (Kind::MySql, "CREATE INDEX i ON users (email)", false),
    ] {
        on(kind, async |tested| {
            migrate(&tested.database).await.unwrap();
            tested.run("CREATE TABLE copy AS SELECT * FROM users; DROP TABLE users; ALTER TABLE copy RENAME TO users").await;
            tested.run(index).await;
            let users = SqlUsers::<Account>::new(tested.database.clone()).new_ids(|| "1".to_owned());
            assert_eq!(users.check().await.is_ok(), good, "{index}");
        })
        .await;
    }
}

#[tokio::test]
async fn a_database_that_does_not_respond_is_no_report() {
    on(Kind::Sqlite, async |tested| {
        let users = SqlUsers::<Account>::new(tested.database.clone());
        tested.close().await;
        assert!(matches!(users.check().await, Err(CheckError::Database(_))));
    })
    .await;
}
