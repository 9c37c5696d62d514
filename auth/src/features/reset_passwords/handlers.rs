//! The endpoints of password resets.

use super::{FORGOT, RESET, ResetPasswordsService};
use crate::error::{AuthError, FieldCollector, FieldErrors};
use crate::feature::Feature;
use crate::http::{Client, Fields, Message, Route, Sentence, json_response};
use crate::languages::SuccessText;
use crate::module::FeatureService;
use crate::posture::Deviation;
use crate::values::{EmailAddress, NewPassword};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Serialize;
use std::sync::Arc;

impl FeatureService for ResetPasswordsService {
    const FEATURE: Option<Feature> = Some(Feature::ResetPasswords);

    fn routes(self: &Arc<Self>) -> Vec<Route> {
        let forgot_password = FORGOT.delivers_in_response(self.delivers_in_response());
        vec![forgot_password.handled_by(forgot, self), RESET.handled_by(reset, self)]
    }

    fn deviations(&self) -> Vec<Deviation> {
        self.posture()
    }
}

async fn forgot(
    State(service): State<Arc<ResetPasswordsService>>,
    Client(client): Client,
    mut fields: Fields,
) -> Result<Response, AuthError> {
    let email = fields.string("email").and_then(|text| EmailAddress::parse(&text))?;
    let token = service.request(&email, client).await?;
    let message = Sentence(SuccessText::ResetRequested);
    Ok(json_response(StatusCode::OK, &Requested { message, token }))
}

async fn reset(
    State(service): State<Arc<ResetPasswordsService>>,
    Client(client): Client,
    fields: Fields,
) -> Result<Message, AuthError> {
    let ResetRequest { email, token, password } =
        ResetRequest::read(fields, service.min_password_characters())?;
    service.reset(&email, &token, &password, client).await?;
    Ok(SuccessText::PasswordReset.into())
}

#[derive(Serialize)]
struct Requested {
    message: Sentence,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
}

struct ResetRequest {
    email: EmailAddress,
    token: String,
    password: NewPassword,
}

impl ResetRequest {
    fn read(mut fields: Fields, min_password_characters: usize) -> Result<Self, FieldErrors> {
        let mut read = FieldCollector::default();
        let email = read.take(fields.string("email").and_then(|text| EmailAddress::parse(&text)));
        let token = read.take(fields.non_empty_string("token"));
        let password = fields.new_password(min_password_characters, &mut read);
        let request = email.zip(token).zip(password);
        read.finish(request.map(|((email, token), password)| Self { email, token, password }))
    }
}
