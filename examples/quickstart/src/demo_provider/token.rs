//! `/token`, where the client redeems a code, and `/userinfo`.

use super::fields::Fields;
use super::{CLIENT_ID, CLIENT_SECRET, DemoProvider, Grant, LIFE, Person};
use axum::Json;
use axum::extract::State;
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use chrono::Utc;
use ring::digest::{SHA256, digest};
use serde::Serialize;
use std::io;
use std::time::Instant;
use url::form_urlencoded;

/// How long an ID token is valid.
const ID_TOKEN_SECONDS: i64 = 300;

#[derive(Serialize)]
pub(super) struct Tokens {
    access_token: String,
    token_type: &'static str,
    expires_in: u64,
    id_token: String,
}

/// What an ID token says.
#[derive(Serialize)]
struct Claims<'a> {
    iss: &'a str,
    aud: &'static str,
    iat: i64,
    exp: i64,
    /// The consent page asks anew each time.
    auth_time: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    nonce: Option<&'a str>,
    at_hash: String,
    #[serde(flatten)]
    person: &'a Person,
}

/// An error of OAuth (RFC 6749 §5.2).
#[derive(Serialize)]
struct Refusal {
    error: &'static str,
    error_description: &'static str,
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        match self.error {
            "invalid_client" => {
                let basic = [(WWW_AUTHENTICATE, r#"Basic realm="demonstration""#)];
                (StatusCode::UNAUTHORIZED, basic, Json(self)).into_response()
            }
            _ => (StatusCode::BAD_REQUEST, Json(self)).into_response(),
        }
    }
}

const fn refusal(error: &'static str, error_description: &'static str) -> Refusal {
    Refusal { error, error_description }
}

/// `POST /token`: tokens for a code, which can be used once.
pub(super) async fn token(
    State(provider): State<DemoProvider>,
    headers: HeaderMap,
    body: String,
) -> Result<Json<Tokens>, Response> {
    let grant = redeemed(&provider, &headers, &body).map_err(IntoResponse::into_response)?;
    tokens(&provider, &grant).map(Json).map_err(|error| {
        tracing::error!(%error, "the demonstration provider cannot make tokens");
        StatusCode::INTERNAL_SERVER_ERROR.into_response()
    })
}

fn redeemed(provider: &DemoProvider, headers: &HeaderMap, body: &str) -> Result<Grant, Refusal> {
    let fields = Fields::read(body).ok_or(refusal("invalid_request", "A parameter is there twice."))?;
    if !is_client(headers, &fields) {
        return Err(refusal("invalid_client", "The client or its secret is wrong."));
    }
    if fields.get("grant_type") != Some("authorization_code") {
        return Err(refusal("unsupported_grant_type", "Only authorization_code is."));
    }
    let code = fields.get("code").unwrap_or_default();
    let unknown = refusal("invalid_grant", "The code is unknown, was used, or has expired.");
    let grant = provider.0.codes.take(code, Instant::now()).ok_or(unknown)?;
    if fields.get("redirect_uri") != Some(&grant.redirect_uri) {
        return Err(refusal("invalid_grant", "The redirect_uri is not the one of the code."));
    }
    let verifier = fields.get("code_verifier").unwrap_or_default();
    if URL_SAFE_NO_PAD.encode(digest(&SHA256, verifier.as_bytes())) != grant.challenge {
        return Err(refusal("invalid_grant", "The code_verifier is wrong."));
    }
    Ok(grant)
}

/// Whether a request has the client's secret: in a header, or in the form.
fn is_client(headers: &HeaderMap, fields: &Fields) -> bool {
    let in_form = || Some((fields.get("client_id")?.to_owned(), fields.get("client_secret")?.to_owned()));
    let given = if headers.contains_key(AUTHORIZATION) { basic(headers) } else { in_form() };
    given.is_some_and(|(id, secret)| id == CLIENT_ID && secret == CLIENT_SECRET)
}

/// The name and the secret of `Authorization: Basic`. Both are encoded as in a form first (RFC 6749 §2.3.1).
fn basic(headers: &HeaderMap) -> Option<(String, String)> {
    let encoded = headers.get(AUTHORIZATION)?.to_str().ok()?.strip_prefix("Basic ")?;
    let text = String::from_utf8(STANDARD.decode(encoded).ok()?).ok()?;
    let (id, secret) = text.split_once(':')?;
    let plain = |part: &str| Some(form_urlencoded::parse(part.as_bytes()).next()?.0.into_owned());
    Some((plain(id)?, plain(secret)?))
}

fn tokens(provider: &DemoProvider, grant: &Grant) -> io::Result<Tokens> {
    let access_token = provider.0.tokens.put(grant.person.clone(), Instant::now())?;
    let hash = digest(&SHA256, access_token.as_bytes());
    let now = Utc::now().timestamp();
    let id_token = provider.0.key.sign(&Claims {
        iss: provider.issuer(),
        aud: CLIENT_ID,
        iat: now,
        exp: now + ID_TOKEN_SECONDS,
        auth_time: now,
        nonce: grant.nonce.as_deref(),
        at_hash: URL_SAFE_NO_PAD.encode(hash.as_ref().get(..16).unwrap_or_default()),
        person: &grant.person,
    })?;
    Ok(Tokens { access_token, token_type: "Bearer", expires_in: LIFE.as_secs(), id_token })
}

/// `/userinfo`: what was typed, for an access token.
pub(super) async fn user_info(
    State(provider): State<DemoProvider>,
    headers: HeaderMap,
) -> Result<Json<Person>, Response> {
    let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
    let person = given.and_then(|token| provider.0.tokens.get(token, Instant::now()));
    person.map(Json).ok_or_else(|| {
        let challenge = [(WWW_AUTHENTICATE, r#"Bearer error="invalid_token""#)];
        (StatusCode::UNAUTHORIZED, challenge).into_response()
    })
}
