//! From requests to the service and back.

use super::payload::{Notified, signature_and_expires};
use super::service::{EmailVerificationService, Notification};
use crate::client::ClientAddress;
use crate::core::Core;
use crate::error::AuthError;
use crate::http::{Bearer, Message, answer};
use crate::user::{AuthUser, UserId};
use axum::extract::{Extension, FromRef, Path, State};
use axum::http::{StatusCode, Uri};
use axum::response::Response;

impl<U: AuthUser> FromRef<EmailVerificationService<U>> for Core<U> {
    fn from_ref(service: &EmailVerificationService<U>) -> Self {
        service.core().clone()
    }
}

pub(super) async fn notify<U: AuthUser>(
    State(service): State<EmailVerificationService<U>>,
    Bearer(who): Bearer<U>,
) -> Result<Response, AuthError> {
    let (message, data) = match service.notify(&who.user).await? {
        Notification::AlreadyVerified => ("The e-mail address is verified already.", None),
        Notification::Made(data) => ("A verification link is on its way.", data),
    };
    Ok(answer(StatusCode::OK, &Notified { message, data: data.map(Into::into) }))
}

pub(super) async fn verify<U: AuthUser>(
    State(service): State<EmailVerificationService<U>>,
    Extension(client): Extension<ClientAddress>,
    Bearer(who): Bearer<U>,
    path: Result<Path<(String, String)>, axum::extract::rejection::PathRejection>,
    uri: Uri,
) -> Result<Response, AuthError> {
    let Path((id, hash)) = path.map_err(|_| AuthError::InvalidVerificationLink)?;
    if id != who.user.id().to_text() {
        return Err(AuthError::VerificationLinkNotYours);
    }
    let (signature, expires) = signature_and_expires(&uri)?;
    service.verify(&who.user, &hash, &signature, &expires, client).await?;
    Ok(answer(StatusCode::OK, &Message { message: "The e-mail address is verified." }))
}
