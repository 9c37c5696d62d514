//! Clients of a host's router, without a socket: a browser, and a program that keeps tokens.

mod call;
mod client;
mod cookie_jar;
mod http_date;

pub use call::{Call, Reply};
pub use client::Client;

use super::MovableClock;
use crate::client::{BrowserCookies, ClientAddress, ClientInfo, Transport, Visitor};
use crate::clock::{Clock, SystemClock};
use crate::config::BrowserOptions;
use crate::core::SessionCookie;
use crate::http::{CookieChanges, Cookies};
use crate::origin::Origin;
use axum::Router;
use axum::http::header::COOKIE;
use axum::http::{HeaderMap, HeaderValue, Method};
use call::Caller;
use cookie_jar::{CookieJar, Request};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Where the application is, unless a test says another place.
const ORIGIN: &str = "https://app.example.com";

/// A browser for tests: a cookie jar over the host's router, without a socket. Clones share the cookies.
///
/// It keeps, sends and deletes cookies as browsers do (RFC 6265bis): their `Path`, `Max-Age` and `Expires`, `Secure`,
/// `SameSite`, and what the prefixes `__Secure-`, `__Host-`, `__Http-` and `__Host-Http-` require. A cookie that a browser would
/// refuse is refused, and so is one with `Domain`, because it visits one host. Each request has the headers `Host`, `Origin`, `Sec-Fetch-Site`, `Sec-Fetch-Mode` and `Sec-Fetch-Dest` that
/// a browser would send, and the client's address, by which the module's limits count.
///
/// ```
/// use axum_auth_module::testing::Browser;
/// use serde_json::json;
///
/// # async fn test(app: axum::Router) {
/// let browser = Browser::new(app);
/// let login = json!({ "email": "ada@example.com", "password": "correct horse battery" });
/// browser.post("/web/auth/login").json(&login).await.expect(200);
/// assert!(browser.cookie("__Host-Http-auth").is_some());
/// browser.get("/settings").await.expect(200);
///
/// // A page of an attacker sends a form: the session cookie does not come with it.
/// let evil = browser.on_other_site("https://evil.example");
/// evil.post("/web/auth/logout").form([("", ""); 0]).await.expect(403);
/// # }
/// ```
///
/// A redirect is returned and not followed: [`Reply::location`] says where it leads. A `GET` and a form are navigations, as by a
/// click; a request with JSON is one of a script ([`Call::by_script`] makes any request one).
#[derive(Clone)]
pub struct Browser {
    app: Router,
    origin: Arc<str>,
    page: Page,
    address: IpAddr,
    clock: Arc<dyn Clock>,
    jar: Arc<Mutex<CookieJar>>,
}

/// The page whose link, form or script makes a request.
#[derive(Clone)]
enum Page {
    /// A page of the application.
    Own,
    /// A page of another origin on the same site.
    Sibling(Arc<str>),
    /// A page of another site.
    OtherSite(Arc<str>),
}

impl Page {
    /// `Sec-Fetch-Site`.
    const fn site(&self) -> &'static str {
        match self {
            Self::Own => "same-origin",
            Self::Sibling(_) => "same-site",
            Self::OtherSite(_) => "cross-site",
        }
    }
}

impl Browser {
    /// A browser without cookies, which finds the application at `https://app.example.com`.
    #[must_use]
    pub fn new(app: Router) -> Self {
        Self {
            app,
            origin: ORIGIN.into(),
            page: Page::Own,
            address: client::ADDRESS,
            clock: Arc::new(SystemClock),
            jar: Arc::default(),
        }
    }

    /// Says where the application is, as `scheme://host[:port]`. At an address with `http`, other than this machine's, the
    /// browser neither keeps nor sends cookies with `Secure`.
    ///
    /// # Panics
    /// If this is not an origin.
    #[must_use]
    #[track_caller]
    pub fn at(self, origin: &str) -> Self {
        Self { origin: checked_origin(origin), ..self }
    }

    /// Cookies expire by this clock, which is the module's in the test. Default: the system's.
    #[must_use]
    pub fn with_clock(self, clock: &MovableClock) -> Self {
        Self { clock: Arc::new(clock.clone()), ..self }
    }

    /// The address of the client, by which the module's limits count. Default: 192.0.2.1.
    #[must_use]
    pub fn from_address(self, address: IpAddr) -> Self {
        Self { address, ..self }
    }

    /// This browser with a page of another origin on its site open, for example `https://blog.example.com`. Its
    /// requests have `Sec-Fetch-Site: same-site`, and the application's cookies come with them. Use it to test
    /// [`allowed_origins`](BrowserOptions::allowed_origins), and that other origins are refused.
    ///
    /// # Panics
    /// If this is not an origin.
    #[must_use]
    #[track_caller]
    pub fn on_sibling(&self, origin: &str) -> Self {
        Self { page: Page::Sibling(checked_origin(origin)), ..self.clone() }
    }

