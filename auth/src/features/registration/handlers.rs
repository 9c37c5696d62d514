//! The endpoint of registration.

use super::RegistrationService;
use crate::actions::RegistrationData;
use crate::client::Visitor;
use crate::error::{AuthError, FieldCollector, FieldErrors};
use crate::feature::Feature;
use crate::http::{Fields, Route, Tokens, Visit};
use crate::module::FeatureService;
use crate::values::{EmailAddress, UserName};
use axum::extract::State;
use axum::http::StatusCode;
use std::sync::Arc;

impl FeatureService for RegistrationService {
    const FEATURE: Option<Feature> = Some(Feature::Registration);

    fn routes(self: &Arc<Self>) -> Vec<Route> {
        vec![super::register(self.username_rules().field).handled_by(register, self)]
    }
}

async fn register(
    State(service): State<Arc<RegistrationService>>,
    Visit(visitor): Visit,
    fields: Fields,
) -> Result<Tokens, AuthError> {
    let (data, remember) = registration_data(fields, &visitor, &service)?;
    let visitor = visitor.remembered(remember);
    Ok(Tokens::SignedIn(StatusCode::CREATED, service.register(data, visitor).await?))
}

fn registration_data(
    mut fields: Fields,
    visitor: &Visitor,
    service: &RegistrationService,
) -> Result<(RegistrationData, bool), FieldErrors> {
    let mut read = FieldCollector::default();
    let name = read.take(fields.string("name").and_then(|text| UserName::parse(&text)));
    let email = read.take(fields.string("email").and_then(|text| EmailAddress::parse(&text)));
    let username = read.take(fields.new_username(service.username_rules()));
    let password = fields.new_password(service.min_password_characters(), &mut read);
    let remember = read.take(fields.remember(visitor));
    let data = name.zip(email).zip(username).zip(password).map(|(((name, email), username), password)| {
        let mut data = RegistrationData::new(name, email, password);
        data.username = username;
        data.extra = fields.extra(service.extra_fields(), service.username_rules());
        data
    });
    read.finish(data.zip(remember))
}
