//! What the target `providers` knows of OpenID Connect and of GitHub: an own, simple reading of what a provider says. It is not stricter
//! than §30.4 to §30.6 of the library's specification.

use crate::host::NOW;
use crate::host::providers::{ACCESS_TOKEN, ACME, APP, APPLE, CLIENT, GITHUB, GOOGLE, MICROSOFT};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;
use sha2::{Digest, Sha256, Sha512};

/// Whom a provider names.
pub struct Person {
    pub issuer: &'static str,
    pub subject: String,
    /// The address that the provider has proven, and whether it runs the mailbox.
    pub email: Option<(String, bool)>,
}

/// What comes from a provider, whether it can be read, and whether every reader finds the same in it: without spaces, with keys in
/// alphabetical order.
pub fn read(document: &[u8]) -> (Value, bool) {
    let read: Value = serde_json::from_slice(document).unwrap_or_default();
    let is_plain = read.is_object() && read.to_string().as_bytes() == document;
    (read, is_plain)
}

fn has(value: &Value, text: &str) -> bool {
    value == text
}

/// Whether the member is not there, or this holds for it.
fn absent_or(object: &Value, name: &str, holds: impl FnOnce(&Value) -> bool) -> bool {
    object.get(name).is_none_or(holds)
}

/// The same, and `null` is as good as absent.
fn null_or(object: &Value, name: &str, holds: impl FnOnce(&Value) -> bool) -> bool {
    absent_or(object, name, |value| value.is_null() || holds(value))
}

fn texts(value: &Value) -> Option<Vec<&str>> {
    value.as_array()?.iter().map(Value::as_str).collect()
}

/// Whether these are metadata of `ACME` with which somebody can sign in.
pub fn is_right_metadata(metadata: &Value) -> bool {
    let is_endpoint = |value: &Value| value.as_str().is_some_and(|url| url.starts_with("https://"));
    has(&metadata["issuer"], ACME)
        && ["authorization_endpoint", "token_endpoint", "jwks_uri"]
            .iter()
            .all(|name| is_endpoint(&metadata[name]))
        && null_or(metadata, "userinfo_endpoint", is_endpoint)
        && texts(&metadata["id_token_signing_alg_values_supported"]).is_some_and(|all| all.contains(&"EdDSA"))
        && null_or(metadata, "token_endpoint_auth_methods_supported", |all| texts(all).is_some())
        && null_or(metadata, "authorization_response_iss_parameter_supported", Value::is_boolean)
}

/// Whether all endpoints are certainly URLs, and on the issuer's host.
pub fn has_plain_endpoints(metadata: &Value) -> bool {
    let is_plain = |value: &Value| {
        let path = value.as_str().and_then(|url| url.strip_prefix(ACME)?.strip_prefix('/'));
        path.is_some_and(|path| path.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'/'))
    };
    ["authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint"]
        .iter()
        .all(|name| null_or(metadata, name, is_plain))
}

/// Whether the key with the kid `key` is among these.
pub fn is_right_set(set: &Value, x: &str) -> bool {
    let is_right = |key: &Value| {
        has(&key["kty"], "OKP")
            && has(&key["crv"], "Ed25519")
            && has(&key["x"], x)
            && has(&key["kid"], "key")
            && null_or(key, "use", |purpose| has(purpose, "sig"))
            && null_or(key, "alg", |name| has(name, "EdDSA"))
            && absent_or(key, "key_ops", |all| {
                all.as_array().is_some_and(|all| all.contains(&"verify".into()))
            })
            && key.get("d").is_none()
    };
    set["keys"].as_array().is_some_and(|keys| keys.iter().take(100).any(is_right))
}

/// Whether these are tokens with this ID token.
pub fn are_right_tokens(tokens: &Value, id_token: &str) -> bool {
    let is_token = |token: &Value| {
        token
            .as_str()
            .is_some_and(|token| !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic()))
    };
    has(&tokens["id_token"], id_token)
        && is_token(&tokens["access_token"])
        && absent_or(tokens, "token_type", |of| {
            of.as_str().is_some_and(|of| of.eq_ignore_ascii_case("bearer"))
        })
        && tokens.get("error").is_none()
}

