//! A second factor from its enrolment until it is disabled, with the tests' own authenticator app.

use crate::authenticator::{code, wrong_code};
use crate::host::{Directory, Host, PASSWORD, Response, login, registration};
use reqwest::Method;
use serde_json::{Value, json};

/// Registers Ada and enrols her authenticator. Returns her access token and the app's secret.
pub(crate) async fn enrol(host: &Host) -> (String, String) {
    let registered = host.post("/auth/register", registration("ada@example.com")).await;
    let token = registered.text("accessToken");
    let enable = async || host.post_as(token, "/auth/user/two-factor-authentication").await;
    let refused = enable().await;
    assert_eq!((refused.status, refused.text("code")), (403, "password_confirmation_required"));
    let post = async |path: &str, body: Value| host.call_as(token, Method::POST, path, body).await;
    assert_eq!(post("/auth/user/confirm-password", json!({ "password": PASSWORD })).await.status, 200);
    assert_eq!(enable().await.status, 200);

    let secret = host.get_as(token, "/auth/user/two-factor-secret-key").await;
    let secret = secret.text("secretKey");
    let qr_code = host.get_as(token, "/auth/user/two-factor-qr-code").await;
    assert!(qr_code.text("svg").contains("<svg"), "{qr_code:?}");
    assert!(qr_code.text("url").contains(&format!("secret={secret}&")), "{qr_code:?}");
    // A login does not ask for a code before the enrolment is confirmed.
    assert_eq!(logged_in(host).await.body["twoFactor"], false);
    let confirmed =
        post("/auth/user/confirmed-two-factor-authentication", json!({ "code": code(secret, 0) })).await;
    assert_eq!(confirmed.status, 200, "{confirmed:?}");
    (confirmed.text("accessToken").to_owned(), secret.to_owned())
}

async fn logged_in(host: &Host) -> Response {
    let response = host.post("/auth/login", login("ada@example.com", PASSWORD)).await;
    assert_eq!(response.status, 200);
    response
}

/// Logs in and sends this code to the challenge.
async fn challenge(host: &Host, field: &str, proof: &str) -> Response {
    let challenged = logged_in(host).await;
    assert_eq!(challenged.body["twoFactor"], true);
    assert!(challenged.body.get("accessToken").is_none(), "{challenged:?}");
    let body = json!({ "challengeToken": challenged.text("challengeToken"), field: proof });
    host.post("/auth/two-factor-challenge", body).await
}

#[tokio::test]
async fn a_login_accepts_each_code_of_the_app_once() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[]);
    let (_, secret) = enrol(&host).await;
    let wrong = challenge(&host, "code", &wrong_code(&secret)).await;
    assert_eq!((wrong.status, wrong.text("code")), (422, "invalid_two_factor_code"));
    // The code that confirmed the enrolment cannot be used again; the next one is accepted, because clocks may differ.
    let next = code(&secret, 1);
    let responded = challenge(&host, "code", &next).await;
    assert_eq!((responded.status, &responded.body["twoFactor"]), (200, &json!(false)));
    assert_eq!(host.get_as(responded.text("accessToken"), "/me").await.status, 200);
    let replayed = challenge(&host, "code", &next).await;
    assert_eq!((replayed.status, replayed.text("code")), (422, "invalid_two_factor_code"));
}

#[tokio::test]
async fn a_safe_opens_with_two_factors_and_a_vault_with_neither() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[]);
    let (token, secret) = enrol(&host).await;
    let registered = host.post("/auth/register", registration("bob@example.com")).await;
    let refused = host.get_as(registered.text("accessToken"), "/safe").await;
    assert_eq!((refused.status, refused.text("code")), (401, "insufficient_user_authentication"));
    assert_eq!((&refused.body["acrValues"], &refused.body["methods"]), (&json!(["aal2", "phr"]), &json!([])));
    let challenged = challenge(&host, "code", &code(&secret, 1)).await;
    for two_factors in [&*token, challenged.text("accessToken")] {
        let safe = host.get_as(two_factors, "/safe").await;
        assert_eq!((safe.status, safe.body), (200, json!({ "opened": true })));
        let vault = host.get_as(two_factors, "/vault").await;
        assert_eq!(
            (vault.status, &vault.body["acrValues"], &vault.body["maxAge"]),
            (401, &json!(["phr"]), &json!(300))
        );
    }
}

#[tokio::test]
async fn a_recovery_code_replaces_the_app_once() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[]);
    let (token, _) = enrol(&host).await;
    let codes = async || host.get_as(&token, "/auth/user/two-factor-recovery-codes").await.body;
    let before = codes().await;
    assert_eq!(before.as_array().map(Vec::len), Some(8), "{before}");
    let used = before[3].as_str().expect("a code");
    assert_eq!(challenge(&host, "recoveryCode", used).await.status, 200);
    let again = challenge(&host, "recoveryCode", used).await;
    assert_eq!((again.status, again.text("code")), (422, "invalid_recovery_code"));
    let after = codes().await;
    let kept = |code: &&Value| before.as_array().is_some_and(|before| before.contains(code));
    assert_eq!(after.as_array().map(|after| (after.len(), after.iter().filter(kept).count())), Some((8, 7)));
}

#[tokio::test]
async fn a_second_factor_can_be_disabled() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[]);
    let (token, _) = enrol(&host).await;
    let disabled =
        host.call_as(&token, Method::DELETE, "/auth/user/two-factor-authentication", json!({})).await;
    assert_eq!(disabled.status, 200, "{disabled:?}");
    assert_eq!(host.get_as(disabled.text("accessToken"), "/me").await.status, 200);
    assert_eq!(logged_in(&host).await.body["twoFactor"], false);
}
