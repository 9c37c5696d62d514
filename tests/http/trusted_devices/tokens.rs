//! Which token of a device counts (specification §32.3). Any other one is no token, and no error.

use super::{DAY, Trusted, host, id, is_challenged, is_trusted, list, login_on, trusted, with_device};
use crate::change_emails::unlimited;
use crate::support::routers::{self, DEVICE_COOKIE, on_both_routers};
use crate::support::{App, EMAIL, PASSWORD, forge};
use axum_auth_module::config::{ConfigError, TrustedDeviceOptions};
use axum_auth_module::endpoint::RouterKind;
use serde_json::{Value, json};
use std::time::Duration;

on_both_routers![
    one_of_another_account_is_none,
    one_of_another_module_is_none,
    one_of_another_secret_is_none,
    an_edited_one_is_none,
    no_other_token_is_one,
    a_device_is_trusted_for_30_days_to_the_second,
    a_use_does_not_prolong_it,
    the_option_counts_also_for_devices_from_before,
    one_that_is_signed_again_with_other_claims_is_none,
];

const OTHER: &str = "grace@example.com";

async fn one_of_another_account_is_none() {
    let app = host().await;
    let ada = trusted(&app, EMAIL).await;
    let grace = trusted(&app, OTHER).await;
    for (device, own, other) in [(&ada.device, EMAIL, OTHER), (&grace.device, OTHER, EMAIL)] {
        assert!(!is_trusted(&app, device, other).await && is_trusted(&app, device, own).await);
    }
}

async fn one_of_another_module_is_none() {
    // Another host with users, secrets and ids of its own, which are the same by chance.
    let (app, other) = (host().await, host().await);
    let here = trusted(&app, EMAIL).await;
    let there = trusted(&other, EMAIL).await;
    assert!(!is_trusted(&app, &there.device, EMAIL).await && !is_trusted(&other, &here.device, EMAIL).await);
    assert!(is_trusted(&app, &here.device, EMAIL).await && is_trusted(&other, &there.device, EMAIL).await);
}

/// The purpose of the key, and the type.
fn kind(app: &App) -> (&'static str, &'static str) {
    if app.is_for_browsers() { ("browser-device", "bd+jwt") } else { ("trusted-device", "dv+jwt") }
}

fn signed(claims: &Value, typ: &str, key: impl AsRef<[u8]>) -> String {
    forge::sign(&json!({ "alg": "HS256", "typ": typ }).to_string(), &claims.to_string(), key)
}

async fn one_of_another_secret_is_none() {
    let (app, Trusted { device, .. }) = with_device().await;
    let (purpose, typ) = kind(&app);
    let claims = Value::Object(forge::claims(&device));
    let again = signed(&claims, typ, forge::derived(forge::JWT_SECRET, purpose));
    assert!(is_trusted(&app, &again, EMAIL).await, "the control");
    for (typ, key) in [
        (typ, forge::derived(forge::REFRESH_SECRET, purpose).to_vec()),
        (typ, forge::derived(forge::JWT_SECRET, "challenge").to_vec()),
        (typ, forge::JWT_SECRET.as_bytes().to_vec()),
        ("at+jwt", forge::derived(forge::JWT_SECRET, purpose).to_vec()),
        ("JWT", forge::derived(forge::JWT_SECRET, purpose).to_vec()),
    ] {
        assert!(!is_trusted(&app, &signed(&claims, typ, key), EMAIL).await, "{typ}");
    }
}

