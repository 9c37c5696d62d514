//! `POST /user/confirm-password` and `GET /user/confirmed-password-status`.

use crate::support::answer::Answer;
use crate::support::authenticator::Enrolled;
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, PASSWORD, at_once};
use axum_auth_module::delivery::EmailLoginMessage;
use axum_auth_module::events::EventKind;
use serde_json::json;

on_both_routers![
    a_confirmation_counts_for_fifteen_minutes_and_is_recorded,
    a_query_shortens_the_window_and_never_stretches_it,
    a_confirmation_is_the_sessions_that_made_it,
    what_the_record_says_counts_too,
    a_wrong_password_confirms_nothing,
    five_failures_a_minute_and_a_success_forgets_them,
    thirty_failures_an_hour_over_confirmations_and_changes,
    both_routes_need_a_token_before_anything_else,
    a_shorter_timeout_counts,
    what_was_confirmed_is_an_event,
];

on_both_routers![threads: of_twenty_wrong_confirmations_at_once_five_are_let_through];

async fn confirm(app: &App, token: &str, password: &str) -> Answer {
    app.post("/auth/user/confirm-password").bearer(token).json(&json!({ "password": password })).await
}

async fn status(app: &App, token: &str, query: &str) -> bool {
    let path = format!("/auth/user/confirmed-password-status{query}");
    let answer = app.get(&path).bearer(token).await.expect(200);
    assert_eq!(answer.members(), ["confirmed", "methods"]);
    assert_eq!(answer.body["methods"], json!(["password"]));
    answer.body["confirmed"].as_bool().unwrap()
}

async fn a_confirmation_counts_for_fifteen_minutes_and_is_recorded() {
    let app = App::start().await;
    let tokens = app.register(EMAIL).await;
    assert!(!status(&app, &tokens.access, "").await);
    let answer = confirm(&app, &tokens.access, PASSWORD).await.expect(200);
    assert_eq!(answer.text, r#"{"confirmed":true}"#);
    assert!(app.users.by_email(EMAIL).unwrap().password_confirmed_at.is_some());
    assert!(status(&app, &tokens.access, "").await);
    let tokens = app.renew(&tokens).await;
    app.advance(898);
    assert!(status(&app, &tokens.access, "").await, "a refreshed session is the same session");
    app.advance(2);
    let tokens = app.renew(&tokens).await;
    assert!(!status(&app, &tokens.access, "").await);
}

async fn a_query_shortens_the_window_and_never_stretches_it() {
    let app = App::start().await;
    let tokens = app.register(EMAIL).await;
    confirm(&app, &tokens.access, PASSWORD).await.expect(200);
    app.advance(100);
    for (query, confirmed) in
        [("?seconds=102", true), ("?seconds=99", false), ("?seconds=0", false), ("?other=1", true)]
    {
        assert_eq!(status(&app, &tokens.access, query).await, confirmed, "{query}");
    }
    for query in [
        "?seconds=-1",
        "?seconds=x",
        "?seconds=",
        "?seconds=1.5",
        "?seconds=1e9",
        "?seconds=1&seconds=9999",
        "?seconds=99999999999999999999999",
    ] {
        let path = format!("/auth/user/confirmed-password-status{query}");
        let errors = app.get(&path).bearer(&tokens.access).await.field_errors();
        assert_eq!(errors, ["seconds: invalid"], "{query}");
    }
    app.advance(799);
    let tokens = app.renew(&tokens).await;
    app.advance(1);
    for query in ["", "?seconds=901", "?seconds=100000", "?seconds=18446744073709551615", "?Seconds=86400"] {
        assert!(!status(&app, &tokens.access, query).await, "{query}");
    }
}

async fn a_confirmation_is_the_sessions_that_made_it() {
    let app = App::start().await;
    let first = app.register(EMAIL).await;
    let second = app.login(EMAIL).await;
    confirm(&app, &first.access, PASSWORD).await.expect(200);
    assert!(status(&app, &first.access, "").await);
    assert!(!status(&app, &second.access, "").await);
}

async fn what_the_record_says_counts_too() {
    let app = App::start().await;
    let tokens = app.register(EMAIL).await;
    confirm(&app, &tokens.access, PASSWORD).await.expect(200);
    app.users.update(EMAIL, |user| user.password_confirmed_at = None);
    assert!(!status(&app, &tokens.access, "").await);
    let future = std::time::SystemTime::now() + std::time::Duration::from_secs(3600);
    app.users.update(EMAIL, |user| user.password_confirmed_at = Some(future));
    assert!(!status(&app, &tokens.access, "").await);
}

async fn a_wrong_password_confirms_nothing() {
    let app = App::start().await;
    let tokens = app.register(EMAIL).await;
    for wrong in ["wrong", &"x".repeat(100), &format!("{PASSWORD}\0")] {
        confirm(&app, &tokens.access, wrong).await.refused(422, "incorrect_password");
    }
    let call = |body| app.post("/auth/user/confirm-password").bearer(&tokens.access).json(&body);
    assert_eq!(call(json!({ "password": [PASSWORD] })).await.field_errors(), ["password: wrong_type"]);
    call(json!({ "password": "wrong", "confirmed": true })).await.refused(422, "incorrect_password");
    assert!(!status(&app, &tokens.access, "").await);
    assert!(app.users.by_email(EMAIL).unwrap().password_confirmed_at.is_none());
}

async fn five_failures_a_minute_and_a_success_forgets_them() {
    let app = App::start().await;
    let tokens = app.register(EMAIL).await;
    for _ in 0..4 {
        confirm(&app, &tokens.access, "wrong").await.expect(422);
    }
    confirm(&app, &tokens.access, PASSWORD).await.expect(200);
    for _ in 0..5 {
        confirm(&app, &tokens.access, "wrong").await.expect(422);
    }
    let refused = confirm(&app, &tokens.access, PASSWORD).await.refused(429, "too_many_attempts");
    assert_eq!(refused.header("retry-after"), Some("60"));
    assert_eq!(app.event_names().await, ["auth.registered", "auth.lockout"]);
    app.advance(60);
    confirm(&app, &tokens.access, PASSWORD).await.expect(200);
}

async fn thirty_failures_an_hour_over_confirmations_and_changes() {
    let app = App::with_everything().await;
    let tokens = app.register(EMAIL).await;
    let change = json!({ "currentPassword": "wrong", "password": "another password", "passwordConfirmation": "another password" });
    for _ in 0..6 {
        for _ in 0..3 {
            confirm(&app, &tokens.access, "wrong").await.expect(422);
        }
        for _ in 0..2 {
            app.put("/auth/user/password").bearer(&tokens.access).json(&change).await.expect(422);
        }
        app.advance(60);
    }
    let refused = confirm(&app, &tokens.access, PASSWORD).await.refused(429, "too_many_attempts");
    assert_eq!(refused.header("retry-after"), Some("3240"));
    app.advance(3240);
    let tokens = app.login(EMAIL).await;
    confirm(&app, &tokens.access, PASSWORD).await.expect(200);
}

async fn of_twenty_wrong_confirmations_at_once_five_are_let_through() {
    let app = App::start().await;
    let tokens = app.register(EMAIL).await;
    let body = json!({ "password": "wrong" });
    let call = || app.post("/auth/user/confirm-password").bearer(&tokens.access).json(&body).into_future();
    let answers = at_once((0..20).map(|_| call())).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 422).count(), 5);
    assert_eq!(answers.iter().filter(|answer| answer.status == 429).count(), 15);
}

