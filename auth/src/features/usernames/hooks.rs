//! How user names take part in the rest of the module.

use crate::core::Hooks;
use crate::user::UsernameField;

/// Tells the other features that users have user names.
pub(super) struct NamesOfUsers(pub(super) UsernameField);

impl Hooks for NamesOfUsers {
    fn username_field(&self) -> UsernameField {
        self.0
    }
}
