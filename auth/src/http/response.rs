//! Successful answers.

use crate::core::TokenPair;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// An answer with a JSON body.
pub(crate) fn answer<T: Serialize>(status: StatusCode, body: &T) -> Response {
    match serde_json::to_vec(body) {
        Ok(bytes) => (status, [(CONTENT_TYPE, "application/json")], bytes).into_response(),
        Err(error) => crate::error::AuthError::internal(error).into_response(),
    }
}

/// The body of answers that only say that something was done.
#[derive(Serialize)]
pub(crate) struct Message {
    pub(crate) message: &'static str,
}

/// The body of answers that begin a session: of a login, a registration, a challenge.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Session {
    two_factor: bool,
    access_token: String,
    refresh_token: String,
}

impl From<TokenPair> for Session {
    fn from(TokenPair { access_token, refresh_token, .. }: TokenPair) -> Self {
        Self { two_factor: false, access_token, refresh_token }
    }
}

/// The body of answers to a change of credentials: what was done, and the pair that the acting session goes on with.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FreshPair {
    message: &'static str,
    access_token: String,
    refresh_token: String,
}

impl FreshPair {
    pub(crate) fn new(
        message: &'static str,
        TokenPair { access_token, refresh_token, .. }: TokenPair,
    ) -> Self {
        Self { message, access_token, refresh_token }
    }
}
