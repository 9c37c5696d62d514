//! `POST /two-factor-challenge` and the token it takes. Its limits are in `limits`, what is a right code in
//! `one_time_codes`.

use crate::support::authenticator::Enrolled;
use crate::support::providers::faults;
use crate::support::routers::{self, on_both_routers};
use crate::support::witness::without_time;
use crate::support::{App, EMAIL, PASSWORD, forge, logs, memory_users};
use axum_auth_module::assurance::{Method, Methods};
use axum_auth_module::clock::Clock;
use axum_auth_module::delivery::PasswordResetMessage;
use axum_auth_module::endpoint::RouterKind;
use axum_auth_module::events::EventKind;
use axum_auth_module::store::MemoryStore;
use axum_auth_module::testing::Fault;
use axum_auth_module::{AuthConfig, AuthModuleBuilder};
use serde_json::{Value, json};
use std::time::{Duration, UNIX_EPOCH};

on_both_routers![
    a_login_with_two_factor_answers_a_challenge_and_no_tokens,
    a_right_code_answers_a_pair_of_tokens,
    a_wrong_code_is_an_event_that_names_the_account_and_no_code,
    a_challenge_is_answered_with_a_code_or_a_recovery_code,
    the_route_is_public_and_takes_json_by_post_alone,
    a_challenge_token_is_spent_by_success,
    a_challenge_token_lives_for_five_minutes_to_the_second,
    a_challenge_token_dies_with_the_password_it_was_given_for,
    a_reset_of_the_password_leaves_the_second_factor_to_be_shown,
    a_challenge_token_dies_when_two_factor_is_switched_off_or_confirmed_anew,
    a_challenge_token_dies_with_its_user,
    one_users_challenge_is_not_met_by_anothers_code,
    a_challenge_token_of_a_module_with_other_secrets_is_none_here,
    where_the_store_or_the_repository_fails_nobody_gets_in_and_nothing_counts,
    no_log_line_holds_a_secret_a_code_or_a_challenge_token,
];

async fn a_login_with_two_factor_answers_a_challenge_and_no_tokens() {
    let app = App::with_everything().await;
    app.enrolled(EMAIL).await;
    app.event_names::<4>().await;
    let answer = app.login_call(EMAIL, PASSWORD).await.expect(200);
    assert_eq!(answer.members_beside_the_challenge(), ["methods", "twoFactor"]);
    assert_eq!(
        (&answer.body["twoFactor"], &answer.body["methods"]),
        (&json!(true), &json!(["totp", "recovery_code"]))
    );
    assert_eq!(app.event().await.name(), "auth.two-factor-challenged");
    app.login_call(EMAIL, "wrong").await.refused(401, "invalid_credentials");
    assert_eq!(app.event().await.name(), "auth.login-failed");
}

async fn a_right_code_answers_a_pair_of_tokens() {
    let app = App::with_everything().await;
    let Enrolled { authenticator, .. } = app.enrolled(EMAIL).await;
    app.event_names::<4>().await;
    let token = app.challenge_token(EMAIL).await;
    let answer = app.challenge(&token, &authenticator.code(&app)).await.expect(200);
    assert_eq!(answer.members_beside_the_session(), ["twoFactor"]);
    assert_eq!(answer.body["twoFactor"], false);
    let tokens = answer.tokens();
    assert_eq!(app.me(&tokens.access).await.expect(200).text, EMAIL);
    app.renew(&tokens).await;
    assert_eq!(app.event_names().await, ["auth.two-factor-challenged", "auth.valid-two-factor-code"]);
    let session_id = forge::claims(&tokens.access)["sid"].as_str().unwrap().to_owned();
    let methods = Methods::from_iter([Method::Password, Method::OneTimeCode]);
    assert_eq!(app.event().await.kind, EventKind::Login { session_id, methods });
    let confirmed = app.get("/auth/user/two-factor-secret-key").bearer(&tokens.access).await;
    confirmed.refused(403, "password_confirmation_required");
}

async fn a_wrong_code_is_an_event_that_names_the_account_and_no_code() {
    let app = App::with_everything().await;
    let Enrolled { authenticator, .. } = app.enrolled(EMAIL).await;
    app.event_names::<4>().await;
    let token = app.challenge_token(EMAIL).await;
    let wrong = authenticator.wrong_code(&app);
    app.challenge(&token, &wrong).await.refused(422, "invalid_two_factor_code");
    app.challenge_by_recovery_code(&token, "wrong").await.refused(422, "invalid_recovery_code");
    assert_eq!(app.event().await.name(), "auth.two-factor-challenged");
    for _ in 0..2 {
        let event = app.event().await;
        assert_eq!((event.name(), event.user_id.as_deref()), ("auth.two-factor-failed", Some("1")));
        assert_eq!(event.client, Some("192.0.2.1".parse().unwrap()));
        assert!(!without_time(&event).contains(&wrong));
    }
}

