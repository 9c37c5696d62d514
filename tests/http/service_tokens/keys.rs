//! The published keys, with which everybody can verify the tokens, also while a host changes the key.

use super::{PATH, ask, token};
use crate::change_emails::unlimited;
use crate::support::{App, EMAIL, Tokens, forge, memory_users, serve};
use axum::Router;
use axum_auth_module::config::ServiceKeys;
use axum_auth_module::{AuthModule, testing};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, ED25519, EcdsaKeyPair, UnparsedPublicKey,
};
use serde_json::{Value, json};
use std::time::Duration;

const ISSUER: &str = "https://app.example";

fn ed25519() -> String {
    ServiceKeys::new_ed25519_pem().unwrap()
}

fn p256() -> String {
    let der = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new()).unwrap();
    format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", STANDARD.encode(der))
}

fn signing_with(pem: &str) -> ServiceKeys {
    ServiceKeys::pem(pem).unwrap().audiences(["billing"]).issuer(ISSUER)
}

async fn host(keys: ServiceKeys) -> (App, Tokens) {
    let app = App::with_everything_and(unlimited, |module| module.service_tokens(keys)).await;
    let tokens = app.register(EMAIL).await;
    (app, tokens)
}

async fn request(app: &App, method: reqwest::Method) -> reqwest::Response {
    let address = serve(app.auth.well_known()).await;
    let url = format!("http://{address}/.well-known/jwks.json");
    reqwest::Client::new().request(method, url).send().await.unwrap()
}

async fn published(app: &App) -> Vec<Value> {
    let mut set: Value = request(app, reqwest::Method::GET).await.json().await.unwrap();
    serde_json::from_value(set["keys"].take()).unwrap()
}

/// Verifies a token as a service does that has these keys: by the key with the `kid` of the header.
fn verifies(keys: &[Value], token: &str) -> bool {
    let header = forge::part(token, 0);
    let Some(key) = keys.iter().find(|key| key["kid"] == header["kid"]) else { return false };
    assert_eq!((&key["use"], &key["alg"], &header["typ"]), (&json!("sig"), &header["alg"], &json!("at+jwt")));
    let member = |name: &str| URL_SAFE_NO_PAD.decode(key[name].as_str().unwrap()).unwrap();
    let (message, signature) = token.rsplit_once('.').unwrap();
    let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
    let verified = match (key["kty"].as_str(), key["crv"].as_str(), key["alg"].as_str()) {
        (Some("OKP"), Some("Ed25519"), Some("EdDSA")) => {
            UnparsedPublicKey::new(&ED25519, member("x")).verify(message.as_bytes(), &signature)
        }
        (Some("EC"), Some("P-256"), Some("ES256")) => {
            let point = [vec![4], member("x"), member("y")].concat();
            UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(message.as_bytes(), &signature)
        }
        _ => panic!("another kind of key: {key}"),
    };
    verified.is_ok()
}

#[tokio::test]
async fn everybody_verifies_the_tokens_with_the_published_keys() {
    for pem in [ed25519(), p256()] {
        let (app, tokens) = host(signing_with(&pem)).await;
        let (token, keys) = (token(&app, &tokens).await, published(&app).await);
        assert_eq!(keys.len(), 1);
        assert!(verifies(&keys, &token));
        let secret = ["d", "p", "q", "k"];
        assert!(secret.iter().all(|member| keys[0].get(member).is_none()), "{keys:?}");
        let (rest, signature) = token.rsplit_once('.').unwrap();
        let (header, _) = rest.split_once('.').unwrap();
        let other = forge::encode(&json!({ "sub": "1", "aud": "billing" }).to_string());
        assert!(!verifies(&keys, &format!("{header}.{other}.{signature}")));
    }
}

