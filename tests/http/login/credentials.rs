//! `POST /login`, but for its limits.

use crate::support::answer::Answer;
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, PASSWORD, at_once, forge};
use serde_json::{Value, json};

on_both_routers![
    a_login_answers_a_pair_of_tokens,
    an_address_is_found_in_whatever_spelling_it_comes,
    every_login_that_fails_looks_the_same,
    a_failed_login_is_an_event_that_names_the_account_if_there_is_one,
    what_is_no_login_is_said_field_by_field,
    two_logins_within_a_second_give_different_tokens_of_different_sessions,
    an_outdated_hash_is_renewed_by_a_login_and_only_by_a_right_one,
    a_password_does_not_expire,
];

on_both_routers![threads: twenty_right_logins_at_once_all_pass];

async fn a_login_answers_a_pair_of_tokens() {
    let app = App::start().await;
    app.register(EMAIL).await;
    let answer = app.login_call(EMAIL, PASSWORD).await.expect(200);
    assert_eq!(answer.members_beside_the_session(), ["twoFactor"]);
    assert_eq!(answer.body["twoFactor"], false);
    let tokens = answer.tokens();
    assert_eq!(app.me(&tokens.access).await.expect(200).text, EMAIL);
    assert_eq!(app.event_names().await, ["auth.registered", "auth.login"]);
}

async fn a_password_does_not_expire() {
    let app = App::start().await;
    app.register(EMAIL).await;
    app.advance(10 * 365 * 24 * 3600);
    app.login_call(EMAIL, PASSWORD).await.expect(200);
}

async fn an_address_is_found_in_whatever_spelling_it_comes() {
    let app = App::start().await;
    app.register(EMAIL).await;
    for spelling in ["ADA@EXAMPLE.COM", " ada@example.com\t"] {
        app.login_call(spelling, PASSWORD).await.expect(200);
    }
}

/// What a client can compare: status, headers but for the date, and body.
fn visible(answer: &Answer) -> (u16, Vec<(String, String)>, String) {
    let headers = answer.headers.iter().filter(|(name, _)| *name != "date");
    let headers =
        headers.map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned())).collect();
    (answer.status, headers, answer.text.clone())
}

async fn every_login_that_fails_looks_the_same() {
    let app = App::start().await;
    for name in ["wrong", "inactive", "passwordless", "malformed", "truncated", "absurd"] {
        app.register(&format!("{name}@example.com")).await;
    }
    app.users.update("inactive@example.com", |user| user.active = false);
    app.users.update("passwordless@example.com", |user| user.password.clear());
    app.users.update("malformed@example.com", |user| user.password = "not a hash".to_owned());
    app.users.update("truncated@example.com", |user| user.password.truncate(40));
    app.users.update("absurd@example.com", |user| user.password = user.password.replacen("$04$", "$31$", 1));
    let wrong =
        app.login_call("wrong@example.com", "another password").await.refused(401, "invalid_credentials");
    for (email, password) in [
        ("unknown@example.com", PASSWORD),
        ("inactive@example.com", PASSWORD),
        ("passwordless@example.com", PASSWORD),
        ("malformed@example.com", PASSWORD),
        ("truncated@example.com", PASSWORD),
        ("absurd@example.com", PASSWORD),
        ("wrong@example.com", "short"),
        ("wrong@example.com", &"x".repeat(50_000)),
        ("wrong@example.com", &format!("{PASSWORD}\0")),
        ("wrong@example.com", &format!("{PASSWORD}\0{PASSWORD}")),
        ("wrong@example.com", &PASSWORD.to_uppercase()),
    ] {
        // From a client of its own each: what is compared is not the limits.
        let answer =
            app.login_call(email, password).from(&format!("198.51.100.{}", password.len() % 251)).await;
        assert_eq!(visible(&answer), visible(&wrong), "{email}");
    }
}

async fn a_failed_login_is_an_event_that_names_the_account_if_there_is_one() {
    let app = App::start().await;
    app.register(EMAIL).await;
    assert_eq!(app.event().await.name(), "auth.registered");
    app.login_call(EMAIL, "wrong").await.expect(401);
    app.login_call("unknown@example.com", "wrong").await.expect(401);
    let (known, unknown) = (app.event().await, app.event().await);
    assert_eq!((known.name(), known.user_id.as_deref()), ("auth.login-failed", Some("1")));
    assert_eq!((unknown.name(), unknown.user_id), ("auth.login-failed", None));
}

async fn what_is_no_login_is_said_field_by_field() {
    let app = App::start().await;
    let login = async |body: Value| app.post("/auth/login").json(&body).await.field_errors();
    assert_eq!(login(json!({})).await, ["email: required", "password: required"]);
    assert_eq!(
        login(json!({ "email": "", "password": "" })).await,
        ["email: required", "password: required"]
    );
    let wrong_types = json!({ "email": { "$ne": null }, "password": ["x"] });
    assert_eq!(login(wrong_types).await, ["email: wrong_type", "password: wrong_type"]);
    assert_eq!(login(json!({ "email": "nobody", "password": "x" })).await, ["email: invalid"]);
}

async fn two_logins_within_a_second_give_different_tokens_of_different_sessions() {
    let app = App::start().await;
    let first = app.register(EMAIL).await;
    let (second, third) = (app.login(EMAIL).await, app.login(EMAIL).await);
    assert_ne!(forge::claims(&second.access)["sid"], forge::claims(&third.access)["sid"]);
    app.post("/auth/logout").bearer(&second.access).await.expect(200);
    app.me(&second.access).await.expect(401);
    app.me(&first.access).await.expect(200);
    app.me(&third.access).await.expect(200);
}

async fn an_outdated_hash_is_renewed_by_a_login_and_only_by_a_right_one() {
    let app = App::configured(|config| config.bcrypt_cost(5)).await;
    app.register(EMAIL).await;
    let hash = || app.users.by_email(EMAIL).unwrap().password;
    for outdated in [app_hash(4), app_hash(6), app_hash(5).replacen("$2b$", "$2y$", 1)] {
        app.users.update(EMAIL, |user| user.password = outdated.clone());
        app.login_call(EMAIL, "wrong").await.expect(401);
        assert_eq!(hash(), outdated);
        let tokens = app.login(EMAIL).await;
        assert!(hash().starts_with("$2b$05$"), "{}", hash());
        app.me(&tokens.access).await.expect(200);
    }
    let current = hash();
    app.login(EMAIL).await;
    assert_eq!(hash(), current);
}

/// A hash of the usual password, made as another library would.
fn app_hash(cost: u32) -> String {
    bcrypt::hash(PASSWORD, cost).unwrap()
}

async fn twenty_right_logins_at_once_all_pass() {
    let app = App::start().await;
    app.register(EMAIL).await;
    // Four failures before leave one slot of five: nineteen of these have to wait for it.
    for _ in 0..4 {
        app.login_call(EMAIL, "wrong").await.expect(401);
    }
    let calls = (0..20).map(|_| app.login_call(EMAIL, PASSWORD).into_future());
    for answer in at_once(calls).await {
        answer.expect(200);
    }
}
