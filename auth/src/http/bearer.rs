//! The bearer token of a request, and the extractors that stand for whom it belongs to (RFC 6750 §2.1).

use super::Problem;
use crate::error::AuthError;
use crate::module::{AuthModule, Core, Identity, SessionClaims};
use crate::user::AuthUser;
use axum::extract::{FromRef, FromRequestParts};
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use std::marker::PhantomData;
use std::ops::Deref;

/// The user who makes the request: an extractor for the host's own routes.
///
/// It asks the repository, so the record is as it is now. It refuses with 401 `unauthenticated` whoever has no valid
/// access token: missing, malformed, expired, of another purpose, of a session that was ended, issued before the
/// password or the second factor changed, or of a user who is gone or inactive.
///
/// ```
/// # use auth::{AuthUser, CurrentUser};
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
        let Identity { user, .. } = module.core().authenticate(token(&parts.headers)?).await?;
        Ok(Self(user))
    }
}

/// The claims of the request's access token, without asking the repository: for routes that only need to know whose
/// request it is, many times a second.
///
/// The token is checked and so is whether its session was ended. What only the user's record could tell is not
/// known: that the user is gone or inactive, or has changed the password since. Such a token counts here until it
/// expires, 15 minutes at most by default; where that matters, take [`CurrentUser`].
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
        let claims = module.core().sessions.open_access(token(&parts.headers)?).await?;
        Ok(Self { claims, module: PhantomData })
    }
}

/// User and session, for the module's own routes, whose state holds the core.
pub(crate) struct Bearer<U>(pub(crate) Identity<U>);

impl<S, U> FromRequestParts<S> for Bearer<U>
where
    S: Send + Sync,
    U: AuthUser,
    Core<U>: FromRef<S>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        Ok(Self(Core::<U>::from_ref(state).authenticate(token(&parts.headers)?).await?))
    }
}

/// The token of the one `Authorization: Bearer` header. Two headers are none: a proxy may have looked at the other.
fn token(headers: &HeaderMap) -> Result<&str, AuthError> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return Err(AuthError::Unauthenticated) };
    let credentials = value.to_str().ok().and_then(|text| text.split_once(' '));
    match credentials {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => Ok(token.trim_matches(' ')),
        _ => Err(AuthError::Unauthenticated),
    }
}
