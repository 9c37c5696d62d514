//! From requests to the service and back.

use super::payload::profile_data;
use super::service::UpdateProfileInformationService;
use crate::core::Core;
use crate::error::AuthError;
use crate::http::{Bearer, Fields, Message, answer};
use crate::user::AuthUser;
use axum::extract::{FromRef, State};
use axum::http::StatusCode;
use axum::response::Response;

impl<U: AuthUser> FromRef<UpdateProfileInformationService<U>> for Core<U> {
    fn from_ref(service: &UpdateProfileInformationService<U>) -> Self {
        service.core().clone()
    }
}

pub(super) async fn update<U: AuthUser>(
    State(service): State<UpdateProfileInformationService<U>>,
    Bearer(who): Bearer<U>,
    fields: Fields,
) -> Result<Response, AuthError> {
    let data = profile_data(fields, service.extra_fields())?;
    service.update(&who.user, data).await?;
    Ok(answer(StatusCode::OK, &Message { message: "The profile has been updated." }))
}
