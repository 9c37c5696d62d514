//! What the routes take and answer.

use super::challenge::Proof;
use crate::error::{FieldCollector, FieldErrors};
use crate::http::Fields;
use serde::Serialize;

/// `force` of enabling: absent is `false`.
pub(super) fn force(mut fields: Fields) -> Result<bool, FieldErrors> {
    fields.optional_bool("force").map(Option::unwrap_or_default)
}

pub(super) struct ChallengeRequest {
    pub(super) token: String,
    pub(super) proof: Proof,
}

impl TryFrom<Fields> for ChallengeRequest {
    type Error = FieldErrors;

    fn try_from(mut fields: Fields) -> Result<Self, FieldErrors> {
        let mut read = FieldCollector::default();
        let token = read.take(fields.filled_text("challengeToken"));
        let proof = read.take(proof(&mut fields));
        read.finish(token.zip(proof).map(|(token, proof)| Self { token, proof }))
    }
}

/// A code or a recovery code, and not both.
fn proof(fields: &mut Fields) -> Result<Proof, FieldErrors> {
    match (fields.is_there("code"), fields.is_there("recoveryCode")) {
        (true, false) => fields.filled_text("code").map(Proof::Code),
        (false, true) => fields.filled_text("recoveryCode").map(Proof::RecoveryCode),
        (false, false) => Err(FieldErrors::one("code", "required", "Send a code or a recovery code.")),
        (true, true) => {
            Err(FieldErrors::one("recoveryCode", "conflict", "Send a code or a recovery code, not both."))
        }
    }
}

#[derive(Serialize)]
pub(super) struct QrCode {
    pub(super) svg: String,
    pub(super) url: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SecretKey {
    pub(super) secret_key: String,
}
