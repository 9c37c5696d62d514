//! Providers that break when a test wants it.

use super::State;
use crate::support::{Account, EMAIL, PASSWORD, memory_users, registration};
use axum_auth_module::repository::MemorySessions;
use axum_auth_module::store::MemoryStore;
use axum_auth_module::testing::{
    self, Client, Fault, Faults, MemoryPasswordResets, MemoryUsers, MovableClock, Outbox, ProviderMethod,
    login_as,
};
use axum_auth_module::{AuthModule, CurrentUser, StandardActions};
use serde_json::json;
use std::collections::HashSet;
use std::time::Duration;

/// A host whose providers all have these faults.
fn host(faults: &Faults) -> (Client, AuthModule<Account>, MemoryUsers<Account>, Outbox) {
    host_on(faults, &MovableClock::new())
}

fn host_on(
    faults: &Faults,
    clock: &MovableClock,
) -> (Client, AuthModule<Account>, MemoryUsers<Account>, Outbox) {
    let (users, outbox) = (memory_users(), Outbox::new());
    let config = testing::config().clock(clock.clone()).build().unwrap();
    let auth = AuthModule::builder(config, faults.over(users.clone()))
        .registration(StandardActions)
        .reset_passwords(
            faults.over(MemoryPasswordResets::new()),
            StandardActions,
            faults.over(outbox.clone()),
        )
        .email_verification(faults.over(outbox.clone()))
        .update_profile_information(StandardActions)
        .sessions(faults.over(MemorySessions::new()))
        .store(faults.over(MemoryStore::new()))
        .build()
        .unwrap();
    let me = axum::routing::get(async |CurrentUser(user): CurrentUser<Account>| user.email);
    let app = axum::Router::new().route("/me", me).nest("/auth", auth.router());
    (Client::new(app.with_state(State { auth: auth.clone() })), auth, users, outbox)
}

#[tokio::test]
async fn a_fault_breaks_the_call_for_which_it_was_planned() {
    let faults = Faults::new();
    let (client, ..) = host(&faults);
    let login = json!({ "email": EMAIL, "password": PASSWORD });
    faults.next(ProviderMethod::UsersCreate, Fault::IsUnavailable);
    client.post("/auth/register").json(&registration(EMAIL)).await.expect(503);
    assert!(faults.have_happened());
    client.post("/auth/register").json(&registration(EMAIL)).await.expect(201);
    faults.nth(ProviderMethod::SessionsCreate, 2, Fault::Fails);
    assert!(!faults.have_happened());
    for status in [200, 503, 200] {
        client.post("/auth/login").json(&login).await.expect(status);
    }
    assert!(faults.have_happened());
    faults.always(ProviderMethod::UsersFindByField, Fault::Fails);
    for _ in 0..3 {
        client.post("/auth/login").json(&login).await.expect(500);
    }
    faults.heal();
    client.post("/auth/login").json(&login).await.expect(200);
    faults.everywhere("store", Fault::Fails);
    client.post("/auth/login").json(&login).await.expect(503);
}

#[tokio::test]
async fn what_a_call_has_done_stays_done_if_it_fails_afterwards() {
    let faults = Faults::new();
    let (client, _, users, _) = host(&faults);
    faults.next(ProviderMethod::UsersCreate, Fault::FailsAfterwards);
    client.post("/auth/register").json(&registration(EMAIL)).await.expect(500);
    assert!(users.by_email(EMAIL).is_some());
    faults.next(ProviderMethod::UsersCreate, Fault::Fails);
    client.post("/auth/register").json(&registration("bob@example.com")).await.expect(500);
    assert!(users.by_email("bob@example.com").is_none());
}

#[tokio::test]
async fn a_call_hangs_until_the_faults_are_healed() {
    let faults = Faults::new();
    let (client, auth, users, outbox) = host(&faults);
    client.post("/auth/register").json(&registration(EMAIL)).await.expect(201);
    let tokens = login_as(&auth, &users.by_email(EMAIL).unwrap()).tokens().await.unwrap();
    faults.clear_calls();
    faults.next(ProviderMethod::UsersFindById, Fault::Hangs);
    let waiting = client.with_tokens(&tokens);
    let waiting = tokio::spawn(async move { waiting.get("/me").await });
    while !faults.calls().contains(&ProviderMethod::UsersFindById) {
        tokio::task::yield_now().await;
    }
    assert!(!waiting.is_finished());
    faults.heal();
    waiting.await.unwrap().expect(500);
    // A delivery hangs behind the response.
    faults.next(ProviderMethod::Deliver, Fault::Hangs);
    client.post("/auth/forgot-password").json(&json!({ "email": EMAIL })).await.expect(200);
    while !faults.calls().contains(&ProviderMethod::Deliver) {
        tokio::task::yield_now().await;
    }
    assert!(outbox.is_empty());
    faults.heal();
    auth.background_work_finished().await;
    assert!(outbox.is_empty(), "a call that has hung fails");
}

