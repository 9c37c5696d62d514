//! The endpoints of deletions.

use super::restoration::Restored;
use super::service::DeleteAccountsService;
use super::{DELETE, RESTORE};
use crate::error::AuthError;
use crate::feature::Feature;
use crate::http::{
    Caller, CookieChanges, Message, OptionalFields, Route, Sentence, Tokens, Visit, json_response, time_text,
};
use crate::languages::SuccessText;
use crate::module::FeatureService;
use crate::posture::Deviation;
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use std::sync::Arc;

type Service = State<Arc<DeleteAccountsService>>;

impl FeatureService for DeleteAccountsService {
    const FEATURE: Option<Feature> = Some(Feature::DeleteAccounts);

    fn routes(self: &Arc<Self>) -> Vec<Route> {
        vec![DELETE.handled_by(delete, self), RESTORE.handled_by(restore, self)]
    }

    fn deviations(&self) -> Vec<Deviation> {
        self.posture()
    }
}

async fn delete(
    State(service): Service,
    Visit(visitor): Visit,
    Caller(who): Caller,
) -> Result<Response, AuthError> {
    let scheduled = service.schedule(&who, visitor.client).await?;
    let body = Scheduled {
        message: Sentence(SuccessText::DeletionScheduled),
        deletes_at: time_text(scheduled.deletes_at),
    };
    let body = json_response(StatusCode::ACCEPTED, &body);
    Ok((Extension(CookieChanges::logged_out()), body).into_response())
}

async fn restore(
    State(service): Service,
    Visit(visitor): Visit,
    OptionalFields(mut fields): OptionalFields,
) -> Result<Response, AuthError> {
    let sent = visitor.transport.cookies().and_then(|sent| sent.challenge.as_deref());
    let token = match (fields.contains("restoreToken"), sent) {
        (false, Some(cookie)) => cookie.to_owned(),
        (false, None) if visitor.transport.cookies().is_some() => return Err(AuthError::InvalidMailToken),
        _ => fields.non_empty_string("restoreToken")?,
    };
    Ok(match service.restore(&token, visitor).await? {
        Restored::Cancelled => Message::from(SuccessText::DeletionCancelled).into_response(),
        Restored::SignedIn(signed_in) => Tokens::SignedIn(StatusCode::OK, signed_in).into_response(),
    })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Scheduled {
    message: Sentence,
    deletes_at: String,
}
