//! A small OpenID provider under `/demo-provider`, so that the button "Sign in with…" works before anybody has registered an
//! application at a real one. It signs in anybody as anybody, so it is there only in development.
//!
//! It does what the module requires of a provider (OpenID Connect Core with discovery): the code flow with PKCE, ID tokens
//! signed with ES256, and UserInfo. Its key, codes and tokens are in memory, and gone with the process.
//!
//! Nothing here uses the rest of the quickstart, so tests of other hosts compile this folder, too.

mod consent;
mod fields;
mod kept;
mod keys;
mod local;
mod token;

pub(crate) use local::{is_this_machine, name_of};

use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderName, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use kept::Kept;
use keys::SigningKey;
use serde::Serialize;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// The provider's name at the module.
pub(crate) const NAME: &str = "demo";

/// Where its routes are.
pub(crate) const PATH: &str = "/demo-provider";

/// The only client.
pub(crate) const CLIENT_ID: &str = "quickstart";

/// It protects nothing: whoever reaches the provider can be anybody. It has what a client must encode (RFC 6749 §2.3.1).
pub(crate) const CLIENT_SECRET: &str = "no secret: this is a demonstration";

/// How long a code and an access token can be used.
const LIFE: Duration = Duration::from_secs(60);

/// How many codes and how many tokens are kept. The oldest makes room for another.
const MOST: usize = 1000;

/// What proxies add. Behind one, a request may come from anywhere.
const FORWARDING: [&str; 5] = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"];

/// The provider.
#[derive(Clone)]
pub(crate) struct DemoProvider(Arc<Inner>);

struct Inner {
    issuer: String,
    redirect_uris: Vec<String>,
    content_security_policy: HeaderValue,
    key: SigningKey,
    codes: Kept<Grant>,
    tokens: Kept<Person>,
}

/// What a code is good for.
struct Grant {
    redirect_uri: String,
    /// SHA-256 of what the client proves when it redeems the code (PKCE), in base64url.
    challenge: String,
    nonce: Option<String>,
    person: Person,
}

/// What somebody has typed on the consent page. What the client did not ask for is absent.
#[derive(Clone, Serialize)]
struct Person {
    sub: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    email_verified: Option<bool>,
}

impl DemoProvider {
    /// The provider of a server that listens at this address, for a client with these redirect URIs.
    ///
    /// # Errors
    /// If there are no random bytes, or a redirect URI is malformed.
    pub(crate) fn new(listening: SocketAddr, redirect_uris: Vec<String>) -> io::Result<Self> {
        Ok(Self(Arc::new(Inner {
            issuer: format!("http://{}{PATH}", name_of(listening)),
            content_security_policy: content_security_policy(&redirect_uris)?,
            redirect_uris,
            key: SigningKey::new()?,
            codes: Kept::new(LIFE, MOST),
            tokens: Kept::new(LIFE, MOST),
        })))
    }

    /// What identifies it: the beginning of its addresses.
    pub(crate) fn issuer(&self) -> &str {
        &self.0.issuer
    }

    /// Where it sends people back to.
    pub(crate) fn redirect_uris(&self) -> &[String] {
        &self.0.redirect_uris
    }

    /// Its routes, for `nest` at [`PATH`].
    pub(crate) fn router<S: Clone + Send + Sync + 'static>(&self) -> Router<S> {
        Router::new()
            .route("/.well-known/openid-configuration", get(configuration))
            .route("/jwks", get(jwks))
            .route("/authorize", get(consent::show).post(consent::decide))
            .route("/style.css", get(async || ([(CONTENT_TYPE, "text/css; charset=utf-8")], STYLE)))
            .route("/token", post(token::token))
            .route("/userinfo", get(token::user_info).post(token::user_info))
            .layer(from_fn_with_state(self.clone(), only_in_development))
            .with_state(self.clone())
    }
}

const STYLE: &str = include_str!("style.css");

/// A browser follows the redirect after a form only to places that the policy of the form's page names.
fn content_security_policy(redirect_uris: &[String]) -> io::Result<HeaderValue> {
    let mut policy = "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'; \
                      form-action 'self'"
        .to_owned();
    for uri in redirect_uris {
        let uri = Url::parse(uri).map_err(io::Error::other)?;
        policy.push(' ');
        policy.push_str(&uri.origin().ascii_serialization());
    }
    HeaderValue::try_from(policy).map_err(io::Error::other)
}

/// To a request that did not come from this machine, or names another, the provider is unknown: a proxy may have passed it on, or
/// a page of another site may have given its own name the address of this machine.
async fn only_in_development(State(provider): State<DemoProvider>, request: Request, next: Next) -> Response {
    let mut response = match is_from_here(request.headers()) {
        true => next.run(request).await,
        false => StatusCode::NOT_FOUND.into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, provider.0.content_security_policy.clone());
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

const HEADERS: [(HeaderName, &str); 3] =
    [(X_CONTENT_TYPE_OPTIONS, "nosniff"), (REFERRER_POLICY, "no-referrer"), (CACHE_CONTROL, "no-store")];

fn is_from_here(headers: &HeaderMap) -> bool {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()?.parse().ok());
    host.as_ref().is_some_and(is_this_machine) && !FORWARDING.iter().any(|name| headers.contains_key(*name))
}

/// The metadata (OpenID Connect Discovery).
#[derive(Serialize)]
struct Configuration {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    userinfo_endpoint: String,
    jwks_uri: String,
    authorization_response_iss_parameter_supported: bool,
    claims_supported: [&'static str; 9],
    code_challenge_methods_supported: [&'static str; 1],
    grant_types_supported: [&'static str; 1],
    id_token_signing_alg_values_supported: [&'static str; 1],
    response_modes_supported: [&'static str; 1],
    response_types_supported: [&'static str; 1],
    scopes_supported: [&'static str; 3],
    subject_types_supported: [&'static str; 1],
    token_endpoint_auth_methods_supported: [&'static str; 2],
}

async fn configuration(State(provider): State<DemoProvider>) -> Json<Configuration> {
    let at = |path: &str| format!("{}{path}", provider.issuer());
    Json(Configuration {
        issuer: provider.issuer().to_owned(),
        authorization_endpoint: at("/authorize"),
        token_endpoint: at("/token"),
        userinfo_endpoint: at("/userinfo"),
        jwks_uri: at("/jwks"),
        authorization_response_iss_parameter_supported: true,
        claims_supported: ["iss", "sub", "aud", "exp", "iat", "auth_time", "name", "email", "email_verified"],
        code_challenge_methods_supported: ["S256"],
        grant_types_supported: ["authorization_code"],
        id_token_signing_alg_values_supported: ["ES256"],
        response_modes_supported: ["query"],
        response_types_supported: ["code"],
        scopes_supported: ["openid", "profile", "email"],
        subject_types_supported: ["public"],
        token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
    })
}

async fn jwks(State(provider): State<DemoProvider>) -> Json<keys::Jwks> {
    Json(provider.0.key.public())
}
