//! Logins without a form.

use super::Host;
use crate::support::{EMAIL, PASSWORD};
use axum_auth_module::config::TwoFactorOptions;
use axum_auth_module::testing::{enable_two_factor, login_as};
use serde_json::{Value, json};
use std::time::Duration;

#[tokio::test]
async fn a_session_with_tokens_is_real_and_ends_with_a_logout() {
    let host = Host::start();
    let ada = host.user(EMAIL).await;
    let before = host.auth.admin().sessions_of(&ada.id).await.unwrap().len();
    let tokens = login_as(&host.auth, &ada).tokens().await.unwrap();
    assert_eq!(host.auth.admin().sessions_of(&ada.id).await.unwrap().len(), before + 1);
    let client = host.client().with_tokens(&tokens);
    assert_eq!(client.get("/me").await.expect(200).text(), EMAIL);
    let body = json!({ "refreshToken": tokens.refresh_token });
    let renewed: Value = host.client().post("/auth/refresh").json(&body).await.expect(200).json();
    client.post("/auth/logout").await.expect(200);
    assert_eq!(client.get("/me").await.expect(401).code().as_deref(), Some("unauthenticated"));
    let renewed = host.client().with_access_token(renewed["accessToken"].as_str().unwrap());
    renewed.get("/me").await.expect(401);
}

#[tokio::test]
async fn a_session_in_a_browser_is_real_and_ends_with_a_logout() {
    let host = Host::start();
    let (ada, browser) = (host.user(EMAIL).await, host.browser());
    browser.get("/page").await.expect(303);
    let id = login_as(&host.auth, &ada).in_browser(&browser).await.unwrap();
    assert_eq!(browser.get("/page").await.expect(200).text(), EMAIL);
    let sessions = host.auth.admin().sessions_of(&ada.id).await.unwrap();
    assert!(sessions.iter().any(|session| session.id == id));
    // The next login of this browser takes the place of the session, and one of another browser does not.
    login_as(&host.auth, &ada).in_browser(&host.browser()).await.unwrap();
    let next = login_as(&host.auth, &ada).in_browser(&browser).await.unwrap();
    let sessions = host.auth.admin().sessions_of(&ada.id).await.unwrap();
    assert!(
        sessions.iter().all(|session| session.id != id) && sessions.iter().any(|session| session.id == next)
    );
    browser.post("/web/auth/logout").await.expect(200);
    assert_eq!(browser.cookie("__Host-Http-auth"), None);
    assert_eq!(browser.get("/page").await.expect(303).location(), Some("/login?next=%2Fpage"));
}

#[tokio::test]
async fn a_session_has_what_the_test_says() {
    let host = Host::start();
    let ada = host.user(EMAIL).await;
    let plain = host.client().with_tokens(&login_as(&host.auth, &ada).tokens().await.unwrap());
    assert_eq!(plain.get("/verified").await.code().as_deref(), Some("email_not_verified"));
    assert_eq!(plain.get("/confirmed").await.code().as_deref(), Some("password_confirmation_required"));
    let login = login_as(&host.auth, &ada).with_verified_address().with_confirmed_password();
    let both = host.client().with_tokens(&login.tokens().await.unwrap());
    both.get("/verified").await.expect(200);
    both.get("/confirmed").await.expect(200);
    // The confirmation is one of that session, and ends.
    plain.get("/confirmed").await.expect(403);
    host.clock.advance(Duration::from_secs(600));
    both.get("/confirmed").await.expect(200);
    host.clock.advance(Duration::from_secs(4 * 3600));
    both.get("/me").await.expect(401);
    let browser = host.browser();
    login_as(&host.auth, &ada).with_confirmed_password().in_browser(&browser).await.unwrap();
    browser.get("/confirmed").await.expect(200);
}

