//! The keys of a provider: how often they are fetched, and which of them count.

use super::site::{Site, ada, closed_site};
use crate::support::EMAIL;
use crate::support::provider::Provider;
use crate::support::provider::keys::{Algorithm, Signature, text};
use crate::support::provider::trouble::Fault;
use crate::support::routers::on_both_routers;
use serde_json::{Value, json};

on_both_routers![
    keys_that_are_rotated_are_fetched_again,
    keys_without_a_name_that_are_rotated_are_fetched_again,
    a_rotation_within_the_first_minute_is_noticed,
    a_flood_of_unknown_keys_fetches_once_a_minute,
    a_token_of_another_client_fetches_nothing,
    keys_are_kept_for_an_hour,
    old_keys_serve_for_a_day_if_they_cannot_be_fetched,
    of_keys_without_a_name_exactly_one_must_fit,
    of_keys_with_one_name_those_that_fit_are_tried,
    keys_that_are_unusable_are_ignored_one_by_one,
    a_key_that_must_not_sign_is_no_key,
    a_document_of_keys_that_cannot_be_read_is_an_outage,
];

async fn with_ada() -> Site {
    let site = closed_site().await;
    site.linked_user(EMAIL, &ada()).await;
    site
}

fn fetched(provider: &Provider) -> usize {
    provider.calls("/keys")
}

async fn signs_in(site: &Site) {
    site.sign_in("acme", &ada()).await.signed_in();
}

async fn is_refused(site: &Site, name: &str) {
    let outcome = site.sign_in("acme", &ada()).await;
    assert!(!outcome.is_success(), "{name}: {}", outcome.text());
    outcome.refused(422, "provider_refused");
}

/// "signing-key-rotation".
async fn keys_that_are_rotated_are_fetched_again() {
    let site = with_ada().await;
    for (number, keeps_previous) in [true, false, true, false].into_iter().enumerate() {
        site.app.advance(120);
        let algorithm = Algorithm::ALL[number % 3];
        site.provider("acme").rotate(&format!("rotated-{number}"), algorithm, keeps_previous);
        signs_in(&site).await;
        assert_eq!(fetched(site.provider("acme")), number + 2);
    }
}

/// Only the signature tells that the key is another one.
async fn keys_without_a_name_that_are_rotated_are_fetched_again() {
    let site = with_ada().await;
    let acme = site.provider("acme");
    acme.break_id_token(without_kid);
    for (number, algorithm) in [Algorithm::EdDsa, Algorithm::EdDsa, Algorithm::Es256].into_iter().enumerate()
    {
        acme.rotate("rotated", algorithm, false);
        signs_in(&site).await;
        assert_eq!(fetched(acme), number + 2);
        site.app.advance(60);
    }
}

fn without_kid(header: &mut Value, _: &mut Value) {
    header.as_object_mut().unwrap().remove("kid");
}

/// "signing-key-rotation-just-before-signing". The first fetch at all does not count into the minute.
async fn a_rotation_within_the_first_minute_is_noticed() {
    let site = with_ada().await;
    let visitor = site.visitor();
    let flow = visitor.begin("acme").await;
    let returned = site.provider("acme").consent(&flow.url, &ada());
    site.provider("acme").rotate("second", Algorithm::EdDsa, false);
    visitor.finish(&flow, &returned).await.signed_in();
    // The next one within that minute is not.
    site.provider("acme").rotate("third", Algorithm::EdDsa, false);
    is_refused(&site, "within the minute").await;
    site.app.advance(60);
    signs_in(&site).await;
}

async fn a_flood_of_unknown_keys_fetches_once_a_minute() {
    let site = with_ada().await;
    let acme = site.provider("acme");
    let counter = std::sync::atomic::AtomicU32::new(0);
    acme.break_id_token(move |header, _| {
        let number = counter.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        header["kid"] = format!("unknown-{number}").into();
    });
    flood(&site).await;
    acme.break_id_token(without_kid);
    acme.sign(Signature::Flipped);
    flood(&site).await;
    acme.heal();
    signs_in(&site).await;
}

async fn flood(site: &Site) {
    let acme = site.provider("acme");
    let before = fetched(acme);
    for minute in 1..4 {
        for _ in 0..15 {
            is_refused(site, "an unknown key").await;
        }
        assert_eq!(fetched(acme) - before, minute);
        site.app.advance(60);
    }
}

async fn a_token_of_another_client_fetches_nothing() {
    let site = with_ada().await;
    let acme = site.provider("acme");
    let before = fetched(acme);
    acme.break_id_token(|header, claims| {
        header["kid"] = "unknown".into();
        claims["aud"] = "another client".into();
    });
    is_refused(&site, "another audience").await;
    acme.break_id_token(|header, claims| {
        header["kid"] = "unknown".into();
        claims["iss"] = "https://evil.example".into();
    });
    is_refused(&site, "another issuer").await;
    assert_eq!(fetched(acme), before);
}

async fn keys_are_kept_for_an_hour() {
    let site = with_ada().await;
    for _ in 0..5 {
        signs_in(&site).await;
        site.app.advance(600);
    }
    assert_eq!(fetched(site.provider("acme")), 1);
    site.app.advance(3600);
    signs_in(&site).await;
    assert_eq!(fetched(site.provider("acme")), 2);
}

