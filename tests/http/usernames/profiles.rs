//! `PUT /user/profile-information` with a user name.

use super::{ADA, EVE, host, is_known, register_as, update, with_ada};
use crate::support::places::{Place, in_every_place};
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, PASSWORD, at_once};
use axum_auth_module::actions::{ProfileData, UsernameChange};
use axum_auth_module::client::ClientAddress;
use axum_auth_module::error::AuthError;
use axum_auth_module::services::UpdateProfileInformationService;
use axum_auth_module::values::{EmailAddress, UserName, Username};
use serde_json::{Value, json};

on_both_routers![
    a_client_that_does_not_know_user_names_leaves_them,
    null_removes_the_user_name,
    a_user_name_is_changed_and_every_session_lives,
    everything_wrong_with_the_fields_is_said_at_once,
    a_user_keeps_a_reserved_name_and_nobody_gets_one,
    the_user_name_can_be_changed_ten_times_an_hour_and_sent_again_always,
];

in_every_place![on_both_routers:
    a_user_name_that_is_taken_is_a_conflict,
    a_user_name_that_was_given_up_is_free_at_once,
    of_ten_users_who_want_one_name_at_once_one_gets_it,
    a_deleted_user_leaves_the_name,
];

async fn a_client_that_does_not_know_user_names_leaves_them() {
    let app = host().await;
    let tokens = with_ada(&app).await;
    let body = json!({ "name": "Ada Lovelace", "email": EMAIL });
    app.put("/auth/user/profile-information").bearer(&tokens.access).json(&body).await.expect(200);
    let user = app.users.by_email(EMAIL).unwrap();
    assert_eq!((user.name.as_str(), user.username.as_deref()), ("Ada Lovelace", Some(ADA)));
}

async fn null_removes_the_user_name() {
    let app = host().await;
    let tokens = with_ada(&app).await;
    update(&app, &tokens, Value::Null).await.expect(200);
    assert_eq!(app.users.by_email(EMAIL).unwrap().username, None);
    assert!(!is_known(&app, ADA).await);
    app.login(EMAIL).await;
    update(&app, &tokens, Value::Null).await.expect(200);
}

async fn a_user_name_is_changed_and_every_session_lives() {
    let app = host().await;
    let (tokens, other) = (with_ada(&app).await, app.login(EMAIL).await);
    update(&app, &tokens, "Countess").await.expect(200);
    assert_eq!(app.users.by_email(EMAIL).unwrap().username.as_deref(), Some("countess"));
    for session in [&tokens, &other] {
        app.me(&session.access).await.expect(200);
    }
    assert!(is_known(&app, "countess").await && !is_known(&app, ADA).await);
}

async fn everything_wrong_with_the_fields_is_said_at_once() {
    let app = host().await;
    let tokens = with_ada(&app).await;
    for (username, code) in [
        (json!(""), "required"),
        (json!("ab"), "too_short"),
        (json!("x".repeat(33)), "too_long"),
        (json!(EMAIL), "invalid"),
        (json!("ada\0"), "invalid"),
        (json!(7), "wrong_type"),
        (json!("root"), "reserved"),
    ] {
        let body = json!({ "name": "", "email": "no address", "username": username });
        let answer = app.put("/auth/user/profile-information").bearer(&tokens.access).json(&body).await;
        let username = format!("username: {code}");
        assert_eq!(answer.field_errors(), ["name: required", "email: invalid", &username]);
    }
    assert_eq!(app.users.by_email(EMAIL).unwrap().username.as_deref(), Some(ADA));
}

async fn a_user_keeps_a_reserved_name_and_nobody_gets_one() {
    let app = host().await;
    let tokens = with_ada(&app).await;
    assert_eq!(update(&app, &tokens, "Support").await.field_errors(), ["username: reserved"]);
    app.users.update(EMAIL, |user| user.username = Some("support".to_owned()));
    for spelling in ["support", "SUPPORT"] {
        update(&app, &tokens, spelling).await.expect(200);
    }
    assert!(is_known(&app, "support").await);
    assert_eq!(update(&app, &tokens, "help").await.field_errors(), ["username: reserved"]);
}