/// The row decides, whatever a token says that somebody has signed who knows the secret.
async fn one_that_is_signed_again_with_other_claims_is_none() {
    let (app, Trusted { device, tokens, .. }) = with_device().await;
    let grace = trusted(&app, OTHER).await;
    let (purpose, typ) = kind(&app);
    let key = forge::derived(forge::JWT_SECRET, purpose);
    let with = |member: &str, value: Value| {
        let mut claims = Value::Object(forge::claims(&device));
        claims[member] = value;
        signed(&claims, typ, key)
    };
    let session = forge::claims(&tokens.access)["sid"].clone();
    let other = forge::claims(&grace.device)["did"].clone();
    for (member, value) in [
        ("did", session),
        ("did", other),
        ("did", json!("AAAAAAAAAAAAAAAAAAAAAA")),
        ("did", json!("'; DROP TABLE auth_sessions; --")),
        ("sub", json!("2")),
        ("exp", json!(1)),
        ("iat", json!(u32::MAX)),
    ] {
        assert!(!is_trusted(&app, &with(member, value.clone()), EMAIL).await, "{member}: {value}");
    }
    assert!(is_trusted(&app, &device, EMAIL).await);
}

async fn an_edited_one_is_none() {
    let (app, Trusted { device, .. }) = with_device().await;
    for at in (0..device.len()).step_by(7) {
        let mut edited = device.clone().into_bytes();
        edited[at] = if edited[at] == b'A' { b'B' } else { b'A' };
        let edited = String::from_utf8(edited).unwrap();
        assert!(!is_trusted(&app, &edited, EMAIL).await, "{at}");
    }
    let parts: Vec<_> = device.split('.').collect();
    for edited in [
        format!("{}.{}.", parts[0], parts[1]),
        format!("{}.{}", parts[0], parts[1]),
        format!("{device}A"),
        format!("{device}.{device}"),
        "x".to_owned(),
        "A".repeat(5000),
    ] {
        assert!(!is_trusted(&app, &edited, EMAIL).await, "{}", edited.len());
    }
}

async fn no_other_token_is_one() {
    let (app, Trusted { tokens, device, .. }) = with_device().await;
    let challenge = app.challenge_token(EMAIL).await;
    let others = [&tokens.access, &tokens.refresh, &challenge];
    for token in others.into_iter().filter(|token| !token.is_empty()) {
        assert!(!is_trusted(&app, token, EMAIL).await);
    }
    // And a device is no session.
    app.me(&device).await.refused(401, "unauthenticated");
    let body = json!({ "code": "123456" });
    let call = app.post("/auth/two-factor-challenge").challenge(&device, body);
    call.await.refused(401, "invalid_challenge_token");
    if !app.is_for_browsers() {
        app.refresh(&device).await.refused(401, "invalid_refresh_token");
    }
}

#[tokio::test]
async fn what_is_no_text_is_no_token() {
    let (app, _) = with_device().await;
    for token in [json!(1), json!(true), json!(null), json!([]), json!({ "a": 1 }), json!("")] {
        let body = json!({ "email": EMAIL, "password": PASSWORD, "deviceToken": token });
        is_challenged(app.post("/auth/login").json(&body).await);
    }
}

#[tokio::test]
async fn a_cookie_is_no_token_of_a_body_and_the_other_way_round() {
    let (app, Trusted { device, .. }) = with_device().await;
    routers::on(RouterKind::Browser, async {
        let (browsers, Trusted { device: cookie, .. }) = with_device().await;
        // A browser sends no token in a body.
        let body = json!({ "email": EMAIL, "password": PASSWORD, "deviceToken": cookie });
        is_challenged(browsers.post("/auth/login").json(&body).await);
        let (purpose, typ) = ("trusted-device", "dv+jwt");
        let claims = Value::Object(forge::claims(&cookie));
        let as_token = signed(&claims, typ, forge::derived(forge::JWT_SECRET, purpose));
        assert!(
            !is_trusted(&browsers, &as_token, EMAIL).await && is_trusted(&browsers, &cookie, EMAIL).await
        );
    })
    .await;
    let cookie = format!("{DEVICE_COOKIE}={device}");
    is_challenged(app.login_call(EMAIL, PASSWORD).header("cookie", &cookie).await);
    assert!(is_trusted(&app, &device, EMAIL).await);
}

