//! What a request is refused with.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

pub(crate) enum Refused {
    Unauthenticated,
    InvalidCredentials,
    InvalidRefreshToken,
    EmailTaken,
    /// The field that does not hold what it has to.
    Invalid(&'static str),
    /// Nothing that the client could change.
    Internal,
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let (status, code) = match self {
            Self::Unauthenticated => (StatusCode::UNAUTHORIZED, "unauthenticated"),
            Self::InvalidCredentials => (StatusCode::UNAUTHORIZED, "invalid_credentials"),
            Self::InvalidRefreshToken => (StatusCode::UNAUTHORIZED, "invalid_refresh_token"),
            Self::EmailTaken => (StatusCode::CONFLICT, "email_taken"),
            Self::Invalid(field) => {
                let body = json!({ "code": "validation_failed", "field": field });
                return (StatusCode::UNPROCESSABLE_ENTITY, Json(body)).into_response();
            }
            Self::Internal => (StatusCode::INTERNAL_SERVER_ERROR, "internal_error"),
        };
        (status, Json(json!({ "code": code }))).into_response()
    }
}
