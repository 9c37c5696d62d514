//! What a registration takes.

use crate::actions::RegistrationData;
use crate::error::{FieldCollector, FieldErrors};
use crate::http::Fields;
use crate::values::{EmailAddress, UserName};

pub(super) fn registration_data(
    mut fields: Fields,
    min_password_characters: usize,
    extra_fields: &[&'static str],
) -> Result<RegistrationData, FieldErrors> {
    let mut read = FieldCollector::default();
    let name = read.take(fields.text("name").and_then(|text| UserName::parse(&text)));
    let email = read.take(fields.text("email").and_then(|text| EmailAddress::parse(&text)));
    let password = fields.new_password(min_password_characters, &mut read);
    let data = name.zip(email).zip(password).map(|((name, email), password)| {
        let mut data = RegistrationData::new(name, email, password);
        data.extra = fields.extra(extra_fields);
        data
    });
    read.finish(data)
}
