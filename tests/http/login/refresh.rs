//! `POST /refresh`: rotation, grace, reuse (specification §11.4, §11.5).

use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, Tokens, at_once, forge};
use serde_json::json;
use std::collections::HashSet;
use std::time::Duration;

on_both_routers![
    a_new_password_makes_the_tokens_of_before_worthless,
    a_change_of_two_factor_makes_the_tokens_of_before_worthless,
    a_user_who_is_gone_or_inactive_is_not_refreshed,
];

#[tokio::test]
async fn a_refresh_token_is_exchanged_for_a_new_pair_of_the_same_session() {
    let app = App::start().await;
    let first = app.register(EMAIL).await;
    let answer = app.refresh(&first.refresh).await.expect(200);
    assert_eq!(answer.members(), ["accessToken", "refreshToken"]);
    let second = answer.tokens();
    assert!(second.access != first.access && second.refresh != first.refresh);
    assert_eq!(forge::claims(&first.access)["sid"], forge::claims(&second.access)["sid"]);
    app.me(&second.access).await.expect(200);
    let third = app.refresh(&second.refresh).await.expect(200).tokens();
    app.me(&third.access).await.expect(200);
}

#[tokio::test]
async fn the_lifetimes_are_those_of_the_configuration() {
    let app = App::configured(|config| {
        let hours = |hours: u64| Duration::from_secs(hours * 3600);
        config.refresh_token_lifetime(hours(1)).session_lifetime(hours(4))
    });
    let app = app.await;
    let unused = app.register(EMAIL).await;
    let mut used = app.login(EMAIL).await;
    for _ in 0..4 {
        app.advance(3599);
        used = app.refresh(&used.refresh).await.expect(200).tokens();
    }
    app.refresh(&unused.refresh).await.refused(401, "invalid_refresh_token");
    // Four seconds are left of the session, however often it is refreshed.
    app.me(&used.access).await.expect(200);
    app.advance(4);
    app.me(&used.access).await.refused(401, "unauthenticated");
    app.refresh(&used.refresh).await.refused(401, "invalid_refresh_token");
}

#[tokio::test]
async fn two_sessions_have_different_tokens() {
    let app = App::start().await;
    let (one, other) = (app.register(EMAIL).await, app.login(EMAIL).await);
    assert!(one.access != other.access && one.refresh != other.refresh);
}

#[tokio::test]
async fn the_token_just_used_answers_a_working_pair_for_ten_seconds() {
    let app = App::start().await;
    let first = app.register(EMAIL).await;
    app.refresh(&first.refresh).await.expect(200);
    app.clock.advance(Duration::from_millis(9_999));
    let again = app.refresh(&first.refresh).await.expect(200).tokens();
    app.me(&again.access).await.expect(200);
    app.refresh(&again.refresh).await.expect(200);
}

#[tokio::test]
async fn a_reuse_after_the_grace_ends_the_whole_session_and_no_other() {
    let app = App::start().await;
    let other = app.register(EMAIL).await;
    let first = app.login(EMAIL).await;
    let second = app.refresh(&first.refresh).await.expect(200).tokens();
    app.advance(10);
    app.refresh(&first.refresh).await.refused(401, "refresh_token_reused");
    app.me(&second.access).await.refused(401, "unauthenticated");
    app.me(&first.access).await.refused(401, "unauthenticated");
    app.refresh(&second.refresh).await.refused(401, "invalid_refresh_token");
    app.refresh(&first.refresh).await.refused(401, "invalid_refresh_token");
    app.me(&other.access).await.expect(200);
    let names = app.event_names().await;
    assert_eq!(names, ["auth.registered", "auth.login", "auth.refresh-token-reused"]);
}

