//! What the flow tokens of sign-ins with a provider hold.

use crate::core::{Flow, FlowContent, FlowEpoch, ProvenIdentity};
use crate::crypto::random;
use crate::error::AuthError;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hkdf::Hkdf;
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use std::time::Duration;
use zeroize::Zeroizing;

/// How long a visit to a provider can take, and how long an identity can be linked.
pub(super) const LIFETIME: Duration = Duration::from_secs(600);
/// How long a browser keeps a registration that was begun.
pub(super) const REGISTRATION_LIFETIME: Duration = Duration::from_secs(1800);
/// How many characters of the id of a flow are in the name of its cookie, and at the beginning of `state`.
pub(super) const NAME: usize = 8;

/// A visit to a provider. The name of the provider and the mark of the credentials are in its secrets instead: the cookie is short, and
/// `state` is that of no other provider.
#[derive(Serialize, Deserialize)]
pub(super) struct Visit {
    /// 16 random bytes, in base64url.
    #[serde(rename = "s")]
    seed: String,
    /// The redirect URI, if it is not the first one of the provider.
    #[serde(default, rename = "u", skip_serializing_if = "Option::is_none")]
    pub(super) redirect_uri: Option<String>,
    /// Where a browser goes afterwards.
    #[serde(default, rename = "n", skip_serializing_if = "Option::is_none")]
    pub(super) next: Option<String>,
    /// Whether the session will outlive the browser's own.
    #[serde(default, rename = "rem", skip_serializing_if = "std::ops::Not::not")]
    pub(super) remember: bool,
    /// The session in which the visit began. Without one it is a sign-in.
    #[serde(default, rename = "of", skip_serializing_if = "Option::is_none")]
    pub(super) of: Option<OfSession>,
}

impl FlowContent for Visit {
    const PURPOSE: &'static str = "provider-visit";
    /// The longest content of a browser has as much. In base64url, and with the name of the cookie, that is less than 1 KiB.
    const PADDED: usize = 700;
}

/// What is begun in a session.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct OfSession {
    /// The session.
    pub(super) sid: String,
    /// The epoch of the user's ceremonies.
    #[serde(default, rename = "ep", skip_serializing_if = "FlowEpoch::is_first")]
    pub(super) epoch: FlowEpoch,
    /// For what the provider is visited.
    #[serde(rename = "k")]
    pub(super) purpose: Purpose,
}

/// For what a provider is visited in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Purpose {
    #[serde(rename = "l")]
    Link,
    #[serde(rename = "c")]
    Confirm,
}

impl Visit {
    pub(super) fn new() -> Result<Self, AuthError> {
        let seed = URL_SAFE_NO_PAD.encode(random::bytes::<16>()?);
        Ok(Self { seed, redirect_uri: None, next: None, remember: false, of: None })
    }
}

/// What a visit sends to the provider, and expects back.
pub(super) struct Secrets {
    /// It comes back in the redirect (RFC 6749 §10.12), and begins with the end of the cookie's name.
    pub(super) state: Zeroizing<String>,
    /// It comes back in the ID token (OpenID Connect Core §3.1.2.1).
    pub(super) nonce: Zeroizing<String>,
    /// The code verifier (RFC 7636 §4.1).
    pub(super) verifier: Zeroizing<String>,
}

impl Secrets {
    /// The secrets of a visit to this provider, by somebody whose credentials have this mark; empty for a sign-in.
    pub(super) fn of(flow: &Flow<Visit>, provider: &str, mark: &str) -> Self {
        let hkdf = Hkdf::<Sha256>::new(Some(flow.jti.as_bytes()), flow.content.seed.as_bytes());
        let secret = |what: &str, length: usize| {
            let mut bytes = Zeroizing::new(vec![0; length]);
            // HKDF-SHA256 refuses only outputs over 255 × 32 bytes.
            let info = [what.as_bytes(), b" ", provider.as_bytes(), b" ", mark.as_bytes()];
            let _: Result<(), hkdf::InvalidLength> = hkdf.expand_multi_info(&info, &mut bytes);
            Zeroizing::new(URL_SAFE_NO_PAD.encode(&*bytes))
        };
        let state = Zeroizing::new(format!("{}{}", name_of(&flow.jti), *secret("state", 16)));
        Self { state, nonce: secret("nonce", 16), verifier: secret("verifier", 32) }
    }
}

