//! The endpoint of registration.

use super::{REGISTER, RegistrationService};
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
        vec![REGISTER.handled_by(register, self)]
    }
}

async fn register(
    State(service): State<Arc<RegistrationService>>,
    Visit(visitor): Visit,
    fields: Fields,
) -> Result<Tokens, AuthError> {
    let (min_characters, extra_fields) = (service.min_password_characters(), service.extra_fields());
    let (data, remember) = registration_data(fields, &visitor, min_characters, extra_fields)?;
    let visitor = visitor.remembered(remember);
    Ok(Tokens::SignedIn(StatusCode::CREATED, service.register(data, visitor).await?))
}

fn registration_data(
    mut fields: Fields,
    visitor: &Visitor,
    min_password_characters: usize,
    extra_fields: &[&'static str],
) -> Result<(RegistrationData, bool), FieldErrors> {
    let mut read = FieldCollector::default();
    let name = read.take(fields.string("name").and_then(|text| UserName::parse(&text)));
    let email = read.take(fields.string("email").and_then(|text| EmailAddress::parse(&text)));
    let password = fields.new_password(min_password_characters, &mut read);
    let remember = read.take(fields.remember(visitor));
    let data = name.zip(email).zip(password).map(|((name, email), password)| {
        let mut data = RegistrationData::new(name, email, password);
        data.extra = fields.extra(extra_fields);
        data
    });
    read.finish(data.zip(remember))
}
