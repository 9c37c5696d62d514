//! Tokens made without the library, by somebody who knows the secrets or does not.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Map, Value, json};
use sha2::Sha256;

/// The secrets of `axum_auth_module::testing::config`.
pub(crate) const JWT_SECRET: &str = "a secret for tests, known to everybody";
pub(crate) const REFRESH_SECRET: &str = "another secret for tests, as well known";

/// All secrets of that configuration.
pub(crate) const SECRETS: [&str; 3] =
    [JWT_SECRET, REFRESH_SECRET, "dGhpcnR5LXR3byBieXRlcyBmb3IgdGVzdHMgb25seSE="];

pub(crate) fn encode(part: &str) -> String {
    URL_SAFE_NO_PAD.encode(part)
}

/// A token of these two parts, signed with HS256 whatever the header says.
pub(crate) fn sign(header: &str, claims: &str, secret: impl AsRef<[u8]>) -> String {
    let message = format!("{}.{}", encode(header), encode(claims));
    format!("{message}.{}", URL_SAFE_NO_PAD.encode(mac(secret.as_ref(), message.as_bytes())))
}

/// The key that the library derives from a secret for a purpose: HKDF-SHA256 (RFC 5869) without a salt, 32 bytes.
pub(crate) fn derived(secret: &str, purpose: &str) -> [u8; 32] {
    let key = mac(&[0; 32], secret.as_bytes());
    mac(&key, &[b"axum-auth-module/v1/", purpose.as_bytes(), &[1]].concat())
}

fn mac(key: &[u8], message: &[u8]) -> [u8; 32] {
    let mac = Hmac::<Sha256>::new_from_slice(key).unwrap().chain_update(message);
    mac.finalize().into_bytes().into()
}

/// The column `state` of a session with these members, a JSON object, as if the library had written it.
pub(crate) fn session_state(id: &str, user_id: &str, members: &str) -> String {
    let members = members.strip_suffix('}').unwrap();
    let parts = [id, user_id, members];
    let parts: Vec<u8> = parts
        .iter()
        .flat_map(|part| [&(part.len() as u64).to_be_bytes(), part.as_bytes()].concat())
        .collect();
    let mac = mac(&derived(JWT_SECRET, "session-state"), &parts);
    format!("{members},\"mac\":\"{}\"}}", URL_SAFE_NO_PAD.encode(mac))
}

/// Whether this secret has signed the token.
pub(crate) fn is_signed_with(token: &str, secret: &str) -> bool {
    let (message, signature) = token.rsplit_once('.').unwrap();
    signature == URL_SAFE_NO_PAD.encode(mac(secret.as_bytes(), message.as_bytes()))
}

pub(crate) fn access_header() -> String {
    json!({ "alg": "HS256", "typ": "at+jwt" }).to_string()
}

/// One part of a token: 0 is the header, 1 the claims.
pub(crate) fn part(token: &str, index: usize) -> Map<String, Value> {
    let bytes = URL_SAFE_NO_PAD.decode(token.split('.').nth(index).unwrap()).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

pub(crate) fn claims(token: &str) -> Map<String, Value> {
    part(token, 1)
}

/// The token with other claims, signed as if by the library.
pub(crate) fn with_claims(token: &str, change: impl FnOnce(&mut Map<String, Value>)) -> String {
    let mut claims = claims(token);
    change(&mut claims);
    sign(&access_header(), &Value::Object(claims).to_string(), JWT_SECRET)
}

/// The token under another header, signed as if by the library.
pub(crate) fn with_header(token: &str, header: &str) -> String {
    sign(header, &Value::Object(claims(token)).to_string(), JWT_SECRET)
}
