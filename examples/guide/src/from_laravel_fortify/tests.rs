//! The users of a database that Laravel and Fortify have made.

use super::{Crypt, Engine, STANDARD, User, import, unserialized};
use crate::migrated::{Client, Login, People, database, page_has};
use axum::Router;
use axum_auth_module::config::AuthConfig;
use axum_auth_module::sql::{self, SqlSessions, SqlUsers};
use axum_auth_module::{AuthModule, auth_module};
use serde_json::json;
use sqlx::SqlitePool;

const DATABASE: &str = include_str!("../../../../tests/migrations/laravel-fortify/database.sql");
const MIGRATION: &str = include_str!("../from_laravel_fortify.sql");

fn people() -> People {
    People::read(include_str!("../../../../tests/migrations/laravel-fortify/people.json"))
}

async fn host(config: AuthConfig, pool: &SqlitePool) -> AuthModule<User> {
    sql::migrate(pool).await.unwrap();
    auth_module! {
        config: config,
        features: [TWO_FACTOR_AUTHENTICATION],
        user_repo: SqlUsers::<User>::new(pool.clone()),
        session_repo: SqlSessions::new(pool.clone()),
    }
}

fn client(auth: &AuthModule<User>) -> Client {
    Client(Router::new().nest("/auth", auth.router()))
}

#[test]
fn the_page_has_the_statements() {
    page_has(include_str!("../../../../docs/guide/from-laravel-fortify.md"), MIGRATION);
}

#[tokio::test]
async fn users_log_in_with_what_they_had_in_laravel() {
    let (people, pool) = (people(), database(&[DATABASE, MIGRATION]).await);
    let auth = host(people.config(), &pool).await;
    let crypt = Crypt::new(people.key("current"), people.key("previous")).unwrap();
    assert!(import(&auth, &pool, &crypt).await.unwrap().is_empty());
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
    assert_eq!((with_two_factor, people.people.len()), (3, 5));
}

#[tokio::test]
async fn a_second_import_changes_nothing() {
    let (people, pool) = (people(), database(&[DATABASE, MIGRATION]).await);
    let auth = host(people.config(), &pool).await;
    let crypt = Crypt::new(people.key("current"), people.key("previous")).unwrap();
    let stored = || async {
        let sql = "SELECT two_factor_secret, two_factor_recovery_codes FROM users ORDER BY id";
        sqlx::query_as::<_, (Option<String>, Option<String>)>(sql).fetch_all(&pool).await.unwrap()
    };
    import(&auth, &pool, &crypt).await.unwrap();
    let imported = stored().await;
    assert_eq!(imported.iter().filter(|(secret, codes)| secret.is_some() && codes.is_some()).count(), 3);
    assert!(import(&auth, &pool, &crypt).await.unwrap().is_empty());
    assert_eq!(stored().await, imported);
}

#[tokio::test]
async fn without_its_key_a_second_factor_is_reported_and_keeps_the_password_from_being_enough() {
    let (people, pool) = (people(), database(&[DATABASE, MIGRATION]).await);
    let auth = host(people.config(), &pool).await;
    let crypt = Crypt::new(people.key("current"), "").unwrap();
    let failed = import(&auth, &pool, &crypt).await.unwrap();
    let failed: Vec<_> = failed.iter().map(|(id, error)| (*id, error.to_string())).collect();
    assert_eq!(failed, [(3, "no key fits".to_owned())]);
    let (client, linus) = (client(&auth), people.person("linus"));
    assert!(matches!(client.log_in(&linus.email, &linus.password).await, Login::Challenge(_)));
    assert_eq!(client.challenge(linus, json!({ "code": linus.code })).await.0, 500);
}

#[tokio::test]
async fn a_changed_value_is_refused() {
    let (people, pool) = (people(), database(&[DATABASE]).await);
    let crypt = Crypt::new(people.key("current"), people.key("previous")).unwrap();
    let sql = "SELECT two_factor_secret FROM users WHERE two_factor_secret IS NOT NULL";
    let stored: Vec<String> = sqlx::query_scalar(sql).fetch_all(&pool).await.unwrap();
    assert_eq!(stored.len(), 4);
    for stored in stored {
        assert!(crypt.decrypt(&stored).is_ok());
        let json = String::from_utf8(STANDARD.decode(&stored).unwrap()).unwrap();
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        for part in ["iv", "value", "mac", "tag"] {
            let text = json[part].as_str().unwrap();
            let Some(first) = text.chars().next() else { continue };
            let mut changed = json.clone();
            changed[part] = text.replacen(first, if first == 'A' { "B" } else { "A" }, 1).into();
            assert!(crypt.decrypt(&STANDARD.encode(changed.to_string())).is_err(), "{part}");
        }
    }
}

#[test]
fn keys_and_values_of_other_forms_are_refused() {
    for key in ["", "c2VjcmV0", "base64:c2VjcmV0", "base64:?"] {
        assert!(Crypt::new(key, "").is_err(), "{key}");
    }
    assert_eq!(unserialized("s:3:\"a\"b\";").unwrap().as_str(), "a\"b");
    for value in ["abc", "i:3;", "s:4:\"abc\";", "s:3:\"abc\"", "s:x:\"abc\";"] {
        assert!(unserialized(value).is_none(), "{value}");
    }
}
