//! ID tokens: each thing that must be right is wrong once.

use super::site::{Site, ada, closed_site, site};
use crate::support::EMAIL;
use crate::support::provider::Person;
use crate::support::provider::keys::{Algorithm, Signature};
use crate::support::routers::on_both_routers;
use serde_json::{Value, json};

on_both_routers![
    an_id_token_with_a_claim_that_is_wrong_is_refused,
    an_id_token_with_a_header_that_is_wrong_is_refused,
    an_id_token_whose_signature_is_wrong_is_refused,
    an_id_token_that_is_unusual_and_right_is_accepted,
    each_algorithm_of_the_list_is_accepted,
    an_id_token_is_valid_to_the_second,
    an_id_token_of_another_provider_is_refused,
    an_id_token_of_another_client_of_the_provider_is_refused,
    an_id_token_of_another_flow_is_refused,
];

type Change = fn(&mut Value, &mut Value);

/// Sets a claim, or removes it with `null`.
fn set(claims: &mut Value, name: &str, value: Value) {
    match value {
        Value::Null => drop(claims.as_object_mut().unwrap().remove(name)),
        value => claims[name] = value,
    }
}

/// A host with Ada's account and identity.
async fn with_ada() -> Site {
    let site = closed_site().await;
    site.linked_user(EMAIL, &ada()).await;
    site
}

async fn is_refused(site: &Site, name: &str) {
    let outcome = site.sign_in("acme", &ada()).await;
    assert!(!outcome.is_success(), "{name}: {}", outcome.text());
    let text = outcome.text();
    assert!(text.contains("provider_refused"), "{name}: {text}");
    outcome.refused(422, "provider_refused");
}

