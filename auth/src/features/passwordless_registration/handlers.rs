//! The endpoint of registration without a password.

use super::{PasswordlessRegistrationService, REGISTER};
use crate::error::{AuthError, FieldCollector, FieldErrors};
use crate::feature::Feature;
use crate::http::{Fields, Route, Tokens, Visit};
use crate::module::FeatureService;
use crate::values::UserName;
use axum::extract::State;
use axum::http::StatusCode;
use std::sync::Arc;

impl FeatureService for PasswordlessRegistrationService {
    const FEATURE: Option<Feature> = Some(Feature::PasswordlessRegistration);

    fn routes(self: &Arc<Self>) -> Vec<Route> {
        vec![REGISTER.handled_by(register, self)]
    }
}

async fn register(
    State(service): State<Arc<PasswordlessRegistrationService>>,
    Visit(visitor): Visit,
    mut fields: Fields,
) -> Result<Tokens, AuthError> {
    let token = fields.non_empty_string("registrationToken")?;
    let registration = service.open(&token, visitor.address()).await?;
    let mut read = FieldCollector::default();
    let name = read.take(name(&mut fields));
    let extra = fields.extra(&service.fields());
    let has_name = name.as_ref().is_none_or(Option::is_some);
    let required = read.take(service.required(&registration, has_name, &extra));
    let (name, ()) = read.finish(name.zip(required))?;
    let signed_in = service.complete(registration, name, extra, &visitor).await?;
    Ok(Tokens::SignedIn(StatusCode::CREATED, signed_in))
}

fn name(fields: &mut Fields) -> Result<Option<UserName>, FieldErrors> {
    let name = fields.optional_string("name")?;
    name.map(|text| UserName::parse(&text)).transpose()
}
