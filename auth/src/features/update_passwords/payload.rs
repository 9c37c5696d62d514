//! What a change of password takes.

use crate::actions::PasswordUpdateData;
use crate::error::{FieldCollector, FieldErrors};
use crate::http::Fields;
use crate::values::Password;

pub(super) fn password_update(
    mut fields: Fields,
    min_password_characters: usize,
) -> Result<PasswordUpdateData, FieldErrors> {
    let mut read = FieldCollector::default();
    let current = read.take(fields.filled_text("currentPassword").map(Password::to_check));
    let password = fields.new_password(min_password_characters, &mut read);
    read.finish(current.zip(password).map(|(current, password)| PasswordUpdateData::new(current, password)))
}