#[tokio::test]
async fn a_call_that_waits_does_its_work_when_the_faults_are_healed() {
    let faults = Faults::new();
    let (client, _, users, _) = host(&faults);
    faults.next(ProviderMethod::UsersCreate, Fault::Waits);
    let waiting = tokio::spawn({
        let client = client.clone();
        async move { client.post("/auth/register").json(&registration(EMAIL)).await }
    });
    while !faults.have_happened() {
        tokio::task::yield_now().await;
    }
    assert!(users.by_email(EMAIL).is_none() && !waiting.is_finished());
    faults.heal();
    waiting.await.unwrap().expect(201);
}

#[tokio::test]
async fn a_cause_of_the_tests_own_is_in_the_error() {
    let faults = Faults::with_cause(|| "the row (ada, $2b$)".into());
    let (client, auth, users, _) = host(&faults);
    client.post("/auth/register").json(&registration(EMAIL)).await.expect(201);
    faults.next(ProviderMethod::SessionsCreate, Fault::Fails);
    let error = login_as(&auth, &users.by_email(EMAIL).unwrap()).tokens().await.err().unwrap();
    assert!(format!("{error:?}").contains("the row (ada, $2b$)"), "{error:?}");
    faults.next(ProviderMethod::SessionsCreate, Fault::Panics);
    let login = json!({ "email": EMAIL, "password": PASSWORD });
    let reply = client.post("/auth/login").json(&login).await.expect(500);
    assert!(!reply.text().contains("the row"), "{}", reply.text());
}

/// Something that a host does calls each method of each provider that the host has: every row of the table is a method. That
/// every method is a row, the compiler checks.
#[tokio::test]
async fn every_method_can_break() {
    let (faults, clock) = (Faults::new(), MovableClock::new());
    let (client, auth, users, outbox) = host_on(&faults, &clock);
    client.post("/auth/register").json(&registration(EMAIL)).await.expect(201);
    client.post("/auth/forgot-password").json(&json!({ "email": EMAIL })).await.expect(200);
    let reset = outbox.next_reset(EMAIL).await;
    let other = "another horse battery";
    let body =
        json!({ "token": reset.token, "email": EMAIL, "password": other, "passwordConfirmation": other });
    client.post("/auth/reset-password").json(&body).await.expect(200);
    let wrong = json!({ "email": EMAIL, "password": PASSWORD });
    client.post("/auth/login").json(&wrong).await.expect(401);
    let right = json!({ "email": EMAIL, "password": other });
    client.post("/auth/login").json(&right).await.expect(200);
    let ada = users.by_email(EMAIL).unwrap();
    let login = login_as(&auth, &ada).with_verified_address().with_confirmed_password();
    let signed_in = client.with_tokens(&login.tokens().await.unwrap());
    clock.advance(Duration::from_secs(600));
    let body = json!({ "name": "Ada", "email": "bob@example.com" });
    signed_in.put("/auth/user/profile-information").json(&body).await.expect(200);
    signed_in.post("/auth/logout").await.expect(200);
    auth.admin().end_everybodys_sessions().await.unwrap();
    auth.maintain().await.unwrap();
    auth.background_work_finished().await;
    let called: HashSet<_> = faults.calls().into_iter().collect();
    let provider = |method: &ProviderMethod| method.name().split_once('.').unwrap().0;
    let providers: HashSet<_> = called.iter().map(provider).collect();
    for known in ["users", "resets", "sessions", "store", "delivery"] {
        assert!(providers.contains(known), "{known}");
    }
    let is_missing =
        |method: &&ProviderMethod| providers.contains(provider(method)) && !called.contains(method);
    let missing: Vec<_> = ProviderMethod::ALL.iter().filter(is_missing).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let names: HashSet<_> = ProviderMethod::ALL.iter().map(|method| method.name()).collect();
    assert_eq!(names.len(), ProviderMethod::ALL.len());
}

#[tokio::test]
async fn the_error_names_the_method_and_no_response_shows_it() {
    let faults = Faults::new();
    let (client, auth, users, _) = host(&faults);
    client.post("/auth/register").json(&registration(EMAIL)).await.expect(201);
    faults.always(ProviderMethod::SessionsCreate, Fault::Fails);
    let error = login_as(&auth, &users.by_email(EMAIL).unwrap()).tokens().await.err().unwrap();
    let planned = "a fault that the test has planned for sessions.create";
    assert!(format!("{error:?}").contains(planned), "{error:?}");
    let login = json!({ "email": EMAIL, "password": PASSWORD });
    let reply = client.post("/auth/login").json(&login).await.expect(503);
    assert!(!reply.text().contains("planned"), "{}", reply.text());
    let wrong = std::panic::catch_unwind(|| Faults::new().everywhere("user", Fault::Fails));
    let message = *wrong.err().unwrap().downcast::<String>().unwrap();
    assert!(message.starts_with("`user` is not `users`"), "{message}");
}
