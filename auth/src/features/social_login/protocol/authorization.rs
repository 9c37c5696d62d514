//! The authorization request (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.1), always with PKCE (RFC 7636).

use super::Authorization;
use crate::social::{Kind, SocialProvider};
use crate::uri::encoded;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// The URL of a request to this authorization endpoint.
pub(super) fn url(provider: &SocialProvider, endpoint: &str, request: &Authorization<'_>) -> String {
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(request.verifier.as_bytes()));
    let scope = provider.scope();
    let is_openid = matches!(provider.kind(), Kind::OpenId { .. });
    let mut parameters = vec![
        ("response_type", "code"),
        ("client_id", provider.client_id()),
        ("redirect_uri", request.redirect_uri),
        ("state", request.state),
        ("code_challenge", &challenge),
        ("code_challenge_method", "S256"),
    ];
    if !scope.is_empty() {
        parameters.push(("scope", &scope));
    }
    if is_openid {
        parameters.push(("nonce", request.nonce));
    }
    if request.fresh {
        parameters.extend([("prompt", provider.asks_again()), ("max_age", "0")]);
    }
    // What makes the provider ask again is more than what the host wants.
    let own = provider.parameters().iter().filter(|(name, _)| !(request.fresh && name == "prompt"));
    let own = own.map(|(name, value)| (name.as_str(), value.as_str()));
    let pairs = parameters.into_iter().chain(own);
    let query: Vec<_> = pairs.map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).collect();
    let separator = match endpoint.split_once('?') {
        None => "?",
        Some((_, "")) => "",
        Some(_) => "&",
    };
    format!("{endpoint}{separator}{}", query.join("&"))
}
