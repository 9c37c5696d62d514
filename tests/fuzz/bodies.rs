//! Sends a body to any endpoint. The first byte says to which (`ROUTES`), the second who sends it, the third the content type;
//! the rest is the body.
//!
//! No response is a failure of the server; a success is JSON, and an error a problem document with a code. What has to be proven
//! succeeds only with the proof.

#![no_main]

mod host;

use axum::body::Body;
use axum_auth_module::endpoint::{Endpoint, EndpointBody};
use host::{ADA, CHALLENGE_COOKIE, Host, PASSWORD, SESSION_COOKIE, now, of, request, with_host};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use std::sync::Once;

/// The endpoints: those with a body, and some without one.
const ROUTES: &[(u8, &str, &str)] = &[
    (b'a', "POST", "/user/confirm-two-factor"),
    (b'b', "POST", "/user/email-change"),
    (b'c', "POST", "/user/confirm-password"),
    (b'd', "DELETE", "/user/password"),
    (b'e', "POST", "/user/two-factor-authentication"),
    (b'f', "POST", "/refresh"),
    (b'g', "GET", "/user/sessions"),
    (b'h', "POST", "/two-factor-challenge"),
    (b'i', "POST", "/user/confirm-email"),
    (b'j', "POST", "/user/confirm-email/verify"),
    (b'k', "POST", "/user/confirmed-two-factor-authentication"),
    (b'l', "POST", "/login"),
    (b'm', "POST", "/login/email"),
    (b'n', "POST", "/email/verification-notification"),
    (b'o', "POST", "/logout"),
    (b'p', "PUT", "/user/profile-information"),
    (b'q', "POST", "/forgot-password"),
    (b'r', "POST", "/register"),
    (b's', "POST", "/reset-password"),
    (b't', "POST", "/user/email-change/confirm"),
    (b'u', "POST", "/register/passwordless"),
    (b'v', "POST", "/login/email/verify"),
    (b'w', "PUT", "/user/password"),
    (b'x', "DELETE", "/user/two-factor-authentication"),
    (b'y', "POST", "/user/two-factor-recovery-codes"),
    (b'z', "DELETE", "/user/sessions"),
    (b'0', "POST", "/email/revert"),
    (b'1', "POST", "/account/secure"),
    (b'2', "POST", "/passkeys/login"),
    (b'3', "POST", "/user/passkeys"),
    (b'4', "PUT", "/user/passkeys/{id}"),
    (b'5', "POST", "/two-factor-challenge/passkey-options"),
    (b'6', "POST", "/user/confirm-passkey"),
    (b'7', "POST", "/oauth/{provider}/authorize"),
    (b'8', "POST", "/oauth/{provider}/callback"),
    (b'9', "POST", "/oauth/{provider}/id-token"),
    (b'A', "POST", "/user/identities/{provider}/authorize"),
    (b'B', "POST", "/user/identities"),
    (b'C', "POST", "/user/confirm-provider/{provider}/authorize"),
    (b'D', "POST", "/user/confirm-provider"),
    (b'E', "POST", "/user/restore"),
    (b'F', "POST", "/user/api-tokens"),
    (b'G', "POST", "/invitation/accept"),
    (b'H', "POST", "/service-token"),
];

/// A new endpoint with a body belongs into the list. A test of every_route looks at the list, too: this program runs in a turn of the rota.
fn check_routes(host: &Host) {
    let has_body = |endpoint: &&Endpoint| !matches!(endpoint.body, EndpointBody::None);
    for endpoint in host.auth.endpoints().iter().filter(has_body) {
        let is_listed =
            |route: &(u8, &str, &str)| (route.1, route.2) == (endpoint.method.as_str(), endpoint.path);
        assert!(ROUTES.iter().any(is_listed), "{} is missing", endpoint.path);
    }
}

