//! From requests to the service and back.

use super::payload::registration_data;
use super::service::RegistrationService;
use crate::client::ClientAddress;
use crate::error::AuthError;
use crate::http::{Fields, Session, answer};
use crate::user::AuthUser;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::response::Response;

pub(super) async fn register<U: AuthUser>(
    State(service): State<RegistrationService<U>>,
    Extension(client): Extension<ClientAddress>,
    fields: Fields,
) -> Result<Response, AuthError> {
    let data = registration_data(fields, service.min_password_characters(), service.extra_fields())?;
    let pair = service.register(data, client).await?;
    Ok(answer(StatusCode::CREATED, &Session::from(pair)))
}
