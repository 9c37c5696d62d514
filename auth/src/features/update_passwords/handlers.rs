//! From requests to the service and back.

use super::payload::password_update;
use super::service::UpdatePasswordsService;
use crate::client::ClientAddress;
use crate::core::Core;
use crate::error::AuthError;
use crate::http::{Bearer, Fields, FreshPair, answer};
use crate::user::AuthUser;
use axum::extract::{Extension, FromRef, State};
use axum::http::StatusCode;
use axum::response::Response;

impl<U: AuthUser> FromRef<UpdatePasswordsService<U>> for Core<U> {
    fn from_ref(service: &UpdatePasswordsService<U>) -> Self {
        service.core().clone()
    }
}

pub(super) async fn update<U: AuthUser>(
    State(service): State<UpdatePasswordsService<U>>,
    Extension(client): Extension<ClientAddress>,
    Bearer(who): Bearer<U>,
    fields: Fields,
) -> Result<Response, AuthError> {
    let data = password_update(fields, service.min_password_characters())?;
    let pair = service.update(&who, data, client).await?;
    Ok(answer(StatusCode::OK, &FreshPair::new("The password has been changed.", pair)))
}
