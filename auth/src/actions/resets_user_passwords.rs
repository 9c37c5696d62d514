//! The action behind `POST /reset-password` (specification §3.4, `RESETS_USER_PASSWORDS`).

use super::ActionContext;
use crate::actions::ActionError;
use crate::erase::provided;
use crate::provider::declare::provider;
use crate::repository::UserRepository;
use crate::user::AuthUser;
use crate::values::NewPassword;
use async_trait::async_trait;
use std::sync::Arc;

provider! { action;
/// Stores the new password of a user who has a valid reset token. Required with RESET_PASSWORDS.
///
/// [`StandardActions`](crate::StandardActions) hashes it and saves the hash. An action of a host's own:
///
/// ```
/// use axum_auth_module::{AuthUser, StandardActions, async_trait};
/// use axum_auth_module::actions::{ActionContext, ActionError, ResetsUserPasswords};
/// use axum_auth_module::error::FieldErrors;
/// use axum_auth_module::values::NewPassword;
///
/// struct NoCompanyName;
///
/// #[async_trait]
/// impl<U: AuthUser> ResetsUserPasswords<U> for NoCompanyName {
///     async fn reset(&self, user: &U, password: &NewPassword, context: &ActionContext<U>) -> Result<(), ActionError> {
///         if password.as_password().expose().contains("acme") {
///             return Err(FieldErrors::one("password", "company_name", "Choose another password.").into());
///         }
///         StandardActions.reset(user, password, context).await
///     }
/// }
/// ```
#[async_trait]
#[diagnostic::on_unimplemented(
    message = "Missing provider: RESETS_USER_PASSWORDS. Register an implementation of ResetsUserPasswords.",
    label = "`{Self}` does not implement `ResetsUserPasswords<{U}>`",
    note = "RESET_PASSWORDS requires it: use `axum_auth_module::StandardActions`, or write `impl axum_auth_module::actions::ResetsUserPasswords<{U}> for {Self}`"
)]
pub trait ResetsUserPasswords<U: AuthUser>: Send + Sync + 'static {
    /// Stores the hash of the new password.
    ///
    /// # Errors
    /// Field errors when the host does not accept the password; the reset token then stays valid.
    async fn reset(
        &self,
        user: &U,
        password: &NewPassword,
        context: &ActionContext<U>,
    ) -> Result<(), ActionError>; // needs #[async_trait]

    provided!(dyn ResetsUserPasswords<U>, of: Arc<dyn UserRepository<User = U>>);
}
}
