//! `POST /login` with a user name in the place of the address.

use super::{ADA, EVE, SIMILAR, host, host_without_the_feature, is_known, log_in, register_as, with_ada};
use crate::support::places::{Place, in_every_place};
use crate::support::providers::faults;
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, PASSWORD, memory_users, visible};
use axum_auth_module::client::ClientAddress;
use axum_auth_module::error::AuthError;
use axum_auth_module::services::LoginService;
use axum_auth_module::testing::ProviderMethod;
use axum_auth_module::values::Password;
use serde_json::json;

on_both_routers![
    a_session_starts_for_a_user_name_in_any_case,
    a_user_name_leads_to_the_second_factor,
    a_login_has_the_address_or_the_user_name,
    an_address_is_no_user_name_and_a_user_name_is_no_address,
    an_unknown_user_name_is_like_a_wrong_password,
    an_unknown_user_name_takes_the_same_calls,
    a_suspended_account_is_unknown,
    attempts_by_name_and_by_address_are_one_count,
    attempts_at_an_unknown_name_count,
    a_stored_text_that_is_no_user_name_logs_nobody_in,
    without_the_feature_a_user_name_is_ignored,
];

in_every_place![on_both_routers: nothing_but_the_user_name_itself_finds_the_account];

async fn a_session_starts_for_a_user_name_in_any_case() {
    let app = host().await;
    register_as(&app, EMAIL, "Ada.L").await.expect(201);
    for spelling in ["ada.l", "ADA.L", "Ada.L"] {
        let tokens = log_in(&app, spelling, PASSWORD).await.expect(200).tokens();
        assert_eq!(app.me(&tokens.access).await.expect(200).text, EMAIL, "{spelling}");
    }
}

async fn a_user_name_leads_to_the_second_factor() {
    let app = host().await;
    app.enrolled(EMAIL).await;
    app.users.update(EMAIL, |user| user.username = Some(ADA.to_owned()));
    let answer = log_in(&app, ADA, PASSWORD).await.expect(200);
    assert!(answer.challenge().is_some() && answer.session().is_none(), "{}", answer.text);
}

async fn a_login_has_the_address_or_the_user_name() {
    let app = host().await;
    with_ada(&app).await;
    let log_in = async |mut body: serde_json::Value| {
        body["password"] = PASSWORD.into();
        app.post("/auth/login").json(&body).await
    };
    for (body, errors) in [
        (json!({ "email": EMAIL, "username": ADA }), ["username: conflict"]),
        (json!({ "email": "", "username": "" }), ["username: conflict"]),
        (json!({}), ["email: required"]),
        (json!({ "username": null, "email": null }), ["email: required"]),
        (json!({ "username": null }), ["email: required"]),
        (json!({ "username": 7 }), ["username: wrong_type"]),
        (json!({ "username": [ADA] }), ["username: wrong_type"]),
    ] {
        assert_eq!(log_in(body.clone()).await.field_errors(), errors, "{body}");
    }
    log_in(json!({ "username": ADA, "email": null })).await.expect(200);
    log_in(json!({ "username": null, "email": EMAIL })).await.expect(200);
    log_in(json!({ "username": "" })).await.refused(401, "invalid_credentials");
    let nothing = app.post("/auth/login").json(&json!({ "username": ADA })).await;
    assert_eq!(nothing.field_errors(), ["password: required"]);
}

async fn an_address_is_no_user_name_and_a_user_name_is_no_address() {
    let app = host().await;
    with_ada(&app).await;
    log_in(&app, EMAIL, PASSWORD).await.refused(401, "invalid_credentials");
    assert_eq!(app.login_call(ADA, PASSWORD).await.field_errors(), ["email: invalid"]);
    // The part before the @ is nobody's, although somebody's address begins with it.
    log_in(&app, "ada", PASSWORD).await.refused(401, "invalid_credentials");
    // And the other way round.
    register_as(&app, "ada.l@example.com", "another").await.expect(201);
    let tokens = log_in(&app, ADA, PASSWORD).await.expect(200).tokens();
    assert_eq!(app.me(&tokens.access).await.expect(200).text, EMAIL);
}

async fn an_unknown_user_name_is_like_a_wrong_password() {
    let app = host().await;
    with_ada(&app).await;
    let wrong = log_in(&app, ADA, "another password").await.expect(401);
    let by_address = app.login_call(EMAIL, "another password").await.expect(401);
    let none = ["nobody", "", "x", "7up", "two words", &"x".repeat(33), &"x".repeat(60_000)];
    for name in none.into_iter().chain(SIMILAR) {
        assert_eq!(visible(&log_in(&app, name, PASSWORD).await), visible(&wrong), "{name:?}");
    }
    assert_eq!(visible(&by_address), visible(&wrong));
}

