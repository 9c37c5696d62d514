//! The cookies of one application, as browsers keep them (RFC 6265bis). The browser visits one host, so a cookie belongs to it
//! or is refused. `cookie_store` 0.22 asks the system for the time, and the tests move a clock of their own.

use super::http_date;
use axum::http::HeaderValue;
use std::time::{Duration, SystemTime};

/// What decides whether a cookie belongs to a request.
#[derive(Clone, Copy)]
pub(super) struct Request<'a> {
    /// Without the query.
    pub(super) path: &'a str,
    /// Over TLS, or to this machine.
    pub(super) is_secure: bool,
    /// From a page of the same site.
    pub(super) is_same_site: bool,
    /// A method that changes nothing (RFC 9110 §9.2.1).
    pub(super) is_safe: bool,
    /// The user has followed a link or sent a form.
    pub(super) is_navigation: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SameSite {
    Strict,
    /// The default.
    Lax,
    None,
}

struct Cookie {
    name: String,
    value: String,
    path: String,
    is_secure: bool,
    same_site: SameSite,
    /// `None`: when the browser is closed.
    expires: Option<SystemTime>,
}

/// The attributes of a `Set-Cookie` header that matter here. Of two with one name the last counts.
#[derive(Default)]
struct Attributes<'a> {
    path: Option<&'a str>,
    has_domain: bool,
    is_secure: bool,
    is_http_only: bool,
    same_site: Option<SameSite>,
    max_age: Option<i64>,
    expires: Option<SystemTime>,
}

impl<'a> Attributes<'a> {
    fn parse(parts: impl Iterator<Item = &'a str>) -> Self {
        let mut found = Self::default();
        for part in parts {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
            match name.as_str() {
                "path" => found.path = Some(value),
                "domain" => found.has_domain = !value.is_empty(),
                "secure" => found.is_secure = true,
                "httponly" => found.is_http_only = true,
                "samesite" => {
                    found.same_site = match value.to_ascii_lowercase().as_str() {
                        "strict" => Some(SameSite::Strict),
                        "none" => Some(SameSite::None),
                        _ => Some(SameSite::Lax),
                    }
                }
                "max-age" => found.max_age = value.parse().ok().or(found.max_age),
                "expires" => found.expires = http_date::parse(value).or(found.expires),
                _ => {}
            }
        }
        found
    }

    /// Whether the name promises what the attributes keep (RFC 6265bis §5.7, steps 20 to 23).
    fn keep_the_promise_of(&self, name: &str, path: &str) -> bool {
        let name = name.to_ascii_lowercase();
        let is_host = self.is_secure && !self.has_domain && self.path == Some("/") && path == "/";
        match () {
            () if name.starts_with("__host-http-") => is_host && self.is_http_only,
            () if name.starts_with("__host-") => is_host,
            () if name.starts_with("__http-") => self.is_secure && self.is_http_only,
            () if name.starts_with("__secure-") => self.is_secure,
            () => true,
        }
    }
}

#[derive(Default)]
pub(super) struct CookieJar(Vec<Cookie>);

impl CookieJar {
    /// Keeps, replaces or deletes a cookie as this `Set-Cookie` header says, in the response to the request. Returns whether a
    /// browser accepts the header.
    pub(super) fn receive(&mut self, header: &[u8], request: &Request<'_>, now: SystemTime) -> bool {
        let Ok(header) = str::from_utf8(header) else { return false };
        let mut parts = header.split(';');
        let pair = parts.next().unwrap_or_default();
        let Some((name, value)) = pair.split_once('=').map(|(name, value)| (name.trim(), value.trim()))
        else {
            return false;
        };
        let attributes = Attributes::parse(parts);
        let path = attributes.path.filter(|path| path.starts_with('/')).unwrap_or(default_path(request.path));
        let same_site = attributes.same_site.unwrap_or(SameSite::Lax);
        let has_printable_characters = !header.bytes().any(|byte| byte.is_ascii_control() && byte != b'\t');
        let is_accepted = has_printable_characters
            && !name.is_empty()
            && name.len() + value.len() <= 4096
            // The browser visits one host, which sets cookies for itself alone.
            && !attributes.has_domain
            && (request.is_secure || !attributes.is_secure)
            && (attributes.is_secure || same_site != SameSite::None)
            && (request.is_same_site || request.is_navigation || same_site == SameSite::None)
            && attributes.keep_the_promise_of(name, path);
        if !is_accepted {
            return false;
        }
        let expires = match attributes.max_age {
            Some(seconds) => Some(now + Duration::from_secs(seconds.max(0).unsigned_abs().min(400 * 86_400))),
            None => attributes.expires,
        };
        self.0.retain(|cookie| (cookie.name.as_str(), cookie.path.as_str()) != (name, path));
        if expires.is_none_or(|end| end > now) {
            let [name, value, path] = [name, value, path].map(str::to_owned);
            let is_secure = attributes.is_secure;
            self.0.push(Cookie { name, value, path, is_secure, same_site, expires });
        }
        true
    }

    /// The header `Cookie` of the request. Longer paths come first.
    pub(super) fn header(&self, request: &Request<'_>, now: SystemTime) -> Option<HeaderValue> {
        let mut cookies: Vec<_> = self.0.iter().filter(|cookie| cookie.belongs_to(request, now)).collect();
        cookies.sort_by_key(|cookie| std::cmp::Reverse(cookie.path.len()));
        let pairs: Vec<_> =
            cookies.iter().map(|cookie| format!("{}={}", cookie.name, cookie.value)).collect();
        let mut header = HeaderValue::try_from(pairs.join("; ")).ok().filter(|_| !pairs.is_empty())?;
        header.set_sensitive(true);
        Some(header)
    }

    /// The value of a cookie.
    pub(super) fn value(&self, name: &str, now: SystemTime) -> Option<String> {
        let found = self.0.iter().find(|cookie| cookie.name == name && cookie.is_alive(now));
        found.map(|cookie| cookie.value.clone())
    }

    /// Removes the cookies that end with the browser.
    pub(super) fn restart(&mut self) {
        self.0.retain(|cookie| cookie.expires.is_some());
    }
}

impl Cookie {
    fn is_alive(&self, now: SystemTime) -> bool {
        self.expires.is_none_or(|end| end > now)
    }

    fn belongs_to(&self, request: &Request<'_>, now: SystemTime) -> bool {
        let is_of_site = match self.same_site {
            _ if request.is_same_site => true,
            SameSite::None => true,
            SameSite::Lax => request.is_safe && request.is_navigation,
            SameSite::Strict => false,
        };
        self.is_alive(now)
            && is_of_site
            && (request.is_secure || !self.is_secure)
            && self.has_path(request.path)
    }

    /// RFC 6265bis §5.1.4.
    fn has_path(&self, path: &str) -> bool {
        path.strip_prefix(self.path.as_str())
            .is_some_and(|rest| rest.is_empty() || self.path.ends_with('/') || rest.starts_with('/'))
    }
}

/// The path of a cookie that says none: that of the request up to its last `/`.
fn default_path(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some(("", _)) | None => "/",
        Some((folder, _)) => folder,
    }
}

#[cfg(test)]
mod tests;
