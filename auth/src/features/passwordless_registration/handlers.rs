//! The endpoint of registration without a password.

use super::PasswordlessRegistrationService;
use super::service::NewcomerFields;
use crate::error::{AuthError, FieldCollector, FieldErrors};
use crate::feature::Feature;
use crate::http::{CookieChanges, Fields, Route, Tokens, Visit};
use crate::module::FeatureService;
use crate::values::UserName;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use std::sync::Arc;

impl FeatureService for PasswordlessRegistrationService {
    const FEATURE: Option<Feature> = Some(Feature::PasswordlessRegistration);

    fn routes(self: &Arc<Self>) -> Vec<Route> {
        vec![super::register(self.takes_cookies(), self.username_rules().field).handled_by(register, self)]
    }
}

async fn register(
    State(service): State<Arc<PasswordlessRegistrationService>>,
    Visit(visitor): Visit,
    mut fields: Fields,
) -> Result<Response, AuthError> {
    // A browser that has come from a provider has the token in a cookie.
    let sent = visitor.transport.cookies().filter(|_| service.takes_cookies());
    let in_cookie = sent.and_then(|sent| sent.registration.clone());
    let is_in_cookie = in_cookie.is_some() && !fields.contains("registrationToken");
    let token = match in_cookie.filter(|_| is_in_cookie) {
        Some(token) => token.to_string(),
        None => fields.non_empty_string("registrationToken")?,
    };
    let registration = service.open(&token, visitor.address()).await?;
    let mut read = FieldCollector::default();
    let name = read.take(name(&mut fields));
    let username = read.take(fields.new_username(service.username_rules()));
    let extra = fields.extra(&service.fields(), service.username_rules());
    let has_name = name.as_ref().is_none_or(Option::is_some);
    let has_username = username.as_ref().is_none_or(Option::is_some);
    let required = read.take(service.required(&registration, has_name, has_username, &extra));
    let ((name, username), ()) = read.finish(name.zip(username).zip(required))?;
    let fields = NewcomerFields { name, username, extra };
    let signed_in = service.complete(registration, fields, &visitor).await?;
    let changes =
        if is_in_cookie { CookieChanges::default().end_newcomer() } else { CookieChanges::default() };
    Ok(Tokens::SignedIn(StatusCode::CREATED, signed_in).and(changes))
}

fn name(fields: &mut Fields) -> Result<Option<UserName>, FieldErrors> {
    let name = fields.optional_string("name")?;
    name.map(|text| UserName::parse(&text)).transpose()
}