#[tokio::test]
async fn a_copy_that_was_used_within_the_grace_is_found_out_at_the_next_refresh() {
    let app = App::start().await;
    let stolen = app.register(EMAIL).await.refresh;
    let owner = app.refresh(&stolen).await.expect(200).tokens();
    let thief = app.refresh(&stolen).await.expect(200).tokens();
    app.advance(600);
    let owner = app.refresh(&owner.refresh).await.expect(200).tokens();
    app.advance(600);
    app.refresh(&thief.refresh).await.refused(401, "refresh_token_reused");
    app.me(&owner.access).await.expect(401);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn ten_tabs_that_refresh_at_once_all_go_on() {
    let app = App::start().await;
    let token = app.register(EMAIL).await.refresh;
    let body = json!({ "refreshToken": token });
    let calls = (0..10).map(|_| app.post("/auth/refresh").json(&body).into_future());
    let pairs: Vec<Tokens> =
        at_once(calls).await.into_iter().map(|answer| answer.expect(200).tokens()).collect();
    let different: HashSet<_> = pairs.iter().map(|pair| &pair.refresh).collect();
    assert_eq!(different.len(), 10);
    for pair in &pairs {
        app.me(&pair.access).await.expect(200);
        app.refresh(&pair.refresh).await.expect(200);
    }
}

#[tokio::test]
async fn without_a_grace_a_token_works_once() {
    let app = App::configured(|config| config.refresh_grace(Duration::ZERO)).await;
    let token = app.register(EMAIL).await.refresh;
    app.refresh(&token).await.expect(200);
    app.refresh(&token).await.refused(401, "refresh_token_reused");
}

#[tokio::test]
async fn an_idle_session_ends_after_seven_days() {
    let app = App::start().await;
    let token = app.register(EMAIL).await.refresh;
    let week = 7 * 24 * 3600;
    app.advance(week - 1);
    let next = app.refresh(&token).await.expect(200).tokens().refresh;
    app.advance(week);
    app.refresh(&next).await.refused(401, "invalid_refresh_token");
}

#[tokio::test]
async fn a_busy_session_ends_after_thirty_days() {
    let app = App::start().await;
    let mut tokens = app.register(EMAIL).await;
    let day = 24 * 3600;
    for _ in 0..29 {
        app.advance(day);
        tokens = app.refresh(&tokens.refresh).await.expect(200).tokens();
    }
    app.advance(day - 60);
    tokens = app.refresh(&tokens.refresh).await.expect(200).tokens();
    app.advance(59);
    app.me(&tokens.access).await.expect(200);
    app.advance(1);
    app.me(&tokens.access).await.refused(401, "unauthenticated");
    app.refresh(&tokens.refresh).await.refused(401, "invalid_refresh_token");
}

async fn a_new_password_makes_the_tokens_of_before_worthless() {
    let app = App::start().await;
    let tokens = app.register(EMAIL).await;
    app.users.update(EMAIL, |user| user.password = "$2b$04$another".to_owned());
    app.is_refused(&tokens).await;
}

async fn a_change_of_two_factor_makes_the_tokens_of_before_worthless() {
    let app = App::start().await;
    let tokens = app.register(EMAIL).await;
    app.users.update(EMAIL, |user| user.two_factor_secret = Some("pending".to_owned()));
    app.me(&tokens.access).await.expect(200);
    app.users.update(EMAIL, |user| user.two_factor_confirmed_at = Some(std::time::SystemTime::now()));
    app.is_refused(&tokens).await;
}

async fn a_user_who_is_gone_or_inactive_is_not_refreshed() {
    let app = App::start().await;
    let tokens = app.register(EMAIL).await;
    app.users.update(EMAIL, |user| user.active = false);
    app.is_refused(&tokens).await;
    app.users.update(EMAIL, |user| user.active = true);
    let tokens = app.renew(&tokens).await;
    app.users.remove(EMAIL);
    app.is_refused(&tokens).await;
}

#[tokio::test]
async fn what_is_no_refresh_token_is_refused() {
    let app = App::start().await;
    let refresh = |body| app.post("/auth/refresh").json(&body);
    assert_eq!(refresh(json!({})).await.field_errors(), ["refreshToken: required"]);
    assert_eq!(refresh(json!({ "refreshToken": "" })).await.field_errors(), ["refreshToken: required"]);
    assert_eq!(refresh(json!({ "refreshToken": 1 })).await.field_errors(), ["refreshToken: wrong_type"]);
    for nonsense in ["x", "a.b.c", "....", &"x".repeat(60_000)] {
        app.refresh(nonsense).await.refused(401, "invalid_refresh_token");
    }
    let put = app.put("/auth/refresh").await.refused(405, "method_not_allowed");
    assert_eq!(put.header("allow"), Some("POST"));
}
