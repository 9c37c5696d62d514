//! Asking again for a reset token: for ten minutes every mail has the token of the first one, for requests by anybody (specification §15.2). So nobody, and no
//! impatient owner, makes the link of an earlier mail useless.

use super::reset_password::{NEW, is_invalid, reset, token};
use crate::support::databases::{Kind, TestDatabase, connect};
use crate::support::places::{Place, create_tables, in_every_place, on_database};
use crate::support::providers::faults;
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, PASSWORD, Tokens, addresses_of_profiles, at_once, reset_key};
use axum_auth_module::config::{RateLimit, RateLimits};
use axum_auth_module::delivery::PasswordResetMessage;
use axum_auth_module::repository::PasswordResetRepository;
use axum_auth_module::sql::Database;
use axum_auth_module::testing::{Fault, MovableClock, ProviderMethod};
use serde_json::json;
use sqlx::{Connection, Row, SqliteConnection};
use std::collections::BTreeSet;
use std::time::Duration;

on_both_routers![
    within_ten_minutes_everybody_gets_the_token_of_the_first_mail_with_its_expiry,
    after_ten_minutes_a_new_token_replaces_it,
    of_a_short_lifetime_half_counts,
    a_token_that_was_used_or_ended_is_not_mailed_again,
    a_token_whose_reset_was_interrupted_is_not_mailed_again,
    a_token_that_is_not_in_the_table_is_not_mailed_again,
    a_token_is_not_mailed_to_the_next_account_of_its_address,
];

in_every_place![on_both_routers: requests_at_once_agree_on_one_token];

async fn ask(app: &App, from: &str) -> PasswordResetMessage {
    let call = app.post("/auth/forgot-password").json(&json!({ "email": EMAIL })).from(from);
    call.await.expect(200);
    app.outbox.next().await
}

async fn with_user() -> (App, Tokens) {
    let limits = RateLimits::all(RateLimit::per_seconds(1_000, 60));
    let app = App::with_everything_and(|config| config.limits(limits), addresses_of_profiles).await;
    let tokens = app.register(EMAIL).await;
    (app, tokens)
}

async fn within_ten_minutes_everybody_gets_the_token_of_the_first_mail_with_its_expiry() {
    let (app, _) = with_user().await;
    let first = ask(&app, "192.0.2.1").await;
    let stored = app.resets.find_by_email(&reset_key(EMAIL)).await.unwrap().unwrap();
    for (seconds, client) in [(0, "192.0.2.1"), (60, "203.0.113.5"), (539, "198.51.100.7")] {
        app.advance(seconds);
        let again = ask(&app, client).await;
        assert_eq!((&again.token, again.expires_at), (&first.token, first.expires_at), "{seconds}");
        let now = app.resets.find_by_email(&reset_key(EMAIL)).await.unwrap().unwrap();
        assert!(now == stored, "the table has not changed");
    }
    reset(&app, EMAIL, &first.token, NEW).await.expect(200);
}

async fn after_ten_minutes_a_new_token_replaces_it() {
    let (app, _) = with_user().await;
    let first = ask(&app, "192.0.2.1").await;
    app.advance(600);
    let second = ask(&app, "192.0.2.1").await;
    assert_ne!(second.token, first.token);
    assert_eq!(second.expires_at, first.expires_at + Duration::from_secs(600));
    is_invalid(reset(&app, EMAIL, &first.token, NEW).await);
    assert_eq!(ask(&app, "192.0.2.1").await.token, second.token);
    reset(&app, EMAIL, &second.token, NEW).await.expect(200);
}

async fn of_a_short_lifetime_half_counts() {
    let short = Duration::from_secs(300);
    let app = App::with_everything_and(|config| config.reset_token_lifetime(short), |module| module).await;
    app.register(EMAIL).await;
    let first = ask(&app, "192.0.2.1").await;
    app.advance(149);
    assert_eq!(ask(&app, "192.0.2.1").await.token, first.token);
    app.advance(1);
    assert_ne!(ask(&app, "192.0.2.1").await.token, first.token);
}

async fn a_token_that_was_used_or_ended_is_not_mailed_again() {
    for end in ["use", "password", "address"] {
        let (app, tokens) = with_user().await;
        let first = ask(&app, "192.0.2.1").await;
        match end {
            "use" => drop(reset(&app, EMAIL, &first.token, PASSWORD).await.expect(200)),
            "password" => {
                let body = json!({
                    "currentPassword": PASSWORD, "password": PASSWORD, "passwordConfirmation": PASSWORD,
                });
                app.put("/auth/user/password").bearer(&tokens.access).json(&body).await.expect(200);
            }
            _ => {
                for email in ["away@example.com", EMAIL] {
                    let body = json!({ "name": "Ada", "email": email });
                    let update = app.put("/auth/user/profile-information").bearer(&tokens.access);
                    update.json(&body).await.expect(200);
                }
            }
        }
        let second = ask(&app, "192.0.2.1").await;
        assert_ne!(second.token, first.token, "{end}");
        is_invalid(reset(&app, EMAIL, &first.token, NEW).await);
        reset(&app, EMAIL, &second.token, NEW).await.expect(200);
    }
}

