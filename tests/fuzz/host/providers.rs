//! The identity providers of the host. They respond with what an input says, and otherwise as they should. All of them have one key.
//! They accept every authorization code, and the ID token for a code has that code as its `nonce`.

use axum::body::Bytes;
use axum::http::header::AUTHORIZATION;
use axum::http::{Method, Request, Response, Uri};
use axum_auth_module::async_trait;
use axum_auth_module::http::{ConfiguredHost, HttpClient, HttpError};
use axum_auth_module::social::{SocialProvider, SocialProviders};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use percent_encoding::percent_decode_str;
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

pub const ACME: &str = "https://id.acme.example";
pub const GOOGLE: &str = "https://accounts.google.com";
pub const MICROSOFT: &str = "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0";
pub const APPLE: &str = "https://appleid.apple.com";
pub const GITHUB: &str = "github";
/// The host at the providers, and its app.
pub const CLIENT: &str = "client";
pub const APP: &str = "com.example.app";
/// What no error may have in it.
pub const CANARY: &str = "canary";
const SECRET: &str = "canary-secret";
pub const ACCESS_TOKEN: &str = "canary-access-token";
/// Ada at `ACME` and, as the number of her account, at GitHub.
pub const SUBJECT: &str = "ada-at-acme";
pub const NUMBER: u64 = 7;
/// What a provider is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Document {
    Metadata,
    Keys,
    Tokens,
    UserInfo,
    GitHubUser,
    GitHubEmails,
}

/// A status and a body.
pub type Reply = (u16, Vec<u8>);

#[derive(Clone, Default)]
pub struct Internet(Arc<Mutex<HashMap<Document, Reply>>>);

impl Internet {
    /// What providers respond with in place of what they should.
    pub fn replies(&self) -> MutexGuard<'_, HashMap<Document, Reply>> {
        self.0.lock().unwrap()
    }
}

#[async_trait]
impl HttpClient for Internet {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        keeps_secrets(&request);
        let document = asked(&request);
        let reply = self.replies().get(&document).cloned();
        let (status, body) = reply.unwrap_or_else(|| (200, right(document, &request).to_string().into()));
        Ok(Response::builder().status(status).body(body.into()).unwrap())
    }
}

/// The secret of the client goes to token endpoints alone, an access token goes nowhere but into its header, and both are encrypted on
/// their way. Only the host that the configuration names may be on this machine.
fn keeps_secrets(request: &Request<Bytes>) {
    let (uri, headers) = (request.uri(), request.headers());
    assert_eq!(uri.scheme_str(), Some("https"), "{uri}");
    let is_configured = uri.host().is_some_and(|host| host.eq_ignore_ascii_case("id.acme.example"));
    assert_eq!(request.extensions().get::<ConfiguredHost>().is_some(), is_configured, "{uri}");
    let is_token_request = request.method() == Method::POST;
    let basic = format!("Basic {}", STANDARD.encode(format!("{CLIENT}:{SECRET}")));
    for (name, value) in headers {
        let is_secret = *name == AUTHORIZATION;
        assert_eq!(value.is_sensitive(), is_secret, "{name}");
        assert!(is_secret || !String::from_utf8_lossy(value.as_bytes()).contains(SECRET), "{name}");
    }
    let authorization = headers.get(AUTHORIZATION).map(|value| String::from_utf8_lossy(value.as_bytes()));
    match authorization {
        Some(value) if is_token_request => assert_eq!(value, basic),
        Some(value) => assert!(value.starts_with("Bearer "), "{value}"),
        None => assert!(!is_token_request || form(request, "client_secret") == SECRET),
    }
    assert!(!uri.to_string().contains(SECRET), "{uri}");
    assert!(is_token_request || request.body().is_empty());
    assert!(!is_token_request || form(request, "code_verifier").len() == 43);
}

fn asked(request: &Request<Bytes>) -> Document {
    let uri = request.uri();
    match (uri.path(), uri.host()) {
        _ if request.method() == Method::POST => Document::Tokens,
        ("/user", Some("api.github.com")) => Document::GitHubUser,
        ("/user/emails", Some("api.github.com")) => Document::GitHubEmails,
        _ if request.headers().contains_key(AUTHORIZATION) => Document::UserInfo,
        (path, _) if path.ends_with("/.well-known/openid-configuration") => Document::Metadata,
        _ => Document::Keys,
    }
}

