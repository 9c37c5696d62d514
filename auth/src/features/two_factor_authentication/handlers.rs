//! The endpoints of two-factor authentication.

use super::{
    CHALLENGE, CHALLENGE_WITH_PASSKEY, CONFIRM, DISABLE, ENABLE, EnableOutcome, PENDING_CHALLENGE, PROVE,
    PendingChallenge, QR_CODE, RECOVERY_CODES, REGENERATE, SECRET_KEY, TwoFactorAuthenticationService,
    TwoFactorChallengeService,
};
use crate::assurance::ChallengeMethod;
use crate::client::Visitor;
use crate::core::SecondFactor;
use crate::error::{AuthError, FieldCollector, FieldErrors, FieldText};
use crate::feature::Feature;
use crate::http::{Caller, Client, Fields, Message, OptionalFields, Route, Tokens, Visit, json_response};
use crate::languages::SuccessText;
use crate::module::FeatureService;
use crate::posture::Deviation;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;

type Service = State<Arc<TwoFactorAuthenticationService>>;

impl FeatureService for TwoFactorAuthenticationService {
    const FEATURE: Option<Feature> = Some(Feature::TwoFactorAuthentication);

    fn routes(self: &Arc<Self>) -> Vec<Route> {
        vec![
            ENABLE.handled_by(enable, self),
            CONFIRM.handled_by(confirm, self),
            DISABLE.handled_by(disable, self),
            QR_CODE.handled_by(qr_code, self),
            SECRET_KEY.handled_by(secret_key, self),
            RECOVERY_CODES.handled_by(recovery_codes, self),
            REGENERATE.handled_by(regenerate, self),
            PROVE.handled_by(prove, self),
        ]
    }

    fn deviations(&self) -> Vec<Deviation> {
        self.posture()
    }
}

impl FeatureService for TwoFactorChallengeService {
    const FEATURE: Option<Feature> = Some(Feature::TwoFactorAuthentication);

    fn routes(self: &Arc<Self>) -> Vec<Route> {
        let endpoint = if self.takes_passkeys() { CHALLENGE_WITH_PASSKEY } else { CHALLENGE };
        vec![PENDING_CHALLENGE.handled_by(pending_challenge, self), endpoint.handled_by(challenge, self)]
    }
}

async fn enable(
    State(service): Service,
    Client(client): Client,
    Caller(who): Caller,
    OptionalFields(fields): OptionalFields,
) -> Result<Response, AuthError> {
    let message = match service.enable(&who, force(fields)?, client).await? {
        EnableOutcome::AlreadyEnabled => SuccessText::TwoFactorAlreadyEnabled,
        EnableOutcome::Pending => SuccessText::TwoFactorPending,
        EnableOutcome::InForce(credentials) => {
            return Ok(Tokens::Changed(SuccessText::TwoFactorEnabled, credentials).into_response());
        }
    };
    Ok(Message::from(message).into_response())
}

async fn confirm(
    State(service): Service,
    Client(client): Client,
    Caller(who): Caller,
    mut fields: Fields,
) -> Result<Tokens, AuthError> {
    let pair = service.confirm(&who, &fields.non_empty_string("code")?, client).await?;
    Ok(Tokens::Changed(SuccessText::TwoFactorConfirmed, pair))
}

async fn disable(
    State(service): Service,
    Client(client): Client,
    Caller(who): Caller,
) -> Result<Tokens, AuthError> {
    let pair = service.disable(&who, client).await?;
    Ok(Tokens::Changed(SuccessText::TwoFactorDisabled, pair))
}

async fn qr_code(
    State(service): Service,
    Client(client): Client,
    Caller(who): Caller,
) -> Result<Response, AuthError> {
    let (svg, url) = service.qr_code(&who, client).await?;
    Ok(json_response(StatusCode::OK, &QrCode { svg, url }))
}

async fn secret_key(
    State(service): Service,
    Client(client): Client,
    Caller(who): Caller,
) -> Result<Response, AuthError> {
    let secret_key = service.secret_key(&who, client).await?;
    Ok(json_response(StatusCode::OK, &SecretKey { secret_key }))
}

async fn recovery_codes(
    State(service): Service,
    Client(client): Client,
    Caller(who): Caller,
) -> Result<Response, AuthError> {
    Ok(json_response(StatusCode::OK, &service.recovery_codes(&who, client).await?))
}

