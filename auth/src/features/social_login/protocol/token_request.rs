//! The token request (RFC 6749 §4.1.3 and §5): the code, and what the provider returns for it.

use super::Grant;
use super::flaw::{Flaw, Problem};
use super::requests::{unanswered, unavailable};
use crate::json;
use crate::outbound::HttpError;
use crate::social::{ClientAuth, ProviderClient, SocialProvider, is_outage, secret_header, uri};
use crate::telemetry::{Sentence, log};
use crate::uri::encoded;
use axum::body::Bytes;
use axum::http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use axum::http::{Method, Request, Response, StatusCode};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use zeroize::Zeroizing;

/// What the provider has returned.
pub(super) struct Tokens {
    pub(super) access_token: Zeroizing<String>,
    pub(super) id_token: Option<String>,
}

/// Why there are no tokens.
pub(super) enum Refusal {
    /// The request was certainly not accepted.
    NotAccepted,
    Other(Problem),
}

impl From<Flaw> for Refusal {
    fn from(flaw: Flaw) -> Self {
        Self::Other(flaw.into())
    }
}

/// Redeems the code at this token endpoint.
pub(super) async fn send(
    provider: &SocialProvider,
    client: &ProviderClient,
    endpoint: &str,
    wants_post: bool,
    grant: &Grant<'_>,
) -> Result<Tokens, Refusal> {
    let response = match request(provider, endpoint, wants_post, grant) {
        Ok(request) => client.send(request).await,
        Err(error) => Err(error),
    };
    let response = response.map_err(|error| {
        let problem = unanswered(provider, &error);
        if matches!(error, HttpError::NotSent(_)) { Refusal::NotAccepted } else { Refusal::Other(problem) }
    })?;
    let status = response.status();
    if is_outage(status) {
        let problem = unavailable(provider, status);
        // Where a redirect leads, the code may have been redeemed.
        return Err(if status.is_redirection() { Refusal::Other(problem) } else { Refusal::NotAccepted });
    }
    Ok(tokens(provider, &response)?)
}

fn request(
    provider: &SocialProvider,
    endpoint: &str,
    wants_post: bool,
    grant: &Grant<'_>,
) -> Result<Request<Bytes>, HttpError> {
    let id = provider.client_id();
    let mut form = vec![
        ("grant_type", "authorization_code"),
        ("code", grant.code),
        ("redirect_uri", grant.redirect_uri),
        ("code_verifier", grant.verifier),
    ];
    let by_default = if wants_post { ClientAuth::Post } else { ClientAuth::Basic };
    let authorization = match (provider.secret(), provider.configured_client_auth().unwrap_or(by_default)) {
        (None, _) => {
            form.push(("client_id", id));
            None
        }
        (Some(secret), ClientAuth::Post) => {
            form.extend([("client_id", id), ("client_secret", secret)]);
            None
        }
        (Some(secret), ClientAuth::Basic) => {
            // Both parts are encoded as in a form, before they are joined (RFC 6749 §2.3.1).
            let pair = Zeroizing::new(format!("{}:{}", encoded(id), encoded(secret)));
            Some(secret_header(&format!("Basic {}", STANDARD.encode(pair.as_bytes())))?)
        }
    };
    let pairs: Vec<_> = form.into_iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
    let mut request = Request::new(Bytes::from(pairs.join("&")));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = uri(endpoint)?;
    let headers = request.headers_mut();
    headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
    if let Some(authorization) = authorization {
        headers.insert(AUTHORIZATION, authorization);
    }
    Ok(request)
}

fn tokens(provider: &SocialProvider, response: &Response<Bytes>) -> Result<Tokens, Flaw> {
    let members = json::object(response.body());
    let text = |name| members.as_ref().and_then(|members| members.get(name)).and_then(Value::as_str);
    let error = members.as_ref().is_some_and(|members| members.contains_key("error"));
    if error || response.status() != StatusCode::OK {
        // GitHub has a name of its own, and the status 200.
        let is_client = matches!(
            text("error"),
            Some("invalid_client" | "unauthorized_client" | "incorrect_client_credentials")
        );
        if is_client {
            log::provider_refuses_client(Sentence(provider.name()));
            return Err(Flaw::Client);
        }
        return Err(Flaw::Code);
    }
    if members.is_none() {
        return Err(Flaw::TokenResponse);
    }
    let is_present = |name: &str| members.as_ref().is_some_and(|members| members.contains_key(name));
    if is_present("token_type") && !text("token_type").is_some_and(|of| of.eq_ignore_ascii_case("bearer")) {
        return Err(Flaw::TokenType);
    }
    let access_token = text("access_token").unwrap_or_default();
    // RFC 6750 §2.1: what can be in a header.
    let is_token = !access_token.is_empty() && access_token.bytes().all(|byte| byte.is_ascii_graphic());
    if !is_token || (is_present("id_token") && text("id_token").is_none()) {
        return Err(Flaw::TokenResponse);
    }
    Ok(Tokens {
        access_token: Zeroizing::new(access_token.to_owned()),
        id_token: text("id_token").map(str::to_owned),
    })
}