#[tokio::test]
async fn a_second_factor_is_passed_and_confirmed_without_a_code() {
    let mut options = TwoFactorOptions::default();
    options.confirm_with_code = true;
    let host = Host::configured(|config| config.two_factor(options));
    let ada = host.user(EMAIL).await;
    enable_two_factor(&host.auth, &ada).await.unwrap();
    let codes = "/auth/user/two-factor-recovery-codes";
    let plain = host.client().with_tokens(&login_as(&host.auth, &ada).tokens().await.unwrap());
    plain.get("/me").await.expect(200);
    plain.get(codes).await.expect(403);
    let password = login_as(&host.auth, &ada).with_confirmed_password();
    let password = host.client().with_tokens(&password.tokens().await.unwrap());
    let methods: Value = password.get(codes).await.expect(403).json();
    assert_eq!(methods["methods"], json!(["password", "code"]));
    let login = login_as(&host.auth, &ada).with_confirmed_second_factor().with_confirmed_password();
    let confirmed = host.client().with_tokens(&login.tokens().await.unwrap());
    let recovery_codes: Vec<String> = confirmed.get(codes).await.expect(200).json();
    assert_eq!(recovery_codes.len(), 8);
    let browser = host.browser();
    login_as(&host.auth, &ada).with_confirmed_second_factor().in_browser(&browser).await.unwrap();
    browser.get(&codes.replace("/auth", "/web/auth")).await.expect(200);
    // Somebody without a second factor confirms the password alone.
    let bob = host.user("bob@example.com").await;
    let login = login_as(&host.auth, &bob).with_confirmed_second_factor();
    host.client().with_tokens(&login.tokens().await.unwrap()).get("/confirmed").await.expect(200);
}

#[tokio::test]
async fn a_remembered_session_survives_the_browser() {
    let host = Host::start();
    let ada = host.user(EMAIL).await;
    let [kept, forgotten] = [host.browser(), host.browser()];
    login_as(&host.auth, &ada).remembered().in_browser(&kept).await.unwrap();
    login_as(&host.auth, &ada).in_browser(&forgotten).await.unwrap();
    for browser in [&kept, &forgotten] {
        browser.get("/me").await.expect(200);
        browser.restart();
    }
    kept.get("/me").await.expect(200);
    forgotten.get("/me").await.expect(401);
    host.clock.advance(Duration::from_secs(31 * 24 * 3600));
    assert_eq!(kept.cookie("__Host-Http-auth"), None);
}

#[tokio::test]
async fn the_record_is_read_again_and_a_suspended_account_is_refused() {
    let host = Host::start();
    let ada = host.user(EMAIL).await;
    // The password was changed since the test has read the record.
    let tokens = login_as(&host.auth, &ada).with_confirmed_password().tokens().await.unwrap();
    let body = json!({
        "currentPassword": PASSWORD, "password": "another horse battery",
        "passwordConfirmation": "another horse battery",
    });
    host.client().with_tokens(&tokens).put("/auth/user/password").json(&body).await.expect(200);
    let tokens = login_as(&host.auth, &ada).tokens().await.unwrap();
    host.client().with_tokens(&tokens).get("/me").await.expect(200);
    host.users.update(EMAIL, |ada| ada.active = false);
    let refused = login_as(&host.auth, &ada).tokens().await.err().unwrap();
    assert_eq!(refused.code().as_str(), "invalid_credentials");
    host.users.remove(EMAIL);
    let nobody = login_as(&host.auth, &ada).tokens().await.err().unwrap();
    assert!(format!("{nobody:?}").contains("there is no user with this id"), "{nobody:?}");
}

#[tokio::test]
async fn a_login_in_a_browser_needs_browser_sessions() {
    let users = crate::support::memory_users();
    let config = axum_auth_module::testing::config().build().unwrap();
    let auth = axum_auth_module::AuthModule::builder(config, users.clone())
        .registration(axum_auth_module::StandardActions)
        .build()
        .unwrap();
    let app = axum::Router::new().nest("/auth", auth.router());
    let body = crate::support::registration(EMAIL);
    axum_auth_module::testing::Client::new(app.clone()).post("/auth/register").json(&body).await.expect(201);
    let browser = axum_auth_module::testing::Browser::new(app);
    let ada = users.by_email(EMAIL).unwrap();
    let error = login_as(&auth, &ada).in_browser(&browser).await.err().unwrap();
    assert!(format!("{error:?}").contains("enable BROWSER_SESSIONS"), "{error:?}");
    let error = enable_two_factor(&auth, &ada).await.err().unwrap();
    assert!(format!("{error:?}").contains("enable TWO_FACTOR_AUTHENTICATION"), "{error:?}");
}
