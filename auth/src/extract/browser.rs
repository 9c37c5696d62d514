//! For pages with forms: the host's handlers log users in and out, and change their credentials.

use super::AuthState;
use super::forms::RegistrationForm;
use crate::actions::{PasswordUpdateData, RegistrationData};
use crate::client::{BrowserCookies, Visitor};
use crate::core::{
    Challenge, Core, Credentials, Identity, Presented, SecondFactor, SessionCookie, SignedIn, Step,
};
use crate::endpoint::Confirmation;
use crate::error::{AuthError, FieldCollector, RestoreToken};
use crate::features::services::{
    LoginService, PasswordConfirmationService, PendingChallenge, RegistrationService,
    TwoFactorAuthenticationService, TwoFactorChallengeService, UpdatePasswordsService,
};
use crate::http::{self, CookieChanges, Cookies};
use crate::module::AuthModule;
use crate::user::AuthUser;
use crate::values::{EmailAddress, NewPassword, Password, UserName};
use axum::extract::FromRequestParts;
use axum::http::HeaderValue;
use axum::http::header::SET_COOKIE;
use axum::http::request::Parts;
use axum::response::{IntoResponse, IntoResponseParts, Response, ResponseParts};
use std::convert::Infallible;
use std::fmt;
use std::time::SystemTime;

/// The browser that sends a form: an extractor for the host's own pages (feature BROWSER_SESSIONS).
///
/// Its methods do what the routes of [`browser_router`](AuthModule::browser_router) do, with the same rules, limits and
/// events. The module's routes accept only JSON, so that a page with a form and without scripts needs a handler of the host:
///
/// ```
/// use axum::Form;
/// use axum::response::{IntoResponse, Redirect, Response};
/// use axum_auth_module::extract::{Browser, BrowserLogin, Remember, next_path};
/// use axum_auth_module::AuthError;
/// # use axum_auth_module::AuthUser;
/// # #[derive(Clone, AuthUser)] struct Account { id: i64, name: String, email: String, password: String,
/// #   email_verified_at: Option<std::time::SystemTime>, two_factor_secret: Option<String>,
/// #   two_factor_recovery_codes: Option<String>, two_factor_confirmed_at: Option<std::time::SystemTime>,
/// #   password_confirmed_at: Option<std::time::SystemTime> }
///
/// #[derive(serde::Deserialize)]
/// struct LoginForm {
///     email: String,
///     password: String,
///     remember: Option<String>,
///     next: Option<String>,
/// }
///
/// async fn log_in(browser: Browser<Account>, Form(form): Form<LoginForm>) -> Result<Response, AuthError> {
///     let remember = Remember::from(form.remember.is_some());
///     let next = form.next.as_deref().and_then(next_path).unwrap_or("/");
///     Ok(match browser.login(&form.email, &form.password, remember).await? {
///         BrowserLogin::Session(cookies) => (cookies, Redirect::to(next)).into_response(),
///         BrowserLogin::Challenge(cookies) => (cookies, Redirect::to("/two-factor")).into_response(),
///         _ => return Err(AuthError::internal("a step of the login that this page does not have")),
///     })
/// }
/// ```
///
/// It rejects with 403 `cross_origin_request` if a page of another origin has sent the form, and with 404 `not_found` if the
/// feature BROWSER_SESSIONS is not enabled. A method whose feature is not enabled fails with 404 `not_found`, too.
pub struct Browser<U: AuthUser> {
    module: AuthModule<U>,
    visitor: Visitor,
}

/// Whether a session outlives the browser's own ("remember me").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remember {
    /// The cookie is gone when the browser closes.
    #[default]
    No,
    /// The browser keeps it.
    Yes,
}

impl From<bool> for Remember {
    fn from(remember: bool) -> Self {
        if remember { Self::Yes } else { Self::No }
    }
}

