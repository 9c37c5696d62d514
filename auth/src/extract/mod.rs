//! Extractors for the host's own routes.
//!
//! They accept an access token (`Authorization: Bearer`), and with the feature BROWSER_SESSIONS also the session cookie. If a
//! request has both, the token counts, even if it is invalid. A cookie does not count in a request from a page of another
//! origin, WebSockets included: that is 403 `cross_origin_request`.
//!
//! A handler that also takes a body, such as `Json`, takes both in a [`WithBody`]: a session can end while a body is still
//! arriving.
//!
//! [`ApiUser`] and [`UserOrApi`] accept API tokens (API_TOKENS), and all others refuse them.
//!
//! None of them requires that `U` is a user record: that is required where the module is made, so that a record without its derive
//! is one error.
//!
//! As `Option<CurrentUser<U>>` an extractor is `None` if the request has no valid credential. All other errors stay errors.

mod api;
mod browser;
mod browser_account;
mod browser_admin;
mod browser_deletion;
mod browser_mail;
#[cfg(feature = "social-login")]
mod browser_providers;
mod forms;
mod page;
mod with_body;

pub use crate::uri::next_path;
pub use api::{ApiScope, ApiUser, UserOrApi};
pub use browser::{Browser, BrowserLogin, Remember, SetCookies};
pub use browser_deletion::BrowserRestored;
pub use browser_mail::BrowserMailLogin;
pub use forms::{PasswordlessForm, RegistrationForm};
pub use page::{AssuredPageUser, ConfirmedPageUser, PageRejection, PageUser};
pub use with_body::WithBody;

use crate::assurance::{self, Assurance};
use crate::client::ClientInfo;
use crate::core::{Core, Identity, Impersonator, SessionClaims};
use crate::endpoint::Confirmation;
use crate::error::AuthError;
use crate::http::{self, HostCredential};
use crate::module::AuthModule;
use crate::user::User;
use axum::extract::{FromRef, FromRequestParts, OptionalFromRequestParts};
use axum::http::request::Parts;
use std::any::Any;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

/// The state of a router that contains the module of users `U`: a state with a field `AuthModule<U>` that derives
/// `axum::extract::FromRef`, or the module itself. It is implemented for every such state; a host only meets it in messages of
/// the compiler.
#[diagnostic::on_unimplemented(
    message = "the state `{Self}` contains no `AuthModule<{U}>`",
    label = "the extractors of `axum_auth_module` need the module in the router's state",
    note = "add a field of type `AuthModule<{U}>` to the state, and `axum::extract::FromRef` to its derives (cargo feature `macros` of axum)",
    note = "or make the module itself the state: `.with_state(auth)`"
)]
pub trait AuthState<U>: Send + Sync {
    /// The module.
    fn auth_module(&self) -> AuthModule<U>;
}

#[diagnostic::do_not_recommend]
impl<S, U> AuthState<U> for S
where
    S: Send + Sync,
    AuthModule<U>: FromRef<S>,
{
    fn auth_module(&self) -> AuthModule<U> {
        AuthModule::from_ref(self)
    }
}

/// The user who makes the request: an extractor for the host's own routes.
///
/// It reads the record from the repository, so the record is current. It rejects with 401 `unauthenticated` if the
/// access token or the session cookie is missing, malformed, expired or of another kind, if its session has ended, if the
/// password or the second factor has changed since it was issued, or if the user does not exist or is inactive.
///
/// ```
/// # use axum_auth_module::{AuthUser, CurrentUser};
/// # #[derive(Clone, AuthUser)] struct Account { id: i64, name: String, email: String, password: String,
/// #   email_verified_at: Option<std::time::SystemTime>, two_factor_secret: Option<String>,
/// #   two_factor_recovery_codes: Option<String>, two_factor_confirmed_at: Option<std::time::SystemTime>,
/// #   password_confirmed_at: Option<std::time::SystemTime> }
/// async fn me(CurrentUser(account): CurrentUser<Account>) -> String {
///     format!("Hello {}", account.name)
/// }
/// ```
#[doc(alias = "login_required")]
#[doc(alias = "middleware")]
#[derive(Clone)]
pub struct CurrentUser<U>(pub U);

impl<S, U> FromRequestParts<S> for CurrentUser<U>
where
    S: AuthState<U>,
    U: Clone + Send + Sync + 'static,
{
    type Rejection = AuthError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, AuthError> {
        let module = state.auth_module();
        Ok(Self(owned(identity(module.core(), parts).await?)?))
    }
}

/// The user and the session of the request.
async fn identity(core: &Core, parts: &Parts) -> Result<Identity, AuthError> {
    let credential = HostCredential::of(core, parts)?;
    core.authenticate(credential.presented(), || client(core, parts)).await
}

/// What the request's credential says of its session.
async fn claims(core: &Core, parts: &Parts) -> Result<SessionClaims, AuthError> {
    let credential = HostCredential::of(core, parts)?;
    core.claims(credential.presented(), || client(core, parts)).await
}

fn client(core: &Core, parts: &Parts) -> ClientInfo {
    http::client(core, &parts.extensions, &parts.headers)
}

/// The record as the host's type. Only this request holds the record, so it is not cloned.
fn owned<U: Clone + Send + Sync + 'static>(who: Identity) -> Result<U, AuthError> {
    owned_record(who.user)
}

fn owned_record<U: Clone + Send + Sync + 'static>(user: User) -> Result<U, AuthError> {
    let user: Arc<dyn Any + Send + Sync> = user;
    let other = |_| AuthError::internal("the record is not of the module's user type");
    user.downcast::<U>().map(Arc::unwrap_or_clone).map_err(other)
}

