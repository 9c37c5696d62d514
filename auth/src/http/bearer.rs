//! The bearer token of a request (RFC 6750 §2.1), and whom it stands for.

use super::Problem;
use crate::core::{Core, Identity};
use crate::error::AuthError;
use crate::user::AuthUser;
use axum::extract::{FromRef, FromRequestParts};
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;

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
pub(crate) fn token(headers: &HeaderMap) -> Result<&str, AuthError> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return Err(AuthError::Unauthenticated) };
    let credentials = value.to_str().ok().and_then(|text| text.split_once(' '));
    match credentials {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => Ok(token.trim_matches(' ')),
        _ => Err(AuthError::Unauthenticated),
    }
}