async fn a_challenge_is_answered_with_a_code_or_a_recovery_code() {
    let app = App::with_everything().await;
    let Enrolled { authenticator, .. } = app.enrolled(EMAIL).await;
    let token = app.challenge_token(EMAIL).await;
    let post = |body: Value| app.post("/auth/two-factor-challenge").challenge(&token, body);
    let errors = async |body: Value| post(body).await.field_errors();
    let code = authenticator.code(&app);
    assert_eq!(errors(json!({})).await, ["code: required"]);
    assert_eq!(errors(json!({ "code": code, "recoveryCode": "x" })).await, ["recoveryCode: conflict"]);
    for (field, value, error) in [
        ("code", json!(""), "code: required"),
        ("code", json!(123_456), "code: wrong_type"),
        ("code", json!([code]), "code: wrong_type"),
        ("code", json!({ "$gt": "" }), "code: wrong_type"),
        ("recoveryCode", json!(""), "recoveryCode: required"),
        ("recoveryCode", json!(true), "recoveryCode: wrong_type"),
        ("recoveryCode", json!(["x"]), "recoveryCode: wrong_type"),
    ] {
        assert_eq!(errors(json!({ field: value })).await, [error], "{value}");
    }
    // A null is as good as absent; and nothing of the above has cost a try.
    post(json!({ "code": code, "recoveryCode": null })).await.expect(200);
}

#[tokio::test]
async fn a_challenge_token_is_a_text_in_the_body() {
    let app = App::with_everything().await;
    let Enrolled { authenticator, .. } = app.enrolled(EMAIL).await;
    let (token, code) = (app.challenge_token(EMAIL).await, authenticator.code(&app));
    let post = |body: Value| app.post("/auth/two-factor-challenge").json(&body);
    let errors = async |body: Value| post(body).await.field_errors();
    assert_eq!(errors(json!({})).await, ["challengeToken: required", "code: required"]);
    assert_eq!(errors(json!({ "code": code })).await, ["challengeToken: required"]);
    for value in [json!(""), json!(null)] {
        let body = json!({ "challengeToken": value, "code": code });
        assert_eq!(errors(body).await, ["challengeToken: required"]);
    }
    let body = json!({ "challengeToken": [token], "code": code });
    assert_eq!(errors(body).await, ["challengeToken: wrong_type"]);
    post(json!({ "challengeToken": token, "code": code })).await.expect(200);
}

#[tokio::test]
async fn the_challenge_of_a_browser_is_in_its_cookie_alone() {
    routers::on(RouterKind::Browser, async {
        let app = App::with_everything().await;
        let Enrolled { authenticator, .. } = app.enrolled(EMAIL).await;
        let (token, code) = (app.challenge_token(EMAIL).await, authenticator.code(&app));
        let post = || app.post("/auth/two-factor-challenge");
        for body in [json!({ "code": code }), json!({ "challengeToken": token, "code": code })] {
            post().json(&body).await.refused(401, "invalid_challenge_token");
        }
        assert_eq!(post().json(&json!({})).await.field_errors(), ["code: required"]);
        // What is in the body besides is ignored.
        let body = json!({ "challengeToken": [], "code": code });
        post().challenge(&token, body).await.expect(200);
    })
    .await;
}

async fn the_route_is_public_and_takes_json_by_post_alone() {
    let app = App::with_everything().await;
    // A browser asks with GET with what its challenge can be completed.
    let (refusal, methods) = match routers::is_browser() {
        true => ((401, "invalid_challenge_token"), None),
        false => ((405, "method_not_allowed"), Some("POST")),
    };
    let get = app.get("/auth/two-factor-challenge").await.refused(refusal.0, refusal.1);
    assert_eq!(get.header("allow"), methods);
    let post = || app.post("/auth/two-factor-challenge");
    post().await.refused(415, "unsupported_media_type");
    post().body("text/plain", "{}").await.refused(415, "unsupported_media_type");
    post().body("application/json", "[]").await.refused(400, "malformed_request");
    post().body("application/json", " ".repeat(70_000)).await.refused(413, "payload_too_large");
}