async fn the_user_name_can_be_changed_ten_times_an_hour_and_sent_again_always() {
    let app = App::with_everything().await;
    let tokens = with_ada(&app).await;
    register_as(&app, EVE, "eve").await.expect(201);
    for n in 0..10 {
        let name = if n % 2 == 0 { "eve".to_owned() } else { format!("ada{n}") };
        let answer = update(&app, &tokens, name.as_str()).await;
        assert!([200, 409].contains(&answer.status), "{}", answer.text);
    }
    update(&app, &tokens, "countess").await.refused(429, "too_many_attempts");
    update(&app, &tokens, "Ada9").await.expect(200);
    update(&app, &tokens, Value::Null).await.expect(200);
    app.advance(3600);
    // An access token is over by then.
    let tokens = app.login(EMAIL).await;
    update(&app, &tokens, "countess").await.expect(200);
}

#[tokio::test]
async fn a_service_that_is_called_without_http_refuses_the_same_names() {
    let app = host().await;
    let tokens = with_ada(&app).await;
    let who = app.auth.authenticate(&tokens.access).await.unwrap();
    let mut data = ProfileData::new(UserName::parse("Ada").unwrap(), EmailAddress::parse(EMAIL).unwrap());
    data.username = UsernameChange::Set(Username::parse("root").unwrap());
    let service = app.auth.service::<UpdateProfileInformationService>().unwrap();
    let refused = service.update(&who, data, ClientAddress::UNKNOWN).await.err().unwrap();
    assert!(matches!(refused, AuthError::ValidationFailed(_)), "{refused}");
}

async fn a_user_name_that_is_taken_is_a_conflict(place: &Place) {
    let app = place.start_with_addresses_of_profiles(super::without_limits).await;
    let tokens = with_ada(&app).await;
    register_as(&app, EVE, "eve").await.expect(201);
    for spelling in ["eve", "EVE"] {
        update(&app, &tokens, spelling).await.refused(409, "username_taken");
    }
    // If both are taken, the address is reported; and nothing is written.
    let body = json!({ "name": "Eve", "email": EVE, "username": "eve" });
    app.confirm_password(&tokens.access).await;
    let answer = app.put("/auth/user/profile-information").bearer(&tokens.access).json(&body).await;
    answer.refused(409, "email_taken");
    let user = place.user(EMAIL).await;
    assert_eq!((user.name.as_str(), user.username.as_deref()), ("Ada", Some(ADA)));
}

async fn a_user_name_that_was_given_up_is_free_at_once(place: &Place) {
    let app = place.start_with(super::without_limits).await;
    let tokens = with_ada(&app).await;
    update(&app, &tokens, "countess").await.expect(200);
    register_as(&app, EVE, ADA).await.expect(201);
    update(&app, &tokens, ADA).await.refused(409, "username_taken");
    let eve = app.post("/auth/login").json(&json!({ "username": ADA, "password": PASSWORD })).await;
    assert_eq!(app.me(&eve.expect(200).tokens().access).await.expect(200).text, EVE);
}

async fn of_ten_users_who_want_one_name_at_once_one_gets_it(place: &Place) {
    let app = std::sync::Arc::new(place.start_with(super::without_limits).await);
    let mut users = Vec::new();
    for n in 0..10 {
        let email = format!("ada{n}@example.com");
        users.push((app.register(&email).await, email));
    }
    let calls = users.into_iter().map(|(tokens, email)| {
        let app = std::sync::Arc::clone(&app);
        async move {
            let body = json!({ "name": "Ada", "email": email, "username": ADA });
            app.put("/auth/user/profile-information").bearer(&tokens.access).json(&body).await
        }
    });
    let answers = at_once(calls).await;
    let (changed, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 200);
    assert_eq!((changed.len(), refused.len()), (1, 9));
    for answer in refused {
        answer.refused(409, "username_taken");
    }
    assert!(is_known(&app, ADA).await);
}

async fn a_deleted_user_leaves_the_name(place: &Place) {
    let app = place.start_with(super::without_limits).await;
    with_ada(&app).await;
    place.remove(EMAIL).await;
    assert!(!is_known(&app, ADA).await);
    register_as(&app, EVE, ADA).await.expect(201);
}
