//! Trusted devices: a login there asks for no code.

use crate::authenticator::code;
use crate::host::{Directory, Host, PASSWORD, Response, login};
use crate::two_factor::enrol;
use reqwest::Method;
use serde_json::json;

const PATH: &str = "/auth/user/trusted-devices";

/// Logs in with a code of the app and has the device trusted. Returns its token.
async fn trust(host: &Host, secret: &str) -> String {
    let challenged = host.post("/auth/login", login("ada@example.com", PASSWORD)).await;
    let body = json!({
        "challengeToken": challenged.text("challengeToken"),
        // The enrolment has used the present one.
        "code": code(secret, 1),
        "trustDevice": true,
    });
    let trusted = host.post("/auth/two-factor-challenge", body).await;
    assert_eq!(trusted.status, 200, "{trusted:?}");
    trusted.text("deviceToken").to_owned()
}

/// Logs in with the token of a device.
async fn log_in_on(host: &Host, device: &str) -> Response {
    let mut body = login("ada@example.com", PASSWORD);
    body["deviceToken"] = device.into();
    let response = host.post("/auth/login", body).await;
    assert_eq!(response.status, 200, "{response:?}");
    response
}

#[tokio::test]
async fn a_trusted_device_asks_for_no_code_until_it_is_forgotten_also_after_a_restart() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[]);
    let (_, secret) = enrol(&host).await;
    let device = trust(&host, &secret).await;

    drop(host);
    let host = Host::start(&directory, &[]);
    let logged_in = log_in_on(&host, &device).await;
    assert_eq!(logged_in.body["twoFactor"], false);
    let token = logged_in.text("accessToken");
    let refused = host.get_as(token, "/safe").await;
    assert_eq!((refused.status, refused.text("code")), (401, "insufficient_user_authentication"));

    let listed = host.get_as(token, PATH).await.body;
    let devices = listed["devices"].as_array().expect("a list");
    assert_eq!((devices.len(), &devices[0]["current"]), (1, &json!(true)), "{listed}");
    let path = format!("{PATH}/{}", devices[0]["id"].as_str().expect("an id"));
    let forget = async || host.call_as(token, Method::DELETE, &path, json!({})).await;
    let refused = forget().await;
    assert_eq!((refused.status, refused.text("code")), (403, "password_confirmation_required"));
    let password = json!({ "password": PASSWORD });
    let confirmed = host.call_as(token, Method::POST, "/auth/user/confirm-password", password).await;
    assert_eq!(confirmed.status, 200);
    let forgotten = forget().await;
    assert_eq!((forgotten.status, forgotten.text("message")), (200, "The device is no longer trusted."));
    assert_eq!(host.get_as(token, PATH).await.body, json!({ "devices": [] }));
    assert_eq!(log_in_on(&host, &device).await.body["twoFactor"], true);
}

#[tokio::test]
async fn the_environment_sets_the_lifetime_and_all_devices_are_forgotten_at_once() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[("AUTH_TRUSTED_DEVICE_SECONDS", "86400")]);
    let (token, secret) = enrol(&host).await;
    let device = trust(&host, &secret).await;
    let listed = host.get_as(&token, PATH).await.body;
    let [from, until] = ["createdAt", "expiresAt"].map(|time| listed["devices"][0][time].as_str().unwrap());
    assert_eq!(from.split_once('T').unwrap().1, until.split_once('T').unwrap().1, "{listed}");
    assert_ne!(from, until);
    assert_eq!(listed["devices"][0]["current"], false, "the app was set up in another session");

    let forgotten = host.call_as(&token, Method::DELETE, PATH, json!({})).await;
    assert_eq!((forgotten.status, &forgotten.body["ended"]), (200, &json!(1)), "{forgotten:?}");
    assert_eq!(log_in_on(&host, &device).await.body["twoFactor"], true);
}
