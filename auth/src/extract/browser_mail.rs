//! Sign-in by mail and confirmation by mail, for pages with forms.

use super::browser::{Browser, BrowserLogin, Remember, SetCookies};
use super::forms::PasswordlessForm;
use crate::error::{AuthError, FieldCollector, FieldErrors};
use crate::features::services::{
    EmailLoginService, EmailLoginStarted, EmailProof, NewcomerFields, PasswordlessRegistrationService,
    RegistrationStarted, SignInOutcome,
};
use crate::user::AuthUser;
use crate::values::{EmailAddress, UserName};

/// The result of a sign-in by mail.
#[must_use = "the browser has a session only if its cookies are in the response"]
#[derive(Debug)]
#[non_exhaustive]
pub enum BrowserMailLogin {
    /// The address has an account.
    #[non_exhaustive]
    Known {
        /// A session, or the step before it.
        login: BrowserLogin,
        /// Whether the account had a password, and has none now: nobody had proven its address before, so somebody else may have
        /// made the account. The page tells the user, who can choose another password.
        password_removed: bool,
    },
    /// The address has no account. The page asks for what the host's action needs, such as the name, and keeps the registration token
    /// in a hidden field of that form: [`Browser::register_passwordless`].
    Registration(RegistrationStarted),
    /// An account was created for the address, and its first session has started.
    Registered(SetCookies),
}

impl<U: AuthUser> Browser<U> {
    /// Has a mail sent to sign in with, as `POST /login/email` does. The page keeps the flow token in a hidden field of the form that
    /// asks for the code. `earlier` is the flow token of an earlier request for this address: then the code of that request is mailed
    /// again.
    ///
    /// # Errors
    /// [`AuthError::ValidationFailed`]; [`AuthError::TooManyAttempts`].
    pub async fn email_login(
        &self,
        email: &str,
        earlier: Option<&str>,
        remember: Remember,
    ) -> Result<EmailLoginStarted, AuthError> {
        let mut read = FieldCollector::default();
        let email = read.take(EmailAddress::parse(email));
        let email = read.finish(email)?;
        let service = self.service::<EmailLoginService>()?;
        service.request(&email, earlier, self.remembered(remember)).await
    }

    /// Starts a session with the code or the link of a mail, as `POST /login/email/verify` does.
    ///
    /// # Errors
    /// [`AuthError::InvalidFlowToken`]: the user must ask for another mail; [`AuthError::InvalidLoginCode`];
    /// [`AuthError::TooManyAttempts`].
    pub async fn email_login_verify(
        &self,
        flow_token: &str,
        proof: &EmailProof,
    ) -> Result<BrowserMailLogin, AuthError> {
        let service = self.service::<EmailLoginService>()?;
        Ok(match service.verify(flow_token, proof, self.visitor().clone()).await? {
            SignInOutcome::Known { signed_in, password_removed } => {
                BrowserMailLogin::Known { login: self.logged_in(signed_in)?, password_removed }
            }
            SignInOutcome::Registration(started) => BrowserMailLogin::Registration(started),
            SignInOutcome::Registered(signed_in) => BrowserMailLogin::Registered(self.started(signed_in)?),
        })
    }

    /// Creates an account without a password for a proven address and starts a session, as `POST /register/passwordless` does.
    ///
    /// # Errors
    /// [`AuthError::InvalidFlowToken`]: the user must ask for another mail; [`AuthError::ValidationFailed`];
    /// [`AuthError::EmailTaken`]; [`AuthError::TooManyAttempts`].
    pub async fn register_passwordless(
        &self,
        registration_token: &str,
        form: PasswordlessForm,
    ) -> Result<SetCookies, AuthError> {
        let fields = self.newcomer(form)?;
        let service = self.service::<PasswordlessRegistrationService>()?;
        self.started(service.register(registration_token, fields, self.visitor().clone()).await?)
    }

    pub(super) fn newcomer(&self, form: PasswordlessForm) -> Result<NewcomerFields, FieldErrors> {
        let PasswordlessForm { name, username, extra } = form;
        let mut read = FieldCollector::default();
        let name = read.take(name.map(|text| UserName::parse(&text)).transpose());
        let username = read.take(self.core().username_rules().chosen(username.as_deref()));
        let mut fields = NewcomerFields::new();
        (fields.name, fields.username) = read.finish(name.zip(username))?;
        fields.extra = extra;
        Ok(fields)
    }

    /// Has a code mailed with which the user confirms in the session, as `POST /user/confirm-email` does.
    ///
    /// # Errors
    /// [`AuthError::Unauthenticated`]; [`AuthError::EmailNotVerified`]; [`AuthError::TooManyAttempts`].
    pub async fn confirm_email(&self) -> Result<EmailLoginStarted, AuthError> {
        let who = self.identity().await?;
        let service = self.service::<EmailLoginService>()?;
        service.request_confirmation(&who, self.visitor().client.clone()).await
    }

    /// Records that the user reads the mailbox, as `POST /user/confirm-email/verify` does.
    ///
    /// # Errors
    /// [`AuthError::Unauthenticated`]; [`AuthError::InvalidFlowToken`]; [`AuthError::InvalidLoginCode`];
    /// [`AuthError::TooManyAttempts`].
    pub async fn confirm_email_verify(&self, flow_token: &str, code: &str) -> Result<SetCookies, AuthError> {
        let who = self.identity().await?;
        let service = self.service::<EmailLoginService>()?;
        let cookie = service.confirm(&who, flow_token, code, self.visitor().client.clone()).await?;
        Ok(self.confirmed(cookie))
    }
}
