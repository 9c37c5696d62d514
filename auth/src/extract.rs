//! Extractors for the host's own routes.

use crate::core::{Identity, SessionClaims};
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
/// It asks the repository, so the record is as it is now. It refuses with 401 `unauthenticated` whoever has no valid
/// access token: missing, malformed, expired, of another purpose, of a session that was ended, issued before the
/// password or the second factor changed, or of a user who is gone or inactive.
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
        Ok(Self(owned(module.core().authenticate(http::bearer_token(&parts.headers)?).await?)?))
    }
}

/// The record as the host's type. It was read for this request alone, so it is not cloned.
fn owned<U: AuthUser>(who: Identity) -> Result<U, AuthError> {
    let user: Arc<dyn Any + Send + Sync> = who.user;
    let other = |_| AuthError::internal("the record is of another type than the module's users");
    user.downcast::<U>().map(Arc::unwrap_or_clone).map_err(other)
}

/// The user who makes the request, whose e-mail address is verified. Refuses like [`CurrentUser`], and with 403
/// `email_not_verified`.
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

/// The user who makes the request and has confirmed the password in this session within `password_timeout`: for what
/// must not happen on a screen left unlocked. Refuses like [`CurrentUser`], and with 403
/// `password_confirmation_required`, whereupon a client calls `POST /user/confirm-password` and tries again.
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
        let who = module.core().authenticate(http::bearer_token(&parts.headers)?).await?;
        module.core().require_confirmation(&who).await?;
        Ok(Self(owned(who)?))
    }
}

/// The claims of the request's access token, without asking the repository: for routes that only need to know whose
/// request it is, many times a second.
///
/// The token is checked and so is whether its session was ended. What only the user's record could tell is not
/// known: that the user is gone or inactive, or has been given another password by other code than this module's. Such
/// a token counts here until it expires, 15 minutes at most by default; where that matters, take [`CurrentUser`].
///
/// `U` says whose module checks the token: `claims: Claims<Account>`.
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
        let claims = module.core().claims(http::bearer_token(&parts.headers)?).await?;
        Ok(Self { claims, module: PhantomData })
    }
}