/// The password was written, and then neither the sessions could be ended nor the token given back.
async fn a_token_whose_reset_was_interrupted_is_not_mailed_again() {
    let faults = faults();
    let limits = RateLimits::all(RateLimit::per_seconds(1_000, 60));
    let app = Place::memory().start_faulty(&faults, |config| config.limits(limits)).await;
    app.register(EMAIL).await;
    let first = ask(&app, "192.0.2.1").await;
    for method in [ProviderMethod::SessionsFindByUser, ProviderMethod::StoreDelete] {
        faults.always(method, Fault::Fails);
    }
    reset(&app, EMAIL, &first.token, NEW).await.expect(503);
    faults.heal();
    let second = ask(&app, "192.0.2.1").await;
    assert_ne!(second.token, first.token);
    reset(&app, EMAIL, &second.token, NEW).await.expect(200);
}

/// The table says which token is valid, whatever the store still keeps.
async fn a_token_that_is_not_in_the_table_is_not_mailed_again() {
    let (app, _) = with_user().await;
    let first = ask(&app, "192.0.2.1").await;
    app.resets.delete_by_email(&reset_key(EMAIL)).await.unwrap();
    let second = ask(&app, "192.0.2.1").await;
    assert_ne!(second.token, first.token);
    is_invalid(reset(&app, EMAIL, &first.token, NEW).await);
    reset(&app, EMAIL, &second.token, NEW).await.expect(200);
}

async fn a_token_is_not_mailed_to_the_next_account_of_its_address() {
    let (app, _) = with_user().await;
    let first = ask(&app, "192.0.2.1").await;
    // The host deletes the user without telling the module.
    app.users.remove(EMAIL);
    app.register(EMAIL).await;
    let second = ask(&app, "192.0.2.1").await;
    assert_ne!(second.token, first.token);
    is_invalid(reset(&app, EMAIL, &first.token, NEW).await);
}

async fn requests_at_once_agree_on_one_token(place: &Place) {
    let limits = RateLimits::all(RateLimit::per_seconds(10_000, 60));
    let apps = [
        place.start_with(|config| config.limits(limits)).await,
        place.start_with(|config| config.limits(limits)).await,
    ];
    for round in 0..place.rounds(16) {
        let email = format!("ada{round}@example.com");
        apps[0].register(&email).await;
        let calls = (0..8).map(|n| {
            apps[n % 2].post("/auth/forgot-password").json(&json!({ "email": email })).into_future()
        });
        for answer in at_once(calls.collect::<Vec<_>>()).await {
            answer.expect(200);
        }
        let mut tokens = BTreeSet::new();
        for n in 0..8 {
            tokens.insert(apps[n % 2].outbox.next::<PasswordResetMessage>().await.token);
        }
        assert_eq!(tokens.len(), 1);
        let token = tokens.pop_first().unwrap();
        reset(&apps[1], &email, &token, NEW).await.expect(200);
        apps[0].login_call(&email, NEW).await.expect(200);
    }
}

#[tokio::test]
async fn the_store_has_no_token_in_clear_text() {
    let Some(database) = TestDatabase::create(Kind::Sqlite).await else { return };
    create_tables(Kind::Sqlite, &database.url()).await;
    let pool = connect::<Database>(Kind::Sqlite, &database.url(), 2).await;
    let app = on_database(pool, &MovableClock::new(), |config| config).await;
    app.register(EMAIL).await;
    let token = token(&app, &app.outbox, EMAIL).await;
    app.auth.background_work_finished().await;
    let mut connection = SqliteConnection::connect(&database.url()).await.unwrap();
    let rows = sqlx::query("SELECT key, value FROM auth_store").fetch_all(&mut connection).await.unwrap();
    let value = |row: &sqlx::sqlite::SqliteRow| row.get::<Option<Vec<u8>>, _>(1).unwrap_or_default();
    let kept = rows.iter().filter(|row| row.get::<String, _>(0).starts_with("reset-kept:")).count();
    assert_eq!(kept, 1);
    for value in rows.iter().map(value) {
        let text = String::from_utf8_lossy(&value).into_owned();
        assert!(!text.contains(&token) && !text.contains(EMAIL), "{text}");
    }
}
