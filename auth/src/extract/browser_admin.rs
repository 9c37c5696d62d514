//! Acting for a user, for pages of administrators.

use super::browser::{Browser, Remember, SetCookies};
use crate::core::Impersonator;
use crate::error::AuthError;
use crate::user::AuthUser;

impl<U: AuthUser> Browser<U> {
    /// Starts a session of one hour in which somebody acts for a user, as [`Admin::impersonate`](crate::Admin::impersonate) does. **The host
    /// must check who calls it.** A session of the browser that is alive ends, as with a login: the administrator logs in again afterwards.
    ///
    /// ```
    /// use axum::response::Redirect;
    /// use axum_auth_module::extract::{Browser, SetCookies};
    /// use axum_auth_module::{AuthError, AuthUser};
    ///
    /// async fn open_account<U: AuthUser>(
    ///     browser: Browser<U>, user_id: U::Id, ticket: String,
    /// ) -> Result<(SetCookies, Redirect), AuthError> {
    ///     let administrator = browser.identity().await?;
    ///     // Here the host checks that `administrator.record::<U>()` is one.
    ///     let cookies = browser.impersonate(&administrator, &user_id, &ticket).await?;
    ///     Ok((cookies, Redirect::to("/")))
    /// }
    /// ```
    ///
    /// # Errors
    /// Those of [`Admin::impersonate`](crate::Admin::impersonate).
    pub async fn impersonate(
        &self,
        actor: impl Into<Impersonator>,
        user_id: &U::Id,
        reason: &str,
    ) -> Result<SetCookies, AuthError> {
        let user = self.module().admin().user(user_id).await?;
        let visitor = self.remembered(Remember::No);
        let (credentials, _) = self.core().impersonate(&actor.into(), &user, reason, &visitor).await?;
        Ok(self.cookies(credentials))
    }
}
