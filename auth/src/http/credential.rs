//! Checks the credential that an endpoint requires, and extracts the identity.

use super::Problem;
use crate::client::{ClientAddress, Visitor};
use crate::core::{Core, Identity};
use crate::endpoint::{Credential, Endpoint};
use crate::error::AuthError;
use axum::extract::{FromRequestParts, Request};
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;

/// Checks the credential that the endpoint requires, and inserts the identity into the request's extensions, where
/// [`Caller`] finds it.
pub(super) async fn check(
    core: &Core,
    endpoint: &Endpoint,
    visitor: &Visitor,
    request: &mut Request,
) -> Result<(), AuthError> {
    if endpoint.credential == Credential::NotRequired {
        return Ok(());
    }
    let who = core.authenticate(bearer_token(request.headers())?, visitor).await?;
    if endpoint.credential == Credential::RecentConfirmation && (endpoint.is_confirmed_if)(&core.config) {
        core.require_confirmation(&who)?;
    }
    request.extensions_mut().insert(who);
    Ok(())
}

/// The token of the `Authorization: Bearer` header (RFC 6750 §2.1). A request with two such headers is rejected,
/// because a proxy may have checked the other one.
pub(crate) fn bearer_token(headers: &HeaderMap) -> Result<&str, AuthError> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return Err(AuthError::Unauthenticated) };
    let credentials = value.to_str().ok().and_then(|text| text.split_once(' '));
    match credentials {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => Ok(token.trim_matches(' ')),
        _ => Err(AuthError::Unauthenticated),
    }
}

/// Extracts the identity, in handlers of endpoints that require a credential.
pub(crate) struct Caller(pub(crate) Identity);

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let undeclared = || AuthError::internal("the endpoint of this handler requires no credential");
        Ok(Self(parts.extensions.remove::<Identity>().ok_or_else(undeclared)?))
    }
}

/// Extracts the visitor, whom the middleware has inserted.
pub(crate) struct Visit(pub(crate) Visitor);

impl<S: Send + Sync> FromRequestParts<S> for Visit {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        Ok(Self(parts.extensions.get().cloned().unwrap_or_default()))
    }
}

/// Extracts the client's address alone.
pub(crate) struct Client(pub(crate) ClientAddress);

impl<S: Send + Sync> FromRequestParts<S> for Client {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        Ok(Self(parts.extensions.get().map_or(ClientAddress::UNKNOWN, |visitor: &Visitor| visitor.address)))
    }
}
