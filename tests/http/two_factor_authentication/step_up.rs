//! Proving the second factor beside the password before something sensitive (specification §12.2, ASVS 7.5.1).

use crate::support::answer::Answer;
use crate::support::authenticator::Enrolled;
use crate::support::routers::on_both_routers;
use crate::support::{App, Call, EMAIL, PASSWORD, addresses_of_profiles};
use axum_auth_module::config::{AuthConfigBuilder, TwoFactorOptions};
use reqwest::Method;
use serde_json::{Value, json};

on_both_routers![
    with_the_option_seven_routes_want_a_code_of_who_has_a_second_factor,
    a_recovery_code_counts_like_a_code_and_is_used_up,
    who_has_no_second_factor_needs_only_the_password,
    the_option_also_counts_without_the_one_for_the_password,
    without_the_option_the_password_is_enough,
    a_code_beside_the_password_is_always_accepted,
    a_wrong_code_confirms_nothing_and_is_counted,
    a_code_does_not_confirm_twice,
    a_code_without_a_second_factor_is_wrong,
    a_proof_of_the_second_factor_expires_with_the_password,
    of_two_codes_only_one_can_be_sent,
    another_address_wants_a_code_too,
    a_new_secret_can_be_confirmed_in_the_step_whose_code_was_used_for_the_old_one,
];

/// The routes, of which the last one switches two-factor off.
const ROUTES: [(Method, &str); 6] = [
    (Method::GET, "/auth/user/two-factor-qr-code"),
    (Method::GET, "/auth/user/two-factor-secret-key"),
    (Method::GET, "/auth/user/two-factor-recovery-codes"),
    (Method::POST, "/auth/user/two-factor-recovery-codes"),
    (Method::POST, "/auth/user/two-factor-authentication"),
    (Method::DELETE, "/auth/user/two-factor-authentication"),
];

async fn app(change: impl FnOnce(&mut TwoFactorOptions)) -> App {
    let mut options = TwoFactorOptions::default();
    change(&mut options);
    App::with_everything_and(|config| config.two_factor(options), |module| module).await
}

async fn with_codes() -> App {
    app(|options| options.confirm_with_code = true).await
}

fn confirm(app: &App, access: &str, body: &Value) -> Call {
    app.post("/auth/user/confirm-password").bearer(access).json(body)
}

fn password_and(code: &str) -> Value {
    json!({ "password": PASSWORD, "code": code })
}

async fn all_want_a_code(app: &App, access: &str) {
    for (method, path) in ROUTES {
        let refused = app.request(method, path).bearer(access).await;
        let refused = refused.refused(403, "password_confirmation_required");
        assert_eq!(refused.body["methods"], json!(["password", "code"]), "{path}");
    }
    let confirm = app.confirm_two_factor(access, "123456").await;
    assert_eq!(confirm.refused(403, "password_confirmation_required").body["methods"][1], "code");
}

async fn all_open(app: &App, access: &str) {
    for (method, path) in ROUTES {
        app.request(method, path).bearer(access).await.expect(200);
    }
}

/// A second session of a user who is enrolled.
async fn session(app: &App, enrolled: &Enrolled) -> String {
    let token = app.challenge_token(EMAIL).await;
    let answer = app.challenge(&token, &enrolled.authenticator.code(app)).await;
    app.next_step();
    answer.expect(200).tokens().access
}

async fn with_the_option_seven_routes_want_a_code_of_who_has_a_second_factor() {
    let app = with_codes().await;
    let enrolled = app.enrolled(EMAIL).await;
    let access = session(&app, &enrolled).await;
    all_want_a_code(&app, &access).await;
    app.confirm_password(&access).await;
    all_want_a_code(&app, &access).await;
    confirm(&app, &access, &password_and(&enrolled.authenticator.code(&app))).await.expect(200);
    all_open(&app, &access).await;
}

async fn another_address_wants_a_code_too() {
    let mut options = TwoFactorOptions::default();
    options.confirm_with_code = true;
    let config = |config: AuthConfigBuilder| config.two_factor(options).confirm_email_change(true);
    let app = App::with_everything_and(config, addresses_of_profiles).await;
    let enrolled = app.enrolled(EMAIL).await;
    let access = session(&app, &enrolled).await;
    let change = || {
        let body = json!({ "name": "Ada", "email": "lovelace@example.com" });
        app.put("/auth/user/profile-information").bearer(&access).json(&body)
    };
    app.confirm_password(&access).await;
    let refused = change().await.refused(403, "password_confirmation_required");
    assert_eq!(refused.body["methods"], json!(["password", "code"]));
    confirm(&app, &access, &password_and(&enrolled.authenticator.code(&app))).await.expect(200);
    change().await.expect(200);
}

async fn a_recovery_code_counts_like_a_code_and_is_used_up() {
    let app = with_codes().await;
    let enrolled = app.enrolled(EMAIL).await;
    let access = session(&app, &enrolled).await;
    confirm(&app, &access, &password_and(&enrolled.authenticator.code(&app))).await.expect(200);
    let codes = app.recovery_codes(&access).await;
    app.next_step();
    let other = session(&app, &enrolled).await;
    let body = json!({ "password": PASSWORD, "recoveryCode": codes[0] });
    confirm(&app, &other, &body).await.expect(200);
    assert!(!app.recovery_codes(&other).await.contains(&codes[0]));
    confirm(&app, &other, &body).await.refused(422, "invalid_recovery_code");
    all_open(&app, &other).await;
}