/// The value in the form of a token request.
fn form(request: &Request<Bytes>, name: &str) -> String {
    let body = std::str::from_utf8(request.body()).unwrap();
    let pairs = body.split('&').filter_map(|pair| pair.split_once('='));
    let value = pairs.into_iter().find(|(key, _)| *key == name).map_or("", |(_, value)| value);
    percent_decode_str(&value.replace('+', " ")).decode_utf8_lossy().into_owned()
}

/// What a provider should respond with.
fn right(document: Document, request: &Request<Bytes>) -> Value {
    match document {
        Document::Metadata => metadata(issuer(request.uri())),
        Document::Keys => json!({ "keys": [jwk()] }),
        Document::Tokens => {
            let claims = claims(issuer(request.uri()), CLIENT, &form(request, "code"));
            tokens(&signed(&header(), claims.to_string().as_bytes()))
        }
        Document::UserInfo => json!({ "sub": SUBJECT, "email": "eve@example.com", "email_verified": true }),
        Document::GitHubUser => json!({ "id": NUMBER, "login": "ada", "name": "Ada" }),
        Document::GitHubEmails => {
            json!([{ "email": "eve@example.com", "primary": true, "verified": true, "visibility": null }])
        }
    }
}

/// Whose server this is.
fn issuer(uri: &Uri) -> &'static str {
    let issuers = [GOOGLE, MICROSOFT, APPLE];
    issuers.into_iter().find(|issuer| uri.to_string().starts_with(issuer)).unwrap_or(ACME)
}

pub fn metadata(issuer: &str) -> Value {
    let mut metadata = json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"),
        "jwks_uri": format!("{issuer}/keys"),
        "id_token_signing_alg_values_supported": ["EdDSA"],
    });
    if issuer == ACME {
        metadata["userinfo_endpoint"] = format!("{issuer}/userinfo").into();
    }
    metadata
}

fn key() -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap()
}

/// The public key of all providers.
pub fn jwk() -> Value {
    let x = URL_SAFE_NO_PAD.encode(key().public_key());
    json!({ "kty": "OKP", "crv": "Ed25519", "x": x, "kid": "key" })
}

/// The header of their ID tokens.
pub fn header() -> Vec<u8> {
    json!({ "alg": "EdDSA", "kid": "key" }).to_string().into()
}

/// The claims of a right ID token. Without an address, UserInfo is asked.
pub fn claims(issuer: &str, audience: &str, nonce: &str) -> Value {
    json!({
        "iss": issuer, "aud": audience, "sub": SUBJECT, "nonce": nonce,
        "iat": super::NOW, "exp": super::NOW + 300, "email": "ada@example.com", "email_verified": true,
    })
}

/// An ID token with this header and these claims, whatever they are.
pub fn signed(header: &[u8], claims: &[u8]) -> String {
    let message = format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(claims));
    format!("{message}.{}", URL_SAFE_NO_PAD.encode(key().sign(message.as_bytes())))
}

/// What the token endpoint returns with this ID token.
pub fn tokens(id_token: &str) -> Value {
    json!({ "access_token": ACCESS_TOKEN, "token_type": "Bearer", "id_token": id_token })
}

/// The providers as the host has configured them.
pub fn configured() -> SocialProviders {
    let redirect = |name: &str| format!("https://auth.example.com/browser/oauth/{name}/callback");
    SocialProviders::new([
        SocialProvider::oidc("acme", ACME, CLIENT, redirect("acme"))
            .client_secret(SECRET)
            .id_token_audiences([CLIENT, APP]),
        SocialProvider::google(CLIENT, SECRET, redirect("google")).hosted_domains(["example.com"]),
        SocialProvider::microsoft(
            MICROSOFT.split('/').nth(3).unwrap(),
            CLIENT,
            SECRET,
            redirect("microsoft"),
        ),
        SocialProvider::github(CLIENT, SECRET, redirect("github")),
        SocialProvider::apple_native([APP]),
    ])
    .unwrap()
}
