//! Extractors for the host's own routes.

use crate::core::{Core, Identity, SessionClaims};
use crate::error::AuthError;
use crate::http;
use crate::module::AuthModule;
use crate::user::AuthUser;
use axum::extract::{FromRef, FromRequestParts};
use axum::http::request::Parts;
use std::any::Any;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

/// The user who makes the request: an extractor for the host's own routes.
///
/// It reads the record from the repository, so the record is current. It rejects with 401 `unauthenticated` if the
/// access token is missing, malformed, expired or of another kind, if its session has ended, if the password or the
/// second factor has changed since it was issued, or if the user does not exist or is inactive.
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
#[derive(Clone)]
pub struct CurrentUser<U>(pub U);

impl<S, U> FromRequestParts<S> for CurrentUser<U>
where
    S: Send + Sync,
    U: AuthUser,
    AuthModule<U>: FromRef<S>,
{
    type Rejection = AuthError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, AuthError> {
        let module = AuthModule::<U>::from_ref(state);
        Ok(Self(owned(identity(module.core(), parts).await?)?))
    }
}

/// The user and the session of the request.
async fn identity(core: &Core, parts: &Parts) -> Result<Identity, AuthError> {
    let visitor = http::visitor(&parts.extensions, &parts.headers, &core.config.trusted_proxies);
    core.authenticate(http::bearer_token(&parts.headers)?, &visitor).await
}

/// The claims of the request's access token.
async fn claims(core: &Core, parts: &Parts) -> Result<SessionClaims, AuthError> {
    let visitor = http::visitor(&parts.extensions, &parts.headers, &core.config.trusted_proxies);
    core.claims(http::bearer_token(&parts.headers)?, &visitor).await
}

/// The record as the host's type. Only this request holds the record, so it is not cloned.
fn owned<U: AuthUser>(who: Identity) -> Result<U, AuthError> {
    let user: Arc<dyn Any + Send + Sync> = who.user;
    let other = |_| AuthError::internal("the record is not of the module's user type");
    user.downcast::<U>().map(Arc::unwrap_or_clone).map_err(other)
}

/// The user who makes the request, with a verified e-mail address. It rejects like [`CurrentUser`], and with 403
/// `email_not_verified` if the address is not verified.
#[derive(Clone)]
pub struct VerifiedUser<U>(pub U);

impl<S, U> FromRequestParts<S> for VerifiedUser<U>
where
    S: Send + Sync,
    U: AuthUser,
    AuthModule<U>: FromRef<S>,
{
    type Rejection = AuthError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, AuthError> {
        let CurrentUser(user) = CurrentUser::<U>::from_request_parts(parts, state).await?;
        match user.email_verified_at() {
            Some(_) => Ok(Self(user)),
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
    S: Send + Sync,
    U: AuthUser,
    AuthModule<U>: FromRef<S>,
{
    type Rejection = AuthError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, AuthError> {
        let module = AuthModule::<U>::from_ref(state);
        let who = identity(module.core(), parts).await?;
        module.core().require_confirmation(&who)?;
        Ok(Self(owned(who)?))
    }
}

/// The claims of the request's access token. The repository is not read, so it suits routes that are called often and
/// only need the user's id.
///
/// The token is checked, and its session must not have ended. The user's record is not checked: a token is accepted
/// even if its user does not exist any more or is inactive, or if the host's own code has changed the password. Such a
/// token works until it expires, by default after at most 15 minutes. Use [`CurrentUser`] where that matters.
///
/// `U` is the user type of the module that checks the token: `claims: Claims<Account>`.
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

impl<S, U> FromRequestParts<S> for Claims<U>
where
    S: Send + Sync,
    U: AuthUser,
    AuthModule<U>: FromRef<S>,
{
    type Rejection = AuthError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, AuthError> {
        let module = AuthModule::<U>::from_ref(state);
        let claims = claims(module.core(), parts).await?;
        Ok(Self { claims, module: PhantomData })
    }
}
