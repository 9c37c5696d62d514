//! TRUSTED_DEVICES: who has proven the second factor on a device is not asked for it there for some weeks.

mod endings;
mod managing;
mod races;
mod sign_ins;
mod tokens;

use crate::change_emails::unlimited;
use crate::every_route::features_off::service_is_there_only_with;
use crate::support::answer::Answer;
use crate::support::authenticator::{Authenticator, Enrolled};
use crate::support::routers::DEVICE_COOKIE;
use crate::support::{App, Call, EMAIL, PASSWORD, Tokens};
use axum_auth_module::feature::Feature;
use axum_auth_module::services::TrustedDevicesService;
use serde_json::{Value, json};

const PATH: &str = "/auth/user/trusted-devices";
const DAY: u64 = 24 * 60 * 60;

async fn host() -> App {
    App::with_everything_and(unlimited, |module| module).await
}

/// A user with a second factor, a trusted device, and the session that has made it trusted.
pub(crate) struct Trusted {
    enrolled: Enrolled,
    /// The token of the device.
    pub(crate) device: String,
    /// The session that began with the challenge.
    pub(crate) tokens: Tokens,
}

/// Such a user, with a verified address.
pub(crate) async fn trusted(app: &App, email: &str) -> Trusted {
    let enrolled = app.enrolled(email).await;
    let (tokens, device) = trust(app, email, &enrolled.authenticator).await;
    Trusted { enrolled, device, tokens }
}

async fn with_device() -> (App, Trusted) {
    let app = host().await;
    let trusted = trusted(&app, EMAIL).await;
    app.verify_address(EMAIL);
    (app, trusted)
}

/// Logs in, and has the device trusted.
pub(crate) async fn trust(app: &App, email: &str, authenticator: &Authenticator) -> (Tokens, String) {
    let token = app.challenge_token(email).await;
    let answer = trusting(app, &token, &authenticator.code(app)).await.expect(200);
    app.next_step();
    let device = answer.device().expect("a device");
    (answer.tokens(), device)
}

/// A challenge that is completed with `trustDevice`.
fn trusting(app: &App, token: &str, code: &str) -> Call {
    challenge(app, token, json!({ "code": code, "trustDevice": true }))
}

fn challenge(app: &App, token: &str, body: Value) -> Call {
    app.post("/auth/two-factor-challenge").challenge(token, body)
}

/// A request with this body, and with the token of a device in it or in the cookie of a browser.
fn post_on_device(app: &App, path: &str, device: &str, mut body: Value) -> Call {
    if app.is_for_browsers() {
        return app.post(path).header("cookie", &format!("{DEVICE_COOKIE}={device}")).json(&body);
    }
    body["deviceToken"] = device.into();
    app.post(path).json(&body)
}

/// A login with the password on this device.
pub(crate) fn login_on(app: &App, device: &str, email: &str) -> Call {
    post_on_device(app, "/auth/login", device, json!({ "email": email, "password": PASSWORD }))
}

/// Whether a login with the password begins a session on this device: otherwise the second factor is asked for.
async fn is_trusted(app: &App, device: &str, email: &str) -> bool {
    let answer = login_on(app, device, email).await.expect(200);
    assert_eq!(answer.body["twoFactor"].as_bool(), Some(answer.session().is_none()));
    answer.session().is_some()
}

pub(crate) async fn list(app: &App, tokens: &Tokens) -> Vec<Value> {
    let listed = app.get(PATH).bearer(&tokens.access).await.expect(200);
    assert_eq!(listed.members(), ["devices"]);
    listed.body["devices"].as_array().unwrap().clone()
}

fn id(device: &Value) -> &str {
    device["id"].as_str().unwrap()
}

fn forget(app: &App, tokens: &Tokens, id: &str) -> Call {
    app.delete(&format!("{PATH}/{id}")).bearer(&tokens.access)
}

/// The second factor is asked for.
fn is_challenged(answer: Answer) {
    let answer = answer.expect(200);
    assert_eq!((answer.body["twoFactor"].as_bool(), answer.session().is_none()), (Some(true), true));
}

#[tokio::test]
async fn the_service_is_there_only_with_its_feature() {
    service_is_there_only_with::<TrustedDevicesService>(Feature::TRUSTED_DEVICES).await;
}