/// The result of a login with the right password.
///
/// A later version can have another step between the password and the session, with a variant of its own. A page that does not
/// have that step answers with an error, as the example of [`Browser`] does.
#[must_use = "the browser has a session only if its cookies are in the response"]
#[derive(Debug)]
#[non_exhaustive]
pub enum BrowserLogin {
    /// A session has started.
    Session(SetCookies),
    /// The user must prove the second factor: [`Browser::challenge`].
    Challenge(SetCookies),
    /// The account is going to be deleted: [`Browser::restore_account`] keeps it and starts the session.
    PendingDeletion {
        /// The cookies of the response.
        cookies: SetCookies,
        /// From when on the account can be deleted.
        deletes_at: SystemTime,
    },
}

/// The `Set-Cookie` headers of a response: `(cookies, Redirect::to("/"))`.
#[must_use = "the browser has a session only if its cookies are in the response"]
#[derive(Clone)]
pub struct SetCookies(Vec<HeaderValue>);

#[cfg(feature = "social-login")]
impl SetCookies {
    pub(super) fn and(mut self, more: Self) -> Self {
        self.0.extend(more.0);
        self
    }
}

/// Shows no cookie.
impl fmt::Debug for SetCookies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SetCookies").finish_non_exhaustive()
    }
}

impl IntoResponseParts for SetCookies {
    type Error = Infallible;

    fn into_response_parts(self, mut response: ResponseParts) -> Result<ResponseParts, Infallible> {
        for header in self.0 {
            response.headers_mut().append(SET_COOKIE, header);
        }
        Ok(response)
    }
}

impl IntoResponse for SetCookies {
    fn into_response(self) -> Response {
        (self, ()).into_response()
    }
}

impl<S, U> FromRequestParts<S> for Browser<U>
where
    S: AuthState<U>,
    U: AuthUser,
{
    type Rejection = AuthError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, AuthError> {
        let module = state.auth_module();
        let core = module.core();
        if !core.has_browsers {
            return Err(AuthError::NotFound);
        }
        http::check_origin(&parts.method, &parts.uri, &parts.headers, &core.config.browser)?;
        let visitor = http::browser_visitor(core, parts);
        Ok(Self { module, visitor })
    }
}

impl<U: AuthUser> Browser<U> {
    /// Starts a session for somebody who knows an account's password, as `POST /login` does. A session of the browser
    /// that is alive ends.
    ///
    /// # Errors
    /// [`AuthError::InvalidCredentials`]; [`AuthError::TooManyAttempts`]; [`AuthError::ValidationFailed`].
    pub async fn login(
        &self,
        email: &str,
        password: &str,
        remember: Remember,
    ) -> Result<BrowserLogin, AuthError> {
        let mut read = FieldCollector::default();
        let email = read.take(EmailAddress::parse(email));
        let email = read.finish(email)?;
        let password = Password::to_check(password.to_owned());
        let service = self.service::<LoginService>()?;
        self.logged_in(service.login(&email, &password, self.remembered(remember)).await?)
    }

    /// Starts a session for somebody who knows the password of the account with this user name, as `POST /login` does with a
    /// `username`. No user name contains `@`, so a page with one field for both can tell an address by it.
    ///
    /// # Errors
    /// Those of [`login`](Self::login); [`AuthError::NotFound`] without USERNAMES.
    pub async fn login_by_username(
        &self,
        username: &str,
        password: &str,
        remember: Remember,
    ) -> Result<BrowserLogin, AuthError> {
        let password = Password::to_check(password.to_owned());
        let service = self.service::<LoginService>()?;
        self.logged_in(service.login_by_username(username, &password, self.remembered(remember)).await?)
    }

    /// What a login has led to, for the browser.
    pub(super) fn logged_in(&self, signed_in: SignedIn) -> Result<BrowserLogin, AuthError> {
        Ok(match signed_in {
            SignedIn::Session(credentials) => BrowserLogin::Session(self.cookies(credentials)),
            SignedIn::Step(Step::SecondFactor { challenge, .. }) => {
                BrowserLogin::Challenge(self.challenged(challenge)?)
            }
            SignedIn::Step(Step::PendingDeletion { restoration, deletes_at }) => {
                BrowserLogin::PendingDeletion { cookies: self.challenged(restoration)?, deletes_at }
            }
        })
    }

