//! Sign-in with an ID token that a page or a phone has from the provider itself: One Tap, and the SDKs of Google and Apple.

use super::site::{Site, ada};
use super::visitor::{REGISTRATION, Visitor};
use crate::support::EMAIL;
use crate::support::answer::Answer;
use crate::support::provider::Person;
use crate::support::routers::{SESSION_COOKIE, is_browser, on_both_routers};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fmt::Write;

on_both_routers![
    an_id_token_with_the_nonce_signs_its_user_in,
    the_nonce_can_be_hashed,
    another_nonce_is_refused,
    the_audience_and_azp_must_each_be_in_the_list,
    a_provider_without_audiences_takes_none,
    everything_that_is_wrong_in_the_web_flow_is_wrong_here,
    a_nonce_is_used_once_and_for_ten_minutes,
    a_nonce_of_one_provider_or_purpose_is_none_of_another,
    the_name_of_the_app_is_taken_for_a_new_account_alone,
    the_fields_are_checked,
    a_newcomer_without_a_name_is_asked_for_it,
    an_outage_of_the_keys_leaves_the_flow,
];

pub(super) const WEB: &str = "web-client.apps.example";
const ANDROID: &str = "android-client.apps.example";

/// A host that takes ID tokens of these clients, and Ada with an identity of `acme`.
async fn with_ada() -> Site {
    let site = Site::with(
        |offers| offers[0].audiences = vec![WEB.to_owned(), ANDROID.to_owned()],
        Default::default(),
    );
    let site = site.await;
    site.linked_user(EMAIL, &ada()).await;
    site
}

/// A nonce and a flow token.
pub(super) async fn nonce(visitor: &Visitor, provider: &str) -> (String, String) {
    let begun = visitor.post(&format!("/auth/oauth/{provider}/nonce"), &json!({})).await.expect(200);
    assert_eq!(begun.members(), ["expiresIn", "flowToken", "nonce"]);
    assert_eq!(begun.body["expiresIn"], 600);
    let text = |name: &str| begun.body[name].as_str().unwrap().to_owned();
    assert!(text("nonce").len() >= 22, "16 random bytes");
    (text("nonce"), text("flowToken"))
}

pub(super) async fn sign_in(visitor: &Visitor, flow: &str, token: &str) -> Answer {
    sign_in_at("acme", visitor, flow, token).await
}

pub(super) async fn sign_in_at(provider: &str, visitor: &Visitor, flow: &str, token: &str) -> Answer {
    let body = json!({ "flowToken": flow, "idToken": token });
    visitor.post(&format!("/auth/oauth/{provider}/id-token"), &visitor.with_device(body)).await
}

/// Begins, and signs in with what `token` makes of the nonce.
async fn with_token(site: &Site, token: impl FnOnce(&str) -> String) -> Answer {
    let visitor = site.visitor();
    let (nonce, flow) = nonce(&visitor, "acme").await;
    sign_in(&visitor, &flow, &token(&nonce)).await
}

