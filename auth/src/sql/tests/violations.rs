//! Errors of the database: which ones are `EmailTaken`, and that none is reported as success.

use super::{Account, Member, Tested, new_user, on, on_each, other};
use crate::repository::RepositoryError;
use crate::repository::UserRepository;
use crate::sql::{SqlUsers, migrate};
use crate::testing::databases::Kind;
use crate::user::{UserChange, UserField, UserPatch};

fn is_taken<T>(result: &Result<T, RepositoryError>) -> bool {
    matches!(result, Err(RepositoryError::EmailTaken))
}

/// The library's table without its keys and indexes, but with this SQL.
async fn accounts_with(tested: &Tested, sql: &str) -> SqlUsers<Account> {
    migrate(&tested.database).await.unwrap();
    tested
        .run("CREATE TABLE copy AS SELECT * FROM users; DROP TABLE users; ALTER TABLE copy RENAME TO users")
        .await;
    tested.run(sql).await;
    SqlUsers::new(tested.database.clone()).new_ids(|| "1".to_owned())
}

#[tokio::test]
async fn a_second_record_with_the_same_address_is_refused() {
    on_each(async |tested| {
        migrate(&tested.database).await.unwrap();
        let users = SqlUsers::<Account>::new(tested.database.clone());
        users.create(new_user("a@b.co")).await.unwrap();
        assert!(is_taken(&users.create(new_user("a@b.co")).await));
        let other = users.create(new_user("c@d.co")).await.unwrap();
        let patch = UserPatch::new(other.id).with(UserChange::Email("a@b.co".to_owned()));
        assert!(is_taken(&users.save(patch).await));
        assert_eq!(tested.count("users").await, 2);
        assert_eq!(tested.count("users WHERE email = 'a@b.co'").await, 1);
    })
    .await;
}

#[tokio::test]
async fn a_taken_address_is_detected_in_a_renamed_column() {
    on_each(async |tested| {
        tested.run(super::members(tested.kind)).await;
        let (table, column) = if tested.kind == Kind::Sqlite { ("ORDER", "MAIL") } else { ("order", "mail") };
        let users = SqlUsers::<Member>::new(tested.database.clone()).table(table).unwrap();
        let users = users.column(UserField::Email, column).unwrap();
        users.create(new_user("a@b.co")).await.unwrap();
        assert!(is_taken(&users.create(new_user("a@b.co")).await));
    })
    .await;
}

#[tokio::test]
async fn a_taken_address_is_detected_with_every_unique_index_on_it() {
    for (kind, index) in [
        (Kind::Sqlite, "CREATE UNIQUE INDEX i ON users (email COLLATE NOCASE)"),
        (Kind::Sqlite, "CREATE UNIQUE INDEX i ON users (lower(email))"),
        (Kind::Sqlite, "CREATE UNIQUE INDEX \"the user's\" ON users (lower(email)) WHERE password <> ''"),
        (Kind::Sqlite, "CREATE UNIQUE INDEX i ON users (name, email)"),
        (Kind::Postgres, "CREATE UNIQUE INDEX i ON users (lower(email))"),
        (Kind::Postgres, "CREATE UNIQUE INDEX \"the user's\" ON users (lower(email)) WHERE password <> ''"),
        (Kind::Postgres, "ALTER TABLE users ADD CONSTRAINT one UNIQUE (name, email)"),
        (Kind::MySql, "CREATE UNIQUE INDEX `the user's` ON users (email)"),
        (Kind::MySql, "CREATE UNIQUE INDEX i ON users (email(100), id)"),
    ] {
        on(kind, async |tested| {
            let users = accounts_with(&tested, index).await;
            users.create(new_user("a@b.co")).await.unwrap();
            assert!(is_taken(&users.create(new_user("a@b.co")).await), "{index}");
        })
        .await;
    }
}

#[tokio::test]
async fn other_violations_are_not_email_taken() {
    for (kind, index) in [
        (Kind::Sqlite, "CREATE UNIQUE INDEX email ON users (name)"),
        (Kind::Sqlite, "CREATE UNIQUE INDEX email ON users (lower(name))"),
        (Kind::Sqlite, "CREATE UNIQUE INDEX email ON users (id)"),
        (Kind::Postgres, "CREATE UNIQUE INDEX email ON users (lower(name))"),
        (Kind::Postgres, "ALTER TABLE users ADD CONSTRAINT email UNIQUE (id)"),
        (Kind::MySql, "CREATE UNIQUE INDEX email ON users (id)"),
        (Kind::MySql, "ALTER TABLE users ADD PRIMARY KEY (id)"),
    ] {
        on(kind, async |tested| {
            let users = accounts_with(&tested, index).await;
            users.create(new_user("a@b.co")).await.unwrap();
            let error = other(users.create(new_user("c@d.co")).await);
            assert!(error.contains("constraint") || error.contains("Duplicate entry"), "{index}: {error}");
            assert_eq!(tested.count("users").await, 1);
        })
        .await;
    }
}

#[tokio::test]
async fn an_error_that_only_looks_like_a_violation_is_not_email_taken() {
    on(Kind::Sqlite, async |tested| {
        let users = accounts_with(&tested, "").await;
        let trigger = "CREATE TRIGGER t BEFORE INSERT ON users BEGIN \
                       SELECT RAISE(ABORT, 'UNIQUE constraint failed: users.email'); END";
        tested.run(trigger).await;
        assert!(other(users.create(new_user("c@d.co")).await).contains("constraint"));
    })
    .await;
}

#[tokio::test]
async fn a_failed_commit_is_an_error() {
    for (kind, key) in [
        (Kind::Sqlite, "REFERENCES plans DEFERRABLE INITIALLY DEFERRED"),
        (Kind::Postgres, "REFERENCES plans DEFERRABLE INITIALLY DEFERRED"),
    ] {
        on(kind, async |tested| {
            tested.run("CREATE TABLE plans (id INTEGER PRIMARY KEY)").await;
            let users =
                accounts_with(&tested, &format!("ALTER TABLE users ADD COLUMN plan INTEGER {key}")).await;
            let error = other(users.create(new_user("a@b.co").with_extra("plan", 1)).await);
            assert!(error.to_lowercase().contains("foreign key"), "{error}");
            assert_eq!(tested.count("users").await, 0);
        })
        .await;
    }
}

#[tokio::test]
async fn a_trigger_that_ignores_the_new_user_is_an_error() {
    on(Kind::Sqlite, async |tested| {
        let users = accounts_with(&tested, "").await;
        let trigger = "CREATE TRIGGER t BEFORE INSERT ON users BEGIN SELECT RAISE(IGNORE); END";
        tested.run(trigger).await;
        assert_eq!(other(users.create(new_user("a@b.co")).await), "the database did not insert the new user");
    })
    .await;
}

#[tokio::test]
async fn a_closed_database_is_unavailable() {
    on_each(async |tested| {
        migrate(&tested.database).await.unwrap();
        let users = SqlUsers::<Account>::new(tested.database.clone());
        tested.close().await;
        let is_unavailable = |result| matches!(result, Err(RepositoryError::Unavailable(_)));
        assert!(is_unavailable(users.create(new_user("a@b.co")).await.map(drop)));
        assert!(is_unavailable(users.find_by_field(UserField::Email, "a@b.co").await.map(drop)));
        assert!(is_unavailable(users.save(UserPatch::new("1".to_owned())).await.map(drop)));
    })
    .await;
}
