//! Asking for a reset token, and setting a new password with it.

mod forgot_password;
pub(crate) mod reset_password;
