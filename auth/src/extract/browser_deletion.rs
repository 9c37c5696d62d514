//! Deletions of accounts, for pages with forms. A page with a token in its URL changes nothing when it is opened: it has a form, and the
//! token in a hidden field of the form.

use super::browser::{Browser, SetCookies};
use crate::error::AuthError;
use crate::features::services::{DeleteAccountsService, Restored, ScheduledDeletion};
use crate::http::CookieChanges;
use crate::user::AuthUser;

/// The result of [`Browser::restore_account`].
#[must_use = "the browser has a session only if its cookies are in the response"]
#[derive(Debug)]
#[non_exhaustive]
pub enum BrowserRestored {
    /// The token was that of a mail: the account stays, and nobody is signed in.
    Cancelled,
    /// The browser had signed in before: the account stays, and the session has started.
    Session(SetCookies),
}

impl<U: AuthUser> Browser<U> {
    /// Schedules the deletion of the user's account and ends every session, as `DELETE /user` does. The cookies delete that of the session.
    ///
    /// # Errors
    /// [`AuthError::Unauthenticated`]; [`AuthError::PasswordConfirmationRequired`].
    pub async fn delete_account(&self) -> Result<(ScheduledDeletion, SetCookies), AuthError> {
        let who = self.identity().await?;
        let service = self.service::<DeleteAccountsService>()?;
        let scheduled = service.schedule(&who, self.visitor().client.clone()).await?;
        Ok((scheduled, self.changes(CookieChanges::logged_out())))
    }

    /// Cancels the deletion of an account, as `POST /user/restore` does: with the token of a mail, or without one by the cookie of a
    /// sign-in that has led to [`BrowserLogin::PendingDeletion`](super::BrowserLogin::PendingDeletion).
    ///
    /// # Errors
    /// [`AuthError::InvalidMailToken`], also if there is neither a token nor a cookie; [`AuthError::ExpiredMailToken`];
    /// [`AuthError::TooManyAttempts`]; what the policy refuses with.
    pub async fn restore_account(&self, token: Option<&str>) -> Result<BrowserRestored, AuthError> {
        let visitor = self.visitor().clone();
        let cookie = visitor.transport.cookies().and_then(|sent| sent.challenge.clone());
        let token = token.or(cookie.as_deref()).ok_or(AuthError::InvalidMailToken)?;
        let service = self.service::<DeleteAccountsService>()?;
        Ok(match service.restore(token, visitor.clone()).await? {
            Restored::Cancelled => BrowserRestored::Cancelled,
            Restored::SignedIn(signed_in) => BrowserRestored::Session(self.started(signed_in)?),
        })
    }
}