async fn old_keys_serve_for_a_day_if_they_cannot_be_fetched() {
    for fault in [Fault::NotSent, Fault::Status(503), Fault::NotJson, Fault::TooLong] {
        let site = with_ada().await;
        let acme = site.provider("acme");
        acme.fault("/keys", fault);
        for _ in 0..3 {
            site.app.advance(7 * 3600);
            signs_in(&site).await;
        }
        site.app.advance(4 * 3600);
        site.sign_in("acme", &ada()).await.refused(503, "provider_unavailable");
        acme.heal();
        signs_in(&site).await;
    }
}

/// "kid-absent-single-jwks" and "kid-absent-multiple-jwks", where keys of one algorithm are not tried one after another.
async fn of_keys_without_a_name_exactly_one_must_fit() {
    let site = with_ada().await;
    let acme = site.provider("acme");
    acme.break_keys(|document| {
        for key in document["keys"].as_array_mut().unwrap() {
            drop(key.as_object_mut().unwrap().remove("kid"));
        }
    });
    // One key.
    site.app.advance(3601);
    acme.break_id_token(without_kid);
    signs_in(&site).await;
    // Several keys, one of which is of this algorithm.
    acme.rotate("second", Algorithm::EdDsa, true);
    site.app.advance(3601);
    signs_in(&site).await;
    // Two of them are.
    acme.rotate("third", Algorithm::EdDsa, true);
    site.app.advance(3601);
    is_refused(&site, "two keys fit").await;
    acme.heal();
    site.app.advance(3601);
    signs_in(&site).await;
}

async fn of_keys_with_one_name_those_that_fit_are_tried() {
    let site = with_ada().await;
    let acme = site.provider("acme");
    for algorithm in Algorithm::ALL {
        acme.rotate("same", algorithm, true);
    }
    acme.rotate("same", Algorithm::EdDsa, true);
    site.app.advance(3601);
    signs_in(&site).await;
}

async fn keys_that_are_unusable_are_ignored_one_by_one() {
    let site = with_ada().await;
    let acme = site.provider("acme");
    acme.break_keys(|document| {
        let usable = document["keys"][0].clone();
        let with = |member: &str, value: Value| {
            let mut key = usable.clone();
            key[member] = value;
            key
        };
        document["keys"] = json!([
            null, 7, "x", [], {},
            { "kty": "RSA", "kid": "first", "alg": "RS256", "n": text(&[0xc1; 128]), "e": "AQAB" },
            { "kty": "RSA", "kid": "first", "n": text(&[0xc1; 2048]), "e": "AQAB" },
            { "kty": "RSA", "kid": "first", "n": text(&[0xc1; 256]), "e": "AQ" },
            { "kty": "RSA", "kid": "first", "n": "%", "e": "AQAB" },
            { "kty": "oct", "kid": "first", "k": text(b"a secret that everybody can read") },
            { "kty": "EC", "crv": "P-384", "kid": "first", "x": text(&[1; 48]), "y": text(&[2; 48]) },
            { "kty": "EC", "crv": "P-256", "kid": "first", "x": text(&[1; 32]), "y": text(&[2; 32]) },
            { "kty": "EC", "crv": "P-256", "kid": "first", "x": text(&[1; 31]) },
            { "kty": "EC", "crv": "secp256k1", "kid": "first", "x": text(&[1; 32]), "y": text(&[2; 32]) },
            { "kty": "OKP", "crv": "Ed25519", "kid": "first", "x": text(&[0; 32]) },
            { "kty": "OKP", "crv": "X25519", "kid": "first", "x": text(&[9; 32]) },
            { "kty": "OKP", "crv": "Ed25519", "kid": "first", "x": text(&[9; 5]) },
            { "kty": "future", "kid": "first", "z": {} },
            with("use", json!("enc")),
            with("key_ops", json!(["encrypt"])),
            with("alg", json!("ECDH-ES")),
            with("kid", json!(7)),
            usable,
        ]);
    });
    site.app.advance(3601);
    signs_in(&site).await;
}

async fn a_key_that_must_not_sign_is_no_key() {
    let cases: [(&str, Value); 4] = [
        ("use", json!("enc")),
        ("alg", json!("RS256")),
        ("kty", json!("oct")),
        // Everybody could have read the private half.
        ("d", json!(text(&[7; 32]))),
    ];
    for (member, value) in cases {
        let site = with_ada().await;
        let name = format!("{member} {value}");
        site.provider("acme").break_keys(move |document| document["keys"][0][member] = value.clone());
        site.app.advance(3601);
        is_refused(&site, &name).await;
    }
}

async fn a_document_of_keys_that_cannot_be_read_is_an_outage() {
    let documents =
        [json!({}), json!({ "keys": {} }), json!({ "keys": null }), json!([]), json!("x"), Value::Null];
    for document in documents {
        let site = closed_site().await;
        let (acme, shown) = (site.provider("acme"), document.to_string());
        acme.break_keys(move |keys| *keys = document.clone());
        let outcome = site.sign_in("acme", &ada()).await;
        assert!(!outcome.is_success(), "{shown}");
        outcome.refused(503, "provider_unavailable");
        // It is not kept.
        acme.heal();
        site.sign_in("acme", &ada()).await.refused(403, "registration_closed");
    }
}
