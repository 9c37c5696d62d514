//! Checks the credential that an endpoint requires, and extracts the identity.

use super::cookies::Cookies;
use super::same_origin::check_origin;
use super::{Problem, client};
use crate::client::{BrowserCookies, ClientAddress, Transport, Visitor};
use crate::core::{Core, Identity, Presented};
use crate::endpoint::{Credential, Endpoint, RouterKind};
use crate::error::AuthError;
use crate::request::RequestContext;
use crate::telemetry::{Lazily, log};
use axum::extract::{FromRequestParts, OptionalFromRequestParts, Request};
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use std::convert::Infallible;
use std::sync::Arc;

/// Checks the credential that the endpoint requires, and inserts the identity into the request's extensions, where
/// [`Caller`] finds it.
pub(super) async fn check(
    core: &Core,
    (endpoint, router): (&Endpoint, RouterKind),
    visitor: &Visitor,
    request: &mut Request,
) -> Result<(), AuthError> {
    let required = endpoint.credential_on(router);
    if required == Credential::NotRequired {
        return Ok(());
    }
    let who = match presented(request.headers(), visitor) {
        Ok(presented) => core.authenticate(presented, || visitor.client.clone()).await,
        Err(error) => Err(error),
    };
    let who = match who {
        Err(AuthError::Unauthenticated) if required == Credential::Optional => return Ok(()),
        who => who?,
    };
    core.require_for(endpoint, &who).await?;
    request.extensions_mut().insert(who);
    Ok(())
}

/// The credential of a request to the module's own routes: the cookie in requests to the browser router, otherwise the
/// bearer token.
fn presented<'a>(headers: &'a HeaderMap, visitor: &'a Visitor) -> Result<Presented<'a>, AuthError> {
    match &visitor.transport {
        Transport::Tokens => bearer_token(headers).map(Presented::AccessToken),
        Transport::Cookies(sent) => match sent.session.as_deref() {
            Some(cookie) => Ok(Presented::SessionCookie(cookie)),
            None => refused("the request has no session cookie of this module"),
        },
    }
}

/// The refusal of a request without a credential. The log alone has the reason.
fn refused<T>(reason: &'static str) -> Result<T, AuthError> {
    log::unauthenticated(Lazily(|| reason));
    Err(AuthError::Unauthenticated)
}

/// The visitor of a request that is made to `Browser`.
pub(crate) fn browser_visitor(core: &Core, parts: &Parts) -> Visitor {
    let client = client(core, &parts.extensions, &parts.headers);
    Visitor::new(client, Transport::Cookies(browser_cookies(core, &parts.headers)))
}

/// The module's cookies in the request of a browser.
pub(super) fn browser_cookies(core: &Core, headers: &HeaderMap) -> BrowserCookies {
    Cookies(&core.config.browser).read(headers)
}

/// The credential of a request to a route of the host.
pub(crate) enum HostCredential<'a> {
    AccessToken(&'a str),
    SessionCookie(Arc<str>),
}

impl<'a> HostCredential<'a> {
    /// The bearer token, even if it is invalid, and otherwise the cookie of a request that does not come from another
    /// origin.
    ///
    /// # Errors
    /// [`AuthError::Unauthenticated`] if there is neither; [`AuthError::CrossOriginRequest`].
    pub(crate) fn of(core: &Core, parts: &'a Parts) -> Result<Self, AuthError> {
        if !core.has_browsers || has_bearer(&parts.headers) {
            return bearer_token(&parts.headers).map(Self::AccessToken);
        }
        let Some(cookie) = Cookies(&core.config.browser).session(&parts.headers) else {
            return refused(
                "the request has neither a session cookie of this module nor `Authorization: Bearer`",
            );
        };
        check_origin(&parts.method, &parts.uri, &parts.headers, &core.config.browser)?;
        Ok(Self::SessionCookie(cookie))
    }

    pub(crate) fn presented(&self) -> Presented<'_> {
        match self {
            Self::AccessToken(token) => Presented::AccessToken(token),
            Self::SessionCookie(value) => Presented::SessionCookie(value),
        }
    }
}

/// Whether any `Authorization` header has the scheme `Bearer`. Other schemes are a proxy's, for example.
fn has_bearer(headers: &HeaderMap) -> bool {
    let scheme =
        |value: &[u8]| value.split(|byte| *byte == b' ').next().unwrap_or_default().to_ascii_lowercase();
    headers.get_all(AUTHORIZATION).iter().any(|value| scheme(value.as_bytes()) == b"bearer")
}

/// The token of the `Authorization: Bearer` header, of a request that must have one.
pub(crate) fn bearer_token(headers: &HeaderMap) -> Result<&str, AuthError> {
    find_bearer_token(headers).or_else(refused)
}

/// The token of the `Authorization: Bearer` header (RFC 6750 §2.1), or why there is none. A request with two such headers is rejected,
/// because a proxy may have checked the other one.
pub(crate) fn find_bearer_token(headers: &HeaderMap) -> Result<&str, &'static str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = match (values.next(), values.next()) {
        (Some(value), None) => value,
        (None, _) => return Err("the request has no header `Authorization`"),
        _ => return Err("the request has more than one header `Authorization`"),
    };
    let credentials = value.to_str().ok().and_then(|text| text.split_once(' '));
    match credentials {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => Ok(token.trim_matches(' ')),
        _ => Err("the header `Authorization` is not `Bearer` and a token"),
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

/// `None` where the credential is optional and there is no valid one.
impl<S: Send + Sync> OptionalFromRequestParts<S> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Option<Self>, Infallible> {
        Ok(parts.extensions.remove::<Identity>().map(Self))
    }
}

/// Extracts the visitor of the request, as the guard sees it.
pub(crate) struct Visit(pub(crate) Visitor);

impl<S: Send + Sync> FromRequestParts<S> for Visit {
    type Rejection = Infallible;

    async fn from_request_parts(_: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self(RequestContext::read(|current| current.visitor.clone())))
    }
}

/// Extracts the client's address alone.
pub(crate) struct Client(pub(crate) ClientAddress);

impl<S: Send + Sync> FromRequestParts<S> for Client {
    type Rejection = Infallible;

    async fn from_request_parts(_: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self(RequestContext::read(|current| current.visitor.address())))
    }
}
