//! The endpoints of login, refresh and logout.

use super::{LOGIN, LOGOUT, LoginService, REFRESH};
use crate::client::Visitor;
use crate::error::{AuthError, FieldCollector, FieldErrors};
use crate::feature::Feature;
use crate::http::{Caller, Client, Fields, Route, SessionEnded, Tokens, Visit};
use crate::languages::SuccessText;
use crate::module::FeatureService;
use crate::values::{EmailAddress, Password};
use axum::extract::State;
use axum::http::StatusCode;
use std::sync::Arc;

impl FeatureService for LoginService {
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
    State(service): State<Arc<LoginService>>,
    Visit(visitor): Visit,
    fields: Fields,
) -> Result<Tokens, AuthError> {
    let LoginRequest { email, password, remember } = LoginRequest::read(fields, &visitor)?;
    let visitor = visitor.remembered(remember);
    Ok(Tokens::SignedIn(StatusCode::OK, service.login(&email, &password, visitor).await?))
}

async fn refresh(
    State(service): State<Arc<LoginService>>,
    Visit(visitor): Visit,
    mut fields: Fields,
) -> Result<Tokens, AuthError> {
    let token = fields.non_empty_string("refreshToken")?;
    Ok(Tokens::Refreshed(service.refresh(&token, visitor.client).await?))
}

async fn logout(
    State(service): State<Arc<LoginService>>,
    Client(client): Client,
    caller: Option<Caller>,
) -> Result<SessionEnded, AuthError> {
    if let Some(Caller(who)) = caller {
        service.logout(&who, client).await?;
    }
    Ok(SessionEnded(SuccessText::LoggedOut.into()))
}

struct LoginRequest {
    email: EmailAddress,
    password: Password,
    remember: bool,
}

impl LoginRequest {
    fn read(mut fields: Fields, visitor: &Visitor) -> Result<Self, FieldErrors> {
        let mut read = FieldCollector::default();
        let email = read.take(fields.string("email").and_then(|text| EmailAddress::parse(&text)));
        let password = read.take(fields.non_empty_string("password").map(Password::to_check));
        let remember = read.take(fields.remember(visitor));
        let request = email.zip(password).zip(remember);
        read.finish(request.map(|((email, password), remember)| Self { email, password, remember }))
    }
}
