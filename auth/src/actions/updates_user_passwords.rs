//! The action behind `PUT /user/password` (specification §3.4, `UPDATES_USER_PASSWORDS`).

use super::ActionContext;
use crate::actions::ActionError;
use crate::erase::provided;
use crate::provider::declare::provider;
use crate::repository::UserRepository;
use crate::user::AuthUser;
use crate::values::{NewPassword, Password};
use async_trait::async_trait;
use std::sync::Arc;

provider! { action;
/// Stores the new password of a user who knows the current one, or the first one of a user who has none. Required with UPDATE_PASSWORDS.
///
/// [`StandardActions`](crate::StandardActions) does that. The library has compared the confirmation and checked the current
/// password already. An action of a host's own can do more:
///
/// ```
/// use axum_auth_module::{AuthUser, StandardActions, async_trait};
/// use axum_auth_module::actions::{ActionContext, ActionError, PasswordUpdateData, UpdatesUserPasswords};
///
/// struct Announced;
///
/// #[async_trait]
/// impl<U: AuthUser> UpdatesUserPasswords<U> for Announced {
///     async fn update(
///         &self,
///         user: &U,
///         data: PasswordUpdateData,
///         context: &ActionContext<U>,
///     ) -> Result<(), ActionError> {
///         // … tell the user by mail, and then:
///         StandardActions.update(user, data, context).await
///     }
/// }
/// ```
#[async_trait]
#[diagnostic::on_unimplemented(
    message = "Missing provider: UPDATES_USER_PASSWORDS. Register an implementation of UpdatesUserPasswords.",
    label = "`{Self}` does not implement `UpdatesUserPasswords<{U}>`",
    note = "UPDATE_PASSWORDS requires it: use `axum_auth_module::StandardActions`, or write `impl axum_auth_module::actions::UpdatesUserPasswords<{U}> for {Self}`"
)]
pub trait UpdatesUserPasswords<U: AuthUser>: Send + Sync + 'static {
    /// Stores the hash of the new password.
    ///
    /// # Errors
    /// [`ActionError::incorrect_password`] when the password has changed meanwhile; field errors.
    async fn update(
        &self,
        user: &U,
        data: PasswordUpdateData,
        context: &ActionContext<U>,
    ) -> Result<(), ActionError>; // needs #[async_trait]

    provided!(dyn UpdatesUserPasswords<U>, of: Arc<dyn UserRepository<User = U>>);
}
}

/// The data of a password update.
#[derive(Clone)]
#[non_exhaustive]
pub struct PasswordUpdateData {
    /// The current password as the user entered it; `None` for a user who has none. When an action receives it, it has been checked.
    pub current_password: Option<Password>,
    /// The new password, confirmed and not yet hashed.
    pub password: NewPassword,
}

impl PasswordUpdateData {
    /// An update from the current to the new password. `None` if the user has no password yet.
    pub fn new(current_password: impl Into<Option<Password>>, password: NewPassword) -> Self {
        Self { current_password: current_password.into(), password }
    }
}