#[tokio::test]
async fn a_challenge_token_says_what_the_specification_says() {
    let app = App::with_everything().await;
    app.enrolled(EMAIL).await;
    let (token, again) = (app.challenge_token(EMAIL).await, app.challenge_token(EMAIL).await);
    assert_ne!(token, again);
    assert_eq!(Value::Object(forge::part(&token, 0)), json!({ "alg": "HS256", "typ": "2fa+jwt" }));
    let claims = forge::claims(&token);
    // Switching two-factor on has ended what was under way before.
    assert_eq!(claims.keys().collect::<Vec<_>>(), ["ep", "exp", "gen", "jti", "sub"]);
    assert_eq!(claims["sub"], "1");
    let now = app.clock.now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    assert_eq!(claims["exp"], now + 300);
}

async fn a_challenge_token_is_spent_by_success() {
    let app = App::with_everything().await;
    let Enrolled { tokens, authenticator } = app.enrolled(EMAIL).await;
    let recovery_code = &app.recovery_codes(&tokens.access).await[0];
    let (first, second) = (app.challenge_token(EMAIL).await, app.challenge_token(EMAIL).await);
    app.challenge(&first, &authenticator.code(&app)).await.expect(200);
    app.next_step();
    app.challenge(&first, &authenticator.code(&app)).await.refused(401, "invalid_challenge_token");
    let refused = app.challenge_by_recovery_code(&first, recovery_code).await;
    refused.refused(401, "invalid_challenge_token");
    assert_eq!(&app.recovery_codes(&tokens.access).await[0], recovery_code, "not spent in vain");
    app.challenge(&second, &authenticator.code(&app)).await.expect(200);

    let third = app.challenge_token(EMAIL).await;
    app.challenge_by_recovery_code(&third, recovery_code).await.expect(200);
    app.next_step();
    app.challenge(&third, &authenticator.code(&app)).await.refused(401, "invalid_challenge_token");
}

async fn a_challenge_token_lives_for_five_minutes_to_the_second() {
    let app = App::with_everything().await;
    let Enrolled { authenticator, .. } = app.enrolled(EMAIL).await;
    let (first, second) = (app.challenge_token(EMAIL).await, app.challenge_token(EMAIL).await);
    let expires = UNIX_EPOCH + Duration::from_secs(forge::claims(&first)["exp"].as_u64().unwrap());
    app.clock.set(expires - Duration::from_millis(1));
    app.challenge(&first, &authenticator.code(&app)).await.expect(200);
    app.clock.set(expires);
    let refused = app.challenge(&second, &authenticator.code_in(&app, 1)).await;
    refused.refused(401, "invalid_challenge_token");
}

/// A challenge under way; what the user does meanwhile with another session decides over it.
struct Waiting {
    app: App,
    enrolled: Enrolled,
    challenge: String,
}

impl Waiting {
    async fn begin() -> Self {
        let app = App::with_everything().await;
        let enrolled = app.enrolled(EMAIL).await;
        let challenge = app.challenge_token(EMAIL).await;
        Self { app, enrolled, challenge }
    }

    async fn is_dead(&self) {
        let Self { app, enrolled, challenge } = self;
        let answer = app.challenge(challenge, &enrolled.authenticator.code(app)).await;
        answer.refused(401, "invalid_challenge_token");
    }
}

async fn a_challenge_token_dies_with_the_password_it_was_given_for() {
    let waiting = Waiting::begin().await;
    let body = json!({ "currentPassword": PASSWORD, "password": "another battery", "passwordConfirmation": "another battery" });
    let call = waiting.app.put("/auth/user/password").bearer(&waiting.enrolled.tokens.access);
    call.json(&body).await.expect(200);
    waiting.is_dead().await;
}

/// A reset shows the mailbox, which is no second factor.
async fn a_reset_of_the_password_leaves_the_second_factor_to_be_shown() {
    let waiting = Waiting::begin().await;
    let app = &waiting.app;
    app.verify_address(EMAIL);
    app.post("/auth/forgot-password").json(&json!({ "email": EMAIL })).await.expect(200);
    let token = app.outbox.next::<PasswordResetMessage>().await.token;
    let body = json!({
        "email": EMAIL, "token": token, "password": PASSWORD, "passwordConfirmation": PASSWORD
    });
    app.post("/auth/reset-password").json(&body).await.expect(200);
    waiting.is_dead().await;
    let challenge = app.challenge_token(EMAIL).await;
    app.challenge(&challenge, &waiting.enrolled.authenticator.code(app)).await.expect(200);
}