/// The user who makes the request, with a verified e-mail address. It rejects like [`CurrentUser`], and with 403
/// `email_not_verified` if the address is not verified.
#[derive(Clone)]
pub struct VerifiedUser<U>(pub U);

impl<S, U> FromRequestParts<S> for VerifiedUser<U>
where
    S: AuthState<U>,
    U: Clone + Send + Sync + 'static,
{
    type Rejection = AuthError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, AuthError> {
        let module = state.auth_module();
        let who = identity(module.core(), parts).await?;
        match who.user.email_verified_at() {
            Some(_) => Ok(Self(owned(who)?)),
            None => Err(AuthError::EmailNotVerified),
        }
    }
}

/// The user who makes the request and has confirmed the password in this session within `password_timeout`. Use it for
/// sensitive routes, which must not work on an unattended, logged-in device.
///
/// It rejects like [`CurrentUser`], and with 403 `password_confirmation_required` if the password was not confirmed
/// recently. The client then calls `POST /user/confirm-password` and sends the request again.
#[derive(Clone)]
pub struct ConfirmedUser<U>(pub U);

impl<S, U> FromRequestParts<S> for ConfirmedUser<U>
where
    S: AuthState<U>,
    U: Clone + Send + Sync + 'static,
{
    type Rejection = AuthError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, AuthError> {
        let module = state.auth_module();
        let who = identity(module.core(), parts).await?;
        module.core().require(&who, Confirmation::PASSWORD).await?;
        Ok(Self(owned(who)?))
    }
}

/// The user who makes the request, in whose session enough was proven, recently enough: what `A` says. Use it for routes that need
/// more than a login, such as a payment (RFC 9470).
///
/// It rejects like [`CurrentUser`], and with 401 `insufficient_user_authentication` if the methods that were proven in the session,
/// within [`Assurance::MAX_AGE`], do not reach [`Assurance::LEVEL`] together. The response says which levels are enough, and what
/// the user can prove. The client has the user prove it and sends the request again. It must not refresh its tokens: that proves
/// nothing.
///
/// The module [`assurance`] has an example.
#[derive(Clone)]
pub struct Assured<U, A>(pub U, pub PhantomData<fn() -> A>);

impl<S, U, A> FromRequestParts<S> for Assured<U, A>
where
    S: AuthState<U>,
    U: Clone + Send + Sync + 'static,
    A: Assurance,
{
    type Rejection = AuthError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, AuthError> {
        const {
            assert!(
                assurance::is_possible(A::MAX_AGE),
                "`MAX_AGE` must be more than zero and at most 24 hours"
            );
        }
        let module = state.auth_module();
        let who = identity(module.core(), parts).await?;
        module.core().assure(&who, A::LEVEL, A::MAX_AGE).await?;
        Ok(Self(owned(who)?, PhantomData))
    }
}

/// What the request's access token or session cookie says of the user and the session. The user's record is rarely read, so it
/// suits routes that are called often and only need the user's id.
///
/// The credential is checked, and its session must not have ended. A credential is accepted for some time after its user was
/// deleted or suspended, or after the host's own code has changed the password: an access token until it expires, by default at
/// most 15 minutes, and a session cookie for `sessions.touch_interval`, by default 5 minutes, because the record is read when the
/// use of a browser session is recorded. Use [`CurrentUser`] where that matters (specification §11.7).
///
/// `U` is the user type of the module that checks the credential: `claims: Claims<Account>`.
#[derive(Clone)]
pub struct Claims<U> {
    claims: SessionClaims,
    module: PhantomData<fn() -> U>,
}

impl<U> Deref for Claims<U> {
    type Target = SessionClaims;

    fn deref(&self) -> &SessionClaims {
        &self.claims
    }
}

/// The user of the session acts: see [`Admin::impersonate`](crate::Admin::impersonate).
impl<U> From<&Claims<U>> for Impersonator {
    fn from(claims: &Claims<U>) -> Self {
        (&claims.claims).into()
    }
}

impl<S, U> FromRequestParts<S> for Claims<U>
where
    S: AuthState<U>,
    U: Clone + Send + Sync + 'static,
{
    type Rejection = AuthError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, AuthError> {
        let module = state.auth_module();
        let claims = claims(module.core(), parts).await?;
        Ok(Self { claims, module: PhantomData })
    }
}

/// Generates what the extractors have in common.
macro_rules! extractors {
    ($($extractor:ident $(<$parameter:ident: $bound:ident>)?)*) => {$(
        /// `None` if the request has no valid credential.
        impl<S, U $(, $parameter: $bound)?> OptionalFromRequestParts<S> for $extractor<U $(, $parameter)?>
        where
            S: AuthState<U>,
            U: Clone + Send + Sync + 'static,
        {
            type Rejection = AuthError;

            async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Option<Self>, AuthError> {
                match <Self as FromRequestParts<S>>::from_request_parts(parts, state).await {
                    Err(AuthError::Unauthenticated) => Ok(None),
                    extracted => extracted.map(Some),
                }
            }
        }
    )*};
}
extractors! { CurrentUser VerifiedUser ConfirmedUser Assured<A: Assurance> Claims ApiUser<C: ApiScope> UserOrApi<C: ApiScope> }

/// Generates the access to the record.
macro_rules! derefs {
    ($($extractor:ident $(<$assurance:ident>)?)*) => {$(
        impl<U $(, $assurance)?> Deref for $extractor<U $(, $assurance)?> {
            type Target = U;

            fn deref(&self) -> &U {
                &self.0
            }
        }
    )*};
}
derefs! { CurrentUser VerifiedUser ConfirmedUser Assured<A> PageUser ConfirmedPageUser AssuredPageUser<A> }
