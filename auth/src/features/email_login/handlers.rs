//! The endpoints of sign-in by mail and of confirmation by mail.

use super::proof::{self, EmailProof};
use super::service::{EmailLoginService, EmailLoginStarted};
use super::{CONFIRM, CONFIRM_VERIFY, REQUEST, VERIFY};
use crate::client::Visitor;
use crate::error::{AuthError, FieldCollector, FieldErrors, FieldText};
use crate::feature::Feature;
use crate::http::{Caller, Fields, Route, Sentence, Tokens, Visit, json_response};
use crate::languages::SuccessText;
use crate::module::FeatureService;
use crate::posture::Deviation;
use crate::values::EmailAddress;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Serialize;
use std::sync::Arc;

type Service = State<Arc<EmailLoginService>>;

impl FeatureService for EmailLoginService {
    const FEATURE: Option<Feature> = Some(Feature::EmailLogin);

    fn routes(self: &Arc<Self>) -> Vec<Route> {
        vec![
            REQUEST.handled_by(request, self),
            VERIFY.registers_newcomers(self.registers_newcomers()).handled_by(verify, self),
            CONFIRM.handled_by(confirm, self),
            CONFIRM_VERIFY.handled_by(confirm_verify, self),
        ]
    }

    fn deviations(&self) -> Vec<Deviation> {
        self.posture()
    }
}

async fn request(
    State(service): Service,
    Visit(visitor): Visit,
    fields: Fields,
) -> Result<Response, AuthError> {
    let LoginRequest { email, earlier, remember } = LoginRequest::read(fields, &visitor)?;
    let visitor = visitor.remembered(remember);
    let started = service.request(&email, earlier.as_deref(), visitor).await?;
    Ok(response(SuccessText::LoginCodeSent, started))
}

async fn verify(
    State(service): Service,
    Visit(visitor): Visit,
    mut fields: Fields,
) -> Result<Tokens, AuthError> {
    let visitor = fields.on_device(visitor);
    let Proven { flow_token, proof } = Proven::read(fields)?;
    service.verify(&flow_token, &proof, visitor).await.map(Tokens::Outcome)
}

async fn confirm(
    State(service): Service,
    Visit(visitor): Visit,
    Caller(who): Caller,
) -> Result<Response, AuthError> {
    let started = service.request_confirmation(&who, visitor.client).await?;
    Ok(response(SuccessText::ConfirmationCodeSent, started))
}

async fn confirm_verify(
    State(service): Service,
    Visit(visitor): Visit,
    Caller(who): Caller,
    mut fields: Fields,
) -> Result<Tokens, AuthError> {
    let mut read = FieldCollector::default();
    let flow_token = read.take(fields.non_empty_string("flowToken"));
    let code = read.take(code(&mut fields));
    let (flow_token, code) = read.finish(flow_token.zip(code))?;
    service.confirm(&who, &flow_token, &code, visitor.client).await.map(Tokens::Confirmed)
}

fn response(message: SuccessText, started: EmailLoginStarted) -> Response {
    let EmailLoginStarted { flow_token, expires_in } = started;
    json_response(StatusCode::OK, &Started { message: Sentence(message), flow_token, expires_in })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Started {
    message: Sentence,
    flow_token: String,
    expires_in: u64,
}

struct LoginRequest {
    email: EmailAddress,
    earlier: Option<String>,
    remember: bool,
}

impl LoginRequest {
    fn read(mut fields: Fields, visitor: &Visitor) -> Result<Self, FieldErrors> {
        let mut read = FieldCollector::default();
        let email = read.take(fields.string("email").and_then(|text| EmailAddress::parse(&text)));
        let earlier = read.take(fields.optional_string("flowToken"));
        let remember = read.take(fields.remember(visitor));
        let request = email.zip(earlier).zip(remember);
        read.finish(request.map(|((email, earlier), remember)| Self { email, earlier, remember }))
    }
}

struct Proven {
    flow_token: String,
    proof: EmailProof,
}

impl Proven {
    fn read(mut fields: Fields) -> Result<Self, FieldErrors> {
        let mut read = FieldCollector::default();
        let flow_token = read.take(fields.non_empty_string("flowToken"));
        let proof = read.take(email_proof(&mut fields));
        read.finish(flow_token.zip(proof).map(|(flow_token, proof)| Self { flow_token, proof }))
    }
}

/// The code or the token of the link, and not both.
fn email_proof(fields: &mut Fields) -> Result<EmailProof, FieldErrors> {
    match (fields.contains("code"), fields.contains("token")) {
        (false, false) => Err(FieldErrors::standard("code", FieldText::EmailProofRequired)),
        (true, false) => code(fields).map(EmailProof::Code),
        (false, true) => fields.non_empty_string("token").map(EmailProof::Token),
        (true, true) => Err(FieldErrors::standard("token", FieldText::EmailProofConflict)),
    }
}

/// The code without the separators of its groups.
fn code(fields: &mut Fields) -> Result<String, FieldErrors> {
    let code = proof::without_separators(&fields.non_empty_string("code")?);
    if code.is_empty() {
        return Err(FieldErrors::standard("code", FieldText::Required));
    }
    Ok(code)
}
