//! The action behind `POST /register` (specification §3.4, `CREATES_NEW_USERS`).

use super::ActionContext;
use crate::actions::ActionError;
use crate::erase::provided;
use crate::provider::declare::provider;
use crate::repository::UserRepository;
use crate::user::AuthUser;
use crate::values::{EmailAddress, NewPassword, UserName, Username};
use async_trait::async_trait;
use serde_json::{Map, Value};
use std::sync::Arc;

provider! { action;
/// Creates a user. Required with REGISTRATION.
///
/// The library has validated the fields; the action decides whether to accept the user, hashes the password and
/// stores the record. [`StandardActions`](crate::StandardActions) does that. An action of a host's own:
///
/// ```
/// use axum_auth_module::{AuthUser, async_trait};
/// use axum_auth_module::actions::{ActionContext, ActionError, CreatesNewUsers, RegistrationData};
/// use axum_auth_module::user::NewUser;
///
/// struct CreateAccount { default_plan: &'static str }
///
/// #[async_trait]
/// impl<U: AuthUser> CreatesNewUsers<U> for CreateAccount {
///     async fn create(&self, data: RegistrationData, context: &ActionContext<U>) -> Result<U, ActionError> {
///         let hash = context.passwords().hash(&data.password).await?;
///         let user = NewUser::new(data.name.as_str(), data.email.as_str(), hash);
///         Ok(context.users().create(user.with_extra("plan", self.default_plan)).await?)
///     }
/// }
/// ```
#[async_trait]
#[diagnostic::on_unimplemented(
    message = "Missing provider: CREATES_NEW_USERS. Register an implementation of CreatesNewUsers.",
    label = "`{Self}` does not implement `CreatesNewUsers<{U}>`",
    note = "REGISTRATION requires it: use `axum_auth_module::StandardActions`, or write `impl axum_auth_module::actions::CreatesNewUsers<{U}> for {Self}`"
)]
pub trait CreatesNewUsers<U: AuthUser>: Send + Sync + 'static {
    /// Creates the user and returns the record with its id.
    ///
    /// # Errors
    /// [`ActionError::EmailTaken`] when the address belongs to another account, and
    /// [`AuthError::UsernameTaken`](crate::AuthError::UsernameTaken) when the user name does (`?` converts the repository's errors);
    /// field errors when the host does not accept the data.
    async fn create(&self, data: RegistrationData, context: &ActionContext<U>) -> Result<U, ActionError>; // needs #[async_trait]

    /// The names of the fields beyond `name`, `email` and `password` that the action reads from the request. Only
    /// these fields reach it, as [`RegistrationData::extra`]; the nine fields of a user record never do (specification §3.5).
    fn extra_fields(&self) -> &[&'static str] {
        &[]
    }

    provided!(dyn CreatesNewUsers<U>, of: Arc<dyn UserRepository<User = U>>);
}
}

/// The data of a registration. Every field is valid.
#[derive(Clone)]
#[non_exhaustive]
pub struct RegistrationData {
    /// The name.
    pub name: UserName,
    /// The canonical e-mail address.
    pub email: EmailAddress,
    /// The password, confirmed and not yet hashed.
    pub password: NewPassword,
    /// The user name, with USERNAMES; `None` if users can be without one and this one is.
    pub username: Option<Username>,
    /// Those of the action's [`extra_fields`](CreatesNewUsers::extra_fields) that were sent, unchecked.
    pub extra: Map<String, Value>,
}

impl RegistrationData {
    /// Data without a user name and without extra fields.
    #[must_use]
    pub fn new(name: UserName, email: EmailAddress, password: NewPassword) -> Self {
        Self { name, email, password, username: None, extra: Map::new() }
    }
}
