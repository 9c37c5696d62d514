//! The endpoints of e-mail verification.

use super::{EmailVerificationService, NOTIFY, Notification, VERIFY};
use crate::delivery::VerificationData;
use crate::error::AuthError;
use crate::feature::Feature;
use crate::http::{Caller, Client, Message, PathTexts, Problem, Route, Sentence, json_response};
use crate::languages::SuccessText;
use crate::module::FeatureService;
use crate::posture::Deviation;
use axum::extract::{Query, State};
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use serde::Serialize;
use std::sync::Arc;

impl FeatureService for EmailVerificationService {
    const FEATURE: Option<Feature> = Some(Feature::EmailVerification);

    fn routes(self: &Arc<Self>) -> Vec<Route> {
        let notification = NOTIFY.delivers_in_response(self.delivers_in_response());
        vec![notification.handled_by(notify, self), VERIFY.handled_by(verify, self)]
    }

    fn deviations(&self) -> Vec<Deviation> {
        self.posture()
    }
}

async fn notify(
    State(service): State<Arc<EmailVerificationService>>,
    Client(client): Client,
    Caller(who): Caller,
) -> Result<Response, AuthError> {
    let (message, data) = match service.notify(&who, client).await? {
        Notification::AlreadyVerified => (SuccessText::EmailAlreadyVerified, None),
        Notification::Made(data) => (SuccessText::VerificationSent, data),
    };
    Ok(json_response(StatusCode::OK, &Notified { message: Sentence(message), data: data.map(Into::into) }))
}

async fn verify(
    State(service): State<Arc<EmailVerificationService>>,
    Client(client): Client,
    Caller(who): Caller,
    path: Result<PathTexts<2>, Problem>,
    uri: Uri,
) -> Result<Message, AuthError> {
    let PathTexts([id, hash]) = path.map_err(|_| AuthError::InvalidVerificationLink)?;
    if id != who.user_id() {
        return Err(AuthError::VerificationLinkNotYours);
    }
    let (signature, expires) = signature_and_expires(&uri)?;
    service.verify(&who, &hash, &signature, &expires, client).await?;
    Ok(SuccessText::EmailVerified.into())
}

/// `signature` and `expires` of a link, each of which must occur once.
fn signature_and_expires(uri: &Uri) -> Result<(String, String), AuthError> {
    let pairs = Query::<Vec<(String, String)>>::try_from_uri(uri);
    let Query(pairs) = pairs.map_err(|_| AuthError::InvalidVerificationLink)?;
    let once = |name: &str| {
        let mut values = pairs.iter().filter(|(key, _)| key == name).map(|(_, value)| value.clone());
        match (values.next(), values.next()) {
            (Some(value), None) => Ok(value),
            _ => Err(AuthError::InvalidVerificationLink),
        }
    };
    Ok((once("signature")?, once("expires")?))
}

#[derive(Serialize)]
struct Notified {
    message: Sentence,
    #[serde(flatten)]
    data: Option<Data>,
}

#[derive(Serialize)]
struct Data {
    id: String,
    hash: String,
    signature: String,
    expires: u64,
}

impl From<VerificationData> for Data {
    fn from(VerificationData { id, hash, signature, expires }: VerificationData) -> Self {
        Self { id, hash, signature, expires }
    }
}
