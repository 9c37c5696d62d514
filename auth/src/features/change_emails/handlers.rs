//! The endpoints of changes of the address.

use super::service::ChangeEmailsService;
use super::{CANCEL, CONFIRM, REQUEST, REVERT, SHOW};
use crate::error::{AuthError, FieldCollector, FieldErrors};
use crate::feature::Feature;
use crate::http::{Caller, Fields, Message, Route, Tokens, Visit, json_response, time_text};
use crate::languages::SuccessText;
use crate::module::FeatureService;
use crate::posture::Deviation;
use crate::values::EmailAddress;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Serialize;
use std::sync::Arc;

type Service = State<Arc<ChangeEmailsService>>;

impl FeatureService for ChangeEmailsService {
    const FEATURE: Option<Feature> = Some(Feature::ChangeEmails);

    fn routes(self: &Arc<Self>) -> Vec<Route> {
        vec![
            REQUEST.handled_by(request, self),
            SHOW.handled_by(show, self),
            CANCEL.handled_by(cancel, self),
            CONFIRM.handled_by(confirm, self),
            REVERT.handled_by(revert, self),
        ]
    }

    fn deviations(&self) -> Vec<Deviation> {
        self.posture()
    }
}

async fn request(
    State(service): Service,
    Visit(visitor): Visit,
    Caller(who): Caller,
    mut fields: Fields,
) -> Result<Message, AuthError> {
    let mut read = FieldCollector::default();
    let email = read.take(fields.string("email").and_then(|text| EmailAddress::parse(&text)));
    let email = read.finish(email)?;
    service.request(&who, &email, visitor.client).await?;
    Ok(SuccessText::EmailChangeRequested.into())
}

async fn show(State(service): Service, Caller(who): Caller) -> Result<Response, AuthError> {
    let pending = service.pending(&who).await?;
    let pending =
        pending.map(|pending| Pending { email: pending.email, expires_at: time_text(pending.expires_at) });
    Ok(json_response(StatusCode::OK, &Shown { pending }))
}

async fn cancel(
    State(service): Service,
    Visit(visitor): Visit,
    Caller(who): Caller,
) -> Result<Message, AuthError> {
    service.cancel(&who, visitor.address()).await?;
    Ok(SuccessText::EmailChangeCancelled.into())
}

async fn confirm(
    State(service): Service,
    Visit(visitor): Visit,
    Caller(who): Caller,
    fields: Fields,
) -> Result<Tokens, AuthError> {
    let token = token(fields)?;
    let credentials = service.confirm(&who, &token, visitor.client).await?;
    Ok(Tokens::Changed(SuccessText::EmailChanged, credentials))
}

async fn revert(
    State(service): Service,
    Visit(visitor): Visit,
    fields: Fields,
) -> Result<Message, AuthError> {
    let token = token(fields)?;
    service.revert(&token, visitor.client).await?;
    Ok(SuccessText::EmailReverted.into())
}

fn token(mut fields: Fields) -> Result<String, FieldErrors> {
    let mut read = FieldCollector::default();
    let token = read.take(fields.non_empty_string("token"));
    read.finish(token)
}

#[derive(Serialize)]
struct Shown {
    pending: Option<Pending>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Pending {
    email: String,
    expires_at: String,
}
