//! What login and refresh take and answer.

use crate::core::TokenPair;
use crate::error::{FieldCollector, FieldErrors};
use crate::http::Fields;
use crate::values::{EmailAddress, Password};
use serde::Serialize;

pub(super) struct LoginRequest {
    pub(super) email: EmailAddress,
    pub(super) password: Password,
}

impl TryFrom<Fields> for LoginRequest {
    type Error = FieldErrors;

    fn try_from(mut fields: Fields) -> Result<Self, FieldErrors> {
        let mut read = FieldCollector::default();
        let email = read.take(fields.text("email").and_then(|text| EmailAddress::parse(&text)));
        let password = read.take(fields.filled_text("password").map(Password::to_check));
        read.finish(email.zip(password).map(|(email, password)| Self { email, password }))
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Challenge {
    two_factor: bool,
    challenge_token: String,
}

impl Challenge {
    pub(super) fn new(challenge_token: String) -> Self {
        Self { two_factor: true, challenge_token }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RefreshAnswer {
    access_token: String,
    refresh_token: String,
}

impl From<TokenPair> for RefreshAnswer {
    fn from(TokenPair { access_token, refresh_token, .. }: TokenPair) -> Self {
        Self { access_token, refresh_token }
    }
}
