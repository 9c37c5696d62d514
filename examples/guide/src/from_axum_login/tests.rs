//! The users of a table as that of axum-login's examples, with hashes of the crate `password-auth`.

use super::app;
use crate::migrated::{Client, People, database, page_has};

const DATABASE: &str = include_str!("../../../../tests/migrations/axum-login/database.sql");
const MIGRATION: &str = include_str!("../from_axum_login.sql");

#[test]
fn the_page_has_the_statements() {
    page_has(include_str!("../../../../docs/guide/from-axum-login.md"), MIGRATION);
}

#[tokio::test]
async fn users_log_in_with_the_passwords_of_before() {
    let people = People::read(include_str!("../../../../tests/migrations/axum-login/people.json"));
    let pool = database(&[DATABASE, MIGRATION]).await;
    let client = Client(app(people.config(), pool.clone()).await.unwrap());
    for person in &people.people {
        client.logs_in_by_password_alone(person).await;
    }
    let hashes: Vec<String> =
        sqlx::query_scalar("SELECT password FROM users").fetch_all(&pool).await.unwrap();
    assert!(
        hashes.iter().all(|hash| hash.starts_with("$argon2id$")),
        "the old program can still verify them"
    );
    assert_eq!(client.get("/protected", &client.access_token(&people.people[1]).await).await, "Hello grace");
}
