//! The endpoints of login, refresh and logout.

use super::{LOGIN, LOGOUT, REFRESH, SessionService};
use crate::error::{AuthError, FieldCollector, FieldErrors};
use crate::feature::Feature;
use crate::http::{Caller, Client, Fields, Message, Route, Tokens, Visit};
use crate::module::FeatureService;
use crate::values::{EmailAddress, Password};
use axum::extract::State;
use axum::http::StatusCode;
use std::sync::Arc;

impl FeatureService for SessionService {
    const FEATURE: Option<Feature> = None;

    fn routes(self: &Arc<Self>) -> Vec<Route> {
        vec![
            LOGIN.handled_by(login, self),
            REFRESH.handled_by(refresh, self),
            LOGOUT.handled_by(logout, self),
        ]
    }
}

async fn login(
    State(service): State<Arc<SessionService>>,
    Visit(visitor): Visit,
    fields: Fields,
) -> Result<Tokens, AuthError> {
    let LoginRequest { email, password } = fields.try_into()?;
    Ok(Tokens::SignedIn(StatusCode::OK, service.login(&email, &password, visitor).await?))
}

async fn refresh(
    State(service): State<Arc<SessionService>>,
    Visit(visitor): Visit,
    mut fields: Fields,
) -> Result<Tokens, AuthError> {
    let token = fields.non_empty_string("refreshToken")?;
    Ok(Tokens::Refreshed(service.refresh(&token, visitor).await?))
}

async fn logout(
    State(service): State<Arc<SessionService>>,
    Client(client): Client,
    Caller(who): Caller,
) -> Result<Message, AuthError> {
    service.logout(&who, client).await?;
    Ok(Message { message: "You are logged out." })
}

struct LoginRequest {
    email: EmailAddress,
    password: Password,
}

impl TryFrom<Fields> for LoginRequest {
    type Error = FieldErrors;

    fn try_from(mut fields: Fields) -> Result<Self, FieldErrors> {
        let mut read = FieldCollector::default();
        let email = read.take(fields.string("email").and_then(|text| EmailAddress::parse(&text)));
        let password = read.take(fields.non_empty_string("password").map(Password::to_check));
        read.finish(email.zip(password).map(|(email, password)| Self { email, password }))
    }
}