#[tokio::test]
async fn a_browser_keeps_the_cookie_for_as_long_and_sends_it_from_other_sites() {
    routers::on(RouterKind::Browser, async {
        let app = host().await;
        let enrolled = app.enrolled(EMAIL).await;
        let token = app.challenge_token(EMAIL).await;
        let answer = super::trusting(&app, &token, &enrolled.authenticator.code(&app)).await.expect(200);
        let cookies = answer.set_cookies();
        let device = cookies.iter().find(|cookie| cookie.name == DEVICE_COOKIE).unwrap();
        // The clock is between two seconds.
        assert!(matches!(device.max_age(), Some(age) if 30 * DAY - age <= 1), "{device:?}");
        assert!(device.attributes.contains(&"SameSite=Lax".to_owned()));
        // The session itself is gone when the browser closes.
        let session = cookies.iter().find(|cookie| cookie.name == routers::SESSION_COOKIE).unwrap();
        assert_eq!(session.max_age(), None);
    })
    .await;
}

async fn a_device_is_trusted_for_30_days_to_the_second() {
    let app = host().await;
    let enrolled = app.enrolled(EMAIL).await;
    let token = app.challenge_token(EMAIL).await;
    let answer = super::trusting(&app, &token, &enrolled.authenticator.code(&app)).await.expect(200);
    let device = answer.device().unwrap();
    app.advance(30 * DAY - 1);
    assert!(is_trusted(&app, &device, EMAIL).await);
    app.advance(1);
    assert!(!is_trusted(&app, &device, EMAIL).await);
    app.auth.maintain().await.unwrap();
    let tokens = app.register(OTHER).await;
    assert!(list(&app, &tokens).await.is_empty());
}

async fn a_use_does_not_prolong_it() {
    let (app, Trusted { device, .. }) = with_device().await;
    let tokens = login_on(&app, &device, EMAIL).await.expect(200).tokens();
    let before = list(&app, &tokens).await;
    app.advance(20 * DAY);
    let tokens = login_on(&app, &device, EMAIL).await.expect(200).tokens();
    app.auth.background_work_finished().await;
    let after = list(&app, &tokens).await;
    assert_eq!(id(&before[0]), id(&after[0]));
    assert_eq!(before[0]["expiresAt"], after[0]["expiresAt"]);
    assert!(
        before[0]["lastUsedAt"] != after[0]["lastUsedAt"] && before[0]["createdAt"] == after[0]["createdAt"]
    );
    app.advance(10 * DAY);
    assert!(!is_trusted(&app, &device, EMAIL).await);
}

fn lasting(days: u64) -> TrustedDeviceOptions {
    let mut options = TrustedDeviceOptions::default();
    options.lifetime = Duration::from_secs(days * DAY);
    options
}

async fn the_option_counts_also_for_devices_from_before() {
    let place = crate::support::places::Place::memory();
    let with = |days| place.start_with(move |config| unlimited(config).trusted_devices(lasting(days)));
    let (long, short) = (with(90).await, with(1).await);
    let Trusted { device, .. } = trusted(&long, EMAIL).await;
    place.clock.advance(Duration::from_secs(DAY - 60));
    assert!(is_trusted(&short, &device, EMAIL).await);
    place.clock.advance(Duration::from_secs(60));
    assert!(!is_trusted(&short, &device, EMAIL).await && is_trusted(&long, &device, EMAIL).await);
    place.clock.advance(Duration::from_secs(89 * DAY));
    assert!(!is_trusted(&long, &device, EMAIL).await);
}

#[test]
fn a_device_can_be_trusted_for_1_to_90_days() {
    let build = |seconds| {
        let mut options = TrustedDeviceOptions::default();
        options.lifetime = Duration::from_secs(seconds);
        crate::support::config().trusted_devices(options).build().map(drop)
    };
    for seconds in [DAY, 30 * DAY, 90 * DAY] {
        build(seconds).unwrap();
    }
    for seconds in [0, DAY - 1, 90 * DAY + 1] {
        let error: ConfigError = build(seconds).unwrap_err();
        assert!(error.to_string().contains("trusted_devices.lifetime: expected 1 day to 90 days"), "{error}");
    }
}
