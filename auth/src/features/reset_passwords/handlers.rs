//! From requests to the service and back.

use super::payload::{Requested, ResetRequest, email};
use super::service::ResetPasswordsService;
use crate::client::ClientAddress;
use crate::error::AuthError;
use crate::http::{Fields, Message, answer};
use crate::user::AuthUser;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::response::Response;

pub(super) async fn forgot<U: AuthUser>(
    State(service): State<ResetPasswordsService<U>>,
    Extension(client): Extension<ClientAddress>,
    fields: Fields,
) -> Result<Response, AuthError> {
    let token = service.request(&email(fields)?, client).await?;
    let message = "If an account has this address, it has been sent a way to reset the password.";
    Ok(answer(StatusCode::OK, &Requested { message, token }))
}

pub(super) async fn reset<U: AuthUser>(
    State(service): State<ResetPasswordsService<U>>,
    Extension(client): Extension<ClientAddress>,
    fields: Fields,
) -> Result<Response, AuthError> {
    let ResetRequest { email, token, password } =
        ResetRequest::read(fields, service.min_password_characters())?;
    service.reset(&email, &token, &password, client).await?;
    Ok(answer(StatusCode::OK, &Message { message: "The password has been reset. Log in with the new one." }))
}
