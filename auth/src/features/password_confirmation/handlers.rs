//! The endpoints of password confirmation.

use super::{CONFIRM, PasswordConfirmationService, STATUS};
use crate::assurance::Proof;
use crate::error::{AuthError, FieldCollector, FieldErrors, FieldText};
use crate::feature::Feature;
use crate::http::{Caller, Client, Fields, Route, Tokens, json_response};
use crate::module::FeatureService;
use crate::values::Password;
use axum::extract::{Query, State};
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;

impl FeatureService for PasswordConfirmationService {
    const FEATURE: Option<Feature> = None;

    fn routes(self: &Arc<Self>) -> Vec<Route> {
        vec![CONFIRM.handled_by(confirm, self), STATUS.handled_by(status, self)]
    }
}

async fn confirm(
    State(service): State<Arc<PasswordConfirmationService>>,
    Client(client): Client,
    Caller(who): Caller,
    mut fields: Fields,
) -> Result<Tokens, AuthError> {
    let mut read = FieldCollector::default();
    let password = read.take(fields.non_empty_string("password"));
    let factor = read.take(fields.second_factor());
    let (password, factor) = read.finish(password.zip(factor))?;
    let password = Password::to_check(password);
    let cookie = service.confirm_all(&who, &password, factor.as_ref(), client).await?;
    Ok(Tokens::Confirmed(cookie))
}

async fn status(
    State(service): State<Arc<PasswordConfirmationService>>,
    Caller(who): Caller,
    uri: Uri,
) -> Result<Response, AuthError> {
    let confirmed = service.is_confirmed(&who, window(&uri)?);
    let methods = service.proofs(&who).await?.into_iter().map(Proof::as_str).collect();
    Ok(json_response(StatusCode::OK, &Status { confirmed, methods }))
}

#[derive(Serialize)]
struct Status {
    confirmed: bool,
    methods: Vec<&'static str>,
}

/// The window of the query: `?seconds=n`, or none.
fn window(uri: &Uri) -> Result<Option<Duration>, FieldErrors> {
    let invalid = || FieldErrors::standard("seconds", FieldText::SecondsInvalid);
    let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(uri).map_err(|_| invalid())?;
    let mut values = pairs.into_iter().filter(|(name, _)| name == "seconds");
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some((_, seconds)), None) => {
            seconds.parse().map(|seconds| Some(Duration::from_secs(seconds))).map_err(|_| invalid())
        }
        (Some(_), Some(_)) => Err(invalid()),
    }
}
