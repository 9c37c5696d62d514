//! Changes of the address, and taking an account back, for pages with forms. A page with a token in its URL changes nothing when it
//! is opened: it has a form, and the token in a hidden field of the form.

use super::browser::{Browser, SetCookies};
use crate::error::{AuthError, FieldCollector};
use crate::features::services::{
    ChangeEmailsService, InvitationsService, PendingEmailChange, SecurityNoticesService,
};
use crate::user::AuthUser;
use crate::values::EmailAddress;

impl<U: AuthUser> Browser<U> {
    /// Has a link mailed to a new address, as `POST /user/email-change` does.
    ///
    /// # Errors
    /// [`AuthError::Unauthenticated`]; [`AuthError::ValidationFailed`], also for the present address;
    /// [`AuthError::PasswordConfirmationRequired`]; [`AuthError::TooManyAttempts`].
    pub async fn request_email_change(&self, email: &str) -> Result<(), AuthError> {
        let who = self.identity().await?;
        let mut read = FieldCollector::default();
        let email = read.take(EmailAddress::parse(email));
        let email = read.finish(email)?;
        let service = self.service::<ChangeEmailsService>()?;
        service.request(&who, &email, self.visitor().client.clone()).await
    }

    /// Sets the first password of an invited user, as `POST /invitation/accept` does. The user then logs in.
    ///
    /// # Errors
    /// [`AuthError::InvalidMailToken`]; [`AuthError::ExpiredMailToken`]; [`AuthError::ValidationFailed`]; [`AuthError::TooManyAttempts`].
    pub async fn accept_invitation(
        &self,
        token: &str,
        password: &str,
        password_confirmation: &str,
    ) -> Result<(), AuthError> {
        let password = self.module().new_password(password.to_owned(), password_confirmation)?;
        let service = self.service::<InvitationsService>()?;
        service.accept(token, &password, self.visitor().address()).await
    }

    /// The change of the address that waits for its confirmation, as `GET /user/email-change` shows it.
    ///
    /// # Errors
    /// [`AuthError::Unauthenticated`].
    pub async fn pending_email_change(&self) -> Result<Option<PendingEmailChange>, AuthError> {
        let who = self.identity().await?;
        self.service::<ChangeEmailsService>()?.pending(&who).await
    }

    /// Cancels that change, as `DELETE /user/email-change` does.
    ///
    /// # Errors
    /// [`AuthError::Unauthenticated`].
    pub async fn cancel_email_change(&self) -> Result<(), AuthError> {
        let who = self.identity().await?;
        self.service::<ChangeEmailsService>()?.cancel(&who, self.visitor().address()).await
    }

    /// Changes the address with the token of the mail, as `POST /user/email-change/confirm` does.
    ///
    /// # Errors
    /// [`AuthError::Unauthenticated`]: the page asks the user to log in, and keeps the token for the page after it;
    /// [`AuthError::InvalidMailToken`]; [`AuthError::ExpiredMailToken`]; [`AuthError::EmailTaken`].
    pub async fn confirm_email_change(&self, token: &str) -> Result<SetCookies, AuthError> {
        let who = self.identity().await?;
        let service = self.service::<ChangeEmailsService>()?;
        Ok(self.cookies(service.confirm(&who, token, self.visitor().client.clone()).await?))
    }

    /// Gives an account its previous address back, as `POST /email/revert` does. It needs no session.
    ///
    /// # Errors
    /// [`AuthError::InvalidMailToken`]; [`AuthError::ExpiredMailToken`]; [`AuthError::EmailTaken`];
    /// [`AuthError::TooManyAttempts`].
    pub async fn revert_email(&self, token: &str) -> Result<(), AuthError> {
        self.service::<ChangeEmailsService>()?.revert(token, self.visitor().client.clone()).await
    }

    /// Locks an account down with the token of a security notice, as `POST /account/secure` does. It needs no session.
    ///
    /// # Errors
    /// [`AuthError::InvalidMailToken`]; [`AuthError::ExpiredMailToken`]; [`AuthError::TooManyAttempts`].
    pub async fn secure_account(&self, token: &str) -> Result<(), AuthError> {
        self.service::<SecurityNoticesService>()?.secure(token, self.visitor().client.clone()).await
    }
}
