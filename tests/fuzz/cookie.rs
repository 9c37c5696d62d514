//! Sends the input as `Cookie` headers to the browser router and to a route of the host, each line as one header.
//!
//! No response is a failure of the server, and only the valid cookies count. The cookies count for nothing on the bearer router.

#![no_main]

mod host;

use axum::body::Body;
use axum::http::HeaderValue;
use host::{ADA, Answer, CHALLENGE_COOKIE, Host, SESSION_COOKIE, of, request, with_host};
use libfuzzer_sys::fuzz_target;

/// The answer to a request with these headers.
fn answer(host: &Host, method: &str, path: &str, cookies: &[HeaderValue], body: &'static str) -> Answer {
    let mut builder = request(method, path).header("content-type", "application/json");
    for cookies in cookies {
        builder = builder.header("cookie", cookies);
    }
    host.send(of(builder, Body::from(body)))
}

/// Whether the cookie with this name, in any case, occurs once and has this value.
fn has(cookies: &[HeaderValue], name: &str, value: &str) -> bool {
    let pairs = cookies.iter().flat_map(|line| line.as_bytes().split(|byte| *byte == b';'));
    let halves = pairs.map(|pair| {
        let equals = pair.iter().position(|byte| *byte == b'=').unwrap_or(pair.len());
        (pair[..equals].trim_ascii(), pair[equals..].strip_prefix(b"=").unwrap_or_default().trim_ascii())
    });
    let named: Vec<_> = halves.filter(|(key, _)| key.eq_ignore_ascii_case(name.as_bytes())).collect();
    named == [(name.as_bytes(), value.as_bytes())]
}

fuzz_target!(|input: &[u8]| {
    with_host(|host| {
        let input = host.filled(input);
        let lines = input.split(|byte| *byte == b'\n').map(HeaderValue::from_bytes);
        let Ok(cookies) = lines.collect::<Result<Vec<_>, _>>() else { return };
        let get = |path| answer(host, "GET", path, &cookies, "");

        let session = get("/browser/session");
        assert_eq!(session.status, 200);
        let is_signed_in = session.json()["authenticated"] == true;
        assert_eq!(is_signed_in, has(&cookies, SESSION_COOKIE, host.known("cookie")));
        assert_eq!(get("/me").text() == ADA, is_signed_in);
        assert_eq!(get("/claims").status == 200, is_signed_in);
        assert_eq!(get("/browser/user/sessions").status == 200, is_signed_in);
        assert_eq!(get("/bearer/user/sessions").status, 401);

        let code = r#"{"recoveryCode": "not a code"}"#;
        let challenged = answer(host, "POST", "/browser/two-factor-challenge", &cookies, code);
        assert!(challenged.status >= 400);
        let is_challenged = challenged.code() == "invalid_recovery_code";
        assert_eq!(is_challenged, has(&cookies, CHALLENGE_COOKIE, host.known("challenge_cookie")));

        assert_eq!(answer(host, "POST", "/browser/logout", &cookies, "").status, 200);
        assert_eq!(get("/browser/session").json()["authenticated"], false);
    });
});
