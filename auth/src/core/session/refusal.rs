//! Why a credential is refused, for the log alone: responses do not say.

use super::{Presented, SessionIssuer, unix_seconds};
use serde::Deserialize;
use serde::de::IgnoredAny;

/// The one claim that tells an expired credential from one for another service.
#[derive(Deserialize)]
struct Expiry {
    exp: u64,
}

impl SessionIssuer {
    /// Why [`open`](Self::open) refuses this credential. Nothing of the credential is in the sentence.
    pub(in crate::core) fn why_refused(&self, presented: Presented<'_>) -> &'static str {
        let (keys, text) = match presented {
            Presented::AccessToken(token) => (&self.access, token),
            Presented::SessionCookie(value) => (&self.cookie, value),
        };
        match keys.open::<Expiry>(text) {
            Some(Expiry { exp }) if exp <= unix_seconds(self.clock().now()) => "the token has expired",
            Some(_) => "the token is not valid yet, or is for another `issuer` or `audience`",
            None if self.refresh.open::<IgnoredAny>(text).is_some() => {
                "the token is a refresh token: send the access token"
            }
            None => {
                "the token is not one that this module has signed: its text is changed, or `jwt_secret` is another"
            }
        }
    }
}
