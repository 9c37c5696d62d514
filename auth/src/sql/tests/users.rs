//! Writes and reads of users, in the library's table and in a host's own.

use super::{Account, File, MEMBERS, Member, count, memory, new_user, other, run};
use crate::repository::UserRepository;
use crate::sql::{SqlUsers, migrate};
use crate::testing::conformance::{self, Failures};
use crate::user::{UserChange, UserField, UserPatch};
use serde_json::{Value, json};
use sqlx::SqlitePool;
use std::time::{Duration, SystemTime};

async fn accounts() -> (SqlitePool, SqlUsers<Account>) {
    let pool = memory().await;
    migrate(&pool).await.unwrap();
    (pool.clone(), SqlUsers::new(pool))
}

async fn members() -> (SqlitePool, SqlUsers<Member>) {
    let pool = memory().await;
    run(&pool, MEMBERS).await;
    let users = SqlUsers::new(pool.clone()).table("order").unwrap();
    (pool, users.column(UserField::Email, "mail").unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn in_the_librarys_table() -> Result<(), Failures> {
    let (_, users) = accounts().await;
    conformance::users(users).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn in_a_hosts_own_table() -> Result<(), Failures> {
    let (_, users) = members().await;
    conformance::users(users).new_user(|user| user.with_extra("plan", "pro")).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn in_a_file_with_many_connections() -> Result<(), Failures> {
    let file = File::new();
    let pool = file.pool(8).await;
    migrate(&pool).await.unwrap();
    let result = conformance::users(SqlUsers::<Account>::new(pool.clone())).await;
    pool.close().await;
    result
}

#[tokio::test]
async fn a_user_is_found_by_every_field_that_is_a_text() {
    let (_, users) = accounts().await;
    let created = users.create(new_user("a@b.co")).await.unwrap();
    assert_eq!(created.id.len(), 32);
    let by = async |field, value: &str| users.find_by_field(field, value).await.unwrap();
    assert_eq!(by(UserField::Email, "a@b.co").await.as_ref(), Some(&created));
    assert_eq!(by(UserField::Name, "Ada").await.as_ref(), Some(&created));
    assert_eq!(by(UserField::Id, &created.id).await, Some(created));
}

#[tokio::test]
async fn times_are_stored_in_the_form_of_rfc_3339() {
    let (pool, users) = accounts().await;
    let id = users.create(new_user("a@b.co")).await.unwrap().id;
    let at = |seconds| Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
    users
        .save(UserPatch::new(id.clone()).with(UserChange::EmailVerifiedAt(at(1_000_000_000))))
        .await
        .unwrap();
    let stored: (String, String) =
        sqlx::query_as("SELECT typeof(email_verified_at), email_verified_at FROM users")
            .fetch_one(&pool)
            .await
            .unwrap();
    assert_eq!(stored, ("text".to_owned(), "2001-09-09T01:46:40+00:00".to_owned()));

    let beyond = UserPatch::new(id).with(UserChange::EmailVerifiedAt(at(1 << 40)));
    assert_eq!(other(users.save(beyond).await), crate::user::TimestampOutOfRange.to_string());
}

#[tokio::test]
async fn a_patch_of_an_unknown_user_says_so() {
    let (_, users) = accounts().await;
    let nobody = UserPatch::new("nobody".to_owned()).with(UserChange::Name("Bob".to_owned()));
    assert_eq!(other(users.save(nobody).await), "there is no user with this id");
}

#[tokio::test]
async fn a_host_can_have_its_own_table_id_type_and_columns() {
    let (_, users) = members().await;
    let new = new_user("a@b.co")
        .with_extra("plan", "pro")
        .with_extra("seats", 5)
        .with_extra("quota", 2.5)
        .with_extra("newsletter", true)
        .with_extra("tags", json!(["a", { "b": null }]));
    let first = users.create(new).await.unwrap();
    assert_eq!((first.number, first.display_name.as_str(), first.email.as_str()), (1, "Ada", "a@b.co"));
    assert_eq!(
        (first.plan.as_str(), first.seats, first.quota, first.newsletter),
        ("pro", 5, Some(2.5), true)
    );
    assert_eq!(first.tags.as_deref(), Some(r#"["a",{"b":null}]"#));

    let second = users.create(new_user("c@d.co").with_extra("quota", Value::Null)).await.unwrap();
    assert_eq!((second.number, second.plan.as_str(), second.quota), (2, "free", None));

    let patch = UserPatch::new(1).with(UserChange::Email("e@f.co".to_owned()));
    let saved = users.save(patch.only_if(UserChange::Password("hash".to_owned()))).await.unwrap();
    assert_eq!((saved.email.as_str(), saved.plan.as_str()), ("e@f.co", "pro"));
    let found = users.find_by_field(UserField::Email, "e@f.co").await.unwrap().unwrap();
    assert_eq!(found.number, 1);
    assert_eq!(users.find_by_field(UserField::Id, "2").await.unwrap().unwrap().email, "c@d.co");
    assert!(users.find_by_field(UserField::Id, "no number").await.unwrap().is_none());
}

#[tokio::test]
async fn a_host_can_generate_the_ids_itself() {
    let (_, users) = members().await;
    let users = users.new_ids(|| 4711);
    assert_eq!(users.create(new_user("a@b.co")).await.unwrap().number, 4711);
    assert!(users.find_by_id(&4711).await.unwrap().is_some());
}

#[tokio::test]
async fn a_name_that_is_not_an_identifier_is_refused() {
    let (pool, users) = members().await;
    assert!(users.clone().table("users; DROP TABLE users").is_err());
    assert!(users.clone().column(UserField::Name, "").is_err());
    let injection = new_user("a@b.co").with_extra("plan) VALUES (1); --", "x");
    assert!(other(users.create(injection).await).contains("cannot name a table or column"));
    let hijack = new_user("a@b.co").with_extra("MAIL", "x@y.co");
    assert!(other(users.create(hijack).await).contains("a column of the library"));
    assert_eq!(count(&pool, "SELECT count(*) FROM \"order\"").await, 0);
}

#[tokio::test]
async fn a_missing_column_is_an_error_and_not_an_unknown_user() {
    let (_, users) = accounts().await;
    let users = users.column(UserField::Email, "emial").unwrap();
    assert!(other(users.find_by_field(UserField::Email, "emial").await).contains("no such column"));
    let users = users.column(UserField::Password, "pasword").unwrap();
    let patch = UserPatch::new("1".to_owned()).with(UserChange::Name("Bob".to_owned()));
    assert!(
        other(users.save(patch.only_if(UserChange::Password("pasword".to_owned()))).await)
            .contains("no such column")
    );
}
