//! What a provider says about itself (OpenID Connect Discovery §3).

use super::id_token::Algorithm;
use crate::json;
use crate::web_url::WebUrl;
use serde_json::{Map, Value};

/// What is needed of the metadata.
pub(super) struct Metadata {
    pub(super) authorization_endpoint: String,
    pub(super) token_endpoint: String,
    pub(super) jwks_uri: String,
    pub(super) userinfo_endpoint: Option<String>,
    /// The algorithms of ID tokens that are announced and accepted.
    pub(super) algorithms: Vec<Algorithm>,
    /// Whether the callback has `iss` (RFC 9207 §3).
    pub(super) sends_issuer: bool,
    /// Whether the token endpoint takes the secret in the form alone.
    pub(super) wants_post: bool,
}

impl Metadata {
    /// Reads the metadata of an issuer. The error is the name of the member that is wrong.
    pub(super) fn read(document: &[u8], issuer: &str) -> Result<Self, &'static str> {
        let members = json::object(document).ok_or("document")?;
        if members.get("issuer").and_then(Value::as_str) != Some(issuer) {
            return Err("issuer");
        }
        let issuer = WebUrl::read(issuer).ok_or("issuer")?;
        let endpoint = |name: &'static str| {
            let url = members.get(name).and_then(Value::as_str).ok_or(name)?;
            let is_allowed = WebUrl::read(url).is_some_and(|url| issuer.may_name(&url));
            if is_allowed { Ok(url.to_owned()) } else { Err(name) }
        };
        let userinfo_endpoint = match members.get("userinfo_endpoint") {
            None | Some(Value::Null) => None,
            Some(_) => Some(endpoint("userinfo_endpoint")?),
        };
        let announced = texts(&members, "id_token_signing_alg_values_supported")?;
        let algorithms: Vec<_> = announced.iter().filter_map(|name| Algorithm::named(name)).collect();
        if algorithms.is_empty() {
            return Err("id_token_signing_alg_values_supported");
        }
        let methods = match members.get("token_endpoint_auth_methods_supported") {
            None | Some(Value::Null) => Vec::new(),
            Some(_) => texts(&members, "token_endpoint_auth_methods_supported")?,
        };
        let sends_issuer = match members.get("authorization_response_iss_parameter_supported") {
            None | Some(Value::Null) => false,
            Some(Value::Bool(sends)) => *sends,
            Some(_) => return Err("authorization_response_iss_parameter_supported"),
        };
        Ok(Self {
            authorization_endpoint: endpoint("authorization_endpoint")?,
            token_endpoint: endpoint("token_endpoint")?,
            jwks_uri: endpoint("jwks_uri")?,
            userinfo_endpoint,
            algorithms,
            sends_issuer,
            wants_post: methods.contains(&"client_secret_post") && !methods.contains(&"client_secret_basic"),
        })
    }
}

/// A list of texts.
fn texts<'a>(members: &'a Map<String, Value>, name: &'static str) -> Result<Vec<&'a str>, &'static str> {
    let list = members.get(name).and_then(Value::as_array).ok_or(name)?;
    list.iter().map(|item| item.as_str().ok_or(name)).collect()
}