async fn a_challenge_token_dies_when_two_factor_is_switched_off_or_confirmed_anew() {
    let waiting = Waiting::begin().await;
    let tokens = waiting.app.disable(&waiting.enrolled.tokens.access).await.expect(200).tokens();
    waiting.is_dead().await;
    waiting.app.enable(&tokens.access).await.expect(200);
    waiting.is_dead().await;
    let authenticator = waiting.app.authenticator(&tokens.access).await;
    waiting.app.confirm_two_factor(&tokens.access, &authenticator.code(&waiting.app)).await.expect(200);
    waiting.is_dead().await;

    let waiting = Waiting::begin().await;
    let access = &waiting.enrolled.tokens.access;
    waiting.app.enable(access).json(&json!({ "force": true })).await.expect(200);
    let authenticator = waiting.app.authenticator(access).await;
    waiting.app.confirm_two_factor(access, &authenticator.code(&waiting.app)).await.expect(200);
    waiting.app.next_step();
    let answer = waiting.app.challenge(&waiting.challenge, &authenticator.code(&waiting.app)).await;
    answer.refused(401, "invalid_challenge_token");
}

async fn a_challenge_token_dies_with_its_user() {
    let waiting = Waiting::begin().await;
    waiting.app.users.update(EMAIL, |user| user.active = false);
    waiting.is_dead().await;
    waiting.app.users.update(EMAIL, |user| user.active = true);
    waiting.app.users.update(EMAIL, |user| user.two_factor_confirmed_at = None);
    waiting.is_dead().await;
    waiting.app.users.remove(EMAIL);
    waiting.is_dead().await;
}

async fn one_users_challenge_is_not_met_by_anothers_code() {
    let app = App::with_everything().await;
    let ada = app.enrolled(EMAIL).await;
    let eve = app.enrolled("eve@example.com").await;
    let codes = app.recovery_codes(&eve.tokens.access).await;
    let token = app.challenge_token(EMAIL).await;
    app.challenge(&token, &eve.authenticator.code(&app)).await.refused(422, "invalid_two_factor_code");
    let refused = app.challenge_by_recovery_code(&token, &codes[0]).await;
    refused.refused(422, "invalid_recovery_code");
    let tokens = app.challenge(&token, &ada.authenticator.code(&app)).await.expect(200).tokens();
    assert_eq!(app.me(&tokens.access).await.text, EMAIL);
}

#[tokio::test]
async fn a_challenge_token_opens_nothing_else() {
    let app = App::with_everything().await;
    app.enrolled(EMAIL).await;
    let token = app.challenge_token(EMAIL).await;
    for (method, path) in [
        ("GET", "/me"),
        ("GET", "/claims"),
        ("GET", "/confirmed"),
        ("POST", "/auth/logout"),
        ("POST", "/auth/user/confirm-password"),
        ("GET", "/auth/user/confirmed-password-status"),
        ("PUT", "/auth/user/password"),
        ("PUT", "/auth/user/profile-information"),
        ("POST", "/auth/email/verification-notification"),
        ("POST", "/auth/user/two-factor-authentication"),
        ("DELETE", "/auth/user/two-factor-authentication"),
        ("POST", "/auth/user/confirmed-two-factor-authentication"),
        ("GET", "/auth/user/two-factor-qr-code"),
        ("GET", "/auth/user/two-factor-secret-key"),
        ("GET", "/auth/user/two-factor-recovery-codes"),
        ("POST", "/auth/user/two-factor-recovery-codes"),
    ] {
        let answer = app.request(method.parse().unwrap(), path).bearer(&token).await;
        assert_eq!((answer.status, answer.code()), (401, "unauthenticated"), "{method} {path}");
    }
    app.refresh(&token).await.refused(401, "invalid_refresh_token");
}

