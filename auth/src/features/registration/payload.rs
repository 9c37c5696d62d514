//! What a registration takes and answers.

use crate::error::{FieldCollector, FieldErrors};
use crate::http::Fields;
use crate::module::TokenPair;
use crate::providers::RegistrationData;
use crate::user::UserField;
use crate::values::{EmailAddress, NewPassword, UserName};
use serde::Serialize;

/// Reads the request. Of the fields beyond the library's own only those in `extra_fields` are kept, and never one of a
/// user record, whatever the host has listed (contract §1).
pub(super) fn registration_data(
    mut fields: Fields,
    min_password_characters: usize,
    extra_fields: &[&'static str],
) -> Result<RegistrationData, FieldErrors> {
    let mut read = FieldCollector::default();
    let name = read.take(fields.text("name").and_then(|text| UserName::parse(&text)));
    let email = read.take(fields.text("email").and_then(|text| EmailAddress::parse(&text)));
    let password = read.take(fields.text("password"));
    let confirmation = read.take(fields.text("passwordConfirmation"));
    let password = password.zip(confirmation).and_then(|(password, confirmation): (String, String)| {
        read.take(NewPassword::parse(password, &confirmation, min_password_characters))
    });
    let of_a_record = |name: &str| UserField::ALL.iter().any(|field| field.wire_name() == name);
    let wanted: Vec<_> = extra_fields.iter().copied().filter(|name| !of_a_record(name)).collect();
    let data = name.zip(email).zip(password).map(|((name, email), password)| {
        let mut data = RegistrationData::new(name, email, password);
        data.extra = fields.only(&wanted);
        data
    });
    read.finish(data)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RegisterAnswer {
    two_factor: bool,
    access_token: String,
    refresh_token: String,
}

impl From<TokenPair> for RegisterAnswer {
    fn from(TokenPair { access_token, refresh_token }: TokenPair) -> Self {
        Self { two_factor: false, access_token, refresh_token }
    }
}