/// Whether this body proves what the endpoint asks for.
fn is_proof(host: &Host, route: u8, body: &Value) -> bool {
    let has = |field: &str, values: &[&str]| values.iter().any(|value| body[field] == *value);
    match route {
        b'c' | b'l' => has("password", &[PASSWORD]),
        b'f' => has("refreshToken", &[host.known("refresh"), host.known("grace_refresh")]),
        // A code may happen to be the right one.
        b'a' => has("recoveryCode", &[host.known("recovery_code")]) || body["code"].is_string(),
        b'h' => has("recoveryCode", &[host.known("recovery_code")]) || body["code"].is_string(),
        // Nobody has asked for a mail in this session or for a deletion, no address has changed, and nobody is invited.
        b'j' | b't' | b'0' | b'1' | b'E' | b'G' => false,
        b'u' => has("registrationToken", &[host.known("registration")]),
        b'v' => {
            has("flowToken", &[host.known("flow")])
                && (has("token", &[host.known("link")]) || is_code(host, body))
        }
        b's' => has("token", &[host.known("reset")]),
        b'w' => has("currentPassword", &[PASSWORD]),
        b'2' => has("flowToken", &[host.known("passkey_flow")]) && is_signed(host, "passkey_proof", body),
        // Nothing in it is signed.
        b'3' => has("flowToken", &[host.known("new_passkey_flow")]),
        // The user with a challenge has no passkey.
        b'5' => false,
        b'6' => has("flowToken", &[host.known("confirm_flow")]) && is_signed(host, "confirm_proof", body),
        b'8' => is_return(host, "acme", body),
        b'9' => {
            has("flowToken", &[host.known("native_flow")]) && has("idToken", &[host.known("native_id_token")])
        }
        b'B' => is_return(host, "link", body),
        b'D' => is_return(host, "confirmation", body),
        _ => true,
    }
}

/// Whether this is what the provider sends back to end the visit.
fn is_return(host: &Host, visit: &str, body: &Value) -> bool {
    let [flow_token, state, nonce] = host.visit(visit);
    body["flowToken"] == flow_token && body["state"] == state && body["code"] == nonce
}

/// Whether the digits are those of the mail.
fn is_code(host: &Host, body: &Value) -> bool {
    let code = body["code"].as_str().unwrap_or_default();
    let digits: String = code.chars().filter(char::is_ascii_digit).collect();
    digits == host.known("code")
}

/// Whether the credential has what the passkey has signed, and the signature.
fn is_signed(host: &Host, proof: &str, body: &Value) -> bool {
    let right: Value = serde_json::from_slice(host.known_bytes(proof)).unwrap();
    let (sent, right) = (&body["credential"]["response"], &right["response"]);
    ["clientDataJSON", "authenticatorData", "signature"].iter().all(|part| sent[part] == right[part])
}

fuzz_target!(|input: &[u8]| {
    static CHECKED: Once = Once::new();
    let Some(([route, sender, content_type], body)) = input.split_first_chunk() else { return };
    let named = ROUTES.iter().find(|(letter, ..)| letter == route);
    let (route, method, path) = *named.unwrap_or(&ROUTES[usize::from(*route) % ROUTES.len()]);
    with_host(|host| {
        CHECKED.call_once(|| check_routes(host));
        let is_browser = matches!(sender, b'b' | b'c' | b'd');
        let path = path.replace("{id}", host.known("passkey_id")).replace("{provider}", "acme");
        // Only who has a verified address can add a passkey or link an identity.
        if *sender == b'v' {
            host.tables.rows().user(ADA).email_verified_at = Some(now());
        }
        let builder = request(method, &format!("/{}{path}", if is_browser { "browser" } else { "bearer" }));
        let builder = match sender {
            b'a' | b'v' => builder.header("authorization", format!("Bearer {}", host.known("access"))),
            b'g' => builder.header("authorization", format!("Bearer {}", host.known("grace_access"))),
            b'b' => builder.header("cookie", format!("{SESSION_COOKIE}={}", host.known("cookie"))),
            b'c' => {
                builder.header("cookie", format!("{CHALLENGE_COOKIE}={}", host.known("challenge_cookie")))
            }
            _ => builder,
        };
        let builder = match content_type {
            b'-' => builder,
            b'f' => builder.header("content-type", "application/x-www-form-urlencoded"),
            b'p' => builder.header("content-type", "application/merge-patch+json; charset=\"utf-8\""),
            b't' => builder.header("content-type", "text/plain"),
            _ => builder.header("content-type", "application/json"),
        };
        let body = host.filled(body);
        let answer = host.send(of(builder, Body::from(body.clone())));
        if answer.status < 300 {
            answer.json();
            let body = serde_json::from_slice(&body).unwrap_or_default();
            assert!(is_proof(host, route, &body), "{path}: {body}");
        }
    });
});