/// Every call of the store and of the repositories, and one for the user.
async fn an_unknown_user_name_takes_the_same_calls() {
    let faults = faults();
    let users = memory_users();
    let app = App::with_everything_on(faults.over(users.clone()), users, super::without_limits, |module| {
        module.store(faults.over(axum_auth_module::store::MemoryStore::new()))
    })
    .await;
    with_ada(&app).await;
    let calls = async |name: &str| {
        // Neither has a window that an earlier attempt has begun.
        app.advance(100_000);
        faults.clear_calls();
        log_in(&app, name, "another password").await.refused(401, "invalid_credentials");
        app.auth.background_work_finished().await;
        faults.calls()
    };
    let known = calls(ADA).await;
    let looks = known.iter().filter(|call| matches!(call, ProviderMethod::UsersFindByField)).count();
    assert_eq!(looks, 1, "{known:?}");
    for name in ["nobody", "no name", "", "ada.l\0"] {
        assert_eq!(calls(name).await, known, "{name:?}");
    }
}

async fn a_suspended_account_is_unknown() {
    let app = host().await;
    with_ada(&app).await;
    let wrong = log_in(&app, "nobody", PASSWORD).await.expect(401);
    app.users.update(EMAIL, |user| user.active = false);
    assert_eq!(visible(&log_in(&app, ADA, PASSWORD).await), visible(&wrong));
}

async fn attempts_by_name_and_by_address_are_one_count() {
    let app = App::with_everything().await;
    with_ada(&app).await;
    for _ in 0..3 {
        log_in(&app, ADA, "another password").await.refused(401, "invalid_credentials");
    }
    for _ in 0..2 {
        app.login_call(EMAIL, "another password").await.refused(401, "invalid_credentials");
    }
    log_in(&app, "ADA.l", PASSWORD).await.refused(429, "too_many_attempts");
    app.login_call(EMAIL, PASSWORD).await.refused(429, "too_many_attempts");
}

async fn attempts_at_an_unknown_name_count() {
    let app = App::with_everything().await;
    with_ada(&app).await;
    let attempts = async |name: &str, client: &str| {
        for _ in 0..5 {
            log_in(&app, name, "another password").from(client).await.refused(401, "invalid_credentials");
        }
        log_in(&app, &name.to_uppercase(), PASSWORD).from(client).await
    };
    let known = attempts(ADA, "198.51.100.1").await.refused(429, "too_many_attempts");
    for (number, name) in ["nobody", "no name"].into_iter().enumerate() {
        let unknown = attempts(name, &format!("198.51.100.{}", number + 2)).await;
        assert_eq!(visible(&unknown), visible(&known), "{name}");
    }
}

/// A host may have imported names of another kind.
async fn a_stored_text_that_is_no_user_name_logs_nobody_in() {
    let app = host().await;
    with_ada(&app).await;
    for stored in ["-", "7up", "ada@example.com", "Ada.L", ""] {
        app.users.update(EMAIL, |user| user.username = Some(stored.to_owned()));
        assert!(!is_known(&app, stored).await, "{stored:?}");
    }
    app.login(EMAIL).await;
}

#[tokio::test]
async fn without_the_feature_the_service_has_no_login_by_user_name() {
    let app = host_without_the_feature().await;
    register_as(&app, EMAIL, ADA).await.expect(201);
    app.users.update(EMAIL, |user| user.username = Some(ADA.to_owned()));
    let service = app.auth.service::<LoginService>().unwrap();
    let password = Password::to_check(PASSWORD.to_owned());
    let refused = service.login_by_username(ADA, &password, ClientAddress::UNKNOWN).await.err().unwrap();
    assert!(matches!(refused, AuthError::NotFound), "{refused}");
}

async fn without_the_feature_a_user_name_is_ignored() {
    let app = host_without_the_feature().await;
    register_as(&app, EMAIL, "No name!").await.expect(201);
    assert_eq!(app.users.by_email(EMAIL).unwrap().username, None);
    app.users.update(EMAIL, |user| user.username = Some(ADA.to_owned()));
    assert_eq!(log_in(&app, ADA, PASSWORD).await.field_errors(), ["email: required"]);
    let both = json!({ "email": EMAIL, "username": ADA, "password": PASSWORD });
    let tokens = app.post("/auth/login").json(&both).await.expect(200).tokens();
    super::update(&app, &tokens, "another").await.expect(200);
    assert_eq!(app.users.by_email(EMAIL).unwrap().username.as_deref(), Some(ADA));
}

/// Databases compare texts in many ways.
async fn nothing_but_the_user_name_itself_finds_the_account(place: &Place) {
    let app = place.start_with(super::without_limits).await;
    with_ada(&app).await;
    register_as(&app, EVE, "\u{61}da-l").await.expect(201);
    for name in SIMILAR {
        log_in(&app, name, PASSWORD).await.refused(401, "invalid_credentials");
        let refused = register_as(&app, "mallory@example.com", name).await.field_errors();
        assert_eq!(refused, ["username: invalid"], "{name:?}");
    }
    let tokens = log_in(&app, "ADA.L", PASSWORD).await.expect(200).tokens();
    assert_eq!(app.me(&tokens.access).await.expect(200).text, EMAIL);
}
