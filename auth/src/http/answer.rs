//! Successful answers.

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
