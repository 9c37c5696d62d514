//! What a change of profile takes.

use crate::actions::ProfileData;
use crate::error::{FieldCollector, FieldErrors};
use crate::http::Fields;
use crate::values::{EmailAddress, UserName};

pub(super) fn profile_data(
    mut fields: Fields,
    extra_fields: &[&'static str],
) -> Result<ProfileData, FieldErrors> {
    let mut read = FieldCollector::default();
    let name = read.take(fields.text("name").and_then(|text| UserName::parse(&text)));
    let email = read.take(fields.text("email").and_then(|text| EmailAddress::parse(&text)));
    let data = name.zip(email).map(|(name, email)| {
        let mut data = ProfileData::new(name, email);
        data.extra = fields.extra(extra_fields);
        data
    });
    read.finish(data)
}