    /// Creates an account and starts a session, as `POST /register` does.
    ///
    /// # Errors
    /// [`AuthError::ValidationFailed`]; [`AuthError::EmailTaken`]; [`AuthError::UsernameTaken`]; [`AuthError::TooManyAttempts`].
    pub async fn register(
        &self,
        form: RegistrationForm,
        remember: Remember,
    ) -> Result<SetCookies, AuthError> {
        let RegistrationForm { name, email, username, password, password_confirmation, extra } = form;
        let mut read = FieldCollector::default();
        let name = read.take(UserName::parse(&name));
        let email = read.take(EmailAddress::parse(&email));
        let username = read.take(self.core().username_rules().chosen(username.as_deref()));
        let password = read.take(self.module.new_password(password, &password_confirmation));
        let data = name.zip(email).zip(password).zip(username);
        let (((name, email), password), username) = read.finish(data)?;
        let mut data = RegistrationData::new(name, email, password);
        (data.username, data.extra) = (username, extra);
        let service = self.service::<RegistrationService>()?;
        self.started(service.register(data, self.remembered(remember)).await?)
    }

    /// Completes a login with a second factor, as `POST /two-factor-challenge` does.
    ///
    /// # Errors
    /// [`AuthError::InvalidChallengeToken`], also if the browser has no challenge cookie: the user must log in again;
    /// [`AuthError::InvalidTwoFactorCode`]; [`AuthError::InvalidRecoveryCode`]; [`AuthError::TooManyAttempts`].
    pub async fn challenge(&self, factor: &SecondFactor) -> Result<SetCookies, AuthError> {
        let (token, service) = self.challenge_of_cookie()?;
        self.started(service.challenge(token, factor, self.visitor.clone()).await?)
    }

    /// The same, and the browser is trusted from then on, as with `trustDevice` (TRUSTED_DEVICES). Without the feature, and with a recovery
    /// code, it is not.
    ///
    /// # Errors
    /// Those of [`challenge`](Self::challenge).
    pub async fn challenge_and_trust(&self, factor: &SecondFactor) -> Result<SetCookies, AuthError> {
        let (token, service) = self.challenge_of_cookie()?;
        self.started(service.challenge(token, factor, self.visitor.clone().trusting_device(true)).await?)
    }

    /// With what the login can be completed, and where the browser goes afterwards, as `GET /two-factor-challenge` returns it. A page
    /// needs it after [`provider_callback`](Self::provider_callback), which cannot tell the page where to go.
    ///
    /// # Errors
    /// [`AuthError::InvalidChallengeToken`], also if the browser has no challenge cookie; any other error when a repository fails.
    pub async fn pending_challenge(&self) -> Result<PendingChallenge, AuthError> {
        let (token, service) = self.challenge_of_cookie()?;
        service.pending(token, self.visitor.clone()).await
    }

    /// The token of the challenge cookie, and the service that reads it.
    fn challenge_of_cookie(&self) -> Result<(&str, &TwoFactorChallengeService), AuthError> {
        let cookie = self.sent().and_then(|sent| sent.challenge.as_deref());
        Ok((cookie.ok_or(AuthError::InvalidChallengeToken)?, self.service::<TwoFactorChallengeService>()?))
    }

    /// The user and the session.
    ///
    /// # Errors
    /// [`AuthError::Unauthenticated`]; any other error when a repository fails.
    pub async fn identity(&self) -> Result<Identity, AuthError> {
        let cookie = self.sent().and_then(|sent| sent.session.as_deref());
        let cookie = cookie.ok_or(AuthError::Unauthenticated)?;
        self.core().authenticate(Presented::SessionCookie(cookie), || self.visitor.client.clone()).await
    }

    /// The user and the session of the cookie, if the password was confirmed recently in this session.
    ///
    /// # Errors
    /// Those of [`identity`](Self::identity); [`AuthError::PasswordConfirmationRequired`].
    pub async fn confirmed_identity(&self) -> Result<Identity, AuthError> {
        let who = self.identity().await?;
        self.core().require(&who, Confirmation::PASSWORD).await?;
        Ok(who)
    }

