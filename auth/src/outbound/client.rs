//! The library's own HTTP client (cargo feature `http-client`).
//!
//! Each request has a connection of its own, as each mail has. So there is no connection whose address was judged for another request,
//! none that has died while it waited, and no request that is sent again: what happens before the connection is there is certainly
//! [`HttpError::NotSent`], and everything else is [`HttpError::Failed`].

#[cfg(test)]
mod tests;

use super::addresses::is_allowed;
use super::{ConfiguredHost, HttpClient, HttpError, MAX_RESPONSE, refuse_encoded};
use crate::error::BoxError;
use async_trait::async_trait;
use axum::body::Bytes;
use axum::http::header::{
    ACCEPT_ENCODING, CONNECTION, CONTENT_LENGTH, HOST, HeaderValue, TRANSFER_ENCODING, UPGRADE,
};
use axum::http::{Method, Request, Response, Uri, Version};
use futures_util::future::{Either, select, select_ok};
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use std::fmt;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::{self, Instant};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// How long a request takes, if the host does not say otherwise.
const TIMEOUT: Duration = Duration::from_secs(5);
/// How long a server's next address waits for the one before (RFC 8305 §5).
const NEXT_ADDRESS: Duration = Duration::from_millis(250);

/// The library's own [`HttpClient`], over rustls with Mozilla's roots (cargo feature `http-client`).
///
/// It speaks HTTP/1.1, has a connection for each request, and keeps nothing from one to the next. It uses no proxy, whatever the
/// environment says: a host that needs one, or whose servers have certificates of its own authority, implements [`HttpClient`].
///
/// ```
/// use axum_auth_module::http::OutboundClient;
/// use axum_auth_module::policy::BreachedPasswords;
/// use std::time::Duration;
///
/// let policy = BreachedPasswords::new(OutboundClient::new().timeout(Duration::from_secs(3)));
/// # drop(policy);
/// ```
#[derive(Clone)]
pub struct OutboundClient {
    tls: TlsConnector,
    timeout: Duration,
}

impl OutboundClient {
    /// A client that takes five seconds at most for a request.
    #[must_use]
    pub fn new() -> Self {
        Self::trusting(RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() })
    }

    /// How long a request takes at most, from looking up the server's name to the last byte of the response. The first half is for the
    /// connection: if there is none by then, the request is not sent. Default: five seconds.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// A client that trusts these authorities.
    #[expect(clippy::expect_used, reason = "ring has cipher suites for both versions of TLS")]
    fn trusting(roots: RootCertStore) -> Self {
        // The provider is named here, because the program may have another default, or none.
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("the provider supports the versions")
            .with_root_certificates(roots)
            .with_no_client_auth();
        Self { tls: TlsConnector::from(Arc::new(config)), timeout: TIMEOUT }
    }

    /// Connects to the server, without sending anything of the request.
    async fn connect(&self, server: &Server, is_configured: bool) -> Result<Stream, BoxError> {
        let found = lookup_host((server.host.as_str(), server.port)).await?;
        let allowed: Vec<SocketAddr> =
            found.filter(|found| is_allowed(found.ip(), server.has_tls, is_configured)).collect();
        if allowed.is_empty() {
            return Err("the server has no address that the request may reach".into());
        }
        let attempts = (0u32..).zip(allowed).map(|(earlier, address)| {
            Box::pin(async move {
                time::sleep(NEXT_ADDRESS * earlier).await;
                TcpStream::connect(address).await
            })
        });
        let (stream, _) = select_ok(attempts).await?;
        stream.set_nodelay(true)?;
        if !server.has_tls {
            return Ok(Box::new(stream));
        }
        let name = ServerName::try_from(server.host.clone())?;
        Ok(Box::new(self.tls.connect(name, stream).await?))
    }
}

impl Default for OutboundClient {
    fn default() -> Self {
        Self::new()
    }
}

/// Shows the time limit.
impl fmt::Debug for OutboundClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutboundClient").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}

#[async_trait]
impl HttpClient for OutboundClient {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let began = Instant::now();
        let is_configured = request.extensions().get::<ConfiguredHost>().is_some();
        let (server, request) = prepared(request).map_err(HttpError::not_sent)?;
        let stream = match time::timeout(self.timeout / 2, self.connect(&server, is_configured)).await {
            Ok(stream) => stream.map_err(HttpError::NotSent)?,
            Err(elapsed) => return Err(HttpError::not_sent(elapsed)),
        };
        // From here on the server may have received the request.
        let rest = self.timeout.saturating_sub(began.elapsed());
        time::timeout(rest, exchanged(stream, request)).await.map_err(HttpError::failed)?
    }
}

/// A connection, with TLS or without.
type Stream = Box<dyn Connection>;

trait Connection: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Connection for S {}

/// Where a request goes.
struct Server {
    has_tls: bool,
    /// A name, or an IP address without brackets.
    host: String,
    port: u16,
}

/// The server of a request, and the request as its bytes say it. The error repeats nothing of the request.
fn prepared(request: Request<Bytes>) -> Result<(Server, Request<Full<Bytes>>), &'static str> {
    let (mut parts, body) = request.into_parts();
    let (server, host) = server(&parts.uri).ok_or("expected a URI that begins with https:// and a host")?;
    if parts.method == Method::CONNECT {
        return Err("a request for a tunnel cannot be sent");
    }
    parts.uri = parts.uri.path_and_query().cloned().map_or_else(|| Uri::from_static("/"), Uri::from);
    parts.version = Version::HTTP_11;
    // What the client alone knows.
    for name in [ACCEPT_ENCODING, CONTENT_LENGTH, TRANSFER_ENCODING, UPGRADE] {
        parts.headers.remove(name);
    }
    parts.headers.insert(HOST, host);
    parts.headers.insert(CONNECTION, HeaderValue::from_static("close"));
    Ok((server, Request::from_parts(parts, Full::new(body))))
}

/// The server that a URI names, and the value of `Host`. `None` if the URI has no host, a user, or another scheme.
fn server(uri: &Uri) -> Option<(Server, HeaderValue)> {
    let (has_tls, default) = match uri.scheme_str()? {
        "https" => (true, 443),
        "http" => (false, 80),
        _ => return None,
    };
    let host = uri.host().filter(|host| !host.is_empty())?;
    let port = uri.port_u16();
    let authority = match port {
        None => host.to_owned(),
        Some(port) => format!("{host}:{port}"),
    };
    // A user, a password, or something that is no port.
    if uri.authority()?.as_str() != authority {
        return None;
    }
    let header = if port == Some(default) { host } else { &authority };
    let header = HeaderValue::from_str(header).ok()?;
    let without_brackets = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let server = Server { has_tls, host: without_brackets.to_owned(), port: port.unwrap_or(default) };
    Some((server, header))
}

/// Sends a request over a connection, and reads the response.
async fn exchanged(stream: Stream, request: Request<Full<Bytes>>) -> Result<Response<Bytes>, HttpError> {
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(HttpError::failed)?;
    let response = pin!(async move {
        let response = sender.send_request(request).await.map_err(HttpError::failed)?;
        refuse_encoded(response.headers())?;
        let (parts, body) = response.into_parts();
        let body = Limited::new(body, MAX_RESPONSE).collect().await.map_err(HttpError::Failed)?;
        Ok(Response::from_parts(parts, body.to_bytes()))
    });
    // The connection reads and writes while it is awaited. When it has ended, the rest of the response is there.
    match select(response, pin!(connection)).await {
        Either::Left((response, _)) => response,
        Either::Right((_, response)) => response.await,
    }
}