async fn both_routes_need_a_token_before_anything_else() {
    let app = App::start().await;
    app.post("/auth/user/confirm-password").body("text/plain", "x").await.refused(401, "unauthenticated");
    app.get("/auth/user/confirmed-password-status?seconds=x").await.refused(401, "unauthenticated");
    let tokens = app.register(EMAIL).await;
    let call = app.post("/auth/user/confirm-password").bearer(&tokens.access);
    assert_eq!(call.json(&json!({})).await.field_errors(), ["password: required"]);
}

async fn a_shorter_timeout_counts() {
    let minute = std::time::Duration::from_secs(60);
    let app = App::configured(|config| config.password_timeout(minute)).await;
    let tokens = app.register(EMAIL).await;
    confirm(&app, &tokens.access, PASSWORD).await.expect(200);
    app.advance(58);
    assert!(status(&app, &tokens.access, "").await);
    app.advance(2);
    assert!(!status(&app, &tokens.access, "").await);
}

async fn what_was_confirmed_is_an_event() {
    let app = App::with_everything().await;
    let Enrolled { tokens, authenticator, .. } = app.enrolled(EMAIL).await;
    app.verify_address(EMAIL);
    let confirmed = async || loop {
        let event = app.any_event().await;
        if let EventKind::Confirmed { methods } = event.kind {
            break (methods.as_str(), event.user_id);
        }
    };
    let user = Some("1".to_owned());
    // Before the enrolment.
    assert_eq!(confirmed().await, ("pwd", user.clone()));
    app.next_step();
    let code = json!({ "code": authenticator.code(&app) });
    app.post("/auth/user/confirm-two-factor").bearer(&tokens.access).json(&code).await.expect(200);
    assert_eq!(confirmed().await, ("otp", user.clone()));
    let begun = app.post("/auth/user/confirm-email").bearer(&tokens.access).await.expect(200);
    let mailed = app.outbox.next::<EmailLoginMessage>().await.code;
    let body = json!({ "flowToken": begun.body["flowToken"], "code": mailed });
    app.post("/auth/user/confirm-email/verify").bearer(&tokens.access).json(&body).await.expect(200);
    assert_eq!(confirmed().await, ("email", user.clone()));
    app.next_step();
    let both = json!({ "password": PASSWORD, "code": authenticator.code(&app) });
    app.post("/auth/user/confirm-password").bearer(&tokens.access).json(&both).await.expect(200);
    assert_eq!(confirmed().await, ("pwd otp mfa", user));
}