    /// Records that the user knows the password, as `POST /user/confirm-password` does.
    ///
    /// # Errors
    /// [`AuthError::Unauthenticated`]; [`AuthError::IncorrectPassword`]; [`AuthError::TooManyAttempts`].
    pub async fn confirm_password(&self, password: &str) -> Result<SetCookies, AuthError> {
        let (who, service, password) = self.confirming(password).await?;
        let cookie = service.confirm(&who, &password, self.visitor.address()).await?;
        Ok(self.confirmed(cookie))
    }

    /// Records that the user knows the password and has the second factor, as `POST /user/confirm-password` does with a code.
    ///
    /// # Errors
    /// Those of [`confirm_password`](Self::confirm_password); [`AuthError::InvalidTwoFactorCode`];
    /// [`AuthError::InvalidRecoveryCode`].
    pub async fn confirm_password_and_code(
        &self,
        password: &str,
        factor: &SecondFactor,
    ) -> Result<SetCookies, AuthError> {
        let (who, service, password) = self.confirming(password).await?;
        let client = self.visitor.address();
        let cookie = service.confirm_with_second_factor(&who, &password, factor, client).await?;
        Ok(self.confirmed(cookie))
    }

    /// Records that the user has the second factor, as `POST /user/confirm-two-factor` does.
    ///
    /// # Errors
    /// [`AuthError::Unauthenticated`]; [`AuthError::TwoFactorNotEnabled`]; [`AuthError::InvalidTwoFactorCode`];
    /// [`AuthError::InvalidRecoveryCode`]; [`AuthError::TooManyAttempts`].
    pub async fn prove_second_factor(&self, factor: &SecondFactor) -> Result<SetCookies, AuthError> {
        let who = self.identity().await?;
        let service = self.service::<TwoFactorAuthenticationService>()?;
        Ok(self.confirmed(service.prove_second_factor(&who, factor, self.visitor.address()).await?))
    }

    /// Changes the password, as `PUT /user/password` does. For a user without a password `current` is empty, and this sets the first
    /// one.
    ///
    /// # Errors
    /// [`AuthError::Unauthenticated`]; [`AuthError::PasswordConfirmationRequired`] for a user without a password;
    /// [`AuthError::IncorrectPassword`]; [`AuthError::ValidationFailed`];
    /// [`AuthError::TooManyAttempts`].
    pub async fn update_password(
        &self,
        current: &str,
        password: &str,
        confirmation: &str,
    ) -> Result<SetCookies, AuthError> {
        let who = self.identity().await?;
        let service = self.service::<UpdatePasswordsService>()?;
        let password: NewPassword = self.module.new_password(password.to_owned(), confirmation)?;
        let has_current = who.user().has_password() || !current.is_empty();
        let current = has_current.then(|| Password::to_check(current.to_owned()));
        let data = PasswordUpdateData::new(current, password);
        Ok(self.cookies(service.update(&who, data, self.visitor.address()).await?))
    }

    /// Puts the pending second factor in force, as `POST /user/confirmed-two-factor-authentication` does.
    ///
    /// # Errors
    /// [`AuthError::Unauthenticated`]; [`AuthError::PasswordConfirmationRequired`] unless the option `confirm_password` is
    /// off; [`AuthError::InvalidTwoFactorCode`]; [`AuthError::TooManyAttempts`].
    pub async fn confirm_two_factor(&self, code: &str) -> Result<SetCookies, AuthError> {
        let who = self.identity().await?;
        let service = self.service::<TwoFactorAuthenticationService>()?;
        Ok(self.cookies(service.confirm(&who, code, self.visitor.address()).await?))
    }

    /// Disables two-factor authentication, as `DELETE /user/two-factor-authentication` does.
    ///
    /// # Errors
    /// [`AuthError::Unauthenticated`]; [`AuthError::PasswordConfirmationRequired`] unless the option `confirm_password` is
    /// off.
    pub async fn disable_two_factor(&self) -> Result<SetCookies, AuthError> {
        let who = self.identity().await?;
        let service = self.service::<TwoFactorAuthenticationService>()?;
        Ok(self.cookies(service.disable(&who, self.visitor.address()).await?))
    }

