//! Web origins: scheme, host and port (RFC 6454).

use std::net::IpAddr;

/// An origin as a browser sends it: `https://app.example.com` or `http://localhost:5173`. Two origins are equal if a
/// browser treats them as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    is_https: bool,
    /// In lower case. An IPv6 address has brackets.
    host: String,
    port: u16,
}

impl Origin {
    /// Reads an origin. `None` if the text is anything else: `null`, another scheme, or an origin with a user, a path or a
    /// query.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.to_ascii_lowercase();
        let (scheme, authority) = text.split_once("://")?;
        let is_https = match scheme {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        let (host, port) = host_and_port(authority)?;
        let port = port.unwrap_or(default_port(is_https));
        Some(Self { is_https, host: host.to_owned(), port })
    }

    /// Whether a request with this `Host` or `:authority` was sent to the origin. The schemes are not compared, because TLS
    /// may end at a proxy.
    pub(crate) fn has_authority(&self, authority: &str) -> bool {
        let authority = authority.to_ascii_lowercase();
        let Some((host, port)) = host_and_port(&authority) else { return false };
        host == self.host && port.unwrap_or(default_port(self.is_https)) == self.port
    }

    /// Whether connections to it are encrypted or do not leave the machine.
    pub(crate) fn is_secure(&self) -> bool {
        let address = self.host.trim_start_matches('[').trim_end_matches(']');
        self.is_https
            || self.host == "localhost"
            || self.host.ends_with(".localhost")
            || address.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
    }
}

const fn default_port(is_https: bool) -> u16 {
    if is_https { 443 } else { 80 }
}

/// Splits an authority without a user. The text must be in lower case.
fn host_and_port(authority: &str) -> Option<(&str, Option<u16>)> {
    let (host, port) = match authority.rsplit_once(':') {
        // The colon is within an IPv6 address.
        Some((_, rest)) if rest.ends_with(']') => (authority, None),
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    };
    let port = match port {
        Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => Some(digits.parse().ok()?),
        Some(_) => return None,
        None => None,
    };
    let is_name =
        |host: &str| host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte));
    let is_valid = match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => !host.is_empty() && is_name(host),
    };
    is_valid.then_some((host, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(origin: &str, authority: &str) -> bool {
        Origin::parse(origin).is_some_and(|origin| origin.has_authority(authority))
    }

    #[test]
    fn a_missing_port_is_the_one_of_the_scheme() {
        assert_eq!(Origin::parse("https://Example.com"), Origin::parse("HTTPS://example.com:443"));
        assert_ne!(Origin::parse("https://example.com"), Origin::parse("https://example.com:80"));
        assert!(same("https://example.com", "example.com"));
        assert!(same("https://example.com", "EXAMPLE.com:443"));
        assert!(same("http://example.com", "example.com:80"));
        assert!(same("http://[::1]:3000", "[::1]:3000"));
        assert!(!same("https://example.com", "example.com:80"));
        assert!(!same("https://example.com:8443", "example.com"));
        assert!(!same("https://example.com.", "example.com"));
    }

    #[test]
    fn what_is_not_an_origin_is_none() {
        for text in [
            "",
            "null",
            "example.com",
            "https://",
            "https://:443",
            "https://example.com/",
            "https://example.com/path",
            "https://example.com?a",
            "https://example.com#a",
            "https://user@example.com",
            "https://example.com:",
            "https://example.com:+1",
            "https://example.com:65536",
            "https://example.com https://example.com",
            "https://*.example.com",
            "https://exämple.com",
            "https://[::1",
            "https://[example]",
            "ftp://example.com",
            "file://",
        ] {
            assert_eq!(Origin::parse(text), None, "{text}");
        }
    }

    #[test]
    fn an_origin_on_the_same_machine_needs_no_encryption() {
        let is_secure = |text| Origin::parse(text).unwrap().is_secure();
        for text in
            ["https://a.b", "http://localhost:1", "http://a.localhost", "http://127.0.0.1", "http://[::1]:1"]
        {
            assert!(is_secure(text), "{text}");
        }
        for text in ["http://example.com", "http://192.0.2.1", "http://localhost.example.com"] {
            assert!(!is_secure(text), "{text}");
        }
    }
}
