//! The providers of the tests, tested: they say yes to a client that does everything right, and complain about others.

use super::keys::{Algorithm, Signature, text};
use super::trouble::Fault;
use super::{Auth, Internet, Person, Provider};
use axum::body::Bytes;
use axum::http::{Request, Response};
use axum_auth_module::http::{HttpClient, HttpError, MAX_RESPONSE};
use axum_auth_module::testing::MovableClock;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use reqwest::Url;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

const VERIFIER: &str = "a-verifier-of-more-than-forty-three-characters";
const REDIRECT: &str = "https://shop.example.com/callback";

fn acme() -> (Internet, Provider) {
    let net = Internet::new(&MovableClock::new());
    let acme = net.openid("https://acme.example");
    (net, acme)
}

fn authorization_url(provider: &Provider, path: &str) -> String {
    let mut url = Url::parse(&format!("{}{path}", provider.issuer())).unwrap();
    url.query_pairs_mut().extend_pairs([
        ("response_type", "code"),
        ("client_id", provider.client_id()),
        ("redirect_uri", REDIRECT),
        ("scope", "openid email"),
        ("state", "AAAAAAAAAAAAAAAAAAAAAA"),
        ("nonce", "BBBBBBBBBBBBBBBBBBBBBB"),
        ("code_challenge", &text(&Sha256::digest(VERIFIER))),
        ("code_challenge_method", "S256"),
    ]);
    url.into()
}

fn encoded(pairs: &[(&str, &str)]) -> String {
    let mut url = Url::parse("https://form.test/").unwrap();
    url.query_pairs_mut().extend_pairs(pairs);
    url.query().unwrap().to_owned()
}

/// The token request of a client that does everything right, but for what `change` changes.
fn token_request(
    provider: &Provider,
    code: &str,
    change: impl FnOnce(&mut Vec<(&str, String)>),
) -> Request<Bytes> {
    let mut fields = vec![
        ("grant_type", "authorization_code".to_owned()),
        ("code", code.to_owned()),
        ("redirect_uri", REDIRECT.to_owned()),
        ("code_verifier", VERIFIER.to_owned()),
    ];
    change(&mut fields);
    let fields: Vec<_> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let part = |text: &str| encoded(&[("x", text)])[2..].to_owned();
    let basic = format!("{}:{}", part(provider.client_id()), part(provider.secret()));
    Request::post(format!("{}/token", provider.issuer()))
        .header("content-type", "application/x-www-form-urlencoded")
        .header("authorization", format!("Basic {}", STANDARD.encode(basic)))
        .body(encoded(&fields).into())
        .unwrap()
}

async fn get(net: &Internet, uri: &str, token: &str) -> Result<Response<Bytes>, HttpError> {
    net.send(Request::get(uri).header("authorization", format!("Bearer {token}")).body(Bytes::new()).unwrap())
        .await
}

fn body(response: &Response<Bytes>) -> Value {
    serde_json::from_slice(response.body()).unwrap()
}

fn decoded(text: &str) -> Vec<u8> {
    URL_SAFE_NO_PAD.decode(text).unwrap()
}

/// Whether the signature of an ID token is that of this key.
fn is_signed(token: &str, jwk: &Value) -> bool {
    let (message, signature) = token.rsplit_once('.').unwrap();
    let (message, signature) = (message.as_bytes(), decoded(signature));
    let part = |name: &str| decoded(jwk[name].as_str().unwrap());
    match jwk["kty"].as_str().unwrap() {
        "RSA" => RsaPublicKeyComponents { n: part("n"), e: part("e") }
            .verify(&RSA_PKCS1_2048_8192_SHA256, message, &signature)
            .is_ok(),
        "EC" => {
            let point = [vec![4], part("x"), part("y")].concat();
            UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(message, &signature).is_ok()
        }
        _ => UnparsedPublicKey::new(&ED25519, part("x")).verify(message, &signature).is_ok(),
    }
}

fn ada() -> Person {
    Person::new("ada", "ada@example.com").named("Ada")
}

/// The parameters of a token request.
type Parameters<'a> = Vec<(&'a str, String)>;

#[tokio::test]
async fn a_client_that_does_everything_right_gets_its_tokens_once() {
    for algorithm in Algorithm::ALL {
        let (net, acme) = acme();
        acme.rotate("key", algorithm, false);
        let metadata =
            body(&get(&net, "https://acme.example/.well-known/openid-configuration", "").await.unwrap());
        assert_eq!(metadata["issuer"], "https://acme.example");
        let keys = body(&get(&net, metadata["jwks_uri"].as_str().unwrap(), "").await.unwrap());
        let returned = acme.consent(&authorization_url(&acme, "/authorize"), &ada());
        assert_eq!(returned.iss.as_deref(), Some("https://acme.example"));
        assert_eq!(returned.state.as_deref(), Some("AAAAAAAAAAAAAAAAAAAAAA"));
        let code = returned.code.unwrap();
        let tokens = net.send(token_request(&acme, &code, |_| {})).await.unwrap();
        assert_eq!(tokens.status(), 200, "{:?}", acme.complaints());
        let tokens = body(&tokens);
        let id_token = tokens["id_token"].as_str().unwrap();
        assert!(is_signed(id_token, &keys["keys"][0]), "{algorithm:?}");
        let claims: Value = serde_json::from_slice(&decoded(id_token.split('.').nth(1).unwrap())).unwrap();
        assert_eq!((&claims["aud"], &claims["sub"]), (&json!(acme.client_id()), &json!("ada")));
        assert_eq!(
            (&claims["nonce"], &claims["email_verified"]),
            (&json!("BBBBBBBBBBBBBBBBBBBBBB"), &json!(true))
        );
        let access = tokens["access_token"].as_str().unwrap();
        let profile = body(&get(&net, "https://acme.example/userinfo", access).await.unwrap());
        assert_eq!((&profile["sub"], &profile["email"]), (&json!("ada"), &json!("ada@example.com")));
        assert_eq!(acme.complaints(), [""; 0]);
        // A code is used once.
        assert_eq!(net.send(token_request(&acme, &code, |_| {})).await.unwrap().status(), 400);
        assert_eq!((acme.calls("/token"), acme.calls("/keys")), (2, 1));
    }
}

