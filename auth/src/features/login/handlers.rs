//! The endpoints of login, refresh and logout.

use super::{LOGIN, LOGIN_BY_NAME, LOGOUT, LoginService, REFRESH};
use crate::client::Visitor;
use crate::core::USERNAME;
use crate::error::{AuthError, FieldCollector, FieldErrors, FieldText};
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
        let login_endpoint = if self.takes_usernames() { LOGIN_BY_NAME } else { LOGIN };
        vec![
            login_endpoint.handled_by(login, self),
            REFRESH.handled_by(refresh, self),
            LOGOUT.handled_by(logout, self),
        ]
    }
}

async fn login(
    State(service): State<Arc<LoginService>>,
    Visit(visitor): Visit,
    mut fields: Fields,
) -> Result<Tokens, AuthError> {
    let visitor = fields.on_device(visitor);
    let LoginRequest { account, password, remember } =
        LoginRequest::read(fields, &visitor, service.takes_usernames())?;
    let visitor = visitor.remembered(remember);
    let signed_in = match account {
        Account::Email(email) => service.login(&email, &password, visitor).await?,
        Account::Username(username) => service.login_by_username(&username, &password, visitor).await?,
    };
    Ok(Tokens::SignedIn(StatusCode::OK, signed_in))
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
    account: Account,
    password: Password,
    remember: bool,
}

/// Which account a login is for.
enum Account {
    Email(EmailAddress),
    /// As it was sent: a text that is no user name belongs to nobody.
    Username(String),
}

impl Account {
    fn read(fields: &mut Fields, takes_usernames: bool) -> Result<Self, FieldErrors> {
        if takes_usernames && fields.contains(USERNAME) {
            let username = fields.string(USERNAME)?;
            return match fields.contains("email") {
                true => Err(FieldErrors::standard(USERNAME, FieldText::UsernameConflict)),
                false => Ok(Self::Username(username)),
            };
        }
        fields.string("email").and_then(|text| EmailAddress::parse(&text)).map(Self::Email)
    }
}

impl LoginRequest {
    fn read(mut fields: Fields, visitor: &Visitor, takes_usernames: bool) -> Result<Self, FieldErrors> {
        let mut read = FieldCollector::default();
        let account = read.take(Account::read(&mut fields, takes_usernames));
        let password = read.take(fields.non_empty_string("password").map(Password::to_check));
        let remember = read.take(fields.remember(visitor));
        let request = account.zip(password).zip(remember);
        read.finish(request.map(|((account, password), remember)| Self { account, password, remember }))
    }
}
