//! What the two routes take and answer.

use crate::error::{FieldCollector, FieldErrors};
use crate::http::Fields;
use crate::values::{EmailAddress, NewPassword};
use serde::Serialize;

pub(super) fn email(mut fields: Fields) -> Result<EmailAddress, FieldErrors> {
    fields.text("email").and_then(|text| EmailAddress::parse(&text))
}

pub(super) struct ResetRequest {
    pub(super) email: EmailAddress,
    pub(super) token: String,
    pub(super) password: NewPassword,
}

impl ResetRequest {
    pub(super) fn read(mut fields: Fields, min_password_characters: usize) -> Result<Self, FieldErrors> {
        let mut read = FieldCollector::default();
        let email = read.take(fields.text("email").and_then(|text| EmailAddress::parse(&text)));
        let token = read.take(fields.filled_text("token"));
        let password = fields.new_password(min_password_characters, &mut read);
        let request = email.zip(token).zip(password);
        read.finish(request.map(|((email, token), password)| Self { email, token, password }))
    }
}

#[derive(Serialize)]
pub(super) struct Requested {
    pub(super) message: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) token: Option<String>,
}
