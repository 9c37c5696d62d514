//! A request of a test, and its response.

use super::Browser;
use crate::uri::encoded;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, HOST, LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, Uri};
use axum::{Router, ServiceExt};
use futures_util::future::{BoxFuture, poll_fn};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::convert::Infallible;
use std::fmt;
use std::net::{IpAddr, SocketAddr};

/// Generates what both clients have.
macro_rules! methods {
    () => {
        $crate::testing::browser::call::methods! {
            get: GET,
            post: POST,
            put: PUT,
            patch: PATCH,
            delete: DELETE,
        }
    };
    ($($name:ident: $method:ident,)+) => {
        $(
            #[doc = concat!("A `", stringify!($method), "` request. The path may have a query.")]
            ///
            /// # Panics
            /// If the path is not one.
            #[track_caller]
            pub fn $name(&self, path: &str) -> $crate::testing::Call {
                self.request(Method::$method, path)
            }
        )+
    };
}
pub(super) use methods;

/// Who sends a request.
pub(super) enum Caller {
    Browser(Browser),
    /// A client that keeps tokens, at this address.
    Client(IpAddr),
}

/// A request of a [`Browser`](super::Browser) or a [`Client`](super::Client). `.await` sends it and returns the [`Reply`].
#[must_use = "a request is sent by `.await`"]
pub struct Call {
    app: Router,
    caller: Caller,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
    is_by_script: bool,
}

impl Call {
    #[track_caller]
    #[allow(clippy::panic, reason = "it is a mistake in a test")]
    pub(super) fn new(app: Router, caller: Caller, method: Method, path: &str) -> Self {
        let uri = match path.parse::<Uri>() {
            Ok(uri) if path.starts_with('/') => uri,
            _ => panic!("`{path}` is not a path like `/me?page=2`"),
        };
        let is_by_script = ![Method::GET, Method::POST].contains(&method);
        Self { app, caller, method, uri, headers: HeaderMap::new(), body: Bytes::new(), is_by_script }
    }

    /// The request has this body, as JSON. A browser sends it from a script.
    ///
    /// # Panics
    /// If the value cannot be written as JSON.
    #[track_caller]
    #[allow(clippy::panic, reason = "it is a mistake in a test")]
    pub fn json<T: Serialize + ?Sized>(self, value: &T) -> Self {
        match serde_json::to_vec(value) {
            Ok(json) => self.by_script().body("application/json", json),
            Err(error) => panic!("the body of {} is not JSON: {error}", self.uri),
        }
    }

    /// The request has these fields, as a form of a page has them (`application/x-www-form-urlencoded`).
    pub fn form(self, fields: impl IntoIterator<Item = (impl AsRef<str>, impl AsRef<str>)>) -> Self {
        let pair = |(name, value): (_, _)| {
            format!("{}={}", encoded(AsRef::as_ref(&name)), encoded(AsRef::as_ref(&value)))
        };
        let pairs: Vec<_> = fields.into_iter().map(pair).collect();
        self.body("application/x-www-form-urlencoded", pairs.join("&"))
    }

    /// The request has this body, of this media type.
    ///
    /// # Panics
    /// If the type is no value of a header.
    #[track_caller]
    pub fn body(self, media_type: &str, body: impl Into<Bytes>) -> Self {
        let call = self.header(CONTENT_TYPE.as_str(), media_type);
        Self { body: body.into(), ..call }
    }