    /// This browser with a page of another site open, for example `https://evil.example`. Its requests have
    /// `Sec-Fetch-Site: cross-site`. Of the application's cookies come those with `SameSite=None`, and if a link is followed,
    /// a `GET`, also those with `SameSite=Lax`. A preflight request of CORS is not made.
    ///
    /// # Panics
    /// If this is not an origin.
    #[must_use]
    #[track_caller]
    pub fn on_other_site(&self, origin: &str) -> Self {
        Self { page: Page::OtherSite(checked_origin(origin)), ..self.clone() }
    }

    /// A request of this method. The path may have a query.
    ///
    /// # Panics
    /// If the path is not one.
    #[track_caller]
    pub fn request(&self, method: Method, path: &str) -> Call {
        Call::new(self.app.clone(), Caller::Browser(self.clone()), method, path)
    }

    call::methods!();

    /// The value of the cookie with this name, if the browser has one that has not expired.
    #[must_use]
    pub fn cookie(&self, name: &str) -> Option<String> {
        self.jar().value(name, self.clock.now())
    }

    /// Keeps a cookie as if a response of the application, at `/`, had this `Set-Cookie` header. Returns whether a browser
    /// accepts it.
    pub fn set_cookie(&self, header: &str) -> bool {
        self.jar().receive(header.as_bytes(), &self.top_level(), self.clock.now())
    }

    /// Closes the browser and opens it again: the cookies with neither `Max-Age` nor `Expires` are gone.
    pub fn restart(&self) {
        self.jar().restart();
    }

    /// The address of the client.
    pub(super) const fn address(&self) -> IpAddr {
        self.address
    }

    /// The browser as the module sees it at a login.
    pub(super) fn visitor(&self, options: &BrowserOptions, remember: bool) -> Visitor {
        let cookies = self.jar().header(&self.top_level(), self.clock.now());
        let headers: HeaderMap = cookies.map(|value| (COOKIE, value)).into_iter().collect();
        let session = Cookies(options).session(&headers);
        let transport = Transport::Cookies(BrowserCookies { remember, session, ..BrowserCookies::default() });
        Visitor::new(ClientInfo::from(ClientAddress::from(self.address())), transport)
    }

    /// Keeps the cookie of a session, as if a response had set it.
    pub(super) fn keep(&self, options: &BrowserOptions, cookie: SessionCookie) {
        for header in Cookies(options).headers(CookieChanges::session(cookie)) {
            self.jar().receive(header.as_bytes(), &self.top_level(), self.clock.now());
        }
    }

    /// What the browser sends beside what the test has set.
    fn headers(&self, request: &Request<'_>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let mut set = |name: &'static str, value: &str| {
            if let Ok(value) = HeaderValue::from_str(value) {
                headers.insert(name, value);
            }
        };
        let origin = match &self.page {
            Page::Own => &self.origin,
            Page::Sibling(origin) | Page::OtherSite(origin) => origin,
        };
        let is_cross_origin = !matches!(self.page, Page::Own);
        // Fetch standard, "append a request `Origin` header".
        if !request.is_safe || (is_cross_origin && !request.is_navigation) {
            set("origin", origin);
        }
        set("host", self.origin.split_once("://").map_or("", |(_, authority)| authority));
        set("sec-fetch-site", self.page.site());
        let (mode, destination) =
            if request.is_navigation { ("navigate", "document") } else { ("cors", "empty") };
        set("sec-fetch-mode", mode);
        set("sec-fetch-dest", destination);
        if let Some(cookies) = self.jar().header(request, self.clock.now()) {
            headers.insert(COOKIE, cookies);
        }
        headers
    }

    /// What the jar needs to know of a request.
    fn request_to<'a>(&self, path: &'a str, is_safe: bool, is_navigation: bool) -> Request<'a> {
        let is_secure = Origin::parse(&self.origin).is_some_and(|origin| origin.is_secure());
        let is_same_site = !matches!(self.page, Page::OtherSite(_));
        Request { path, is_secure, is_same_site, is_safe, is_navigation }
    }

    /// A request for the page at `/`.
    fn top_level(&self) -> Request<'static> {
        Request { is_same_site: true, ..self.request_to("/", true, true) }
    }

    fn jar(&self) -> MutexGuard<'_, CookieJar> {
        self.jar.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[track_caller]
#[allow(clippy::panic, reason = "it is a mistake in a test")]
fn checked_origin(text: &str) -> Arc<str> {
    match Origin::parse(text) {
        Some(_) => text.into(),
        None => panic!("`{text}` is not an origin like `https://app.example.com`"),
    }
}
