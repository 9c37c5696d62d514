//! Which clients an account knows (specification §17.4): nobody learns from the limits whether it knows one, and what ends the
//! sessions of a thief makes the thief's client unknown.

use super::lockouts::is_known;
use crate::reset_passwords::reset_password::{NEW, reset, token};
use crate::support::answer::Answer;
use crate::support::authenticator::Enrolled;
use crate::support::providers::faults;
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, PASSWORD};
use axum_auth_module::repository::MemorySessions;
use axum_auth_module::testing::{Fault, ProviderMethod};
use serde_json::json;

on_both_routers![
    known_and_unknown_clients_see_the_same_statuses,
    known_and_unknown_clients_see_the_same_statuses_behind_a_credential,
    a_quarter_of_the_clients_in_use_seem_known_to_an_address_without_an_account,
    a_reset_makes_every_client_unknown,
    a_changed_password_makes_every_client_unknown_but_its_own,
    the_end_of_all_sessions_makes_every_client_unknown,
    a_changed_second_factor_leaves_clients_known,
    a_login_that_a_reset_overtakes_makes_no_client_known,
];

const OWNER: &str = "198.51.100.7";
const THIEF: &str = "198.51.100.66";
const NOBODY: &str = "nobody@example.com";

async fn login(app: &App, email: &str, client: &str) {
    app.login_call(email, PASSWORD).from(client).await.expect(200);
}

/// A host with an account that has logged in from `OWNER` and `THIEF`.
async fn with_thief() -> App {
    let app = App::with_everything().await;
    app.register(EMAIL).await;
    login(&app, EMAIL, OWNER).await;
    login(&app, EMAIL, THIEF).await;
    app
}

fn forgot(app: &App, email: &str, client: &str) -> crate::support::Call {
    app.post("/auth/forgot-password").from(client).json(&json!({ "email": email }))
}

/// Wrong passwords over more than an hour, and requests for a reset token in between.
async fn known_and_unknown_clients_see_the_same_statuses() {
    let app = App::with_everything().await;
    app.register(EMAIL).await;
    app.register("eve@example.com").await;
    login(&app, EMAIL, OWNER).await;
    login(&app, "eve@example.com", "198.51.100.8").await;
    let mut seen = Vec::new();
    // A client that the account knows, one that it does not know, and an address without an account.
    for (email, client) in [(EMAIL, OWNER), ("eve@example.com", "198.51.100.9"), (NOBODY, "198.51.100.10")] {
        let mut statuses = Vec::new();
        for _ in 0..8 {
            for _ in 0..7 {
                statuses.push(app.login_call(email, "wrong").from(client).await.status);
            }
            for _ in 0..4 {
                statuses.push(forgot(&app, email, client).await.status);
            }
            app.advance(60);
        }
        app.advance(3600 - 8 * 60);
        statuses.push(app.login_call(email, "wrong").from(client).await.status);
        seen.push(statuses);
    }
    let minute = [401, 401, 401, 401, 401, 429, 429, 200, 200, 200, 429];
    assert_eq!(seen[0][..11], minute);
    assert_eq!(seen[0][6 * 11..][..11], [429, 429, 429, 429, 429, 429, 429, 200, 200, 200, 429]);
    assert_eq!(seen[0].last(), Some(&401));
    assert!(seen.iter().all(|statuses| *statuses == seen[0]), "{seen:?}");
}

async fn known_and_unknown_clients_see_the_same_statuses_behind_a_credential() {
    let app = App::with_everything().await;
    let mut seen = Vec::new();
    for (email, client) in [(EMAIL, OWNER), ("eve@example.com", "198.51.100.9")] {
        let Enrolled { authenticator, tokens } = app.enrolled(email).await;
        let answer = app.login_call(email, PASSWORD).from(OWNER).await.expect(200);
        app.challenge(&answer.challenge().unwrap(), &authenticator.code(&app)).from(OWNER).await.expect(200);
        let mut statuses = Vec::new();
        for _ in 0..7 {
            for _ in 0..6 {
                let confirm = app.post("/auth/user/confirm-password").bearer(&tokens.access).from(client);
                statuses.push(confirm.json(&json!({ "password": "wrong" })).await.status);
            }
            for _ in 0..6 {
                let token = app.challenge_token(email).await;
                statuses.push(app.challenge(&token, "no code").from(client).await.status);
            }
            app.advance(60);
        }
        seen.push(statuses);
    }
    assert_eq!(seen[0][..12], [422, 422, 422, 422, 422, 429, 422, 422, 422, 422, 422, 429]);
    assert_eq!(seen[0][72..], [429; 12]);
    assert_eq!(seen[0], seen[1]);
}

/// The clients that may still ask for a reset token after others have used up the limit of the address.
async fn those_that_seem_known(app: &App, email: &str, clients: &[String]) -> Vec<String> {
    for n in 0..3 {
        forgot(app, email, &format!("192.0.2.{}", 100 + n)).await.expect(200);
    }
    let mut known = Vec::new();
    for client in clients {
        if forgot(app, email, client).await.status == 200 {
            known.push(client.clone());
        }
    }
    app.advance(60);
    known
}

