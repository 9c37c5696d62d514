//! The users of two databases that Devise has made: with devise-two-factor 6 and the encryption of Rails, and with devise-two-factor
//! 4 and the gem `attr_encrypted`.

use super::{DevisePepper, OtpEncryption, User, import};
use crate::migrated::{Client, Login, People, database, page_has};
use axum::Router;
use axum_auth_module::config::AuthConfig;
use axum_auth_module::passwords::PasswordVerifier;
use axum_auth_module::sql::{SqlSessions, SqlUsers, Table, migrate_only};
use axum_auth_module::{AuthModule, auth_module};
use serde_json::json;
use sqlx::SqlitePool;

const MIGRATION: &str = include_str!("../from_devise.sql");
const MARK: &str =
    "UPDATE users SET encrypted_password = 'devise' || encrypted_password WHERE encrypted_password <> '';\n";
const WITH_RAILS: &str = include_str!("../../../../tests/migrations/devise/database-rails.sql");
const WITH_ATTR_ENCRYPTED: &str =
    include_str!("../../../../tests/migrations/devise/database-attr-encrypted.sql");

fn people_with_rails() -> People {
    People::read(include_str!("../../../../tests/migrations/devise/people-rails.json"))
}

fn people_with_attr_encrypted() -> People {
    People::read(include_str!("../../../../tests/migrations/devise/people-attr-encrypted.json"))
}

fn rails_encryption(people: &People, keys: &[&str]) -> OtpEncryption {
    let keys: Vec<_> = keys.iter().map(|name| people.key(name)).collect();
    OtpEncryption::rails(&keys, people.key("key_derivation_salt"))
}

async fn host(config: AuthConfig, pool: &SqlitePool, pepper: &str) -> AuthModule<User> {
    migrate_only(pool, Table::WITHOUT_USERS).await.unwrap();
    let users = SqlUsers::<User>::new(pool.clone());
    users.check().await.unwrap();
    auth_module! {
        config: config,
        features: [TWO_FACTOR_AUTHENTICATION],
        user_repo: users,
        session_repo: SqlSessions::new(pool.clone()),
        password_verifier: DevisePepper(pepper.to_owned()),
    }
}

fn client(auth: &AuthModule<User>) -> Client {
    Client(Router::new().nest("/auth", auth.router()))
}

/// Everybody logs in: with the password, and with the app who had one.
async fn everybody_logs_in(client: &Client, people: &People) {
    let mut with_two_factor = 0;
    for person in &people.people {
        if !person.is_confirmed {
            client.logs_in_by_password_alone(person).await;
            continue;
        }
        with_two_factor += 1;
        let old = json!({ "recoveryCode": person.recovery_codes[0] });
        assert_eq!(client.challenge(person, old).await.0, 422, "Devise has hashes of recovery codes alone");
        let access = client.has_the_app_of_before(person).await;
        let codes = client.recovery_codes(person, &access).await;
        assert_eq!(codes.len(), 8);
        assert_eq!(client.challenge(person, json!({ "recoveryCode": codes[3] })).await.0, 200);
    }
    assert_eq!((with_two_factor, people.people.len()), (2, 4));
}

#[test]
fn the_page_has_the_statements() {
    let page = include_str!("../../../../docs/guide/from-devise.md");
    page_has(page, MIGRATION);
    page_has(page, MARK);
}

#[tokio::test]
async fn users_log_in_with_what_they_had_with_the_encryption_of_rails() {
    let (people, pool) = (people_with_rails(), database(&[WITH_RAILS, MIGRATION, MARK]).await);
    let auth = host(people.config(), &pool, people.key("pepper")).await;
    let encryption = rails_encryption(&people, &["previous_primary_key", "primary_key"]);
    assert!(import(&auth, &pool, &encryption).await.unwrap().is_empty());
    everybody_logs_in(&client(&auth), &people).await;
    let hashes: Vec<String> =
        sqlx::query_scalar("SELECT encrypted_password FROM users").fetch_all(&pool).await.unwrap();
    assert!(hashes.iter().all(|hash| hash.starts_with("$2b$")), "each login has replaced the hash");
}

#[tokio::test]
async fn users_log_in_with_what_they_had_with_attr_encrypted() {
    let people = people_with_attr_encrypted();
    let pool = database(&[WITH_ATTR_ENCRYPTED, MIGRATION]).await;
    let auth = host(people.config(), &pool, "").await;
    let encryption = OtpEncryption::AttrEncrypted(people.key("otp_secret_encryption_key").to_owned().into());
    assert!(import(&auth, &pool, &encryption).await.unwrap().is_empty());
    everybody_logs_in(&client(&auth), &people).await;
}

#[tokio::test]
async fn without_their_keys_second_factors_are_reported_and_the_password_is_not_enough() {
    let (people, pool) = (people_with_rails(), database(&[WITH_RAILS, MIGRATION, MARK]).await);
    let auth = host(people.config(), &pool, people.key("pepper")).await;
    let failures = |encryption: OtpEncryption| {
        let (auth, pool) = (auth.clone(), pool.clone());
        async move {
            let failed = import(&auth, &pool, &encryption).await.unwrap();
            failed.into_iter().map(|(id, error)| (id, error.to_string())).collect::<Vec<_>>()
        }
    };
    let no_key = |id| (id, "no key fits".to_owned());
    let other_salt = OtpEncryption::rails(&[people.key("primary_key")], "another salt");
    assert_eq!(failures(other_salt).await, [no_key(2), no_key(3)]);
    // The key before the last one, with SHA-1, has encrypted what is in the second row, and nothing else.
    assert_eq!(failures(rails_encryption(&people, &["primary_key"])).await, [no_key(2)]);
    let (client, linus) = (client(&auth), people.person("linus"));
    assert!(matches!(client.log_in(&linus.email, &linus.password).await, Login::Challenge(_)));
    assert_eq!(client.challenge(linus, json!({ "code": linus.code })).await.0, 500);
    assert!(failures(rails_encryption(&people, &["previous_primary_key", "primary_key"])).await.is_empty());
    client.has_the_app_of_before(linus).await;
}

#[tokio::test]
async fn another_key_of_attr_encrypted_does_not_fit() {
    let people = people_with_attr_encrypted();
    let pool = database(&[WITH_ATTR_ENCRYPTED, MIGRATION]).await;
    let auth = host(people.config(), &pool, "").await;
    let encryption = OtpEncryption::AttrEncrypted("another key".to_owned().into());
    let failed = import(&auth, &pool, &encryption).await.unwrap();
    assert_eq!(failed.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [2, 3]);
}

#[test]
fn a_pepper_belongs_to_the_password_and_a_dear_hash_is_not_computed() {
    let people = people_with_rails();
    let pepper = DevisePepper(people.key("pepper").to_owned());
    let ada = people.person("ada");
    let hash = WITH_RAILS.split('\'').find(|text| text.starts_with("$2a$10$")).unwrap();
    let marked = format!("devise{hash}");
    assert!(pepper.recognises(&marked) && !pepper.recognises(hash));
    assert!(pepper.verify(&ada.password, &marked));
    assert!(!pepper.verify("a wrong password", &marked));
    assert!(!DevisePepper("another pepper".to_owned()).verify(&ada.password, &marked));
    assert!(!pepper.verify(&ada.password, &marked.replace("$10$", "$31$")));
    assert!(!pepper.verify(&ada.password, "devise$2a$"));
}