#[tokio::test]
async fn the_document_is_cached_for_five_minutes_and_every_page_may_read_it() {
    let (app, _) = host(signing_with(&ed25519())).await;
    let header = |answer: &reqwest::Response, name: &str| {
        answer.headers().get(name).map(|value| value.to_str().unwrap().to_owned())
    };
    for method in [reqwest::Method::GET, reqwest::Method::HEAD] {
        let answer = request(&app, method).await;
        assert_eq!(answer.status(), 200);
        assert_eq!(header(&answer, "content-type").unwrap(), "application/jwk-set+json");
        assert_eq!(header(&answer, "cache-control").unwrap(), "public, max-age=300");
        assert_eq!(header(&answer, "access-control-allow-origin").unwrap(), "*");
    }
    let refused = request(&app, reqwest::Method::POST).await;
    assert_eq!(refused.status(), 405);
    assert_eq!(header(&refused, "cache-control").unwrap(), "no-store");
    assert_eq!(header(&refused, "access-control-allow-origin"), None);
}

/// A service reads the keys when it begins, and again five minutes later; at no step does it refuse a token that has not expired.
#[tokio::test]
async fn a_key_changes_while_services_go_on() {
    let (old, new) = (ed25519(), p256());
    let (before, tokens) = host(signing_with(&old)).await;
    let of_before = token(&before, &tokens).await;
    let (announced, tokens) = host(signing_with(&old).next(&new)).await;
    let (of_announced, keys) = (token(&announced, &tokens).await, published(&announced).await);
    let (changed, tokens) = host(signing_with(&new).previous(&old)).await;
    let (of_changed, changed_keys) = (token(&changed, &tokens).await, published(&changed).await);
    for token in [&of_before, &of_announced, &of_changed] {
        assert!(verifies(&keys, token) && verifies(&changed_keys, token));
    }
    assert_eq!(keys, changed_keys, "the new key is first: the next one, and then the current one");
    let (after, tokens) = host(signing_with(&new)).await;
    let keys = published(&after).await;
    assert!(verifies(&keys, &token(&after, &tokens).await) && !verifies(&keys, &of_before));
}

#[tokio::test]
async fn the_lifetime_and_the_issuer_are_those_of_the_keys_or_of_the_configuration() {
    let keys = ServiceKeys::pem(&ed25519()).unwrap().audiences(["billing"]);
    let keys = keys.lifetime(Duration::from_secs(60));
    let app = App::with_everything_and(
        |config| unlimited(config).service_issuer("https://id.example/tenant").issuer("of the module"),
        |module| module.service_tokens(keys),
    );
    let app = app.await;
    let tokens = app.register(EMAIL).await;
    let claims = forge::claims(&super::text(&ask(&app, &tokens, "billing").await.expect(200)));
    assert_eq!(claims["iss"], "https://id.example/tenant");
    assert_eq!(claims["exp"].as_u64().unwrap() - claims["iat"].as_u64().unwrap(), 60);
}

#[tokio::test]
async fn a_module_with_keys_that_are_wrong_does_not_start() {
    let build = |keys: ServiceKeys| {
        let config = testing::config().build().unwrap();
        AuthModule::builder(config, memory_users())
            .service_tokens(keys)
            .build()
            .err()
            .map(|error| error.to_string())
    };
    assert_eq!(build(signing_with(&ed25519())), None);
    let pem = ed25519();
    let same_twice = build(signing_with(&pem).next(&pem)).unwrap();
    assert!(same_twice.contains("service_keys: the next, the current and the previous keys must be"));
    let without = ServiceKeys::pem(&pem).unwrap().audiences(["billing"]);
    assert!(build(without).unwrap().contains("service_issuer: SERVICE_TOKENS needs a URL"));
    let plain = build(signing_with(&pem).issuer("http://app.example")).unwrap();
    assert!(plain.contains("service_issuer"), "{plain}");
}

#[tokio::test]
async fn without_the_feature_there_is_no_document() {
    let config = testing::config().build().unwrap();
    let auth = AuthModule::new(config, memory_users());
    let address = serve(Router::new().merge(auth.well_known())).await;
    let answer = reqwest::get(format!("http://{address}/.well-known/jwks.json")).await.unwrap();
    assert_eq!(answer.status(), 404);
    assert_eq!(reqwest::get(format!("http://{address}{PATH}")).await.unwrap().status(), 404);
}