async fn a_quarter_of_the_clients_in_use_seem_known_to_an_address_without_an_account() {
    let app = App::with_everything().await;
    app.register(EMAIL).await;
    app.register("eve@example.com").await;
    let clients = |network: &str| (0..60).map(|n| format!("{network}.{n}")).collect::<Vec<_>>();
    let (in_use, others) = (clients("203.0.114"), clients("198.51.100"));
    for client in &in_use {
        login(&app, "eve@example.com", client).await;
    }
    let known = those_that_seem_known(&app, NOBODY, &in_use).await;
    assert!((4..=28).contains(&known.len()), "{known:?}");
    assert_eq!(those_that_seem_known(&app, NOBODY, &in_use).await, known, "each time the same ones");
    assert_ne!(those_that_seem_known(&app, "somebody@example.com", &in_use).await, known);
    // Who has many clients finds as few of them known as to an account.
    for email in [NOBODY, EMAIL] {
        assert!(those_that_seem_known(&app, email, &others).await.is_empty(), "{email}");
    }
    // Logins have the same clients.
    let unknown = in_use.iter().find(|client| !known.contains(client)).unwrap();
    assert!(is_known(&app, NOBODY, &known[0]).await);
    assert!(!is_known(&app, NOBODY, unknown).await);
}

async fn a_reset_makes_every_client_unknown() {
    let app = with_thief().await;
    assert!(is_known(&app, EMAIL, THIEF).await);
    let token = token(&app, &app.outbox, EMAIL).await;
    reset(&app, EMAIL, &token, NEW).from(OWNER).await.expect(200);
    assert!(!is_known(&app, EMAIL, THIEF).await);
    assert!(is_known(&app, EMAIL, OWNER).await, "the client that has reset the password stays known");
    // A login makes a client known again.
    app.login_call(EMAIL, NEW).from(THIEF).await.expect(200);
    assert!(is_known(&app, EMAIL, THIEF).await);
}

async fn a_changed_password_makes_every_client_unknown_but_its_own() {
    let app = with_thief().await;
    let tokens = app.login_call(EMAIL, PASSWORD).from(OWNER).await.expect(200).tokens();
    let change = |client: &str, to: &str, from: &str| {
        let body = json!({ "currentPassword": from, "password": to, "passwordConfirmation": to });
        app.put("/auth/user/password").bearer(&tokens.access).from(client).json(&body)
    };
    let changed: Answer = change(OWNER, NEW, PASSWORD).await;
    let tokens = changed.expect(200).tokens();
    assert!(!is_known(&app, EMAIL, THIEF).await);
    assert!(is_known(&app, EMAIL, OWNER).await);
    // A client that was unknown stays unknown, although it acts.
    let body = json!({ "currentPassword": NEW, "password": PASSWORD, "passwordConfirmation": PASSWORD });
    let refreshed = app.renew(&tokens).await;
    let call = app.put("/auth/user/password").bearer(&refreshed.access).from("192.0.2.9");
    call.json(&body).await.expect(200);
    assert!(!is_known(&app, EMAIL, "192.0.2.9").await);
    assert!(!is_known(&app, EMAIL, OWNER).await);
}

async fn the_end_of_all_sessions_makes_every_client_unknown() {
    let app = with_thief().await;
    app.auth.admin().end_all_sessions(&1).await.unwrap();
    for client in [OWNER, THIEF] {
        assert!(!is_known(&app, EMAIL, client).await);
    }
    login(&app, EMAIL, OWNER).await;
    // At a time when the clock of the instance that has done so before was ahead.
    app.auth.admin().end_all_sessions(&1).await.unwrap();
    assert!(!is_known(&app, EMAIL, OWNER).await);
}

async fn a_changed_second_factor_leaves_clients_known() {
    let app = with_thief().await;
    let tokens = app.login_call(EMAIL, PASSWORD).from(OWNER).await.expect(200).tokens();
    app.confirm_password(&tokens.access).await;
    app.enable(&tokens.access).await.expect(200);
    let authenticator = app.authenticator(&tokens.access).await;
    app.confirm_two_factor(&tokens.access, &authenticator.code(&app)).await.expect(200);
    assert!(is_known(&app, EMAIL, THIEF).await);
}

/// A thief's login is at its last steps when the owner resets the password.
async fn a_login_that_a_reset_overtakes_makes_no_client_known() {
    let faults = faults();
    let sessions = faults.over(MemorySessions::new());
    let app = App::with_everything_and(|config| config, |module| module.session_repo(sessions)).await;
    app.register(EMAIL).await;
    let token = token(&app, &app.outbox, EMAIL).await;
    faults.next(ProviderMethod::SessionsFindByUser, Fault::Waits);
    let thief = tokio::spawn(app.login_call(EMAIL, PASSWORD).from(THIEF).into_future());
    while !faults.have_happened() {
        tokio::task::yield_now().await;
    }
    reset(&app, EMAIL, &token, NEW).from(OWNER).await.expect(200);
    faults.heal();
    thief.await.unwrap().expect(200);
    assert!(!is_known(&app, EMAIL, THIEF).await);
}