#[tokio::test]
async fn whatever_is_wrong_in_a_token_request_is_a_complaint() {
    let wrong: [fn(&mut Parameters<'_>); 6] = [
        |fields| fields[0].1 = "password".to_owned(),
        |fields| fields[2].1 = "https://evil.example".to_owned(),
        |fields| fields[3].1 = "another-verifier-of-more-than-forty-three-characters".to_owned(),
        |fields| fields[3].1 = "short".to_owned(),
        |fields| fields.push(("client_secret", "x".to_owned())),
        |fields| fields.push(("code", "x".to_owned())),
    ];
    for (number, change) in wrong.into_iter().enumerate() {
        let (net, acme) = acme();
        let code = acme.consent(&authorization_url(&acme, "/authorize"), &ada()).code.unwrap();
        let answer = net.send(token_request(&acme, &code, change)).await.unwrap();
        assert_eq!((answer.status().as_u16(), acme.complaints().len()), (400, 1), "{number}");
    }
    let (net, acme) = acme();
    acme.expects(Auth::Post);
    let code = acme.consent(&authorization_url(&acme, "/authorize"), &ada()).code.unwrap();
    net.send(token_request(&acme, &code, |_| {})).await.unwrap();
    assert_eq!(acme.complaints().len(), 1);
    for header in ["accept-encoding", "cookie"] {
        let request =
            Request::get("https://acme.example/keys").header(header, "x").body(Bytes::new()).unwrap();
        net.send(request).await.unwrap();
    }
    get(&net, "http://acme.example/keys", "").await.unwrap();
    assert_eq!(acme.complaints().len(), 4, "{:?}", acme.complaints());
}

#[tokio::test]
async fn each_fault_is_what_it_says() {
    let (net, acme) = acme();
    let keys = "https://acme.example/keys";
    acme.fault("/keys", Fault::NotSent);
    assert!(matches!(get(&net, keys, "").await, Err(HttpError::NotSent(_))));
    assert_eq!(acme.calls("/keys"), 0);
    for fault in [Fault::Failed, Fault::FailedAfterwards] {
        acme.fault("/keys", fault);
        assert!(matches!(get(&net, keys, "").await, Err(HttpError::Failed(_))));
    }
    acme.fault("/keys", Fault::Status(503));
    assert_eq!(get(&net, keys, "").await.unwrap().status(), 503);
    acme.fault("/keys", Fault::TooLong);
    assert_eq!(get(&net, keys, "").await.unwrap().body().len(), MAX_RESPONSE + 1);
    acme.heal();
    assert_eq!(get(&net, keys, "").await.unwrap().status(), 200);
    acme.break_keys(|document| document["keys"] = json!([]));
    assert_eq!(body(&get(&net, keys, "").await.unwrap()), json!({ "keys": [] }));
    assert!(matches!(get(&net, "https://nobody.example/", "").await, Err(HttpError::NotSent(_))));
    assert_eq!(net.unknown(), ["https://nobody.example/"]);
}

#[tokio::test]
async fn a_broken_signature_is_broken() {
    let (net, acme) = acme();
    for algorithm in Algorithm::ALL {
        acme.rotate("key", algorithm, false);
        let keys = body(&get(&net, "https://acme.example/keys", "").await.unwrap());
        for how in [
            Signature::Right,
            Signature::Flipped,
            Signature::OfAnotherKey,
            Signature::Absent,
            Signature::HmacOfSecret,
            Signature::HmacOfPublicKey,
        ] {
            acme.sign(how);
            let token = acme.id_token(&ada(), "nonce", acme.client_id());
            assert_eq!(is_signed(&token, &keys["keys"][0]), how == Signature::Right, "{algorithm:?} {how:?}");
        }
        acme.heal();
    }
}

#[tokio::test]
async fn github_answers_as_github() {
    let net = Internet::new(&MovableClock::new());
    let github = net.github();
    let url = authorization_url(&github, "/login/oauth/authorize");
    let code = github.consent(&url, &ada()).code.unwrap();
    let fields = [
        ("grant_type", "authorization_code"),
        ("code", &code),
        ("redirect_uri", REDIRECT),
        ("code_verifier", VERIFIER),
        ("client_id", github.client_id()),
        ("client_secret", github.secret()),
    ];
    let request = Request::post("https://github.com/login/oauth/access_token")
        .header("content-type", "application/x-www-form-urlencoded")
        .header("accept", "application/json");
    let tokens = body(&net.send(request.body(encoded(&fields).into()).unwrap()).await.unwrap());
    let access = tokens["access_token"].as_str().unwrap();
    let request = Request::get("https://api.github.com/user/emails").header("user-agent", "tests");
    let request = request.header("authorization", format!("Bearer {access}")).body(Bytes::new()).unwrap();
    let emails = body(&net.send(request).await.unwrap());
    assert_eq!((&emails[0]["primary"], &emails[0]["email"]), (&json!(true), &json!("ada@example.com")));
    assert_eq!(github.complaints(), [""; 0]);
    assert_eq!(get(&net, "https://api.github.com/user", access).await.unwrap().status(), 403);
}
