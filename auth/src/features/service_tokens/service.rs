//! Signing tokens for other services. No HTTP.

use super::CREATE;
use crate::client::ClientAddress;
use crate::clock::{unix_seconds, whole_seconds};
use crate::config::ServiceKeys;
use crate::core::{Core, Identity};
use crate::crypto::random;
use crate::error::{AuthError, FieldErrors, FieldText};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt;
use std::time::SystemTime;

/// Tokens for other services, with the rules and limits of the route.
#[derive(Clone)]
pub struct ServiceTokensService {
    core: Core,
    keys: ServiceKeys,
}

/// A token for another service: a secret of its user.
pub struct ServiceToken {
    /// When it expires, in whole seconds.
    pub expires_at: SystemTime,
    text: String,
}

impl ServiceToken {
    /// The text that a program sends to the service as `Authorization: Bearer`.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Does not show the text.
impl fmt::Debug for ServiceToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceToken").field("expires_at", &self.expires_at).finish_non_exhaustive()
    }
}

/// The protected header (RFC 7515 §4.1). `typ` is that of RFC 9068, whose claim `client_id` these tokens do not have.
#[derive(Serialize)]
struct Header<'a> {
    typ: &'static str,
    alg: &'static str,
    kid: &'a str,
}

/// The claims (RFC 7519 §4.1, RFC 9068 §2.2).
#[derive(Serialize)]
struct Claims<'a> {
    iss: &'a str,
    sub: &'a str,
    aud: &'a str,
    iat: u64,
    exp: u64,
    jti: String,
    sid: &'a str,
    auth_time: u64,
    amr: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    acr: Option<&'static str>,
}

impl ServiceTokensService {
    pub(super) fn new(core: &Core, keys: ServiceKeys) -> Self {
        Self { core: core.clone(), keys }
    }

    /// A token with which a service knows who the session's user is (specification §9.69). `audience` is the name of the service.
    ///
    /// # Errors
    /// That of the field `audience`; [`AuthError::NotWhileImpersonating`]; [`AuthError::TooManyAttempts`];
    /// [`AuthError::Unauthenticated`] if the session has ended.
    pub async fn create(
        &self,
        who: &Identity,
        audience: &str,
        client: ClientAddress,
    ) -> Result<ServiceToken, AuthError> {
        let acting = self.core.begin(&CREATE, who, client).await?;
        if !self.keys.has_audience(audience) {
            return Err(FieldErrors::standard("audience", FieldText::AudienceUnknown).into());
        }
        acting.check_alive().await?;
        let now = whole_seconds(self.core.now());
        let expires_at = now + self.keys.token_lifetime();
        let session = &who.session;
        let claims = Claims {
            iss: self.keys.token_issuer().unwrap_or_default(),
            sub: session.user_id(),
            aud: audience,
            iat: unix_seconds(now),
            exp: unix_seconds(expires_at),
            jti: random::id()?,
            sid: session.session_id(),
            auth_time: unix_seconds(session.authenticated_at()),
            amr: session.authenticated_by(),
            acr: session.level().map(crate::assurance::Level::as_str),
        };
        Ok(ServiceToken { expires_at, text: self.signed(&claims)? })
    }

    /// The claims as a JSON Web Token in the compact form (RFC 7515 §7.1).
    fn signed(&self, claims: &Claims<'_>) -> Result<String, AuthError> {
        let key = self.keys.signing();
        let header = Header { typ: "at+jwt", alg: key.algorithm(), kid: self.keys.key_id() };
        let mut token = URL_SAFE_NO_PAD.encode(serde_json::to_vec(&header).map_err(AuthError::internal)?);
        token.push('.');
        let claims = serde_json::to_vec(claims).map_err(AuthError::internal)?;
        URL_SAFE_NO_PAD.encode_string(claims, &mut token);
        let signature = key.sign(token.as_bytes())?;
        token.push('.');
        URL_SAFE_NO_PAD.encode_string(signature, &mut token);
        Ok(token)
    }

    /// The public keys as a JSON Web Key Set (RFC 7517 §5): the next ones, the current one and the previous ones.
    #[must_use]
    pub fn published_keys(&self) -> Value {
        json!({ "keys": Vec::from_iter(self.keys.published().map(crate::crypto::signing::PublishedKey::jwk)) })
    }
}
