//! Successful responses.

use crate::core::{SignedIn, Step, TokenPair};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// A response with a JSON body.
pub(crate) fn json<T: Serialize>(status: StatusCode, body: &T) -> Response {
    match serde_json::to_vec(body) {
        Ok(bytes) => (status, [(CONTENT_TYPE, "application/json")], bytes).into_response(),
        Err(error) => crate::error::AuthError::internal(error).into_response(),
    }
}

/// The body of a response that only has a message.
#[derive(Serialize)]
pub(crate) struct Message {
    pub(crate) message: &'static str,
}

impl IntoResponse for Message {
    fn into_response(self) -> Response {
        json(StatusCode::OK, &self)
    }
}

/// A response with tokens of any kind. Tokens leave the module only here.
pub(crate) enum Tokens {
    /// A session has started, or a step is required first.
    SignedIn(StatusCode, SignedIn),
    /// The credentials have changed: a message, and the new pair for the session of the request.
    Changed(&'static str, TokenPair),
    /// The new pair for a refresh token.
    Refreshed(TokenPair),
}

/// All members that a response with tokens can have. Each kind of response sets some of them.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    two_factor: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    challenge_token: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    access_token: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refresh_token: Option<&'a str>,
}

impl<'a> Body<'a> {
    fn with(pair: &'a TokenPair) -> Self {
        Self {
            access_token: Some(&pair.access_token),
            refresh_token: Some(&pair.refresh_token),
            ..Self::default()
        }
    }
}

impl IntoResponse for Tokens {
    fn into_response(self) -> Response {
        match self {
            Self::SignedIn(status, SignedIn::Session(pair)) => {
                json(status, &Body { two_factor: Some(false), ..Body::with(&pair) })
            }
            Self::SignedIn(status, SignedIn::Step(Step::SecondFactor(token))) => {
                let body = Body { two_factor: Some(true), challenge_token: Some(&token), ..Body::default() };
                json(status, &body)
            }
            Self::Changed(message, pair) => {
                json(StatusCode::OK, &Body { message: Some(message), ..Body::with(&pair) })
            }
            Self::Refreshed(pair) => json(StatusCode::OK, &Body::with(&pair)),
        }
    }
}
