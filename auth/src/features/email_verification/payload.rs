//! What a link carries in its query, and what a notification answers.

use crate::delivery::VerificationData;
use crate::error::AuthError;
use axum::extract::Query;
use axum::http::Uri;
use serde::Serialize;

/// `signature` and `expires` of a link, each there once.
pub(super) fn signature_and_expires(uri: &Uri) -> Result<(String, String), AuthError> {
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
pub(super) struct Notified {
    pub(super) message: &'static str,
    #[serde(flatten)]
    pub(super) data: Option<Data>,
}

#[derive(Serialize)]
pub(super) struct Data {
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
