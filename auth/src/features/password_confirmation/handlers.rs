//! From requests to the service and back.

use super::payload::{Confirmed, window};
use super::service::PasswordConfirmationService;
use crate::client::ClientAddress;
use crate::core::Core;
use crate::error::AuthError;
use crate::http::{Bearer, Fields, answer};
use crate::user::AuthUser;
use crate::values::Password;
use axum::extract::{Extension, FromRef, State};
use axum::http::{StatusCode, Uri};
use axum::response::Response;

impl<U: AuthUser> FromRef<PasswordConfirmationService<U>> for Core<U> {
    fn from_ref(service: &PasswordConfirmationService<U>) -> Self {
        service.core().clone()
    }
}

pub(super) async fn confirm<U: AuthUser>(
    State(service): State<PasswordConfirmationService<U>>,
    Extension(client): Extension<ClientAddress>,
    Bearer(identity): Bearer<U>,
    mut fields: Fields,
) -> Result<Response, AuthError> {
    let password = Password::to_check(fields.filled_text("password")?);
    service.confirm(&identity, &password, client).await?;
    Ok(answer(StatusCode::OK, &Confirmed { confirmed: true }))
}

pub(super) async fn status<U: AuthUser>(
    State(service): State<PasswordConfirmationService<U>>,
    Bearer(identity): Bearer<U>,
    uri: Uri,
) -> Result<Response, AuthError> {
    let confirmed = service.is_confirmed(&identity, window(&uri)?).await?;
    Ok(answer(StatusCode::OK, &Confirmed { confirmed }))
}
