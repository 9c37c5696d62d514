//! Switching two-factor on and off: `POST` and `DELETE /user/two-factor-authentication`,
//! `POST /user/confirmed-two-factor-authentication`, the QR code and the secret key.

use crate::support::authenticator::{Enrolled, no_code_limits, scanned};
use crate::support::routers::{self, on_both_routers};
use crate::support::{Account, App, EMAIL, PASSWORD, at_once};
use axum_auth_module::StandardActions;
use axum_auth_module::clock::Clock;
use axum_auth_module::config::{TwoFactorOptions, WhenOff};
use axum_auth_module::feature::Feature;
use serde_json::{Value, json};
use std::time::{Duration, UNIX_EPOCH};

on_both_routers![
    a_new_secret_waits_until_a_code_confirms_it,
    the_qr_code_shows_the_address_and_the_address_has_the_secret,
    without_two_factor_there_is_nothing_to_show,
    a_right_code_puts_the_secret_in_force_and_ends_the_other_sessions,
    a_code_that_is_wrong_or_has_another_shape_confirms_nothing,
    what_is_no_code_is_said,
    enabling_again_before_confirming_begins_anew,
    without_force_a_confirmed_secret_stays_and_nothing_happens,
    with_force_the_confirmed_secret_stays_in_force_until_the_new_one_is_confirmed,
    the_body_of_enabling_may_be_left_out,
    switching_off_clears_all_three_fields_and_ends_the_other_sessions,
    switching_on_and_off_brings_no_old_token_back,
    a_secret_of_before_counts_no_more_after_a_new_enrolment,
    a_code_of_a_new_pending_secret_is_no_replay_of_a_code_of_the_one_before,
    without_confirm_a_secret_is_in_force_at_once,
    a_secret_has_the_length_that_is_configured,
    where_the_feature_is_off_who_has_a_second_factor_cannot_log_in,
    where_the_feature_is_off_the_password_can_be_all_of_a_login,
];

on_both_routers![
    threads:
    of_thirty_confirmations_with_one_code_at_once_one_succeeds,
    enabling_thirty_times_at_once_fails_nobody_and_leaves_one_secret,
];

fn record(app: &App) -> Account {
    app.users.by_email(EMAIL).unwrap()
}

/// The three fields, as they are stored.
fn fields(app: &App) -> (Option<String>, Option<String>, Option<std::time::SystemTime>) {
    let user = record(app);
    (user.two_factor_secret, user.two_factor_recovery_codes, user.two_factor_confirmed_at)
}

async fn a_new_secret_waits_until_a_code_confirms_it() {
    let app = App::with_everything().await;
    let tokens = app.confirmed_session(EMAIL).await;
    let answer = app.enable(&tokens.access).await.expect(200);
    assert_eq!(answer.members(), ["message"]);
    let (secret, recovery_codes, confirmed_at) = fields(&app);
    assert!(secret.is_some() && recovery_codes.is_some() && confirmed_at.is_none());
    assert_eq!(
        app.event_names().await,
        ["auth.registered", "auth.two-factor-enabled", "auth.recovery-codes-generated"]
    );
    app.me(&tokens.access).await.expect(200);
    assert!(app.logs_in_by_password_alone(EMAIL).await, "an abandoned enrolment locks nobody out");
}

