//! What somebody enters who has proven an address and has no account yet.

use axum_auth_module::extract::PasswordlessForm;
use serde::Deserialize;

#[derive(Clone, Default, Deserialize)]
pub(crate) struct NewcomerEntered {
    pub(crate) name: String,
    /// Empty: none.
    pub(crate) username: String,
}

impl NewcomerEntered {
    pub(crate) fn form(&self) -> PasswordlessForm {
        let mut form = PasswordlessForm::new().with_name(&self.name);
        form.username = or_none(&self.username);
        form
    }
}

/// What was entered in a field that can stay empty.
pub(crate) fn or_none(text: &str) -> Option<String> {
    Some(text.trim()).filter(|text| !text.is_empty()).map(str::to_owned)
}
