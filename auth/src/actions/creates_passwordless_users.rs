//! The action behind `POST /register/passwordless` (specification §3.4, `CREATES_PASSWORDLESS_USERS`).

use super::ActionContext;
use crate::actions::ActionError;
use crate::assurance::Method;
use crate::erase::provided;
use crate::provider::declare::provider;
use crate::repository::UserRepository;
use crate::user::AuthUser;
use crate::values::{EmailAddress, UserName, Username};
use async_trait::async_trait;
use serde_json::{Map, Value};
use std::sync::Arc;

provider! { action;
/// Creates a user without a password, who has proven the e-mail address. Required with PASSWORDLESS_REGISTRATION.
///
/// The library has validated the fields; the action decides whether to accept the user, and stores the record.
/// [`StandardActions`](crate::StandardActions) does that, and asks for the name. An action that asks for nothing:
///
/// ```
/// use axum_auth_module::{AuthUser, async_trait};
/// use axum_auth_module::actions::{
///     ActionContext, ActionError, CreatesPasswordlessUsers, PasswordlessRegistrationData,
/// };
/// use axum_auth_module::user::NewUser;
///
/// struct JoinByMail;
///
/// #[async_trait]
/// impl<U: AuthUser> CreatesPasswordlessUsers<U> for JoinByMail {
///     async fn create(
///         &self,
///         data: PasswordlessRegistrationData,
///         context: &ActionContext<U>,
///     ) -> Result<U, ActionError> {
///         let name = data.name.map_or_else(|| "New member".to_owned(), String::from);
///         Ok(context.users().create(NewUser::new(name, data.email, "")).await?)
///     }
///
///     fn asks_for(&self) -> &[&'static str] {
///         &[]
///     }
/// }
/// ```
#[async_trait]
#[diagnostic::on_unimplemented(
    message = "Missing provider: CREATES_PASSWORDLESS_USERS. Register an implementation of CreatesPasswordlessUsers.",
    label = "`{Self}` does not implement `CreatesPasswordlessUsers<{U}>`",
    note = "PASSWORDLESS_REGISTRATION requires it: use `axum_auth_module::StandardActions`, or write `impl axum_auth_module::actions::CreatesPasswordlessUsers<{U}> for {Self}`"
)]
pub trait CreatesPasswordlessUsers<U: AuthUser>: Send + Sync + 'static {
    /// Creates the user, with an empty text as password hash, and returns the record with its id. The library then marks the
    /// address as verified.
    ///
    /// # Errors
    /// [`ActionError::EmailTaken`] when the address belongs to another account (`?` converts the repository's error);
    /// field errors when the host does not accept the data. The user can then send other data.
    async fn create(
        &self,
        data: PasswordlessRegistrationData,
        context: &ActionContext<U>,
    ) -> Result<U, ActionError>; // needs #[async_trait]

    /// What must be known before [`create`](Self::create) is called: `name`, or fields of the host. If nothing is left to ask for, the
    /// account exists as soon as the address is proven. The other eight fields of a user record are ignored here. Default: the name.
    fn asks_for(&self) -> &[&'static str] {
        &["name"]
    }

    /// The names of further fields that the action reads from the request, and which may be absent. Only these fields and those of
    /// [`asks_for`](Self::asks_for) reach it, as [`PasswordlessRegistrationData::extra`]; the nine fields of a user record never do
    /// (specification §3.5).
    fn extra_fields(&self) -> &[&'static str] {
        &[]
    }

    provided!(dyn CreatesPasswordlessUsers<U>, of: Arc<dyn UserRepository<User = U>>);
}
}

/// The data of a registration without a password. Every field is valid.
#[derive(Clone)]
#[non_exhaustive]
pub struct PasswordlessRegistrationData {
    /// The name; `None` if the action does not ask for the name and nobody has said it.
    pub name: Option<UserName>,
    /// The canonical e-mail address.
    pub email: EmailAddress,
    /// The user name, with USERNAMES; `None` if users can be without one and this one is.
    pub username: Option<Username>,
    /// How the user has proven the address.
    pub proven_by: Method,
    /// The name of the provider that has proven it, if it was one. No feature of this version has addresses proven by a provider.
    pub provider: Option<String>,
    /// Those of the action's fields that were sent, unchecked.
    pub extra: Map<String, Value>,
}

impl PasswordlessRegistrationData {
    /// Data of somebody who reads the mailbox, without a name and without fields of the host.
    #[must_use]
    pub fn new(email: EmailAddress) -> Self {
        Self {
            name: None,
            email,
            username: None,
            proven_by: Method::Email,
            provider: None,
            extra: Map::new(),
        }
    }
}