async fn the_qr_code_shows_the_address_and_the_address_has_the_secret() {
    let app = App::with_everything_and(|config| config.app_name("Café & Co: Büro"), |module| module).await;
    let tokens = app.confirmed_session("ada+two@example.com").await;
    app.enable(&tokens.access).await.expect(200);
    let qr = app.get("/auth/user/two-factor-qr-code").bearer(&tokens.access).await.expect(200);
    let key = app.get("/auth/user/two-factor-secret-key").bearer(&tokens.access).await.expect(200);
    assert_eq!((qr.members(), key.members()), (vec!["svg", "url"], vec!["secretKey"]));
    let (svg, url) = (qr.body["svg"].as_str().unwrap(), qr.body["url"].as_str().unwrap());
    assert!(svg.starts_with("<svg") && !svg.contains("<script"));
    assert_eq!(scanned(svg), url);

    let label = "Caf%C3%A9%20%26%20Co%3A%20B%C3%BCro:ada%2Btwo%40example.com";
    let parsed = reqwest::Url::parse(url).unwrap();
    assert_eq!((parsed.scheme(), parsed.host_str()), ("otpauth", Some("totp")));
    assert_eq!(parsed.path(), format!("/{label}"), "one colon, between application and account");
    let secret = key.body["secretKey"].as_str().unwrap();
    let query: Vec<_> = parsed.query_pairs().collect();
    let query: Vec<_> = query.iter().map(|(name, value)| (name.as_ref(), value.as_ref())).collect();
    assert_eq!(
        query,
        [
            ("secret", secret),
            ("issuer", "Café & Co: Büro"),
            ("algorithm", "SHA1"),
            ("digits", "6"),
            ("period", "30")
        ]
    );
    assert_eq!(secret.len(), 32, "20 bytes");
    assert!(secret.bytes().all(|letter| b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".contains(&letter)));
}

async fn without_two_factor_there_is_nothing_to_show() {
    let app = App::with_everything().await;
    let token = app.confirmed_session(EMAIL).await.access;
    for path in ["/auth/user/two-factor-qr-code", "/auth/user/two-factor-secret-key"] {
        app.get(path).bearer(&token).await.refused(404, "two_factor_not_enabled");
    }
    app.confirm_two_factor(&token, "123456").await.refused(422, "invalid_two_factor_code");
    assert_eq!(fields(&app), (None, None, None));
}

async fn a_right_code_puts_the_secret_in_force_and_ends_the_other_sessions() {
    let app = App::with_everything().await;
    let acting = app.confirmed_session(EMAIL).await;
    let other = app.login(EMAIL).await;
    app.enable(&acting.access).await.expect(200);
    let authenticator = app.authenticator(&acting.access).await;
    app.event_names::<4>().await;

    let answer = app.confirm_two_factor(&acting.access, &authenticator.code(&app)).await.expect(200);
    assert_eq!(answer.members_beside_the_session(), ["message"]);
    assert_eq!(app.event().await.name(), "auth.two-factor-confirmed");
    let now = app.clock.now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    assert_eq!(record(&app).two_factor_confirmed_at, Some(UNIX_EPOCH + Duration::from_secs(now)));

    let fresh = answer.tokens();
    app.is_over(&other).await;
    app.is_refused(&acting).await;
    app.me(&fresh.access).await.expect(200);
    let renewed = app.renew(&fresh).await;
    app.me(&renewed.access).await.expect(200);
    assert!(!app.logs_in_by_password_alone(EMAIL).await);
    app.confirm_two_factor(&renewed.access, &authenticator.code_in(&app, 1)).await.expect(422);
}

async fn a_code_that_is_wrong_or_has_another_shape_confirms_nothing() {
    let app = App::with_everything_and(|config| config.limits(no_code_limits()), |module| module).await;
    let token = app.confirmed_session(EMAIL).await.access;
    app.enable(&token).await.expect(200);
    let authenticator = app.authenticator(&token).await;
    let before = fields(&app);
    let right = authenticator.code(&app);
    let wrong = [
        authenticator.wrong_code(&app),
        authenticator.code_in(&app, -2),
        authenticator.code_in(&app, 2),
        format!(" {right}"),
        format!("{} {}", &right[..3], &right[3..]),
        right[..5].to_owned(),
        format!("0{right}"),
    ];
    for code in wrong {
        app.confirm_two_factor(&token, &code).await.refused(422, "invalid_two_factor_code");
        assert_eq!(fields(&app), before, "{code}");
    }
}

async fn what_is_no_code_is_said() {
    let app = App::with_everything().await;
    let token = app.confirmed_session(EMAIL).await.access;
    let confirm = async |body: Value| {
        let call = app.post("/auth/user/confirmed-two-factor-authentication").bearer(&token);
        call.json(&body).await.field_errors()
    };
    assert_eq!(confirm(json!({})).await, ["code: required"]);
    assert_eq!(confirm(json!({ "code": "" })).await, ["code: required"]);
    assert_eq!(confirm(json!({ "code": null })).await, ["code: required"]);
    for code in [json!(123_456), json!(["123456"]), json!({ "$ne": null }), json!(true)] {
        assert_eq!(confirm(json!({ "code": code })).await, ["code: wrong_type"]);
    }
}

async fn of_thirty_confirmations_with_one_code_at_once_one_succeeds() {
    let app = App::with_everything().await;
    let token = app.confirmed_session(EMAIL).await.access;
    app.enable(&token).await.expect(200);
    let code = app.authenticator(&token).await.code(&app);
    let calls = (0..30).map(|_| app.confirm_two_factor(&token, &code).into_future());
    let statuses: Vec<_> = at_once(calls).await.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    assert!(statuses.iter().all(|status| [200, 401, 422, 429].contains(status)), "{statuses:?}");
}

async fn enabling_thirty_times_at_once_fails_nobody_and_leaves_one_secret() {
    let app = App::with_everything_and(|config| config.limits(no_code_limits()), |module| module).await;
    let token = app.confirmed_session(EMAIL).await.access;
    let answers = at_once((0..30).map(|_| app.enable(&token).into_future())).await;
    let statuses: Vec<_> = answers.iter().map(|answer| answer.status).collect();
    assert!(statuses.iter().all(|status| *status == 200), "{statuses:?}");
    let code = app.authenticator(&token).await.code(&app);
    app.confirm_two_factor(&token, &code).await.expect(200);
}

async fn enabling_again_before_confirming_begins_anew() {
    let app = App::with_everything().await;
    let token = app.confirmed_session(EMAIL).await.access;
    app.enable(&token).await.expect(200);
    let (first, first_codes) = (app.authenticator(&token).await, app.recovery_codes(&token).await);
    app.enable(&token).await.expect(200);
    assert_ne!(app.recovery_codes(&token).await, first_codes);
    let second = app.authenticator(&token).await;
    app.confirm_two_factor(&token, &first.code(&app)).await.refused(422, "invalid_two_factor_code");
    app.confirm_two_factor(&token, &second.code(&app)).await.expect(200);
}

async fn without_force_a_confirmed_secret_stays_and_nothing_happens() {
    let app = App::with_everything().await;
    let Enrolled { tokens, .. } = app.enrolled(EMAIL).await;
    app.event_names::<4>().await;
    let before = fields(&app);
    for body in ["", "{}", r#"{"force":false}"#, r#"{"force":null}"#] {
        let answer = app.enable(&tokens.access).body("application/json", body).await.expect(200);
        assert_eq!(answer.members(), ["message"]);
    }
    assert_eq!(fields(&app), before);
    app.me(&tokens.access).await.expect(200);
    app.challenge_token(EMAIL).await;
    assert_eq!(app.event().await.name(), "auth.two-factor-challenged", "and none before");
}

async fn with_force_the_confirmed_secret_stays_in_force_until_the_new_one_is_confirmed() {
    let app = App::with_everything().await;
    let Enrolled { tokens, authenticator: old } = app.enrolled(EMAIL).await;
    let recovery_codes = app.recovery_codes(&tokens.access).await;
    let confirmed_at = record(&app).two_factor_confirmed_at;
    app.enable(&tokens.access).json(&json!({ "force": true })).await.expect(200);
    app.me(&tokens.access).await.expect(200);
    assert_eq!(record(&app).two_factor_confirmed_at, confirmed_at);
    assert_eq!(app.recovery_codes(&tokens.access).await, recovery_codes, "somebody has them on paper");
    let new = app.authenticator(&tokens.access).await;

    // Until it is confirmed the new secret opens nothing, and the old one everything.
    let challenge = app.challenge_token(EMAIL).await;
    app.challenge(&challenge, &new.code(&app)).await.refused(422, "invalid_two_factor_code");
    app.challenge(&challenge, &old.code(&app)).await.expect(200);
    app.next_step();
    app.confirm_two_factor(&tokens.access, &old.code(&app)).await.refused(422, "invalid_two_factor_code");

    let tokens = app.confirm_two_factor(&tokens.access, &new.code(&app)).await.expect(200).tokens();
    assert!(record(&app).two_factor_confirmed_at > confirmed_at);
    assert_eq!(app.recovery_codes(&tokens.access).await, recovery_codes);
    app.next_step();
    let challenge = app.challenge_token(EMAIL).await;
    app.challenge(&challenge, &old.code(&app)).await.refused(422, "invalid_two_factor_code");
    app.challenge(&challenge, &new.code(&app)).await.expect(200);
}

async fn the_body_of_enabling_may_be_left_out() {
    let app = App::with_everything().await;
    let token = app.confirmed_session(EMAIL).await.access;
    let enable = || app.enable(&token);
    enable().await.expect(200);
    for content_type in ["application/json", "text/plain"] {
        enable().body(content_type, "").await.expect(200);
    }
    for body in [json!({}), json!({ "force": false }), json!({ "force": null }), json!({ "force": true })] {
        enable().json(&body).await.expect(200);
    }
    for force in [json!("true"), json!(1), json!([true]), json!({})] {
        let errors = enable().json(&json!({ "force": force })).await.field_errors();
        assert_eq!(errors, ["force: wrong_type"], "{force}");
    }
    for body in ["x", "[]", "true", "{\"force\":true,\"force\":false}", "{"] {
        enable().body("application/json", body).await.refused(400, "malformed_request");
    }
    enable().body("text/plain", "{}").await.refused(415, "unsupported_media_type");
    let large = " ".repeat(70_000);
    enable().body("application/json", large).await.refused(413, "payload_too_large");
}

async fn switching_off_clears_all_three_fields_and_ends_the_other_sessions() {
    let app = App::with_everything().await;
    let Enrolled { tokens, authenticator } = app.enrolled(EMAIL).await;
    let challenge = app.challenge_token(EMAIL).await;
    let other = app.challenge(&challenge, &authenticator.code(&app)).await.expect(200).tokens();
    app.event_names::<7>().await;

    let answer = app.disable(&tokens.access).await.expect(200);
    assert_eq!(answer.members_beside_the_session(), ["message"]);
    assert_eq!(app.event().await.name(), "auth.two-factor-disabled");
    assert_eq!(fields(&app), (None, None, None));
    let fresh = answer.tokens();
    app.is_over(&other).await;
    app.is_refused(&tokens).await;
    app.me(&fresh.access).await.expect(200);
    app.renew(&fresh).await;
    assert!(app.logs_in_by_password_alone(EMAIL).await);
    let key = app.get("/auth/user/two-factor-secret-key").bearer(&fresh.access).await;
    key.refused(404, "two_factor_not_enabled");
}

/// `gen` is the same again when two-factor is off again; what was issued before it was on must not come back with it.
async fn switching_on_and_off_brings_no_old_token_back() {
    let app = App::with_everything().await;
    let before = app.confirmed_session(EMAIL).await;
    let other = app.login(EMAIL).await;
    app.next_step();
    app.enable(&before.access).await.expect(200);
    let code = app.authenticator(&before.access).await.code(&app);
    let on = app.confirm_two_factor(&before.access, &code).await.expect(200).tokens();
    app.next_step();
    let off = app.disable(&on.access).await.expect(200).tokens();
    // Of another session, of when it was on, of before.
    for tokens in [&other, &on, &before] {
        app.is_refused(tokens).await;
    }
    app.me(&off.access).await.expect(200);
    app.renew(&off).await;
}

async fn a_secret_of_before_counts_no_more_after_a_new_enrolment() {
    let app = App::with_everything().await;
    let Enrolled { tokens, authenticator: old } = app.enrolled(EMAIL).await;
    let tokens = app.disable(&tokens.access).await.expect(200).tokens();
    app.enable(&tokens.access).await.expect(200);
    let new = app.authenticator(&tokens.access).await;
    app.confirm_two_factor(&tokens.access, &old.code(&app)).await.refused(422, "invalid_two_factor_code");
    app.confirm_two_factor(&tokens.access, &new.code(&app)).await.expect(200);
    app.next_step();
    let challenge = app.challenge_token(EMAIL).await;
    app.challenge(&challenge, &old.code(&app)).await.refused(422, "invalid_two_factor_code");
}

/// A code of one pending secret says nothing of another one, also in the same 30 seconds.
async fn a_code_of_a_new_pending_secret_is_no_replay_of_a_code_of_the_one_before() {
    let app = App::with_everything().await;
    let mut access = app.confirmed_session(EMAIL).await.access;
    for _ in 0..2 {
        app.enable(&access).await.expect(200);
        let code = app.authenticator(&access).await.code(&app);
        access = app.confirm_two_factor(&access, &code).await.expect(200).tokens().access;
        access = app.disable(&access).await.expect(200).tokens().access;
    }
}

fn with_options(change: impl FnOnce(&mut TwoFactorOptions)) -> TwoFactorOptions {
    let mut options = TwoFactorOptions::default();
    change(&mut options);
    options
}

async fn without_confirm_a_secret_is_in_force_at_once() {
    let options = with_options(|options| options.confirm = false);
    let app = App::with_everything_and(|config| config.two_factor(options), |module| module).await;
    let tokens = app.confirmed_session(EMAIL).await;
    let other = app.login(EMAIL).await;
    let answer = app.enable(&tokens.access).await.expect(200);
    assert_eq!(answer.members_beside_the_session(), ["message"]);
    assert!(record(&app).two_factor_confirmed_at.is_some());
    let fresh = answer.tokens();
    app.me(&other.access).await.refused(401, "unauthenticated");
    app.me(&tokens.access).await.refused(401, "unauthenticated");
    let authenticator = app.authenticator(&fresh.access).await;
    let challenge = app.challenge_token(EMAIL).await;
    app.challenge(&challenge, &authenticator.code(&app)).await.expect(200);

    assert_eq!(app.enable(&fresh.access).await.expect(200).members(), ["message"]);
    let forced = app.enable(&fresh.access).json(&json!({ "force": true })).await.expect(200).tokens();
    app.next_step();
    let challenge = app.challenge_token(EMAIL).await;
    app.challenge(&challenge, &authenticator.code(&app)).await.refused(422, "invalid_two_factor_code");
    let new = app.authenticator(&forced.access).await;
    app.challenge(&challenge, &new.code(&app)).await.expect(200);
}

async fn a_secret_has_the_length_that_is_configured() {
    let options = with_options(|options| options.secret_length = 32);
    let app = App::with_everything_and(|config| config.two_factor(options), |module| module).await;
    let Enrolled { tokens, .. } = app.enrolled(EMAIL).await;
    let key = app.get("/auth/user/two-factor-secret-key").bearer(&tokens.access).await.expect(200);
    assert_eq!(key.body["secretKey"].as_str().unwrap().len(), 52);
}

/// There would be no route to show a second factor at, and no route to switch it off.
/// A host on the same users with the feature off.
async fn switched_off(on: &App, two_factor: TwoFactorOptions) -> App {
    App::on(
        on.users.clone(),
        on.users.clone(),
        |config| config.two_factor(two_factor),
        |module| {
            let module = module.registration(StandardActions).two_factor_authentication();
            module.enabled(routers::features([Feature::REGISTRATION])).unwrap()
        },
    )
    .await
}

async fn where_the_feature_is_off_who_has_a_second_factor_cannot_log_in() {
    let on = App::with_everything().await;
    on.enrolled(EMAIL).await;
    on.register("eve@example.com").await;
    let off = switched_off(&on, TwoFactorOptions::default()).await;
    off.login_call(EMAIL, PASSWORD).await.refused(403, "second_factor_unavailable");
    off.login_call(EMAIL, "wrong").await.refused(401, "invalid_credentials");
    off.login("eve@example.com").await;
}

async fn where_the_feature_is_off_the_password_can_be_all_of_a_login() {
    let on = App::with_everything().await;
    on.enrolled(EMAIL).await;
    assert!(!on.logs_in_by_password_alone(EMAIL).await);
    let mut options = TwoFactorOptions::default();
    options.when_off = WhenOff::PasswordAlone;
    let off = switched_off(&on, options).await;
    assert!(off.logs_in_by_password_alone(EMAIL).await);
    let token = off.login(EMAIL).await.access;
    off.confirm_password(&token).await;
    off.enable(&token).await.refused(404, "not_found");
    off.challenge("x", "123456").await.refused(404, "not_found");
}
