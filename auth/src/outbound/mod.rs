//! Requests that the library and a host's policies send to other servers: the provider, and what every call of it has to keep to
//! (specification §3.11). Hosts find it in [`http`](crate::http).

#[cfg(feature = "http-client")]
mod addresses;
#[cfg(feature = "http-client")]
mod client;
#[cfg(test)]
mod tests;

#[cfg(feature = "http-client")]
pub use client::OutboundClient;

use crate::erase::provided;
use crate::error::BoxError;
use crate::provider::ProviderError;
use crate::provider::declare::provider;
use async_trait::async_trait;
use axum::body::Bytes;
use axum::http::header::{CONTENT_ENCODING, HeaderMap};
use axum::http::{Request, Response};
use std::time::Duration;

/// How many bytes the body of a response may have: 1 MiB.
pub const MAX_RESPONSE: usize = 1024 * 1024;

provider! { http;
/// Sends the library's requests to other servers, such as a service of leaked passwords: `OutboundClient` (cargo feature
/// `http-client`), or a client of the host, which can send through a proxy or trust other certificates.
///
/// An implementation keeps to this (specification §3.11):
///
/// * It sends to `https` alone, and verifies the server's certificate. `http` is for loopback addresses.
/// * Without [`ConfiguredHost`] among the request's extensions it connects to public addresses only. It judges the address of the
///   connection and not a name: the address that a name has can change after it was looked up.
/// * It follows no redirects: a response with a status of 300 to 399 is returned as it is.
/// * It stores no cookies, and adds no headers that tell users apart.
/// * It sends no `Accept-Encoding`, and a response with another `Content-Encoding` than `identity` is an error. So is one with a
///   body of more than [`MAX_RESPONSE`] bytes, of which it reads no more than these.
/// * It takes five seconds at most for everything, from looking up the name to the last byte of the response.
/// * It sends a request once. It may send it again only if it returned [`HttpError::NotSent`] otherwise.
///
/// The library checks the time, the length and the encoding again. It cannot check the rest.
///
/// ```
/// use axum::body::Bytes;
/// use axum::http::{Request, Response};
/// use axum_auth_module::async_trait;
/// use axum_auth_module::http::{HttpClient, HttpError};
///
/// /// A service of leaked passwords that knows none, for tests.
/// struct KnowsNone;
///
/// #[async_trait]
/// impl HttpClient for KnowsNone {
///     async fn send(&self, _request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
///         Ok(Response::new(Bytes::new()))
///     }
/// }
///
/// let policy = axum_auth_module::policy::BreachedPasswords::new(KnowsNone);
/// # drop(policy);
/// ```
#[async_trait]
#[diagnostic::on_unimplemented(
    message = "Missing provider: HTTP_CLIENT. Register an implementation of HttpClient.",
    label = "`{Self}` does not implement `HttpClient`",
    note = "write `impl axum_auth_module::http::HttpClient for {Self}`, or use `axum_auth_module::http::OutboundClient` (cargo feature `http-client`)"
)]
pub trait HttpClient: Send + Sync + 'static {
    /// Sends a request, whose URI is absolute, and returns the response with its whole body. Every status is a response.
    ///
    /// # Errors
    /// [`HttpError::NotSent`] only if the server has certainly received nothing, and [`HttpError::Failed`] otherwise. Neither
    /// contains the query, a header or the body of the request.
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError>; // needs #[async_trait]

    provided!(dyn HttpClient);
}
}

/// Why there is no response.
///
/// The difference decides whether what can be used once, such as a code of another server, may be used again: an implementation
/// that does not know returns [`Failed`](Self::Failed).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// The server has certainly received no byte of the request: it has no address, or one that is refused, there is no connection to
    /// it, its certificate is not valid, or the request itself cannot be sent. The text reaches the log and never a client.
    #[error("the request was not sent")]
    NotSent(#[source] BoxError),
    /// Anything later: the server may have received the request, and may have done what it asks for. The text reaches the log and
    /// never a client.
    #[error("the request failed")]
    Failed(#[source] BoxError),
}

impl HttpError {
    /// A [`NotSent`](Self::NotSent) error with this cause.
    pub fn not_sent(cause: impl Into<BoxError>) -> Self {
        Self::NotSent(cause.into())
    }

    /// A [`Failed`](Self::Failed) error with this cause.
    pub fn failed(cause: impl Into<BoxError>) -> Self {
        Self::Failed(cause.into())
    }
}

impl ProviderError for HttpError {
    fn of(cause: BoxError, is_unavailable: bool) -> Self {
        if is_unavailable { Self::NotSent(cause) } else { Self::Failed(cause) }
    }

    fn is_refusal(&self) -> bool {
        false
    }
}

/// An extension of a request (`request.extensions()`) whose host is named by the configuration of the program, such as a mirror of a
/// service: an [`HttpClient`] may then connect to private addresses and to this machine.
///
/// The host of every other request may have been chosen by somebody else, who could reach with it what only this machine can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConfiguredHost;

/// Sends a request, and holds every client to the limits of the contract: no response takes longer than `limit`, is longer than
/// [`MAX_RESPONSE`], or is encoded.
pub(crate) async fn exchange(
    client: &dyn HttpClient,
    request: Request<Bytes>,
    limit: Duration,
) -> Result<Response<Bytes>, HttpError> {
    let response = match tokio::time::timeout(limit, client.send(request)).await {
        Ok(response) => response?,
        Err(elapsed) => return Err(HttpError::failed(elapsed)),
    };
    refuse_encoded(response.headers())?;
    if response.body().len() > MAX_RESPONSE {
        return Err(HttpError::failed("the body of the response is too long"));
    }
    Ok(response)
}

/// Refuses a body that would have to be decoded: a short one can become a very long one.
fn refuse_encoded(headers: &HeaderMap) -> Result<(), HttpError> {
    let mut encodings = headers.get_all(CONTENT_ENCODING).iter();
    match encodings.all(|encoding| encoding.as_bytes().eq_ignore_ascii_case(b"identity")) {
        true => Ok(()),
        false => Err(HttpError::failed("the body of the response is encoded")),
    }
}
