//! The origin check: a session cookie counts only in requests that do not come from another origin (specification §27.4).
//!
//! Browsers send the cookie with every request to the host, also if a page of an attacker makes the request. They say in
//! `Sec-Fetch-Site` and `Origin` which page that was, and no page can change these headers.

use crate::config::BrowserOptions;
use crate::error::AuthError;
use crate::origin::Origin;
use axum::http::header::{HOST, ORIGIN, UPGRADE};
use axum::http::{HeaderMap, HeaderName, Method, Uri};

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Checks that the request does not come from another origin.
///
/// # Errors
/// [`AuthError::CrossOriginRequest`].
pub(crate) fn check_origin(
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
    options: &BrowserOptions,
) -> Result<(), AuthError> {
    let is_safe = matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS);
    if (is_safe && !headers.contains_key(UPGRADE)) || is_allowed(uri, headers, options) {
        return Ok(());
    }
    Err(AuthError::CrossOriginRequest)
}

/// Whether the headers show that the page has the origin of the request, or an allowed one.
fn is_allowed(uri: &Uri, headers: &HeaderMap, options: &BrowserOptions) -> bool {
    let (Ok(site), Ok(origin)) = (single(headers, &SEC_FETCH_SITE), single(headers, &ORIGIN)) else {
        return false;
    };
    let origin = origin.and_then(Origin::parse);
    if origin.as_ref().is_some_and(|origin| options.allows(origin)) {
        return true;
    }
    match site {
        Some(site) => matches!(site, "same-origin" | "none"),
        // Plain HTTP, or an old browser.
        None => {
            origin.is_some_and(|origin| authority(uri, headers).is_some_and(|own| origin.has_authority(own)))
        }
    }
}

/// The host and port of the request.
fn authority<'a>(uri: &'a Uri, headers: &'a HeaderMap) -> Option<&'a str> {
    match uri.authority() {
        Some(authority) => Some(authority.as_str()),
        None => single(headers, &HOST).ok().flatten(),
    }
}

/// The value of a header. A value that is not ASCII is an empty text.
///
/// # Errors
/// If there are two.
fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, ()> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => Ok(Some(value.to_str().unwrap_or_default())),
        (Some(_), Some(_)) => Err(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;
    use proptest::prelude::*;

    const LISTED: &str = "https://listed.example.com";

    fn passes(uri: &str, lines: &[(&'static str, &str)]) -> bool {
        let mut headers = HeaderMap::new();
        for (name, value) in lines.iter().copied() {
            headers.append(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        let options = BrowserOptions::default().allowed_origins([LISTED]);
        check_origin(&Method::POST, &uri.parse().unwrap(), &headers, &options).is_ok()
    }

    #[test]
    fn the_authority_of_the_request_is_its_host_and_otherwise_the_header() {
        let (own, other) = ("https://app.example.com", "https://evil.example");
        assert!(passes("/a", &[("host", "app.example.com"), ("origin", own)]));
        assert!(passes("http://app.example.com/a", &[("origin", own)]));
        assert!(passes("http://app.example.com/a", &[("host", "evil.example"), ("origin", own)]));
        assert!(!passes("http://app.example.com/a", &[("host", "evil.example"), ("origin", other)]));
        for hosts in [vec![], vec![("host", "")], vec![("host", "app.example.com"); 2], vec![("host", "ä")]]
        {
            assert!(!passes("/a", &[&hosts[..], &[("origin", own)]].concat()), "{hosts:?}");
        }
    }

    const OTHERS: &[&str] = &["/", "@", ".", ",", " ", ":", "null", "#", "\\", "%00"];

    fn piece() -> impl Strategy<Value = String> {
        prop_oneof![
            3 => Just("https".to_owned()),
            1 => Just("HTTP".to_owned()),
            3 => Just("://".to_owned()),
            3 => Just("app.example.com".to_owned()),
            1 => Just("App.Example.COM".to_owned()),
            2 => Just("listed.example.com".to_owned()),
            3 => Just(":8443".to_owned()),
            1 => Just(":443".to_owned()),
            1 => "[!-~äö€]{1,3}",
            1 => prop::sample::select(OTHERS).prop_map(str::to_owned),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8192))]

        /// Of all texts, four pass: the own origin with each scheme, and the listed one with and without its port.
        #[test]
        fn no_other_text_is_the_own_or_a_listed_origin(pieces in prop::collection::vec(piece(), 1..6)) {
            let origin = pieces.concat();
            let own = ["https://app.example.com:8443", "http://app.example.com:8443"];
            let listed = [LISTED, "https://listed.example.com:443"];
            let (is_own, is_listed) = {
                let origin = origin.to_ascii_lowercase();
                (own.contains(&&*origin), listed.contains(&&*origin))
            };
            let host = ("host", "app.example.com:8443");
            let line = ("origin", &*origin);
            prop_assert_eq!(passes("/", &[host, line]), is_own || is_listed);
            for site in ["same-site", "cross-site", "SAME-ORIGIN", "", "x"] {
                prop_assert_eq!(passes("/", &[host, line, ("sec-fetch-site", site)]), is_listed);
            }
            for site in ["same-origin", "none"] {
                prop_assert!(passes("/", &[host, line, ("sec-fetch-site", site)]));
                prop_assert!(!passes("/", &[host, line, line, ("sec-fetch-site", site)]));
            }
        }
    }
}
