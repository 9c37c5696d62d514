//! The authenticator app of a user.

use super::Host;
use crate::support::{EMAIL, PASSWORD};
use axum_auth_module::testing::{enable_two_factor, login_as, totp_at, totp_next, totp_now};
use serde_json::{Value, json};
use std::time::Duration;

/// Logs in with the password and this code.
async fn login(host: &Host, code: &str) -> u16 {
    let body = json!({ "email": EMAIL, "password": PASSWORD });
    let challenge: Value = host.client().post("/auth/login").json(&body).await.expect(200).json();
    assert_eq!(challenge["twoFactor"], true);
    let body = json!({ "challengeToken": challenge["challengeToken"], "code": code });
    host.client().post("/auth/two-factor-challenge").json(&body).await.status()
}

#[tokio::test]
async fn a_code_is_that_of_the_modules_clock_and_the_next_one_comes_after_it() {
    let host = Host::start();
    let ada = host.user(EMAIL).await;
    let factor = enable_two_factor(&host.auth, &ada).await.unwrap();
    let now = totp_now(&host.auth, &ada).await.unwrap();
    assert_eq!(login(&host, &now).await, 200);
    assert_eq!(login(&host, &now).await, 422, "a code was accepted twice");
    let next = totp_next(&host.auth, &ada).await.unwrap();
    assert_eq!(login(&host, &next).await, 200);
    assert_eq!(login(&host, &next).await, 422, "a code was accepted twice");
    host.clock.advance(Duration::from_secs(30));
    assert_eq!(totp_now(&host.auth, &ada).await.unwrap(), next);
    host.clock.advance(Duration::from_secs(30));
    let later = totp_now(&host.auth, &ada).await.unwrap();
    let time = axum_auth_module::clock::Clock::now(&host.clock);
    assert_eq!(later, totp_at(&factor.secret_key, time).unwrap());
    assert_eq!(login(&host, &later).await, 200);
}

#[tokio::test]
async fn a_recovery_code_of_a_second_factor_that_was_set_up_works_once() {
    let host = Host::start();
    let ada = host.user(EMAIL).await;
    let factor = enable_two_factor(&host.auth, &ada).await.unwrap();
    assert_eq!(factor.recovery_codes.len(), 8);
    for status in [200, 422] {
        let body = json!({ "email": EMAIL, "password": PASSWORD });
        let challenge: Value = host.client().post("/auth/login").json(&body).await.expect(200).json();
        let (token, code) = (&challenge["challengeToken"], &factor.recovery_codes[0]);
        let body = json!({ "challengeToken": token, "recoveryCode": code });
        host.client().post("/auth/two-factor-challenge").json(&body).await.expect(status);
    }
}

#[tokio::test]
async fn a_user_enrols_with_the_code_of_the_pending_secret() {
    let host = Host::start();
    let ada = host.user(EMAIL).await;
    let none = totp_now(&host.auth, &ada).await.err().unwrap();
    assert_eq!(none.code().as_str(), "two_factor_not_enabled");
    let login = login_as(&host.auth, &ada).with_confirmed_password();
    let client = host.client().with_tokens(&login.tokens().await.unwrap());
    client.post("/auth/user/two-factor-authentication").await.expect(200);
    let body = json!({ "code": totp_now(&host.auth, &ada).await.unwrap() });
    client.post("/auth/user/confirmed-two-factor-authentication").json(&body).await.expect(200);
    assert!(host.users.by_email(EMAIL).unwrap().two_factor_confirmed_at.is_some());
}

#[tokio::test]
async fn a_new_second_factor_changes_the_credentials() {
    let host = Host::start();
    let ada = host.user(EMAIL).await;
    let before = host.client().with_tokens(&login_as(&host.auth, &ada).tokens().await.unwrap());
    before.get("/me").await.expect(200);
    enable_two_factor(&host.auth, &ada).await.unwrap();
    before.get("/me").await.expect(401);
}