async fn who_has_no_second_factor_needs_only_the_password() {
    let app = with_codes().await;
    let enrolled = app.enrolled(EMAIL).await;
    assert!(!app.logs_in_by_password_alone(EMAIL).await, "enrolling needed no code");
    drop(enrolled);
}

async fn the_option_also_counts_without_the_one_for_the_password() {
    let app = app(|options| (options.confirm_with_code, options.confirm_password) = (true, false)).await;
    let enrolled = app.enrolled(EMAIL).await;
    let access = session(&app, &enrolled).await;
    all_want_a_code(&app, &access).await;
    confirm(&app, &access, &password_and(&enrolled.authenticator.code(&app))).await.expect(200);
    all_open(&app, &access).await;
}

async fn without_the_option_the_password_is_enough() {
    let app = App::with_everything().await;
    let enrolled = app.enrolled(EMAIL).await;
    let access = session(&app, &enrolled).await;
    for (method, path) in ROUTES {
        let refused = app.request(method, path).bearer(&access).await;
        let refused = refused.refused(403, "password_confirmation_required");
        assert!(refused.body.get("methods").is_none());
    }
    app.confirm_password(&access).await;
    all_open(&app, &access).await;
}

async fn a_code_beside_the_password_is_always_accepted() {
    let app = App::with_everything().await;
    let enrolled = app.enrolled(EMAIL).await;
    let access = session(&app, &enrolled).await;
    confirm(&app, &access, &password_and(&enrolled.authenticator.code(&app))).await.expect(200);
    all_open(&app, &access).await;
}

async fn a_wrong_code_confirms_nothing_and_is_counted() {
    let app = with_codes().await;
    let enrolled = app.enrolled(EMAIL).await;
    let wrong_password = json!({ "password": "wrong", "code": enrolled.authenticator.code(&app) });
    app.advance(15 * 60);
    let access = app.renew(&enrolled.tokens).await.access;
    confirm(&app, &access, &wrong_password).await.refused(422, "incorrect_password");
    for _ in 0..5 {
        confirm(&app, &access, &password_and("no code")).await.refused(422, "invalid_two_factor_code");
    }
    let status = app.get("/auth/user/confirmed-password-status").bearer(&access).await.expect(200);
    assert_eq!(status.body["confirmed"], false);
    let right = password_and(&enrolled.authenticator.code(&app));
    confirm(&app, &access, &right).await.refused(429, "too_many_attempts");
    app.advance(60);
    let right = password_and(&enrolled.authenticator.code(&app));
    confirm(&app, &access, &right).await.expect(200);
    all_open(&app, &access).await;
}

async fn a_code_does_not_confirm_twice() {
    let app = with_codes().await;
    let enrolled = app.enrolled(EMAIL).await;
    let access = session(&app, &enrolled).await;
    let body = password_and(&enrolled.authenticator.code(&app));
    confirm(&app, &access, &body).await.expect(200);
    confirm(&app, &access, &body).await.refused(422, "invalid_two_factor_code");
    let token = app.challenge_token(EMAIL).await;
    let code = body["code"].as_str().unwrap();
    app.challenge(&token, code).await.refused(422, "invalid_two_factor_code");
}

async fn a_code_without_a_second_factor_is_wrong() {
    let app = with_codes().await;
    let access = app.register(EMAIL).await.access;
    confirm(&app, &access, &password_and("123456")).await.refused(422, "invalid_two_factor_code");
    // A secret that is pending is no second factor yet.
    app.confirm_password(&access).await;
    app.enable(&access).await.expect(200);
    let pending = app.authenticator(&access).await;
    confirm(&app, &access, &password_and(&pending.code(&app))).await.refused(422, "invalid_two_factor_code");
    let body = json!({ "password": PASSWORD, "recoveryCode": app.recovery_codes(&access).await[0] });
    confirm(&app, &access, &body).await.refused(422, "invalid_recovery_code");
}

async fn a_proof_of_the_second_factor_expires_with_the_password() {
    let app = with_codes().await;
    let Enrolled { tokens, authenticator } = app.enrolled(EMAIL).await;
    confirm(&app, &tokens.access, &password_and(&authenticator.code(&app))).await.expect(200);
    app.advance(10 * 60);
    let tokens = app.renew(&tokens).await;
    app.confirm_password(&tokens.access).await;
    app.recovery_codes(&tokens.access).await;
    app.advance(5 * 60);
    all_want_a_code(&app, &app.renew(&tokens).await.access).await;
}

async fn of_two_codes_only_one_can_be_sent() {
    let app = with_codes().await;
    let access = app.register(EMAIL).await.access;
    let answer: Answer =
        confirm(&app, &access, &json!({ "code": "1", "recoveryCode": "2", "password": "" })).await;
    assert_eq!(answer.field_errors(), ["password: required", "recoveryCode: conflict"]);
}

async fn a_new_secret_can_be_confirmed_in_the_step_whose_code_was_used_for_the_old_one() {
    let app = with_codes().await;
    let enrolled = app.enrolled(EMAIL).await;
    let access = session(&app, &enrolled).await;
    confirm(&app, &access, &password_and(&enrolled.authenticator.code(&app))).await.expect(200);
    app.enable(&access).json(&json!({ "force": true })).await.expect(200);
    let new = app.authenticator(&access).await;
    app.confirm_two_factor(&access, &new.code(&app)).await.expect(200);
    // The code that has confirmed it opens nothing else.
    let token = app.challenge_token(EMAIL).await;
    app.challenge(&token, &new.code(&app)).await.refused(422, "invalid_two_factor_code");
}
