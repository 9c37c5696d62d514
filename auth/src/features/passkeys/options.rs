//! The options of WebAuthn Level 3 in their JSON form, as a page passes them to `parseCreationOptionsFromJSON` and
//! `parseRequestOptionsFromJSON`.

use super::flows::LIFETIME;
use super::webauthn::ALGORITHMS;
use crate::config::{RelyingParty, UserVerification};
use crate::repository::PasskeyRecord;
use crate::user::UserRecord;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use std::time::Duration;

impl UserVerification {
    /// The word of the standard.
    const fn word(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::Preferred => "preferred",
        }
    }
}

/// `PublicKeyCredentialCreationOptionsJSON`.
pub(super) fn creation(
    relying_party: &RelyingParty,
    user: &dyn UserRecord,
    handle: &str,
    challenge: &str,
    present: &[PasskeyRecord],
    user_verification: UserVerification,
) -> Value {
    let algorithms = ALGORITHMS.map(|algorithm| json!({ "type": "public-key", "alg": algorithm }));
    json!({
        "rp": { "id": relying_party.id(), "name": relying_party.name() },
        "user": { "id": handle, "name": user.email(), "displayName": user.name() },
        "challenge": challenge,
        "pubKeyCredParams": algorithms,
        "timeout": milliseconds(LIFETIME),
        "excludeCredentials": descriptors(present),
        "authenticatorSelection": {
            "residentKey": "required",
            "requireResidentKey": true,
            "userVerification": user_verification.word(),
        },
        "attestation": "none",
        "extensions": { "credProps": true },
    })
}

/// `PublicKeyCredentialRequestOptionsJSON` for a login: any passkey of the relying party, for as long as the page is open.
pub(super) fn login(
    relying_party: &RelyingParty,
    challenge: &str,
    user_verification: UserVerification,
) -> Value {
    json!({
        "challenge": challenge,
        "rpId": relying_party.id(),
        "allowCredentials": [],
        "userVerification": user_verification.word(),
    })
}

/// `PublicKeyCredentialRequestOptionsJSON` for one of these passkeys.
pub(super) fn request(
    relying_party: &RelyingParty,
    challenge: &str,
    allowed: &[PasskeyRecord],
    user_verification: &str,
    rest: Duration,
) -> Value {
    json!({
        "challenge": challenge,
        "rpId": relying_party.id(),
        "allowCredentials": descriptors(allowed),
        "userVerification": user_verification,
        "timeout": milliseconds(rest),
    })
}

fn descriptors(passkeys: &[PasskeyRecord]) -> Vec<Value> {
    let descriptor = |passkey: &PasskeyRecord| {
        json!({
            "type": "public-key",
            "id": URL_SAFE_NO_PAD.encode(&passkey.credential_id),
            "transports": passkey.transports,
        })
    };
    passkeys.iter().map(descriptor).collect()
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
