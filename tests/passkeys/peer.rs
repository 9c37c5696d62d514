//! What passki says. Its states are read from JSON, because they have the challenge that this library has made.

use crate::host::{ID, ORIGINS};
use passki::{
    AuthenticationCredential, AuthenticationState, Passki, RegistrationCredential, RegistrationState,
    StoredPasskey,
};
use serde_json::{Value, json};

type Verdict<T> = Result<T, String>;

fn site() -> Passki {
    Passki::new(ID, &ORIGINS, "Example")
}

pub(crate) fn registration(
    credential: &str,
    options: &Value,
    user_verification: bool,
) -> Verdict<StoredPasskey> {
    let state = json!({
        "challenge": challenge(options),
        "user": options["user"],
        "user_verification": requirement(user_verification),
    });
    let state: RegistrationState = serde_json::from_value(state).expect("passki's state");
    let credential: RegistrationCredential = serde_json::from_str(credential).map_err(said)?;
    site().finish_passkey_registration(&credential, &state).map_err(said)
}

pub(crate) fn authentication(
    credential: &str,
    options: &Value,
    user_verification: bool,
    stored: &StoredPasskey,
) -> Verdict<()> {
    let state = json!({
        "challenge": challenge(options),
        "allowed_credentials": [stored.credential_id],
        "user_verification": requirement(user_verification),
    });
    let state: AuthenticationState = serde_json::from_value(state).expect("passki's state");
    let credential: AuthenticationCredential = serde_json::from_str(credential).map_err(said)?;
    site().finish_passkey_authentication(&credential, &state, stored).map(drop).map_err(said)
}

fn challenge(options: &Value) -> Vec<u8> {
    options["challenge"].as_str().and_then(|text| Passki::base64_decode(text).ok()).expect("a challenge")
}

fn requirement(user_verification: bool) -> &'static str {
    if user_verification { "required" } else { "preferred" }
}

fn said(why: impl ToString) -> String {
    why.to_string()
}
