//! What the flow tokens of passkeys hold.

use crate::core::{FlowContent, FlowEpoch};
use crate::crypto::random;
use crate::error::AuthError;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How long the options for a login are valid: a page that offers passkeys in the field of the address asks for them at once, and the
/// user chooses one later.
pub(super) const LOGIN_LIFETIME: Duration = Duration::from_secs(3600);
/// How long the options for a new passkey and for a confirmation are valid.
pub(super) const LIFETIME: Duration = Duration::from_secs(300);

/// A challenge of 32 random bytes, in base64url.
pub(super) fn challenge() -> Result<String, AuthError> {
    random::bytes::<32>().map(|bytes| URL_SAFE_NO_PAD.encode(bytes))
}

/// A login, of nobody yet.
#[derive(Serialize, Deserialize)]
pub(super) struct Login {
    pub(super) challenge: String,
}

impl FlowContent for Login {
    const PURPOSE: &'static str = "passkey-login";
}

/// What is begun in a session.
#[derive(Serialize, Deserialize)]
pub(super) struct OfSession {
    /// The session.
    pub(super) sid: String,
    /// The mark of the user's credentials.
    #[serde(rename = "gen")]
    pub(super) mark: String,
    /// The epoch of the user's ceremonies.
    #[serde(default, rename = "ep", skip_serializing_if = "FlowEpoch::is_first")]
    pub(super) epoch: FlowEpoch,
    pub(super) challenge: String,
}

/// A new passkey.
#[derive(Serialize, Deserialize)]
pub(super) struct Addition {
    #[serde(flatten)]
    pub(super) of: OfSession,
    /// The user handle, in base64url: the one of the user's other passkeys, or a new one.
    pub(super) handle: String,
}

impl FlowContent for Addition {
    const PURPOSE: &'static str = "passkey-addition";
}

/// A confirmation.
#[derive(Serialize, Deserialize)]
pub(super) struct Confirmation {
    #[serde(flatten)]
    pub(super) of: OfSession,
}

impl FlowContent for Confirmation {
    const PURPOSE: &'static str = "passkey-confirmation";
}

/// A passkey at the challenge after a sign-in.
#[derive(Serialize, Deserialize)]
pub(super) struct AtChallenge {
    /// The id of the challenge token.
    pub(super) of: String,
    pub(super) challenge: String,
}

impl FlowContent for AtChallenge {
    const PURPOSE: &'static str = "passkey-challenge";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::is_golden;

    #[test]
    fn the_golden_documents_of_passkeys() {
        is_golden::<Login>("passkey-login", r#"{"challenge":"CHALLENGE"}"#);
        is_golden::<AtChallenge>("passkey-challenge", r#"{"of":"ID","challenge":"CHALLENGE"}"#);
        for epoch in ["", r#","ep":7"#] {
            let of = format!(r#"{{"sid":"ID","gen":"GEN"{epoch},"challenge":"CHALLENGE""#);
            is_golden::<Confirmation>("passkey-confirmation", &format!("{of}}}"));
            is_golden::<Addition>("passkey-addition", &format!(r#"{of},"handle":"HANDLE"}}"#));
        }
    }

    #[test]
    fn a_challenge_is_random() {
        let (one, other) = (challenge().unwrap(), challenge().unwrap());
        assert_eq!((one.len(), other.len()), (43, 43));
        assert_ne!(one, other);
    }
}
