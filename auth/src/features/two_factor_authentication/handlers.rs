//! From requests to the services and back.

use super::challenge::TwoFactorChallengeService;
use super::payload::{ChallengeRequest, QrCode, SecretKey, force};
use super::service::{Enabled, TwoFactorAuthenticationService};
use crate::client::ClientAddress;
use crate::core::Core;
use crate::error::AuthError;
use crate::http::{Fields, FreshPair, Message, OptionalFields, Session, StepUp, answer};
use crate::user::AuthUser;
use axum::extract::{Extension, FromRef, State};
use axum::http::StatusCode;
use axum::response::Response;

type Service<U> = State<TwoFactorAuthenticationService<U>>;

impl<U: AuthUser> FromRef<TwoFactorAuthenticationService<U>> for Core<U> {
    fn from_ref(service: &TwoFactorAuthenticationService<U>) -> Self {
        service.core().clone()
    }
}

pub(super) async fn enable<U: AuthUser>(
    State(service): Service<U>,
    Extension(client): Extension<ClientAddress>,
    StepUp(who): StepUp<U>,
    OptionalFields(fields): OptionalFields,
) -> Result<Response, AuthError> {
    let message = match service.enable(&who, force(fields)?, client).await? {
        Enabled::Already => "Two-factor authentication is enabled already.",
        Enabled::Pending => "Two-factor authentication is enabled once a code confirms it.",
        Enabled::InForce(pair) => {
            return Ok(answer(
                StatusCode::OK,
                &FreshPair::new("Two-factor authentication is enabled.", pair),
            ));
        }
    };
    Ok(answer(StatusCode::OK, &Message { message }))
}

pub(super) async fn confirm<U: AuthUser>(
    State(service): Service<U>,
    Extension(client): Extension<ClientAddress>,
    StepUp(who): StepUp<U>,
    mut fields: Fields,
) -> Result<Response, AuthError> {
    let pair = service.confirm(&who, &fields.filled_text("code")?, client).await?;
    Ok(answer(StatusCode::OK, &FreshPair::new("Two-factor authentication is confirmed.", pair)))
}

pub(super) async fn disable<U: AuthUser>(
    State(service): Service<U>,
    Extension(client): Extension<ClientAddress>,
    StepUp(who): StepUp<U>,
) -> Result<Response, AuthError> {
    let pair = service.disable(&who, client).await?;
    Ok(answer(StatusCode::OK, &FreshPair::new("Two-factor authentication is disabled.", pair)))
}

pub(super) async fn qr_code<U: AuthUser>(
    State(service): Service<U>,
    StepUp(who): StepUp<U>,
) -> Result<Response, AuthError> {
    let (svg, url) = service.qr_code(&who.user)?;
    Ok(answer(StatusCode::OK, &QrCode { svg, url }))
}

pub(super) async fn secret_key<U: AuthUser>(
    State(service): Service<U>,
    StepUp(who): StepUp<U>,
) -> Result<Response, AuthError> {
    Ok(answer(StatusCode::OK, &SecretKey { secret_key: service.secret_key(&who.user)? }))
}

pub(super) async fn recovery_codes<U: AuthUser>(
    State(service): Service<U>,
    StepUp(who): StepUp<U>,
) -> Result<Response, AuthError> {
    Ok(answer(StatusCode::OK, &service.recovery_codes(&who.user)?))
}

pub(super) async fn regenerate<U: AuthUser>(
    State(service): Service<U>,
    Extension(client): Extension<ClientAddress>,
    StepUp(who): StepUp<U>,
) -> Result<Response, AuthError> {
    Ok(answer(StatusCode::OK, &service.regenerate_recovery_codes(&who.user, client).await?))
}

pub(super) async fn challenge<U: AuthUser>(
    State(service): State<TwoFactorChallengeService<U>>,
    Extension(client): Extension<ClientAddress>,
    fields: Fields,
) -> Result<Response, AuthError> {
    let ChallengeRequest { token, proof } = fields.try_into()?;
    let pair = service.challenge(&token, &proof, client).await?;
    Ok(answer(StatusCode::OK, &Session::from(pair)))
}
