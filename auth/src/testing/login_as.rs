//! Sessions for tests of the host's own routes, without a login form.

use super::Browser;
use crate::client::Visitor;
use crate::clock::whole_seconds;
use crate::core::{
    Core, Credentials, Method, Methods, Patch, Presented, Requirements, SecondFactor, SessionCookie, SignIn,
    SignedIn, TokenPair,
};
use crate::endpoint::Confirmation;
use crate::error::AuthError;
use crate::module::AuthModule;
use crate::user::{AuthUser, UserChange, UserId};

/// Logs a user in without the password and without a code, for tests of the host's own routes. The session is real: it is in
/// the module's session repository, every extractor accepts it, and a logout ends it. The login is real, too: the host's
/// [`Policy`](crate::policy::Policy) is asked, `auth.login` is emitted, and a suspended account is refused. No password is
/// hashed.
///
/// What is returned collects options. [`tokens`](LoginAs::tokens) or [`in_browser`](LoginAs::in_browser) logs in:
///
/// ```
/// use axum::http::Request;
/// use axum_auth_module::testing::{Client, login_as};
/// # use axum_auth_module::{AuthError, AuthModule, AuthUser};
///
/// # async fn test<U: AuthUser>(auth: AuthModule<U>, app: axum::Router, ada: U) -> Result<(), AuthError> {
/// let tokens = login_as(&auth, &ada).with_confirmed_password().tokens().await?;
/// let client = Client::new(app).with_tokens(&tokens);
/// client.delete("/invoices/7").await.expect(204);
///
/// // Or, in a request that the test makes itself:
/// let request = Request::delete("/invoices/7").header("authorization", format!("Bearer {}", tokens.access_token));
/// # let _ = request;
/// # Ok(()) }
/// ```
///
/// The record is read again by its id, so a record that has changed since `user` was read is no problem.
pub fn login_as<'a, U: AuthUser>(auth: &'a AuthModule<U>, user: &U) -> LoginAs<'a> {
    LoginAs {
        core: auth.core(),
        user_id: user.id().to_text(),
        is_verified: false,
        confirmed: Confirmed::Nothing,
        is_remembered: false,
        proven: None,
    }
}

/// A login that is about to happen. [`login_as`] returns it.
#[must_use = "nobody is logged in until `tokens` or `in_browser` is called"]
pub struct LoginAs<'a> {
    core: &'a Core,
    user_id: String,
    is_verified: bool,
    confirmed: Confirmed,
    is_remembered: bool,
    proven: Option<Methods>,
}

/// What the user has confirmed in the session.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Confirmed {
    Nothing,
    Password,
    PasswordAndCode,
}

