//! Redirect URIs: where a provider sends the browser or the app back to.

use crate::web_url::WebUrl;

/// The addresses of this machine whose redirect URIs stand for all ports if they have none (RFC 8252 §7.3).
const ANY_PORT: [&str; 2] = ["http://127.0.0.1/", "http://[::1]/"];

/// Whether the text can be a redirect URI: a URL of a web server, or one with the scheme of an app (RFC 8252 §7.1).
pub(super) fn is_valid(uri: &str) -> bool {
    WebUrl::read(uri).is_some() || is_of_app(uri)
}

/// Whether the URI has a scheme of an app, which has a dot in it because it is the reversed name of a domain.
fn is_of_app(uri: &str) -> bool {
    let Some((scheme, rest)) = uri.split_once(':') else { return false };
    let is_scheme = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"+-.".contains(&byte);
    scheme.starts_with(|first: char| first.is_ascii_lowercase())
        && scheme.bytes().all(is_scheme)
        && scheme.contains('.')
        && rest.starts_with('/')
        && rest.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#')
}

/// Whether the configured redirect URI allows the other one: both are equal, byte by byte, or differ only in the port of this machine
/// that the configured one leaves open.
pub(super) fn allows(configured: &str, uri: &str) -> bool {
    if configured == uri {
        return true;
    }
    let without_port = |prefix: &&str| {
        let (path, start) = (configured.strip_prefix(*prefix)?, prefix.strip_suffix('/')?);
        let (port, rest) = uri.strip_prefix(start)?.strip_prefix(':')?.split_once('/')?;
        Some(port.parse::<u16>().is_ok_and(|number| number > 0 && number.to_string() == port) && rest == path)
    };
    ANY_PORT.iter().any(|prefix| without_port(prefix) == Some(true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redirect_uri_is_of_a_web_server_or_an_app() {
        for uri in [
            "https://app.example/callback?a=b",
            "http://localhost:3000/callback",
            "http://127.0.0.1/callback",
            "org.example.app:/callback",
            "org.example.app://callback",
        ] {
            assert!(is_valid(uri), "{uri}");
        }
        for uri in [
            "",
            "/callback",
            "http://app.example/callback",
            "https://app.example/callback#",
            "app:/callback",
            "javascript:alert(1)",
            "org.example.app:callback",
            "org.example.app:/a#b",
            "org.example.app:/a b",
            "1.example:/a",
        ] {
            assert!(!is_valid(uri), "{uri}");
        }
    }

    #[test]
    fn only_a_port_of_this_machine_may_differ() {
        let any = "http://127.0.0.1/callback";
        assert!(allows(any, any) && allows(any, "http://127.0.0.1:49152/callback"));
        assert!(allows("http://[::1]/", "http://[::1]:1/"));
        for (configured, uri) in [
            (any, "http://127.0.0.1:/callback"),
            (any, "http://127.0.0.1:0/callback"),
            (any, "http://127.0.0.1:080/callback"),
            (any, "http://127.0.0.1:65536/callback"),
            (any, "http://127.0.0.1:1@evil.example/callback"),
            (any, "http://127.0.0.1:1/callback/"),
            (any, "http://127.0.0.1:1/callback?a"),
            (any, "http://[::1]:1/callback"),
            ("http://127.0.0.1:1/callback", "http://127.0.0.1:2/callback"),
            ("http://localhost/callback", "http://localhost:2/callback"),
            ("https://app.example/a", "https://app.example:443/a"),
            ("https://app.example/a", "https://APP.example/a"),
        ] {
            assert!(!allows(configured, uri), "{configured} {uri}");
        }
    }
}