async fn regenerate(
    State(service): Service,
    Client(client): Client,
    Caller(who): Caller,
) -> Result<Response, AuthError> {
    let codes = service.regenerate_recovery_codes(&who, client).await?;
    Ok(json_response(StatusCode::OK, &codes))
}

async fn prove(
    State(service): Service,
    Client(client): Client,
    Caller(who): Caller,
    mut fields: Fields,
) -> Result<Tokens, AuthError> {
    let factor = second_factor(&mut fields)?;
    service.prove_second_factor(&who, &factor, client).await.map(Tokens::Confirmed)
}

async fn challenge(
    State(service): State<Arc<TwoFactorChallengeService>>,
    Visit(visitor): Visit,
    fields: Fields,
) -> Result<Tokens, AuthError> {
    let ChallengeRequest { token, answer, trusts_device } =
        ChallengeRequest::read(fields, &visitor, &service)?;
    let visitor = visitor.trusting_device(trusts_device);
    let signed_in = match answer {
        Answer::Factor(factor) => service.challenge(&token, &factor, visitor).await,
        Answer::Passkey { flow_token, credential } => {
            service.challenge_with_passkey(&token, &flow_token, &credential, visitor).await
        }
    };
    Ok(Tokens::SignedIn(StatusCode::OK, signed_in?))
}

async fn pending_challenge(
    State(service): State<Arc<TwoFactorChallengeService>>,
    Visit(visitor): Visit,
) -> Result<Response, AuthError> {
    let token = visitor.transport.cookies().and_then(|sent| sent.challenge.clone());
    let token = token.ok_or(AuthError::InvalidChallengeToken)?;
    let PendingChallenge { methods, next } = service.pending(&token, visitor).await?;
    let methods = methods.into_iter().map(ChallengeMethod::as_str).collect();
    Ok(json_response(StatusCode::OK, &Pending { methods, next }))
}

/// `force` of enabling: absent is `false`.
fn force(mut fields: Fields) -> Result<bool, FieldErrors> {
    fields.optional_bool("force").map(Option::unwrap_or_default)
}

struct ChallengeRequest {
    token: String,
    answer: Answer,
    trusts_device: bool,
}

/// With what a challenge is completed.
enum Answer {
    Factor(SecondFactor),
    Passkey { flow_token: String, credential: Value },
}

impl ChallengeRequest {
    fn read(
        mut fields: Fields,
        visitor: &Visitor,
        service: &TwoFactorChallengeService,
    ) -> Result<Self, AuthError> {
        let mut read = FieldCollector::default();
        let token = match visitor.transport.cookies() {
            None => read.take(fields.non_empty_string("challengeToken")),
            Some(sent) => Some(sent.challenge.as_deref().unwrap_or_default().to_owned()),
        };
        let answer = match service.takes_passkeys() && fields.contains("credential") {
            true => read.take(passkey(&mut fields)),
            false => read.take(second_factor(&mut fields)).map(Answer::Factor),
        };
        let trusts_device = match service.trusts_devices() {
            true => read.take(fields.optional_bool("trustDevice")).map(Option::unwrap_or_default),
            false => Some(false),
        };
        let request = token.zip(answer).zip(trusts_device);
        Ok(read.finish(request.map(|((token, answer), trusts_device)| Self {
            token,
            answer,
            trusts_device,
        }))?)
    }
}

/// A passkey with the flow token of its options, and no code beside it.
fn passkey(fields: &mut Fields) -> Result<Answer, FieldErrors> {
    if fields.contains("code") || fields.contains("recoveryCode") {
        return Err(FieldErrors::standard("credential", FieldText::ChallengeConflict));
    }
    let mut read = FieldCollector::default();
    let missing = || FieldErrors::standard("flowToken", FieldText::FlowTokenRequired);
    let flow_token = read.take(match fields.contains("flowToken") {
        true => fields.non_empty_string("flowToken"),
        false => Err(missing()),
    });
    let credential = read.take(fields.object("credential"));
    let both = flow_token.zip(credential);
    read.finish(both.map(|(flow_token, credential)| Answer::Passkey { flow_token, credential }))
}

/// A code or a recovery code, and not both.
fn second_factor(fields: &mut Fields) -> Result<SecondFactor, FieldErrors> {
    let missing = || FieldErrors::standard("code", FieldText::CodeRequired);
    fields.second_factor()?.ok_or_else(missing)
}

#[derive(Serialize)]
struct Pending {
    methods: Vec<&'static str>,
    next: Option<String>,
}

#[derive(Serialize)]
struct QrCode {
    svg: String,
    url: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SecretKey {
    secret_key: String,
}
