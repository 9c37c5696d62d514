//! From requests to the service and back.

use super::payload::{Challenge, LoginRequest, RefreshAnswer};
use super::service::{LoggedIn, SessionService};
use crate::client::ClientAddress;
use crate::core::Core;
use crate::error::AuthError;
use crate::http::{Bearer, Fields, Message, Session, answer};
use crate::user::AuthUser;
use axum::extract::{Extension, FromRef, State};
use axum::http::StatusCode;
use axum::response::Response;

impl<U: AuthUser> FromRef<SessionService<U>> for Core<U> {
    fn from_ref(service: &SessionService<U>) -> Self {
        service.core().clone()
    }
}

pub(super) async fn login<U: AuthUser>(
    State(service): State<SessionService<U>>,
    Extension(client): Extension<ClientAddress>,
    fields: Fields,
) -> Result<Response, AuthError> {
    let LoginRequest { email, password } = fields.try_into()?;
    Ok(match service.login(&email, &password, client).await? {
        LoggedIn::Session(pair) => answer(StatusCode::OK, &Session::from(pair)),
        LoggedIn::Challenge(token) => answer(StatusCode::OK, &Challenge::new(token)),
    })
}

pub(super) async fn refresh<U: AuthUser>(
    State(service): State<SessionService<U>>,
    Extension(client): Extension<ClientAddress>,
    mut fields: Fields,
) -> Result<Response, AuthError> {
    let token = fields.filled_text("refreshToken")?;
    let pair = service.refresh(&token, client).await?;
    Ok(answer(StatusCode::OK, &RefreshAnswer::from(pair)))
}

pub(super) async fn logout<U: AuthUser>(
    State(service): State<SessionService<U>>,
    Extension(client): Extension<ClientAddress>,
    Bearer(identity): Bearer<U>,
) -> Result<Response, AuthError> {
    service.logout(&identity, client).await?;
    Ok(answer(StatusCode::OK, &Message { message: "You are logged out." }))
}
