//! Comes back from a provider in a browser: the first line of the input is the path and the query after `/oauth/`, every other line is a
//! `Cookie` header.
//!
//! No response is a failure of the server. The browser is sent to a page of the host, with nothing of the query in the URL. A session
//! starts with the code, the state and the flow cookie of the visit that this browser has begun, and with nothing else.

#![no_main]

mod host;

use axum::http::{HeaderValue, Uri};
use host::providers::{ACME, CANARY};
use host::{Answer, Host, SESSION_COOKIE, of, request, with_host};
use libfuzzer_sys::fuzz_target;
use percent_encoding::percent_decode_str;

/// The pages of the host.
const PAGES: [&str; 4] = ["/", "/login", "/two-factor", "/register"];

/// The parameters of a form.
fn parameters(query: &str) -> Vec<(String, String)> {
    let decoded = |text: &str| percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned();
    let pairs = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs.map(|(name, value)| (decoded(name), decoded(value))).collect()
}

/// Whether the query is what `ACME` sends back to end the visit.
fn is_return(host: &Host, query: &str) -> bool {
    let parameters = parameters(query);
    let values = |name: &str| -> Vec<_> {
        parameters.iter().filter(|(key, _)| key == name).map(|(_, value)| value.as_str()).collect()
    };
    let [_, state, nonce] = host.visit("browser");
    values("state") == [state]
        && values("code") == [nonce]
        && values("error").is_empty()
        && [&[][..], &[ACME]].contains(&&*values("iss"))
}

/// Whether a session has started.
fn starts(answer: &Answer) -> bool {
    let cookies = answer.headers.get_all("set-cookie").iter().map(|cookie| cookie.to_str().unwrap());
    let pairs = cookies.filter_map(|cookie| cookie.split(';').next()?.split_once('='));
    pairs.into_iter().any(|(name, value)| name == SESSION_COOKIE && !value.is_empty())
}

/// The browser goes to a page of the host, at most with a code.
fn is_sent_to_a_page(answer: &Answer) {
    assert_eq!(answer.status, 303, "{}", answer.text());
    assert_eq!(answer.header("referrer-policy"), "no-referrer");
    let location = answer.header("location");
    let (page, code) = location.split_once("?error=").unwrap_or((location, ""));
    assert!(PAGES.contains(&page), "{location}");
    assert!(code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{location}");
    assert!(!code.contains(CANARY) && !code.starts_with("internal"), "{location}");
    assert!(!(starts(answer) && location != "/"), "{location}");
}

fuzz_target!(|input: &[u8]| {
    with_host(|host| {
        let input = host.filled(input);
        let mut lines = input.split(|byte| *byte == b'\n');
        let path = [b"/browser/oauth/", lines.next().unwrap_or_default()].concat();
        let Ok(uri) = Uri::try_from(path) else { return };
        let cookies: Vec<_> = lines.filter_map(|line| HeaderValue::from_bytes(line).ok()).collect();
        let builder = request("GET", &uri.to_string());
        let builder = cookies.iter().fold(builder, |builder, cookie| builder.header("cookie", cookie));
        let before = host.tables.rows().sessions.len();
        let answer = host.send(of(builder, Default::default()));

        let is_callback = ["acme", "google", "microsoft", "github"]
            .iter()
            .any(|name| uri.path() == format!("/browser/oauth/{name}/callback"));
        if is_callback {
            is_sent_to_a_page(&answer);
        }
        let [flow_cookie, ..] = host.visit("browser");
        let is_return =
            uri.path() == "/browser/oauth/acme/callback" && is_return(host, uri.query().unwrap_or_default());
        let has_cookie =
            cookies.iter().any(|line| String::from_utf8_lossy(line.as_bytes()).contains(flow_cookie));
        assert!(!starts(&answer) || (is_return && has_cookie), "a session");
        let is_plain = cookies.len() == 1 && cookies[0] == flow_cookie;
        assert!(starts(&answer) || !(is_return && is_plain), "no session: {}", answer.header("location"));
        // The session whose cookie came along ends.
        let after = host.tables.rows().sessions.len();
        assert!(after == before || (starts(&answer) && after == before + 1), "{after}");
    });
});