/// Each of these changes alone is enough for a refusal, and without them everything works again.
async fn are_refused(cases: &[(&'static str, Change)]) {
    let site = with_ada().await;
    for (name, change) in cases {
        site.provider("acme").break_id_token(*change);
        is_refused(&site, name).await;
        site.provider("acme").heal();
        site.app.advance(61);
    }
    site.sign_in("acme", &ada()).await.signed_in();
    site.is_in_order();
}

async fn an_id_token_with_a_claim_that_is_wrong_is_refused() {
    let cases: &[(&str, Change)] = &[
        ("\"invalid-iss\"", |_, claims| set(claims, "iss", "https://evil.example".into())),
        ("an issuer with a slash more", |_, claims| set(claims, "iss", "https://acme.example/".into())),
        ("an issuer in capitals", |_, claims| set(claims, "iss", "https://ACME.example".into())),
        ("no issuer", |_, claims| set(claims, "iss", Value::Null)),
        ("an issuer among others", |_, claims| set(claims, "iss", json!(["https://acme.example"]))),
        ("\"missing-sub\"", |_, claims| set(claims, "sub", Value::Null)),
        ("an empty subject", |_, claims| set(claims, "sub", "".into())),
        ("a subject that is a number", |_, claims| set(claims, "sub", 7.into())),
        ("a subject that is an object", |_, claims| set(claims, "sub", json!({ "id": "ada-at-acme" }))),
        ("a subject that is too long", |_, claims| set(claims, "sub", "a".repeat(600).into())),
        ("\"invalid-aud\"", |_, claims| set(claims, "aud", "another client".into())),
        ("\"missing-aud\"", |_, claims| set(claims, "aud", Value::Null)),
        ("no audience in the list", |_, claims| set(claims, "aud", json!([]))),
        ("an audience that is a number", |_, claims| set(claims, "aud", 7.into())),
        ("other audiences", |_, claims| set(claims, "aud", json!(["another client", "a third one"]))),
        ("an audience beside ours", |_, claims| {
            let own = claims["aud"].clone();
            set(claims, "aud", json!([own, "another client"]));
        }),
        ("an audience beside ours, with azp", |_, claims| {
            let own = claims["aud"].clone();
            set(claims, "azp", own.clone());
            set(claims, "aud", json!([own, "another client"]));
        }),
        ("azp of another client", |_, claims| set(claims, "azp", "another client".into())),
        ("azp that is a list", |_, claims| {
            let own = claims["aud"].clone();
            set(claims, "azp", json!([own]));
        }),
        ("\"missing-iat\"", |_, claims| set(claims, "iat", Value::Null)),
        ("iat that is a text", |_, claims| {
            let iat = claims["iat"].to_string();
            set(claims, "iat", iat.into());
        }),
        ("iat in the future", |_, claims| {
            let iat = claims["iat"].as_u64().unwrap();
            set(claims, "iat", (iat + 120).into());
        }),
        ("iat of a quarter of an hour ago", |_, claims| {
            let iat = claims["iat"].as_u64().unwrap();
            set(claims, "iat", (iat - 900).into());
        }),
        ("iat below zero", |_, claims| set(claims, "iat", (-1).into())),
        ("no exp", |_, claims| set(claims, "exp", Value::Null)),
        ("exp that is a text", |_, claims| {
            let exp = claims["exp"].to_string();
            set(claims, "exp", exp.into());
        }),
        ("expired", |_, claims| {
            let iat = claims["iat"].as_u64().unwrap();
            set(claims, "exp", (iat - 120).into());
        }),
        ("\"nonce-invalid\"", |_, claims| set(claims, "nonce", "AAAAAAAAAAAAAAAAAAAAAA".into())),
        ("no nonce", |_, claims| set(claims, "nonce", Value::Null)),
        ("an empty nonce", |_, claims| set(claims, "nonce", "".into())),
        ("a nonce among others", |_, claims| {
            let nonce = claims["nonce"].clone();
            set(claims, "nonce", json!([nonce]));
        }),
        ("\"invalid-athash\"", |_, claims| set(claims, "at_hash", "AAAAAAAAAAAAAAAAAAAAAA".into())),
        ("at_hash that is a number", |_, claims| set(claims, "at_hash", 7.into())),
        ("claims that are a list", |_, claims| *claims = json!([claims])),
    ];
    are_refused(cases).await;
}

async fn an_id_token_with_a_header_that_is_wrong_is_refused() {
    let cases: &[(&str, Change)] = &[
        ("crit", |header, _| header["crit"] = json!(["exp"])),
        ("crit of nothing", |header, _| header["crit"] = json!([])),
        ("no algorithm", |header, _| set(header, "alg", Value::Null)),
        ("the algorithm in small letters", |header, _| header["alg"] = "es256".into()),
        ("an algorithm that is not in the list", |header, _| header["alg"] = "ES384".into()),
        ("the algorithm of another kind of key", |header, _| header["alg"] = "RS256".into()),
        ("an algorithm with a secret", |header, _| header["alg"] = "HS256".into()),
        ("\"idtoken-sig-none\", with a signature", |header, _| header["alg"] = "none".into()),
        ("none in capitals", |header, _| header["alg"] = "NONE".into()),
        ("an unknown kid", |header, _| header["kid"] = "unknown".into()),
        ("the kid in capitals", |header, _| header["kid"] = "FIRST".into()),
        ("a kid that is a number", |header, _| header["kid"] = 7.into()),
        ("an empty kid", |header, _| header["kid"] = "".into()),
        ("a key of its own in place of kid", |header, _| {
            let jwk = crate::support::provider::keys::Key::new("own", Algorithm::Es256).jwk();
            header["kid"] = "own".into();
            header["jwk"] = jwk;
        }),
        ("keys of its own elsewhere", |header, _| {
            header["kid"] = "own".into();
            header["jku"] = "https://evil.example/keys".into();
        }),
        ("a payload that is not encoded", |header, _| {
            header["b64"] = false.into();
            header["crit"] = json!(["b64"]);
        }),
        ("a header that is a list", |header, _| *header = json!([header])),
    ];
    are_refused(cases).await;
}

async fn an_id_token_whose_signature_is_wrong_is_refused() {
    for algorithm in Algorithm::ALL {
        let site = with_ada().await;
        let acme = site.provider("acme");
        acme.rotate("second", algorithm, false);
        for (name, signature, alg) in [
            ("\"invalid-sig-rs256\", \"invalid-sig-es256\"", Signature::Flipped, None),
            ("of another key", Signature::OfAnotherKey, None),
            ("no signature", Signature::Absent, None),
            ("\"idtoken-sig-none\"", Signature::Absent, Some("none")),
            ("\"invalid-sig-hs256\": the client's secret", Signature::HmacOfSecret, Some("HS256")),
            ("the public key as a secret", Signature::HmacOfPublicKey, Some("HS256")),
        ] {
            acme.sign(signature);
            acme.break_id_token(move |header, _| {
                if let Some(alg) = alg {
                    header["alg"] = alg.into();
                }
            });
            is_refused(&site, &format!("{name}, {algorithm:?}")).await;
            acme.heal();
        }
        site.app.advance(61);
        site.sign_in("acme", &ada()).await.signed_in();
        site.is_in_order();
    }
}

async fn an_id_token_that_is_unusual_and_right_is_accepted() {
    let site = with_ada().await;
    let cases: &[(&str, Change)] = &[
        ("the audience in a list", |_, claims| {
            let own = claims["aud"].clone();
            claims["aud"] = json!([own]);
        }),
        ("azp of ours", |_, claims| {
            let own = claims["aud"].clone();
            claims["azp"] = own;
        }),
        ("no at_hash", |_, claims| set(claims, "at_hash", Value::Null)),
        ("no typ", |header, _| set(header, "typ", Value::Null)),
        ("no kid", |header, _| set(header, "kid", Value::Null)),
        ("claims and members that nobody knows", |header, claims| {
            header["x"] = json!({ "a": [1] });
            claims["https://acme.example/roles"] = json!(["admin"]);
        }),
        ("\"aggregated-claims\", \"distributed-claims\": nobody is asked for them", |_, claims| {
            claims["_claim_names"] = json!({ "address": "a", "phone_number": "b" });
            claims["_claim_sources"] = json!({
                "a": { "JWT": "e30.e30.e30" },
                "b": { "endpoint": "https://claims.example/phone", "access_token": "x" },
            });
        }),
        ("a clock that is a minute ahead", |_, claims| {
            let iat = claims["iat"].as_u64().unwrap();
            claims["iat"] = (iat + 59).into();
        }),
        ("one that expired within the leeway", |_, claims| {
            let iat = claims["iat"].as_u64().unwrap();
            claims["exp"] = (iat - 58).into();
        }),
        ("one of nine minutes ago", |_, claims| {
            let iat = claims["iat"].as_u64().unwrap();
            claims["iat"] = (iat - 540).into();
        }),
    ];
    for (name, change) in cases {
        site.provider("acme").break_id_token(*change);
        let outcome = site.sign_in("acme", &ada()).await;
        assert!(outcome.is_success(), "{name}: {}", outcome.text());
        outcome.signed_in();
        site.provider("acme").heal();
    }
    site.is_in_order();
}

/// "idtoken-sig-rs256".
async fn each_algorithm_of_the_list_is_accepted() {
    let site = with_ada().await;
    for (kid, algorithm) in [("a", Algorithm::Rs256), ("b", Algorithm::Es256), ("c", Algorithm::EdDsa)] {
        site.app.advance(61);
        site.provider("acme").rotate(kid, algorithm, true);
        site.sign_in("acme", &ada()).await.signed_in();
    }
    site.is_in_order();
}

/// The leeway is a minute: beyond it, the token is refused. The provider's clock is the host's.
async fn an_id_token_is_valid_to_the_second() {
    let site = with_ada().await;
    for (past, is_valid) in [(58, true), (62, false)] {
        site.provider("acme").break_id_token(move |_, claims| {
            let iat = claims["iat"].as_u64().unwrap();
            claims["exp"] = (iat - past).into();
        });
        assert_eq!(site.sign_in("acme", &ada()).await.is_success(), is_valid, "exp {past} s ago");
        site.provider("acme").break_id_token(move |_, claims| {
            let iat = claims["iat"].as_u64().unwrap();
            claims["iat"] = (iat + past).into();
        });
        assert_eq!(site.sign_in("acme", &ada()).await.is_success(), is_valid, "iat in {past} s");
    }
}

/// The mix-up at its end: a provider that is honest to another client sends what it got elsewhere.
async fn an_id_token_of_another_provider_is_refused() {
    let site = with_ada().await;
    let other = site.provider("other").clone();
    let foreign = other.id_token(&Person::new("ada-at-acme", EMAIL), "nonce", other.client_id());
    site.provider("acme").break_token_response(move |response| response["id_token"] = foreign.clone().into());
    is_refused(&site, "of another provider").await;
}

async fn an_id_token_of_another_client_of_the_provider_is_refused() {
    let site = with_ada().await;
    let acme = site.provider("acme").clone();
    let flow = site.visitor().begin("acme").await;
    let nonce = acme.asked(&flow.url)["nonce"].clone();
    let foreign = acme.id_token(&ada(), &nonce, "another client");
    acme.break_token_response(move |response| response["id_token"] = foreign.clone().into());
    is_refused(&site, "of another client").await;
}

async fn an_id_token_of_another_flow_is_refused() {
    let site = site().await;
    site.linked_user(EMAIL, &ada()).await;
    let acme = site.provider("acme").clone();
    let first = site.visitor().begin("acme").await;
    let nonce = acme.asked(&first.url)["nonce"].clone();
    let stolen = acme.id_token(&ada(), &nonce, acme.client_id());
    acme.break_token_response(move |response| response["id_token"] = stolen.clone().into());
    is_refused(&site, "of another flow").await;
}
