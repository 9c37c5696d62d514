//! Errors of the database: which ones are `EmailTaken`, and that none is reported as success.

use super::{Account, MEMBERS, Member, count, memory, new_user, other, run};
use crate::repository::RepositoryError;
use crate::repository::UserRepository;
use crate::sql::{SqlUsers, migrate};
use crate::user::{UserChange, UserField, UserPatch};
use sqlx::SqlitePool;

fn is_taken<T>(result: &Result<T, RepositoryError>) -> bool {
    matches!(result, Err(RepositoryError::EmailTaken))
}

/// The library's table with this SQL in place of its unique index on `email`.
async fn accounts_with(index: &'static str) -> (SqlitePool, SqlUsers<Account>) {
    let pool = memory().await;
    migrate(&pool).await.unwrap();
    run(
        &pool,
        "CREATE TABLE copy AS SELECT * FROM users; DROP TABLE users; ALTER TABLE copy RENAME TO users",
    )
    .await;
    run(&pool, index).await;
    let users = SqlUsers::new(pool.clone()).new_ids(|| "1".to_owned());
    (pool, users)
}

#[tokio::test]
async fn a_second_record_with_the_same_address_is_refused() {
    let pool = memory().await;
    migrate(&pool).await.unwrap();
    let users = SqlUsers::<Account>::new(pool.clone());
    users.create(new_user("a@b.co")).await.unwrap();
    assert!(is_taken(&users.create(new_user("a@b.co")).await));
    let other = users.create(new_user("c@d.co")).await.unwrap();
    let patch = UserPatch::new(other.id).with(UserChange::Email("a@b.co".to_owned()));
    assert!(is_taken(&users.save(patch).await));
    assert_eq!(count(&pool, "SELECT count(*) FROM users").await, 2);
    assert_eq!(count(&pool, "SELECT count(*) FROM users WHERE email = 'a@b.co'").await, 1);
}

#[tokio::test]
async fn a_taken_address_is_detected_in_a_renamed_column() {
    let pool = memory().await;
    run(&pool, MEMBERS).await;
    let users =
        SqlUsers::<Member>::new(pool).table("ORDER").unwrap().column(UserField::Email, "MAIL").unwrap();
    users.create(new_user("a@b.co")).await.unwrap();
    assert!(is_taken(&users.create(new_user("a@b.co")).await));
}

#[tokio::test]
async fn a_taken_address_is_detected_with_every_unique_index_on_it() {
    for index in [
        "CREATE UNIQUE INDEX i ON users (email COLLATE NOCASE)",
        "CREATE UNIQUE INDEX i ON users (lower(email))",
        "CREATE UNIQUE INDEX \"the user's\" ON users (lower(email)) WHERE password <> ''",
        "CREATE UNIQUE INDEX i ON users (name, email)",
    ] {
        let (_, users) = accounts_with(index).await;
        users.create(new_user("a@b.co")).await.unwrap();
        assert!(is_taken(&users.create(new_user("a@b.co")).await), "{index}");
    }
}

#[tokio::test]
async fn other_violations_are_not_email_taken() {
    for index in [
        "CREATE UNIQUE INDEX email ON users (name)",
        "CREATE UNIQUE INDEX email ON users (lower(name))",
        "CREATE UNIQUE INDEX email ON users (id)",
        "CREATE TRIGGER t BEFORE INSERT ON users WHEN (SELECT count(*) FROM users) > 0
         BEGIN SELECT RAISE(ABORT, 'UNIQUE constraint failed: users.email'); END",
    ] {
        let (pool, users) = accounts_with(index).await;
        users.create(new_user("a@b.co")).await.unwrap();
        let error = other(users.create(new_user("c@d.co")).await);
        assert!(error.contains("constraint"), "{index}: {error}");
        assert_eq!(count(&pool, "SELECT count(*) FROM users").await, 1);
    }
}

#[tokio::test]
async fn a_failed_commit_is_an_error() {
    let (pool, users) = accounts_with(
        "CREATE TABLE plans (id INTEGER PRIMARY KEY);
         ALTER TABLE users ADD COLUMN plan INTEGER REFERENCES plans DEFERRABLE INITIALLY DEFERRED",
    )
    .await;
    let error = other(users.create(new_user("a@b.co").with_extra("plan", 1)).await);
    assert!(error.contains("FOREIGN KEY constraint failed"), "{error}");
    assert_eq!(count(&pool, "SELECT count(*) FROM users").await, 0);
}

#[tokio::test]
async fn a_trigger_that_ignores_the_new_user_is_an_error() {
    let (_, users) =
        accounts_with("CREATE TRIGGER t BEFORE INSERT ON users BEGIN SELECT RAISE(IGNORE); END").await;
    assert_eq!(other(users.create(new_user("a@b.co")).await), "the database did not insert the new user");
}

#[tokio::test]
async fn a_closed_database_is_an_error() {
    let pool = memory().await;
    migrate(&pool).await.unwrap();
    let users = SqlUsers::<Account>::new(pool.clone());
    pool.close().await;
    other(users.create(new_user("a@b.co")).await);
    other(users.find_by_field(UserField::Email, "a@b.co").await);
    other(users.save(UserPatch::new("1".to_owned())).await);
}
