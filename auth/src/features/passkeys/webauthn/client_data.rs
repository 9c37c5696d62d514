//! `clientDataJSON`: what the browser says about the page (WebAuthn Level 3 §5.8.1).

use super::{Expected, Flaw};
use crate::json;
use serde_json::Value;

/// What the browser was asked for.
#[derive(Clone, Copy)]
pub(super) enum Ceremony {
    Registration,
    Authentication,
}

impl Ceremony {
    const fn name(self) -> &'static str {
        match self {
            Self::Registration => "webauthn.create",
            Self::Authentication => "webauthn.get",
        }
    }
}

/// Compares the document with what was asked for. A byte order mark in front of it is passed over, as the step "UTF-8 decode" says.
pub(super) fn check(document: &[u8], ceremony: Ceremony, expected: &Expected<'_>) -> Result<(), Flaw> {
    let document = document.strip_prefix("\u{feff}".as_bytes()).unwrap_or(document);
    let members = json::object(document).ok_or(Flaw::ClientData)?;
    let text = |name| members.get(name).and_then(Value::as_str).ok_or(Flaw::ClientData);
    let (kind, challenge, origin) = (text("type")?, text("challenge")?, text("origin")?);
    if kind != ceremony.name() {
        return Err(Flaw::Ceremony);
    }
    if challenge != expected.challenge {
        return Err(Flaw::Challenge);
    }
    if !expected.relying_party.has_origin(origin) {
        return Err(Flaw::Origin);
    }
    match members.get("crossOrigin") {
        None | Some(Value::Bool(false)) => {}
        Some(_) => return Err(Flaw::CrossOrigin),
    }
    if members.contains_key("topOrigin") {
        return Err(Flaw::CrossOrigin);
    }
    Ok(())
}