    /// Ends the session and deletes the cookies, as `POST /logout` does. A browser without a session only loses its
    /// cookies.
    ///
    /// # Errors
    /// [`AuthError::Unavailable`] when the session repository fails.
    pub async fn log_out(&self) -> Result<SetCookies, AuthError> {
        match self.identity().await {
            Ok(who) => self.service::<LoginService>()?.logout(&who, self.visitor.address()).await?,
            Err(AuthError::Unauthenticated) => {}
            Err(error) => return Err(error),
        }
        Ok(self.changes(CookieChanges::logged_out()))
    }

    /// A [service](crate::services), for what a page does without a change of its cookies: request a password reset, list
    /// the sessions.
    ///
    /// ```
    /// # use axum_auth_module::AuthUser;
    /// use axum_auth_module::services::ResetPasswordsService;
    /// use axum_auth_module::values::EmailAddress;
    /// use axum_auth_module::{AuthError, Browser};
    ///
    /// # async fn forgot_password<U: AuthUser>(browser: Browser<U>, email: String) -> Result<(), AuthError> {
    /// let email = EmailAddress::parse(&email)?;
    /// browser.service::<ResetPasswordsService>()?.request(&email, browser.visitor().address()).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`AuthError::NotFound`] if its feature is not enabled.
    pub fn service<S: 'static>(&self) -> Result<&S, AuthError> {
        self.module.service().ok_or(AuthError::NotFound)
    }

    /// The client, for a [service](crate::services) that the host calls.
    #[must_use]
    pub const fn visitor(&self) -> &Visitor {
        &self.visitor
    }

    /// The cookies for what a [service](crate::services) has returned.
    pub fn cookies(&self, credentials: Credentials) -> SetCookies {
        self.changes(match credentials {
            Credentials::Cookie(cookie) => CookieChanges::session(cookie),
            Credentials::Tokens(_) => CookieChanges::default(),
        })
    }

    pub(super) fn started(&self, signed_in: SignedIn) -> Result<SetCookies, AuthError> {
        match signed_in {
            SignedIn::Session(credentials) => Ok(self.cookies(credentials)),
            // A page can put the token into a form: `restore_account` takes it.
            SignedIn::Step(Step::PendingDeletion {
                restoration: Challenge::Cookie(token, _),
                deletes_at,
            }) => Err(AuthError::AccountPendingDeletion {
                deletes_at,
                restore_token: Some(RestoreToken(token)),
            }),
            SignedIn::Step(_) => Err(AuthError::internal("a session that could not start yet")),
        }
    }

    fn challenged(&self, challenge: Challenge) -> Result<SetCookies, AuthError> {
        match challenge {
            Challenge::Cookie(token, max_age) => Ok(self.changes(CookieChanges::challenge(token, max_age))),
            Challenge::Token(_) => Err(AuthError::internal("a challenge for a client that keeps tokens")),
        }
    }

    pub(super) fn changes(&self, changes: CookieChanges) -> SetCookies {
        let changes = match self.sent() {
            Some(sent) => changes.after(sent),
            None => changes,
        };
        SetCookies(Cookies(&self.core().config.browser).headers(changes))
    }

    async fn confirming(
        &self,
        password: &str,
    ) -> Result<(Identity, &PasswordConfirmationService, Password), AuthError> {
        let who = self.identity().await?;
        Ok((who, self.service()?, Password::to_check(password.to_owned())))
    }

    pub(super) fn confirmed(&self, cookie: Option<SessionCookie>) -> SetCookies {
        self.changes(cookie.map_or_else(CookieChanges::default, CookieChanges::session))
    }

    pub(super) fn remembered(&self, remember: Remember) -> Visitor {
        self.visitor.clone().remembered(remember == Remember::Yes)
    }

    /// The cookies of the request.
    const fn sent(&self) -> Option<&BrowserCookies> {
        self.visitor.transport.cookies()
    }

    pub(super) const fn module(&self) -> &AuthModule<U> {
        &self.module
    }

    pub(super) fn core(&self) -> &Core {
        self.module.core()
    }
}