async fn an_id_token_with_the_nonce_signs_its_user_in() {
    let site = with_ada().await;
    let before = site.provider("acme").calls("/token");
    let answer = with_token(&site, |nonce| site.provider("acme").id_token(&ada(), nonce, WEB)).await;
    let tokens = answer.expect(200).tokens();
    assert_eq!(site.app.me(&tokens.access).await.expect(200).text, EMAIL);
    site.app.get("/confirmed").bearer(&tokens.access).await.expect(200);
    assert_eq!(site.provider("acme").calls("/token"), before, "no code was used");
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Apple's samples send the hash.
async fn the_nonce_can_be_hashed() {
    let site = with_ada().await;
    let acme = site.provider("acme");
    let answer = with_token(&site, |nonce| acme.id_token(&ada(), &hex(&Sha256::digest(nonce)), WEB)).await;
    answer.expect(200).tokens();
}

async fn another_nonce_is_refused() {
    let site = with_ada().await;
    let acme = site.provider("acme");
    let others: [fn(&str) -> String; 7] = [
        |_| String::new(),
        |_| "x".to_owned(),
        |nonce| format!("{nonce}="),
        |nonce| nonce.to_lowercase() + "x",
        |nonce| hex(&Sha256::digest(nonce)).to_uppercase(),
        |nonce| hex(&Sha256::digest(hex(&Sha256::digest(nonce)))),
        |nonce| crate::support::provider::keys::text(&Sha256::digest(nonce)),
    ];
    for other in others {
        let answer = with_token(&site, |nonce| acme.id_token(&ada(), &other(nonce), WEB)).await;
        answer.refused(422, "provider_refused");
    }
    acme.break_id_token(|_, claims| drop(claims.as_object_mut().unwrap().remove("nonce")));
    with_token(&site, |nonce| acme.id_token(&ada(), nonce, WEB)).await.refused(422, "provider_refused");
}

async fn the_audience_and_azp_must_each_be_in_the_list() {
    let site = with_ada().await;
    let acme = site.provider("acme");
    let own = acme.client_id().to_owned();
    for (aud, azp, is_ours) in [
        (json!(WEB), Value::Null, true),
        (json!(ANDROID), Value::Null, true),
        // Google on Android.
        (json!(WEB), json!(ANDROID), true),
        (json!([WEB]), json!(WEB), true),
        (json!([WEB, ANDROID]), json!(WEB), true),
        (json!([WEB, ANDROID]), Value::Null, false),
        (json!([WEB, "another"]), json!(WEB), false),
        (json!(WEB), json!("another"), false),
        (json!("another"), json!(WEB), false),
        (json!("another"), Value::Null, false),
        // The client of the web flow is not in the list.
        (json!(own), Value::Null, false),
        (json!([]), Value::Null, false),
        (Value::Null, json!(WEB), false),
        (json!("WEB-client.apps.example"), Value::Null, false),
    ] {
        let (audience, party) = (aud.clone(), azp.clone());
        acme.break_id_token(move |_, claims| {
            for (name, value) in [("aud", &audience), ("azp", &party)] {
                match value {
                    Value::Null => drop(claims.as_object_mut().unwrap().remove(name)),
                    value => claims[name] = value.clone(),
                }
            }
        });
        let answer = with_token(&site, |nonce| acme.id_token(&ada(), nonce, WEB)).await;
        match is_ours {
            true => assert_eq!(answer.status, 200, "{aud} {azp}: {}", answer.text),
            false => assert_eq!(answer.code(), "provider_refused", "{aud} {azp}: {}", answer.text),
        }
    }
}

async fn a_provider_without_audiences_takes_none() {
    let site = with_ada().await;
    for path in ["/auth/oauth/other/nonce", "/auth/oauth/nobody/nonce"] {
        site.visitor().post(path, &json!({})).await.refused(404, "not_found");
    }
    let body = json!({ "flowToken": "x", "idToken": "x" });
    site.visitor().post("/auth/oauth/other/id-token", &body).await.refused(404, "not_found");
}

async fn everything_that_is_wrong_in_the_web_flow_is_wrong_here() {
    use crate::support::provider::keys::Signature;
    type Change = fn(&mut Value, &mut Value);
    let site = with_ada().await;
    let acme = site.provider("acme");
    let cases: &[(&str, Change)] = &[
        ("iss", |_, claims| claims["iss"] = "https://other.example".into()),
        ("sub", |_, claims| drop(claims.as_object_mut().unwrap().remove("sub"))),
        ("exp", |_, claims| claims["exp"] = 1.into()),
        ("iat", |_, claims| drop(claims.as_object_mut().unwrap().remove("iat"))),
        ("alg", |header, _| header["alg"] = "none".into()),
        ("kid", |header, _| header["kid"] = "unknown".into()),
        ("crit", |header, _| header["crit"] = json!(["exp"])),
    ];
    for (name, change) in cases {
        acme.break_id_token(*change);
        let answer = with_token(&site, |nonce| acme.id_token(&ada(), nonce, WEB)).await;
        assert_eq!((answer.status, answer.code()), (422, "provider_refused"), "{name}");
        acme.heal();
    }
    for signature in [Signature::Flipped, Signature::OfAnotherKey, Signature::Absent, Signature::HmacOfSecret]
    {
        acme.sign(signature);
        let answer = with_token(&site, |nonce| acme.id_token(&ada(), nonce, WEB)).await;
        answer.refused(422, "provider_refused");
        acme.heal();
    }
    let foreign = |nonce: &str| site.provider("other").id_token(&ada(), nonce, WEB);
    with_token(&site, foreign).await.refused(422, "provider_refused");
    for garbage in ["x", "a.b.c", "e30.e30.e30", &"x".repeat(20_000)] {
        let answer = with_token(&site, |_| (*garbage).to_owned()).await;
        assert!(matches!(answer.code(), "provider_refused" | "validation_failed"), "{}", answer.text);
    }
}

async fn a_nonce_is_used_once_and_for_ten_minutes() {
    let site = with_ada().await;
    let acme = site.provider("acme");
    let visitor = site.visitor();
    let (first, flow) = nonce(&visitor, "acme").await;
    let token = acme.id_token(&ada(), &first, WEB);
    sign_in(&visitor, &flow, &token).await.expect(200);
    sign_in(&visitor, &flow, &token).await.refused(422, "invalid_flow_token");
    // A token that somebody has seen is worth nothing in a flow of its own.
    let (_, other) = nonce(&visitor, "acme").await;
    sign_in(&visitor, &other, &token).await.refused(422, "provider_refused");
    for (seconds, status) in [(599, 200), (600, 422)] {
        let (text, flow) = nonce(&visitor, "acme").await;
        site.app.advance(seconds);
        let token = acme.id_token(&ada(), &text, WEB);
        sign_in(&visitor, &flow, &token).await.expect(status);
    }
}

async fn a_nonce_of_one_provider_or_purpose_is_none_of_another() {
    let both = |offers: &mut Vec<super::site::Offer>| {
        offers.iter_mut().for_each(|offer| offer.audiences = vec![WEB.to_owned()]);
    };
    let site = Site::with(both, Default::default()).await;
    site.linked_user(EMAIL, &ada()).await;
    let visitor = site.visitor();
    let (text, flow) = nonce(&visitor, "other").await;
    let token = site.provider("acme").id_token(&ada(), &text, WEB);
    sign_in(&visitor, &flow, &token).await.refused(422, "invalid_flow_token");
    let web = visitor.begin("acme").await;
    let text = site.provider("acme").asked(&web.url)["nonce"].clone();
    let token = site.provider("acme").id_token(&ada(), &text, WEB);
    sign_in(&visitor, &web.token, &token).await.refused(422, "invalid_flow_token");
}

async fn the_name_of_the_app_is_taken_for_a_new_account_alone() {
    let site = with_ada().await;
    let acme = site.provider("acme");
    for (person, status) in [(Person::new("new", "new@example.com"), 201), (ada(), 200)] {
        let visitor = site.visitor();
        let (text, flow) = nonce(&visitor, "acme").await;
        let token = acme.id_token(&person, &text, WEB);
        // Apple gives the name to the app, and never again.
        let body = json!({ "flowToken": flow, "idToken": token, "name": "Grace" });
        visitor.post("/auth/oauth/acme/id-token", &body).await.expect(status);
    }
    assert_eq!(site.account("new@example.com").name, "Grace");
    assert_eq!(site.account(EMAIL).name, "Ada");
}

async fn the_fields_are_checked() {
    let site = with_ada().await;
    let visitor = site.visitor();
    let path = "/auth/oauth/acme/id-token";
    for (body, errors) in [
        (json!({ "flowToken": "x" }), vec!["idToken: required"]),
        (json!({ "idToken": "x" }), vec!["flowToken: required"]),
        (json!({ "flowToken": "x", "idToken": 7 }), vec!["idToken: wrong_type"]),
        (json!({ "flowToken": "x", "idToken": "x", "name": 7 }), vec!["name: wrong_type"]),
        (json!({ "flowToken": "x", "idToken": "x", "name": " " }), vec!["name: required"]),
        (json!({ "flowToken": "x", "idToken": "x", "name": "a".repeat(256) }), vec!["name: too_long"]),
        (json!({ "flowToken": "x", "idToken": "x", "name": "a\u{0}b" }), vec!["name: invalid"]),
    ] {
        assert_eq!(visitor.post(path, &body).await.field_errors(), errors, "{body}");
    }
    sign_in(&visitor, "x", "x").await.refused(422, "invalid_flow_token");
    // An account with the address is not entered here either.
    let outcome = site_with_account().await;
    assert_eq!((outcome.status, outcome.code()), (409, "account_exists"), "{}", outcome.text);
    assert!(is_browser() || outcome.body["linkToken"].is_string());
}

/// A browser has the token in a cookie, and says in this request whether the session outlives its own.
async fn a_newcomer_without_a_name_is_asked_for_it() {
    let site = with_ada().await;
    let visitor = site.visitor();
    let (text, flow) = nonce(&visitor, "acme").await;
    let token = site.provider("acme").id_token(&Person::new("new", "new@example.com"), &text, WEB);
    let body = json!({ "flowToken": flow, "idToken": token, "remember": true });
    let answer = visitor.post("/auth/oauth/acme/id-token", &body).await.expect(200);
    assert_eq!(answer.body["registration"], true);
    let cookies = answer.set_cookies();
    let token = match is_browser() {
        true => cookies.iter().find(|cookie| cookie.name == REGISTRATION).map(|cookie| &*cookie.value),
        false => answer.body["registrationToken"].as_str(),
    };
    assert_eq!(answer.text.contains("registrationToken"), !is_browser());
    let registered = visitor.register(token.expect("a registration token"), "Grace").await.expect(201);
    let session = registered.set_cookies().into_iter().find(|cookie| cookie.name == SESSION_COOKIE);
    assert!(session.is_none_or(|cookie| cookie.max_age().is_some()), "remembered");
    assert!(site.identity("acme", "new").await.is_some());
}

async fn site_with_account() -> Answer {
    let site = with_ada().await;
    let acme = site.provider("acme");
    with_token(&site, |nonce| acme.id_token(&Person::new("stranger", EMAIL), nonce, WEB)).await
}

async fn an_outage_of_the_keys_leaves_the_flow() {
    let site = site_with_fresh_keys().await;
    let acme = site.provider("acme");
    let visitor = site.visitor();
    let (text, flow) = nonce(&visitor, "acme").await;
    let token = acme.id_token(&ada(), &text, WEB);
    acme.is_down(crate::support::provider::trouble::Fault::NotSent);
    sign_in(&visitor, &flow, &token).await.refused(503, "provider_unavailable");
    acme.heal();
    // No code was used, so nothing was spent.
    let answer = sign_in(&visitor, &flow, &token).await;
    assert_ne!(answer.code(), "invalid_flow_token", "{}", answer.text);
}

/// A host that has never seen the keys of `acme`.
async fn site_with_fresh_keys() -> Site {
    Site::with(|offers| offers[0].audiences = vec![WEB.to_owned()], Default::default()).await
}
