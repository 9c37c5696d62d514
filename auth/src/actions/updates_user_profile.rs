//! The action behind `PUT /user/profile-information` (specification §3.4, `UPDATES_USER_PROFILE`).

use super::ActionContext;
use crate::actions::ActionError;
use crate::erase::provided;
use crate::provider::declare::provider;
use crate::repository::UserRepository;
use crate::user::AuthUser;
use crate::values::{EmailAddress, UserName, Username};
use async_trait::async_trait;
use serde_json::{Map, Value};
use std::sync::Arc;

provider! { action;
/// Stores a user's changed name and e-mail address. Required with UPDATE_PROFILE_INFORMATION.
///
/// [`StandardActions`](crate::StandardActions) saves both. Whatever the action does, the library marks a
/// changed address as unverified.
///
/// The repository of the context writes the user's own record only while the session of the request lasts (specification §11.9). An
/// action that writes with a connection of its own is called only if the session is alive at that moment.
#[async_trait]
#[diagnostic::on_unimplemented(
    message = "Missing provider: UPDATES_USER_PROFILE. Register an implementation of UpdatesUserProfile.",
    label = "`{Self}` does not implement `UpdatesUserProfile<{U}>`",
    note = "UPDATE_PROFILE_INFORMATION requires it: use `axum_auth_module::StandardActions`, or write `impl axum_auth_module::actions::UpdatesUserProfile<{U}> for {Self}`"
)]
pub trait UpdatesUserProfile<U: AuthUser>: Send + Sync + 'static {
    /// Writes the profile.
    ///
    /// # Errors
    /// [`ActionError::EmailTaken`] when the address belongs to another account; field errors.
    async fn update(
        &self,
        user: &U,
        data: ProfileData,
        context: &ActionContext<U>,
    ) -> Result<(), ActionError>; // needs #[async_trait]

    /// The names of the fields beyond `name` and `email` that the action reads from the request, as
    /// [`CreatesNewUsers::extra_fields`](super::CreatesNewUsers::extra_fields).
    fn extra_fields(&self) -> &[&'static str] {
        &[]
    }

    provided!(dyn UpdatesUserProfile<U>, of: Arc<dyn UserRepository<User = U>>);
}
}

/// The data of a profile update. Every field is valid.
#[derive(Clone)]
#[non_exhaustive]
pub struct ProfileData {
    /// The name.
    pub name: UserName,
    /// The canonical e-mail address.
    pub email: EmailAddress,
    /// What becomes of the user name.
    pub username: UsernameChange,
    /// Those of the action's [`extra_fields`](UpdatesUserProfile::extra_fields) that were sent, unchecked.
    pub extra: Map<String, Value>,
}

impl ProfileData {
    /// Data that keep the user name, without extra fields.
    #[must_use]
    pub fn new(name: UserName, email: EmailAddress) -> Self {
        Self { name, email, username: UsernameChange::Keep, extra: Map::new() }
    }
}

/// What becomes of a user name in a profile update.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum UsernameChange {
    /// It stays: the request does not have it, or the module has no USERNAMES.
    #[default]
    Keep,
    /// The user has none from now on, which the record allows.
    Remove,
    /// This is the user name, which can be the present one.
    Set(Username),
}