impl LoginAs<'_> {
    /// The address of the user counts as verified from now on, as [`VerifiedUser`](crate::VerifiedUser) requires it. This
    /// changes the user's record, if it is not verified yet.
    pub fn with_verified_address(self) -> Self {
        Self { is_verified: true, ..self }
    }

    /// The user has just confirmed the password in the session, as [`ConfirmedUser`](crate::ConfirmedUser) requires it. It
    /// lasts for [`password_timeout`](crate::config::AuthConfigBuilder::password_timeout).
    pub fn with_confirmed_password(self) -> Self {
        let confirmed = match self.confirmed {
            Confirmed::PasswordAndCode => Confirmed::PasswordAndCode,
            _ => Confirmed::Password,
        };
        Self { confirmed, ..self }
    }

    /// The user has just confirmed the password and a one-time code, as the module's own routes for the second factor require
    /// it. If the user has no second factor, the password alone is confirmed. No code is used up.
    pub fn with_confirmed_second_factor(self) -> Self {
        Self { confirmed: Confirmed::PasswordAndCode, ..self }
    }

    /// The session begins with these methods, as [`Claims::authenticated_by`](crate::services::SessionClaims::authenticated_by) and
    /// [`Assured`](crate::extract::Assured) see them. Without it these are the password, and a one-time code of a user who has a
    /// second factor. A session that begins with a mail counts as confirmed.
    ///
    /// ```
    /// use axum_auth_module::assurance::Method;
    /// use axum_auth_module::testing::login_as;
    /// # use axum_auth_module::{AuthError, AuthModule, AuthUser};
    ///
    /// # async fn test<U: AuthUser>(auth: AuthModule<U>, ada: U) -> Result<(), AuthError> {
    /// let tokens = login_as(&auth, &ada).with_methods([Method::Email, Method::OneTimeCode]).tokens().await?;
    /// # let _ = tokens;
    /// # Ok(()) }
    /// ```
    pub fn with_methods(self, methods: impl IntoIterator<Item = Method>) -> Self {
        Self { proven: Some(methods.into_iter().collect()), ..self }
    }

    /// The browser keeps the session when it is closed, as after a login with `remember`. It is nothing to a session with
    /// tokens.
    pub fn remembered(self) -> Self {
        Self { is_remembered: true, ..self }
    }

    /// Logs in a client that keeps tokens. A user who has a second factor has passed it.
    ///
    /// # Errors
    /// [`AuthError::InvalidCredentials`] or [`AuthError::InvalidChallengeToken`] if the account is suspended; those of the
    /// policy, the repositories and the store; [`AuthError::Internal`] if there is no such user.
    pub async fn tokens(self) -> Result<TokenPair, AuthError> {
        match self.start(&Visitor::default()).await? {
            Credentials::Tokens(pair) => Ok(pair),
            Credentials::Cookie(_) => Err(AuthError::internal("a session with tokens has a cookie")),
        }
    }

    /// Logs in the user of a browser: its cookie jar gets the session cookie. A session that the browser had before ends, as at
    /// a login. A user who has a second factor has passed it. Returns the session's id, which is not a secret.
    ///
    /// ```
    /// use axum_auth_module::testing::{Browser, login_as};
    /// # use axum_auth_module::{AuthError, AuthModule, AuthUser};
    ///
    /// # async fn test<U: AuthUser>(auth: AuthModule<U>, app: axum::Router, ada: U) -> Result<(), AuthError> {
    /// let browser = Browser::new(app);
    /// login_as(&auth, &ada).in_browser(&browser).await?;
    /// browser.get("/settings").await.expect(200);
    /// browser.post("/web/auth/logout").await.expect(200);
    /// browser.get("/settings").await.expect(303);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Those of [`tokens`](Self::tokens); [`AuthError::Internal`] if the feature BROWSER_SESSIONS is not enabled.
    pub async fn in_browser(self, browser: &Browser) -> Result<String, AuthError> {
        let core = self.core;
        if !core.has_browsers {
            return Err(AuthError::internal("the module has no browsers: enable BROWSER_SESSIONS"));
        }
        let options = &core.config.browser;
        match self.start(&browser.visitor(options, self.is_remembered)).await? {
            Credentials::Tokens(_) => Err(AuthError::internal("a session of a browser has tokens")),
            Credentials::Cookie(cookie) => {
                let session_id = cookie.session_id.clone();
                browser.keep(options, cookie);
                Ok(session_id)
            }
        }
    }

    /// Starts the session.
    async fn start(&self, visitor: &Visitor) -> Result<Credentials, AuthError> {
        let core = self.core;
        let user = core.users.find_by_id(&self.user_id).await?;
        let mut user = user.ok_or_else(|| AuthError::internal("there is no user with this id"))?;
        if self.is_verified && user.email_verified_at().is_none() {
            let now = whole_seconds(core.now());
            let patch = Patch::of(&*user).with(UserChange::EmailVerifiedAt(Some(now)));
            user = core.users.save(patch).await?;
        }
        let has_second_factor = user.two_factor_confirmed_at().is_some();
        let sign_in = match has_second_factor {
            true => SignIn::challenge(Methods::of(Method::Password), Method::OneTimeCode),
            false => SignIn::password(),
        };
        let sign_in = self.proven.map_or(sign_in, |proven| sign_in.proving(proven));
        let epoch = core.client_epoch(&user.id_text()).await?;
        let credentials = match core.sign_in(&user, sign_in, visitor, epoch).await? {
            SignedIn::Session(credentials) => credentials,
            SignedIn::Step(_) => return Err(AuthError::internal("a feature requires another step first")),
        };
        let factor = match self.confirmed {
            Confirmed::Nothing => return Ok(credentials),
            Confirmed::PasswordAndCode if has_second_factor => Some(SecondFactor::Code(String::new())),
            Confirmed::Password | Confirmed::PasswordAndCode => None,
        };
        let presented = match &credentials {
            Credentials::Tokens(pair) => Presented::AccessToken(&pair.access_token),
            Credentials::Cookie(SessionCookie { value, .. }) => Presented::SessionCookie(value),
        };
        let who = core.authenticate(presented, || visitor.client.clone()).await?;
        let nothing = Requirements { confirmation: Confirmation::NOTHING, calls: &[] };
        let acting = core.begin_with(nothing, &who, visitor.address()).await?;
        let replaced = core.record_confirmation(&acting, Method::Password, factor.as_ref()).await?;
        Ok(replaced.map_or(credentials, Credentials::Cookie))
    }
}
