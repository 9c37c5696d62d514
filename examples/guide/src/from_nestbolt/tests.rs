//! The users of a database with what nestbolt's services have made.

use super::{EncryptionService, User, import};
use crate::migrated::{Client, Login, People, database, page_has};
use axum::Router;
use axum_auth_module::config::AuthConfig;
use axum_auth_module::sql::{SqlSessions, SqlUsers, Table, migrate_only};
use axum_auth_module::{AuthModule, auth_module};
use serde_json::json;
use sqlx::SqlitePool;
use uuid::Uuid;

const DATABASE: &str = include_str!("../../../../tests/migrations/nestbolt/database.sql");
const MIGRATION: &str = include_str!("../from_nestbolt.sql");

fn people() -> People {
    People::read(include_str!("../../../../tests/migrations/nestbolt/people.json"))
}

async fn host(config: AuthConfig, pool: &SqlitePool) -> AuthModule<User> {
    migrate_only(pool, Table::WITHOUT_USERS).await.unwrap();
    let users = SqlUsers::<User>::new(pool.clone()).new_ids(|| Uuid::new_v4().to_string());
    users.check().await.unwrap();
    auth_module! {
        config: config,
        features: [TWO_FACTOR_AUTHENTICATION],
        user_repo: users,
        session_repo: SqlSessions::new(pool.clone()),
    }
}

fn client(auth: &AuthModule<User>) -> Client {
    Client(Router::new().nest("/auth", auth.router()))
}

#[test]
fn the_page_has_the_statements() {
    page_has(include_str!("../../../../docs/guide/from-nestbolt.md"), MIGRATION);
}

#[tokio::test]
async fn users_log_in_with_what_they_had_in_nestbolt() {
    let (people, pool) = (people(), database(&[DATABASE, MIGRATION]).await);
    let auth = host(people.config(), &pool).await;
    let encryption = EncryptionService::new(people.key("encryptionKey")).unwrap();
    assert!(import(&auth, &pool, &encryption).await.unwrap().is_empty());
    let client = client(&auth);
    let mut with_two_factor = 0;
    for person in &people.people {
        if person.is_confirmed {
            with_two_factor += 1;
            client.has_the_second_factor_of_before(person).await;
        } else {
            client.logs_in_by_password_alone(person).await;
        }
    }
    assert_eq!((with_two_factor, people.people.len()), (2, 4));
}

#[tokio::test]
async fn without_the_key_second_factors_are_reported_and_the_password_is_not_enough() {
    let (people, pool) = (people(), database(&[DATABASE, MIGRATION]).await);
    let auth = host(people.config(), &pool).await;
    let other = EncryptionService::new("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=").unwrap();
    assert_eq!(import(&auth, &pool, &other).await.unwrap().len(), 2);
    let (client, grace) = (client(&auth), people.person("Grace"));
    assert!(matches!(client.log_in(&grace.email, &grace.password).await, Login::Challenge(_)));
    assert_eq!(client.challenge(grace, json!({ "code": grace.code })).await.0, 500);
}

#[tokio::test]
async fn a_changed_value_or_key_is_refused() {
    let (people, pool) = (people(), database(&[DATABASE]).await);
    let encryption = EncryptionService::new(people.key("encryptionKey")).unwrap();
    let sql = "SELECT \"twoFactorSecret\" FROM users WHERE \"twoFactorSecret\" IS NOT NULL LIMIT 1";
    let stored: String = sqlx::query_scalar(sql).fetch_one(&pool).await.unwrap();
    assert_eq!(encryption.decrypt(&stored).unwrap().len(), 32);
    for part in 0..3 {
        let mut parts: Vec<_> = stored.split(':').map(str::to_owned).collect();
        let changed = if parts[part].starts_with('A') { "B" } else { "A" };
        parts[part].replace_range(..1, changed);
        assert!(encryption.decrypt(&parts.join(":")).is_err(), "{part}");
    }
    for stored in ["", "AAAA", "AAAA:AAAA", "AAAA:AAAA:AAAA", "?:?:?"] {
        assert!(encryption.decrypt(stored).is_err(), "{stored}");
    }
    assert!(EncryptionService::new("c2hvcnQ=").is_err());
}
