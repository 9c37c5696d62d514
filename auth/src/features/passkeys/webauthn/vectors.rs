//! The verification against the vectors of WebAuthn Level 3 §16.

use super::{Assertion, Expected, Flaw, NewCredential};
use crate::config::RelyingParty;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

/// What the vectors show that is refused here: algorithms that are not offered, and pages in frames.
fn refusal(vector: &str) -> Option<Flaw> {
    match vector {
        "none-es256-crossOrigin" | "none-es256-topOrigin" => Some(Flaw::CrossOrigin),
        "packed-es384" | "packed-es512" | "packed-ed448" => Some(Flaw::PublicKey),
        _ => None,
    }
}

#[test]
fn the_vectors_of_the_standard() {
    let site = RelyingParty::new("example.org", "Example", ["https://example.org"]).unwrap();
    let vectors: Vec<Value> = serde_json::from_str(include_str!("vectors.json")).unwrap();
    assert_eq!(vectors.len(), 15);
    for vector in vectors {
        let (name, id) = (vector["name"].as_str().unwrap(), &vector["registration"]["credential_id"]);
        let credential =
            |response| json!({ "id": id, "rawId": id, "type": "public-key", "response": response });
        // The vectors have been made without user verification, too.
        let expected = |of: &str| {
            let challenge = vector[of]["challenge"].as_str().unwrap();
            Expected { challenge, relying_party: &site, user_verification: false }
        };
        let made =
            NewCredential::verify(credential(vector["registration"].clone()), &expected("registration"));
        if let Some(refusal) = refusal(name) {
            assert_eq!(made.err(), Some(refusal), "{name}");
            continue;
        }
        let made = made.unwrap_or_else(|flaw| panic!("{name}: {flaw:?}"));
        assert_eq!(URL_SAFE_NO_PAD.encode(&made.id), id.as_str().unwrap(), "{name}");
        let response = credential(vector["authentication"].clone());
        let proof = Assertion::read(response, &expected("authentication"))
            .unwrap_or_else(|flaw| panic!("{name}: {flaw:?}"));
        assert_eq!(proof.verify(&made.public_key), Ok(()), "{name}");
        assert_eq!(proof.backup_eligible, made.backup_eligible, "{name}");
    }
}
