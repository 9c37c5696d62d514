//! Requests to one provider.

use super::{Granted, ProfileError};
use crate::outbound::{ConfiguredHost, HttpClient, HttpError, exchange};
use crate::web_url::WebUrl;
use axum::body::Bytes;
use axum::http::header::{ACCEPT, AUTHORIZATION, HeaderValue, USER_AGENT};
use axum::http::{Request, Response, StatusCode, Uri};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::Instant;

/// How long a request takes at most.
const TIMEOUT: Duration = Duration::from_secs(5);
/// How many requests of one provider can be on their way.
const IN_FLIGHT: usize = 32;

/// Sends requests to one provider through the host's [`HttpClient`](crate::http::HttpClient). A request takes five seconds at most, and
/// 32 can be on their way: others are not sent.
pub struct ProviderClient {
    client: Arc<dyn HttpClient>,
    in_flight: Arc<Semaphore>,
    /// The hosts that the configuration names.
    configured: Arc<[String]>,
    deadline: Option<Instant>,
}

impl ProviderClient {
    /// A client for a provider whose configuration names these hosts.
    pub(crate) fn new(client: Arc<dyn HttpClient>, configured: Vec<String>) -> Self {
        let in_flight = Arc::new(Semaphore::new(IN_FLIGHT));
        Self { client, in_flight, configured: configured.into(), deadline: None }
    }

    /// A client whose requests have this time in all. It shares the places of this one.
    pub(crate) fn within(&self, limit: Duration) -> Self {
        Self {
            client: Arc::clone(&self.client),
            in_flight: Arc::clone(&self.in_flight),
            configured: Arc::clone(&self.configured),
            deadline: Some(Instant::now() + limit),
        }
    }

    /// How much time is left for all requests, if it has an end.
    pub(crate) fn left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Sends a request, whose URI is absolute, and returns the response, whatever its status is. Without a `User-Agent` it gets the
    /// library's name. A request to a host of the provider's configured endpoints may go to a private address; another one may only if it
    /// has [`ConfiguredHost`](crate::http::ConfiguredHost).
    ///
    /// # Errors
    /// Those of [`HttpClient::send`](crate::http::HttpClient::send). A request is not sent, either, if too many are on their way, or no
    /// time is left.
    pub async fn send(&self, mut request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let Ok(_place) = self.in_flight.try_acquire() else {
            return Err(HttpError::not_sent("too many requests to the provider are on their way"));
        };
        let limit = self.left().map_or(TIMEOUT, |left| left.min(TIMEOUT));
        if limit.is_zero() {
            return Err(HttpError::not_sent("no time is left for a request to the provider"));
        }
        if request.uri().host().is_some_and(|host| self.is_configured(host)) {
            request.extensions_mut().insert(ConfiguredHost);
        }
        let name = HeaderValue::from_static(env!("CARGO_PKG_NAME"));
        request.headers_mut().entry(USER_AGENT).or_insert(name);
        exchange(&*self.client, request, limit).await
    }

    /// Sends a `GET` with the access token (RFC 6750 §2.1) and returns the JSON of the response.
    ///
    /// # Errors
    /// [`ProfileError::Unavailable`] if there is no response, or one with the status 429, 3xx or 5xx; [`ProfileError::Refused`] if it has
    /// another status than 200, or no JSON.
    pub async fn get_json(&self, url: &str, granted: Granted<'_>) -> Result<Value, ProfileError> {
        let response = self.get(url, Some(granted.access_token())).await?;
        let status = response.status();
        if is_outage(status) {
            return Err(ProfileError::unavailable(format!(
                "the provider responded with {}",
                status.as_u16()
            )));
        }
        if status != StatusCode::OK {
            return Err(ProfileError::refused(format!("the provider responded with {}", status.as_u16())));
        }
        serde_json::from_slice(response.body())
            .map_err(|_repeats_parts_of_it| ProfileError::refused("the response is not JSON"))
    }

    /// Sends a `GET`, with an access token or without.
    pub(crate) async fn get(&self, url: &str, token: Option<&str>) -> Result<Response<Bytes>, HttpError> {
        let mut request = Request::new(Bytes::new());
        *request.uri_mut() = uri(url)?;
        request.headers_mut().insert(ACCEPT, HeaderValue::from_static("application/json"));
        if let Some(token) = token {
            request.headers_mut().insert(AUTHORIZATION, secret_header(&format!("Bearer {token}"))?);
        }
        self.send(request).await
    }

    fn is_configured(&self, host: &str) -> bool {
        self.configured.iter().any(|configured| configured.eq_ignore_ascii_case(host))
    }
}

/// Whether a response of this status says that the provider cannot respond now. A redirect is no response of an endpoint.
pub(crate) fn is_outage(status: StatusCode) -> bool {
    status.is_server_error() || status.is_redirection() || status == StatusCode::TOO_MANY_REQUESTS
}

/// The URI of a request to a provider.
pub(crate) fn uri(url: &str) -> Result<Uri, HttpError> {
    let is_web = WebUrl::read(url).is_some();
    let uri = url.parse().ok().filter(|_: &Uri| is_web);
    uri.ok_or_else(|| HttpError::not_sent("expected a URL that begins with https:// or is of this machine"))
}

/// The value of a header that no log shows.
pub(crate) fn secret_header(value: &str) -> Result<HeaderValue, HttpError> {
    let mut value = HeaderValue::from_str(value)
        .map_err(|_without_the_value| HttpError::not_sent("the value cannot be in a header"))?;
    value.set_sensitive(true);
    Ok(value)
}