/// The end of the name of a flow's cookie.
pub(super) fn name_of(jti: &str) -> &str {
    jti.get(..NAME).unwrap_or(jti)
}

/// An ID token that an app or a page will present.
#[derive(Serialize, Deserialize)]
pub(super) struct Native {
    /// The name of the provider.
    #[serde(rename = "p")]
    pub(super) provider: String,
    pub(super) nonce: String,
}

impl FlowContent for Native {
    const PURPOSE: &'static str = "provider-native";
}

/// An identity that the owner of an account can link to it.
#[derive(Serialize, Deserialize)]
pub(super) struct Link {
    #[serde(flatten)]
    pub(super) identity: ProvenIdentity,
    /// The address that the provider has told.
    #[serde(rename = "e")]
    pub(super) email: String,
    /// The id of the account's user.
    pub(super) sub: String,
    /// The mark of the user's credentials.
    #[serde(rename = "gen")]
    pub(super) mark: String,
    /// The epoch of the user's ceremonies.
    #[serde(default, rename = "ep", skip_serializing_if = "FlowEpoch::is_first")]
    pub(super) epoch: FlowEpoch,
}

impl FlowContent for Link {
    const PURPOSE: &'static str = "provider-link";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::is_golden;

    #[test]
    fn the_golden_documents_of_providers() {
        is_golden::<Visit>("provider-visit", r#"{"s":"SEED"}"#);
        is_golden::<Visit>(
            "provider-visit",
            r#"{"s":"SEED","u":"https://app.example/b","n":"/a","rem":true,"of":{"sid":"ID","ep":7,"k":"l"}}"#,
        );
        is_golden::<Visit>("provider-visit", r#"{"s":"SEED","of":{"sid":"ID","k":"c"}}"#);
        is_golden::<Native>("provider-native", r#"{"p":"apple","nonce":"NONCE"}"#);
        is_golden::<Link>(
            "provider-link",
            r#"{"p":"oidc","i":"https://id.example","s":"SUB","e":"ada@example.com","sub":"7","gen":"GEN","ep":7}"#,
        );
    }

    fn flow(seed: &str) -> Flow<Visit> {
        let document = format!(
            r#"{{"jti":"AAAAAAAAAAAAAAAAAAAAAA","iat":1767225600,"exp":1767226500,"c":{{"s":"{seed}"}}}}"#
        );
        serde_json::from_str(&document).unwrap()
    }

    #[test]
    fn the_secrets_of_a_visit_are_of_its_provider_and_of_the_credentials() {
        let of = |seed: &str, provider: &str, mark: &str| {
            let Secrets { state, nonce, verifier } = Secrets::of(&flow(seed), provider, mark);
            [state.to_string(), nonce.to_string(), verifier.to_string()]
        };
        let first = of("SEED", "google", "");
        assert_eq!(first, of("SEED", "google", ""));
        assert_eq!(first.each_ref().map(String::len), [8 + 22, 22, 43]);
        assert!(first[0].starts_with("AAAAAAAA"));
        for other in [of("ABCD", "google", ""), of("SEED", "github", ""), of("SEED", "google", "MARK")] {
            for (one, other) in first.iter().zip(&other) {
                assert_ne!(one, other);
            }
        }
    }

    /// Servers in front of the host refuse requests with large headers, and there can be four such cookies.
    #[test]
    fn the_cookie_of_the_longest_visit_has_less_than_one_kibibyte() {
        let mut flow = flow(&Visit::new().unwrap().seed);
        flow.content.next = Some(format!("/{}", "a".repeat(511)));
        flow.content.remember = true;
        let epoch = serde_json::from_str("1767225600000").unwrap();
        flow.content.of = Some(OfSession { sid: random::id().unwrap(), epoch, purpose: Purpose::Link });
        let content = serde_json::to_vec(&flow).unwrap().len();
        assert!(content <= Visit::PADDED, "{content}");
        // After the version, with the salt and the tag, in base64url.
        let value = "fl1.".len() + (24 + Visit::PADDED + 16).div_ceil(3) * 4;
        assert!("__Host-Http-auth-flow-AAAAAAAA".len() + value < 1024, "{value}");
    }
}