    /// The request has this header, in place of one that the client would send by itself.
    ///
    /// # Panics
    /// If this is not a header.
    #[track_caller]
    #[allow(clippy::panic, reason = "it is a mistake in a test")]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        match (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            (Ok(name), Ok(value)) => self.headers.insert(name, value),
            // The value may be a secret.
            _ => panic!("`{name}` is not the name of a header, or its value has a line break"),
        };
        self
    }

    /// A script of the page sends the request (`fetch`): it is no navigation. That is how a request with JSON is sent anyway, and
    /// one that is neither a `GET` nor a `POST`.
    pub fn by_script(self) -> Self {
        Self { is_by_script: true, ..self }
    }

    async fn send(self) -> Reply {
        let Self { app, caller, method, uri, headers, body, is_by_script } = self;
        let path = uri.path().to_owned();
        let name = format!("{method} {path}");
        let is_safe = matches!(method, Method::GET | Method::HEAD | Method::OPTIONS);
        let length = HeaderValue::from(body.len());
        let has_body = !body.is_empty();
        let mut request = Request::new(Body::from(body));
        *request.method_mut() = method;
        *request.uri_mut() = uri;
        let address = match &caller {
            Caller::Client(address) => {
                request.headers_mut().insert(HOST, HeaderValue::from_static("app.example.com"));
                *address
            }
            Caller::Browser(browser) => {
                *request.headers_mut() = browser.headers(&browser.request_to(&path, is_safe, !is_by_script));
                browser.address()
            }
        };
        if has_body {
            request.headers_mut().insert(CONTENT_LENGTH, length);
        }
        for (name, value) in &headers {
            request.headers_mut().insert(name, value.clone());
        }
        // As `into_make_service_with_connect_info` adds it.
        request.extensions_mut().insert(ConnectInfo(SocketAddr::new(address, 50_000)));
        let response = oneshot(app, request).await;
        let (parts, body) = response.into_parts();
        if let Caller::Browser(browser) = &caller {
            let request = browser.request_to(&path, is_safe, !is_by_script);
            for header in parts.headers.get_all(SET_COOKIE) {
                browser.jar().receive(header.as_bytes(), &request, browser.clock.now());
            }
        }
        Reply { request: name, status: parts.status, headers: parts.headers, body: read(body).await }
    }
}

#[allow(clippy::panic, reason = "a test whose response breaks off has failed")]
async fn read(body: Body) -> Bytes {
    match to_bytes(body, usize::MAX).await {
        Ok(bytes) => bytes,
        Err(error) => panic!("the body of the response broke off: {error}"),
    }
}

/// Passes the request to the application. The trait of its method `call`, `tower::Service`, comes with axum's.
async fn oneshot<S>(mut app: S, request: Request<Body>) -> Response<Body>
where
    S: ServiceExt<Request<Body>, Response = Response<Body>, Error = Infallible>,
{
    let Ok(()) = poll_fn(|context| app.poll_ready(context)).await;
    let Ok(response) = app.call(request).await;
    response
}

impl IntoFuture for Call {
    type Output = Reply;
    type IntoFuture = BoxFuture<'static, Reply>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

/// A response that has arrived completely.
///
/// Its `Debug` shows the body of an error only: that of a successful response can have tokens in it.
#[derive(Clone)]
pub struct Reply {
    request: String,
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

impl Reply {
    /// The status.
    #[must_use]
    pub const fn status(&self) -> u16 {
        self.status.as_u16()
    }

    /// Returns the response, if it has this status.
    ///
    /// # Panics
    /// If it has another one; with its body, if that is an error.
    #[track_caller]
    #[allow(clippy::panic, reason = "a test with another response has failed")]
    pub fn expect(self, status: u16) -> Self {
        if self.status() != status {
            panic!("expected {status}, but {self:?}");
        }
        self
    }

    /// All headers.
    #[must_use]
    pub const fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The first header of this name, if it is text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Where a redirect leads.
    #[must_use]
    pub fn location(&self) -> Option<&str> {
        self.header(LOCATION.as_str())
    }

    /// The body as it is.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.body
    }

    /// The body as text. What is not UTF-8 becomes `�`.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body, from JSON: `let body: serde_json::Value = reply.json();`.
    ///
    /// # Panics
    /// If the body is not JSON of this type.
    #[must_use]
    #[track_caller]
    #[allow(clippy::panic, reason = "a test with another response has failed")]
    pub fn json<T: DeserializeOwned>(&self) -> T {
        match serde_json::from_slice(&self.body) {
            Ok(value) => value,
            Err(error) => panic!("the body is not what the test expects: {error}; {self:?}"),
        }
    }

    /// The `code` of an error of the module, such as `invalid_credentials`
    /// ([`ErrorCode`](crate::error::ErrorCode)). `None`: the body is no such error.
    #[must_use]
    pub fn code(&self) -> Option<String> {
        let body: serde_json::Value = serde_json::from_slice(&self.body).ok()?;
        body.get("code")?.as_str().map(str::to_owned)
    }
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} returned {}", self.request, self.status)?;
        match self.status.is_client_error() || self.status.is_server_error() {
            true => write!(f, ": {}", self.text()),
            false => Ok(()),
        }
    }
}