pub fn is_right_header(header: &Value) -> bool {
    has(&header["alg"], "EdDSA")
        && absent_or(header, "kid", |kid| has(kid, "key"))
        && absent_or(header, "typ", |of| of.as_str().is_some_and(|of| of.eq_ignore_ascii_case("jwt")))
        && header.get("crit").is_none()
}

/// How an ID token reaches the host.
#[derive(Clone, Copy)]
pub struct Way {
    pub provider: &'static str,
    pub issuer: &'static str,
    /// Whether an app has it from the provider.
    pub is_native: bool,
}

impl Way {
    /// The name of the visit that the host has begun for it.
    pub fn visit(self) -> &'static str {
        if self.is_native && self.issuer == ACME { "native" } else { self.provider }
    }

    /// Whether these are claims of an ID token that the host has asked for with this nonce.
    pub fn is_right(self, claims: &Value, nonce: &str) -> bool {
        let own: &[&str] = match self.issuer {
            ACME => &[CLIENT, APP],
            APPLE => &[APP],
            _ => &[CLIENT],
        };
        let named = claims["aud"].as_str().map(|one| vec![one]).or_else(|| texts(&claims["aud"]));
        let audiences = named.unwrap_or_default();
        let is_audience = audiences.iter().all(|id| own.contains(id))
            && (if self.is_native { !audiences.is_empty() } else { audiences.contains(&CLIENT) });
        let is_party = match claims.get("azp") {
            None => audiences.len() == 1,
            Some(party) if self.is_native => party.as_str().is_some_and(|party| own.contains(&party)),
            Some(party) => has(party, CLIENT),
        };
        let hash: String = Sha256::digest(nonce).iter().map(|byte| format!("{byte:02x}")).collect();
        let is_nonce = has(&claims["nonce"], nonce) || (self.is_native && has(&claims["nonce"], &hash));
        // The half of a hash that goes with Ed25519 (OpenID Connect Core 1.0 §3.1.3.6).
        let half = URL_SAFE_NO_PAD.encode(&Sha512::digest(ACCESS_TOKEN)[..32]);
        has(&claims["iss"], self.issuer)
            && is_audience
            && is_party
            && is_nonce
            && is_in_time(claims)
            && (self.is_native || absent_or(claims, "at_hash", |hash| has(hash, &half)))
    }

    /// Whom the claims name, of which the second ones have the address.
    pub fn person(self, claims: &Value, address: &Value) -> Option<Person> {
        let subject = subject(claims["sub"].as_str()?)?;
        let verified = &address["email_verified"];
        let is_proven = match self.issuer {
            APPLE => *verified == true || has(verified, "true"),
            MICROSOFT => {
                let word = &address["xms_edov"];
                *word == true || *word == 1 || has(word, "1") || has(word, "true")
            }
            _ => *verified == true,
        };
        let email = address["email"].as_str().filter(|_| is_proven).map(|email| {
            let is_of_google = email.to_ascii_lowercase().ends_with("@gmail.com")
                || address["hd"].as_str().is_some_and(|domain| domain.eq_ignore_ascii_case("example.com"));
            (email.to_owned(), self.issuer == GOOGLE && is_of_google)
        });
        Some(Person { issuer: self.issuer, subject, email })
    }
}

fn is_in_time(claims: &Value) -> bool {
    let (now, time) = (NOW as f64, |name: &str| claims[name].as_f64());
    time("exp").is_some_and(|end| end > now - 60.0)
        && time("iat").is_some_and(|begin| begin <= now + 60.0 && begin >= now - 660.0)
        && absent_or(claims, "nbf", |begin| begin.as_f64().is_some_and(|begin| begin <= now + 60.0))
}

fn subject(text: &str) -> Option<String> {
    let is_right = (1..=255).contains(&text.len()) && !text.chars().any(char::is_control);
    is_right.then(|| text.to_owned())
}

/// Whom GitHub names, with an address of that list.
pub fn github_person(user: &Value, emails: &Value) -> Option<Person> {
    let number = user["id"].as_u64().filter(|number| *number > 0)?;
    let primary = emails.as_array()?.iter().find(|entry| entry["primary"] == true);
    let email = primary.filter(|entry| entry["verified"] == true).and_then(|entry| entry["email"].as_str());
    Some(Person {
        issuer: GITHUB,
        subject: number.to_string(),
        email: email.map(|email| (email.to_owned(), false)),
    })
}
