//! The credential of a request, as its endpoint declares it, and whom it stands for.

use super::Problem;
use crate::client::ClientAddress;
use crate::core::{Core, Identity};
use crate::endpoint::Credential;
use crate::error::AuthError;
use axum::extract::{FromRequestParts, Request};
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;

/// Checks what the endpoint requires. The identity is then an extension of the request, for [`Caller`].
pub(super) async fn check(
    core: &Core,
    credential: Credential,
    request: &mut Request,
) -> Result<(), AuthError> {
    if credential == Credential::NotRequired {
        return Ok(());
    }
    let who = core.authenticate(bearer_token(request.headers())?).await?;
    if credential == Credential::RecentConfirmation && core.config.two_factor.confirm_password {
        core.require_confirmation(&who).await?;
    }
    request.extensions_mut().insert(who);
    Ok(())
}

/// The token of the one `Authorization: Bearer` header (RFC 6750 §2.1). Two headers count as none: a proxy may have
/// checked the other one.
pub(crate) fn bearer_token(headers: &HeaderMap) -> Result<&str, AuthError> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return Err(AuthError::Unauthenticated) };
    let credentials = value.to_str().ok().and_then(|text| text.split_once(' '));
    match credentials {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => Ok(token.trim_matches(' ')),
        _ => Err(AuthError::Unauthenticated),
    }
}

/// Who makes the request, in the handler of an endpoint that declares a credential.
pub(crate) struct Caller(pub(crate) Identity);

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let undeclared = || AuthError::internal("the endpoint of this handler declares no credential");
        Ok(Self(parts.extensions.remove::<Identity>().ok_or_else(undeclared)?))
    }
}

/// Where the request comes from. The middleware finds it out once.
pub(crate) struct Client(pub(crate) ClientAddress);

impl<S: Send + Sync> FromRequestParts<S> for Client {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        Ok(Self(parts.extensions.get().copied().unwrap_or(ClientAddress::UNKNOWN)))
    }
}