#[tokio::test]
async fn nothing_else_is_a_challenge_token() {
    let app = App::with_everything().await;
    let Enrolled { tokens, authenticator } = app.enrolled(EMAIL).await;
    let real = app.challenge_token(EMAIL).await;
    let claims = Value::Object(forge::claims(&real)).to_string();
    let header = r#"{"alg":"HS256","typ":"2fa+jwt"}"#;
    let [head, body, signature] = real.split('.').collect::<Vec<_>>()[..] else { panic!("{real}") };
    let mut later = forge::claims(&real);
    later["exp"] = json!(9_999_999_999_u64);
    let forged = [
        tokens.access.clone(),
        tokens.refresh.clone(),
        forge::with_header(&tokens.access, header),
        // The claims of a real one, signed with what signs other tokens.
        forge::sign(header, &claims, forge::JWT_SECRET),
        forge::sign(header, &claims, forge::REFRESH_SECRET),
        forge::sign(header, &claims, ""),
        format!("{}.{body}.", forge::encode(r#"{"alg":"none","typ":"2fa+jwt"}"#)),
        format!("{}.{body}.{signature}", forge::encode(r#"{"alg":"HS256","typ":"at+jwt"}"#)),
        format!("{head}.{}.{signature}", forge::encode(&Value::Object(later).to_string())),
        format!("{head}.{body}"),
        format!("{head}.{body}."),
        format!("{real}.{signature}"),
        format!("{head}.{body}.{signature}A"),
        format!(" {real}"),
        "x".repeat(60_000),
        "..".to_owned(),
        "null".to_owned(),
    ];
    for token in forged {
        let answer = app.challenge(&token, &authenticator.code(&app)).await;
        assert_eq!((answer.status, answer.code()), (401, "invalid_challenge_token"), "{token}");
    }
    app.challenge(&real, &authenticator.code(&app)).await.expect(200);
}

/// Two modules with the same users, as two services of one company may have.
async fn a_challenge_token_of_a_module_with_other_secrets_is_none_here() {
    let app = App::with_everything_and(|config| config.bcrypt_cost(10), |module| module).await;
    let Enrolled { authenticator, .. } = app.enrolled(EMAIL).await;
    let clock = app.clock.clone();
    let other = App::on(
        app.users.clone(),
        app.users.clone(),
        |_| {
            let secret = "a secret that only another module has";
            let key = "dGhpcnR5LXR3byBieXRlcyBmb3IgdGVzdHMgb25seSE=";
            AuthConfig::builder(secret, forge::REFRESH_SECRET, key)
                .bcrypt_cost(10)
                .relying_party(crate::support::passkeys::site())
                .clock(clock)
        },
        AuthModuleBuilder::two_factor_authentication,
    )
    .await;
    let code = authenticator.code(&app);
    let foreign = other.challenge_token(EMAIL).await;
    let own = app.challenge_token(EMAIL).await;
    app.challenge(&foreign, &code).await.refused(401, "invalid_challenge_token");
    other.challenge(&own, &code).await.refused(401, "invalid_challenge_token");
    app.challenge(&own, &code).await.expect(200);
}

async fn where_the_store_or_the_repository_fails_nobody_gets_in_and_nothing_counts() {
    let (users, faults) = (memory_users(), faults());
    let (repository, store) = (faults.over(users.clone()), faults.over(MemoryStore::new()));
    let app = App::with_everything_on(repository, users, |config| config, |module| module.store(store)).await;
    let Enrolled { authenticator, .. } = app.enrolled(EMAIL).await;
    let (token, code) = (app.challenge_token(EMAIL).await, authenticator.code(&app));
    for fault in [Fault::Fails, Fault::Panics] {
        faults.everywhere("users", fault);
        for _ in 0..5 {
            app.challenge(&token, &code).await.refused(500, "internal_error");
        }
        faults.heal();
    }
    faults.everywhere("store", Fault::Fails);
    for _ in 0..5 {
        app.challenge(&token, &code).await.refused(503, "unavailable");
    }
    faults.heal();
    app.challenge(&token, &code).await.expect(200);
}

async fn no_log_line_holds_a_secret_a_code_or_a_challenge_token() {
    let app = App::with_everything().await;
    let Enrolled { tokens, authenticator } = app.enrolled(EMAIL).await;
    let key = app.get("/auth/user/two-factor-secret-key").bearer(&tokens.access).await.expect(200);
    let codes = app.recovery_codes(&tokens.access).await;
    let (first, second) = (app.challenge_token(EMAIL).await, app.challenge_token(EMAIL).await);
    let code = authenticator.code(&app);
    app.challenge(&first, &code).await.expect(200);
    app.challenge(&second, &code).await.expect(422);
    app.challenge_by_recovery_code(&second, &codes[0]).await.expect(200);
    let stored = app.users.by_email(EMAIL).unwrap().two_factor_secret.unwrap();
    app.users.update(EMAIL, |user| user.two_factor_secret = Some(stored[..stored.len() - 1].to_owned()));
    let third = app.challenge_token(EMAIL).await;
    app.challenge(&third, &code).await.expect(500);

    let logs = logs::recorded();
    // Only the module's own lines: the HTTP client of these tests and hyper may log what passes through them.
    let ours: Vec<_> = logs.lines().filter(|line| line.contains(" axum_auth_module: ")).collect();
    assert!(ours.iter().any(|line| line.contains("an encrypted field")), "the failure itself is logged");
    let secrets = [key.body["secretKey"].as_str().unwrap(), &codes[0], &codes[1], &first, &second, &third];
    for secret in secrets.into_iter().chain([&stored[..stored.len() - 1]]) {
        assert!(!ours.iter().any(|line| line.contains(secret)), "{secret}");
    }
}
