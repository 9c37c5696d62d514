//! URLs of web servers, such as those of providers.

use crate::origin::Origin;
use axum::http::Uri;

/// A URL of a web server without a user and a fragment, over a connection that nobody reads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct WebUrl<'a> {
    /// The host, with brackets around an IPv6 address, and without a port.
    pub(crate) host: &'a str,
    /// Whether the connection has TLS. Otherwise the host is this machine.
    pub(crate) is_https: bool,
    /// Whether there is a query, which may be empty.
    pub(crate) has_query: bool,
    /// Whether there is a port.
    pub(crate) has_port: bool,
    /// What comes after the authority.
    pub(crate) path: &'a str,
}

impl<'a> WebUrl<'a> {
    /// Reads a URL. `None` if the text is anything else.
    pub(crate) fn read(text: &'a str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let is_https = match scheme {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at_checked(end)?;
        let origin = Origin::parse(text.get(..scheme.len() + 3 + end)?)?;
        let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic()) && !text.contains('#');
        if !origin.is_secure() || !is_plain || text.parse::<Uri>().is_err() {
            return None;
        }
        let (host, has_port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, true),
            _ => (authority, false),
        };
        Some(Self { host, is_https, has_query: path.contains('?'), has_port, path })
    }

    /// Whether an issuer of this URL may have an endpoint there: one with TLS, or on this machine if the issuer is there.
    pub(crate) fn may_name(&self, endpoint: &WebUrl<'_>) -> bool {
        endpoint.is_https || !self.is_https
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_of_a_server_that_nobody_listens_to() {
        for text in [
            "https://id.example",
            "https://id.example:8443/a?b=c",
            "http://localhost:3000/",
            "http://127.0.0.1/a",
            "http://[::1]:1/a",
        ] {
            assert!(WebUrl::read(text).is_some(), "{text}");
        }
        for text in [
            "",
            "id.example",
            "HTTPS://id.example",
            "ftp://id.example",
            "http://id.example",
            "http://10.0.0.1",
            "https://",
            "https:///a",
            "https://ada@id.example",
            "https://id.example#",
            "https://id.example/a b",
            "https://id.example/\u{e4}",
            "https://id.example/\n",
            "https://id.example/<",
        ] {
            assert!(WebUrl::read(text).is_none(), "{text}");
        }
        let url = WebUrl::read("https://[::1]:8443/a?b").unwrap();
        assert_eq!((url.host, url.has_port, url.has_query, url.path), ("[::1]", true, true, "/a?b"));
        assert!(!WebUrl::read("http://[::1]").unwrap().has_port);
    }
}
