//! Looking for a user name. No HTTP.

use crate::core::Core;
use crate::error::AuthError;
use crate::values::Username;

/// What a host can ask about user names.
#[derive(Clone)]
pub struct UsernamesService {
    core: Core,
}

impl UsernamesService {
    pub(super) fn new(core: &Core) -> Self {
        Self { core: core.clone() }
    }

    /// Whether a new user can have this user name at this moment: it is not reserved, and nobody has it. It is for a host that proposes a
    /// user name. A registration that follows can still be refused, and no limit counts these questions.
    ///
    /// ```
    /// use axum_auth_module::services::UsernamesService;
    /// use axum_auth_module::values::Username;
    /// use axum_auth_module::{AuthError, AuthModule, AuthUser};
    ///
    /// /// `ada`, or `ada2` if somebody has that.
    /// async fn proposed<U: AuthUser>(auth: &AuthModule<U>, wanted: &str) -> Result<Option<Username>, AuthError> {
    ///     let Some(usernames) = auth.service::<UsernamesService>() else { return Ok(None) };
    ///     for text in [wanted.to_owned(), format!("{wanted}2")] {
    ///         let username = Username::parse(&text)?;
    ///         if usernames.is_free(&username).await? {
    ///             return Ok(Some(username));
    ///         }
    ///     }
    ///     Ok(None)
    /// }
    /// ```
    ///
    /// # Errors
    /// Those of the user repository.
    pub async fn is_free(&self, username: &Username) -> Result<bool, AuthError> {
        if self.core.username_rules().allows(Some(username)).is_err() {
            return Ok(false);
        }
        Ok(self.core.users.find_by_username(username.as_str()).await?.is_none())
    }
}
