//! The endpoints of password confirmation.

use super::{CONFIRM, PasswordConfirmationService, SIGN_IN_METHODS, STATUS, SignInMethods};
use crate::assurance::{ChallengeMethod, Proof};
use crate::core::LinkedIdentity;
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
        vec![
            CONFIRM.handled_by(confirm, self),
            STATUS.handled_by(status, self),
            SIGN_IN_METHODS.handled_by(sign_in_methods, self),
        ]
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

async fn sign_in_methods(
    State(service): State<Arc<PasswordConfirmationService>>,
    Caller(who): Caller,
) -> Result<Response, AuthError> {
    let SignInMethods { password, passkeys, identities, email, second_factor } =
        service.sign_in_methods(&who).await?;
    let identities = identities.into_iter().map(Identity::from).collect();
    let confirm_with = service.proofs(&who).await?.into_iter().map(Proof::as_str).collect();
    let methods: Vec<_> = second_factor.into_iter().map(ChallengeMethod::as_str).collect();
    let two_factor = TwoFactor { enabled: !methods.is_empty(), methods };
    let body = Methods { password, passkeys, identities, email, two_factor, confirm_with };
    Ok(json_response(StatusCode::OK, &body))
}

/// The ways in of a user.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Methods {
    password: bool,
    passkeys: usize,
    identities: Vec<Identity>,
    email: bool,
    two_factor: TwoFactor,
    confirm_with: Vec<&'static str>,
}

#[derive(Serialize)]
struct Identity {
    id: String,
    provider: String,
    email: Option<String>,
}

impl From<LinkedIdentity> for Identity {
    fn from(identity: LinkedIdentity) -> Self {
        let LinkedIdentity { id, provider, email } = identity;
        Self { id, provider, email }
    }
}

#[derive(Serialize)]
struct TwoFactor {
    enabled: bool,
    methods: Vec<&'static str>,
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
