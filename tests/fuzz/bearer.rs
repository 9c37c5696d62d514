//! Sends the input as the `Authorization` header of protected routes, and as a refresh token and a challenge token in bodies.
//! An input of two lines is the header and the claims of tokens that are signed with the right secrets.
//!
//! No response is a failure of the server, and only the valid token succeeds.

#![no_main]

mod host;

use axum::http::HeaderValue;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use host::{ADA, GRACE, Host, JWT_SECRET, REFRESH_SECRET, of, request, with_host};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use sha2::Sha256;

/// A token with this header and these claims, whatever they are.
fn signed(header: &[u8], claims: &[u8], secret: &str) -> String {
    let message = format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(claims));
    let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap().chain_update(&message);
    format!("{message}.{}", URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes()))
}

/// Tokens that the library may or may not have made. They are at most for the user whom they name, in this user's session.
fn signed_tokens(host: &Host, header: &[u8], claims: &[u8]) {
    let access = format!("Bearer {}", signed(header, claims, JWT_SECRET));
    let me = host.get("/me", "authorization", &access);
    if me.status == 200 {
        let claims: Value = serde_json::from_slice(claims).unwrap();
        let named = (claims["sub"].as_str().unwrap(), claims["sid"].as_str().unwrap());
        let sessions = [("1", host.known("sid")), ("2", host.known("grace_sid"))];
        assert!(sessions.contains(&named), "{named:?}");
        assert_eq!(me.text(), if named.0 == "1" { ADA } else { GRACE });
    }
    for path in ["/claims", "/bearer/user/sessions", "/bearer/user/two-factor-recovery-codes"] {
        host.get(path, "authorization", &access);
    }
    host.post("/bearer/refresh", None, &json!({ "refreshToken": signed(header, claims, REFRESH_SECRET) }));
}

/// Whether this header has the token, as RFC 6750 writes it: the scheme in any case, spaces, and the token.
fn has(header: &[u8], token: &str) -> bool {
    let (scheme, sent) = header.split_at(header.len().min("Bearer ".len()));
    let sent = std::str::from_utf8(sent).unwrap_or_default();
    scheme.eq_ignore_ascii_case(b"bearer ") && sent.trim_matches(' ') == token
}

fn any_bytes(host: &Host, bytes: &[u8]) {
    if let Ok(value) = HeaderValue::from_bytes(bytes) {
        let answer = |path| {
            let request = request("GET", path).header("authorization", value.clone());
            host.send(of(request, Default::default()))
        };
        let me = answer("/me");
        assert_eq!(
            me.status == 200,
            has(bytes, host.known("access")) || has(bytes, host.known("grace_access"))
        );
        assert_eq!(me.text() == ADA, has(bytes, host.known("access")));
        for path in ["/claims", "/bearer/user/sessions", "/bearer/user/api-tokens"] {
            assert_eq!(answer(path).status, me.status);
        }
        let has_api_token = has(bytes, host.known("api_token"));
        for (path, has_credential) in
            [("/api", has_api_token), ("/either", has_api_token || me.status == 200)]
        {
            let answer = answer(path);
            assert_eq!(answer.status == 200, has_credential, "{path}");
            assert!([200, 401].contains(&answer.status), "{path}: {}", answer.status);
        }
    }
    let token = String::from_utf8_lossy(bytes);
    let refreshed = host.post("/bearer/refresh", None, &json!({ "refreshToken": token }));
    assert_eq!(
        refreshed.status == 200,
        token == host.known("refresh") || token == host.known("grace_refresh")
    );
    let body = json!({ "challengeToken": token, "recoveryCode": "not a code" });
    let challenged = host.post("/bearer/two-factor-challenge", None, &body);
    assert_eq!(challenged.code() == "invalid_recovery_code", token == host.known("challenge"));
    assert_ne!(challenged.status, 200);
}

fuzz_target!(|input: &[u8]| {
    with_host(|host| {
        let input = host.filled(input);
        match input.iter().position(|byte| *byte == b'\n') {
            Some(end) => signed_tokens(host, &input[..end], &input[end + 1..]),
            None => any_bytes(host, &input),
        }
    });
});
