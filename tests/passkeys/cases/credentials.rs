//! Changes to the JSON of the credential, and to the parts of `authenticatorData` that both ceremonies have.

use super::{Case, Ceremony, both, in_authenticator_data, in_credential};
use crate::change::{Change, FLAGS, decoded, encoded};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE};
use serde_json::{Value, json};

pub(super) fn cases() -> Vec<Case> {
    let mut cases = members();
    cases.extend(encodings());
    cases.extend(authenticator_data());
    cases
}

fn members() -> Vec<Case> {
    let mut cases = Vec::new();
    for member in ["id", "rawId", "type", "response", "authenticatorAttachment", "clientExtensionResults"] {
        let without = in_credential(move |credential| drop(object(credential).remove(member)));
        cases.extend(both(&format!("without-{member}"), &without));
    }
    let of_both = ["clientDataJSON"].into_iter().flat_map(|member| Ceremony::BOTH.map(|of| (of, member)));
    let of_one = [
        (Ceremony::Registration, "attestationObject"),
        (Ceremony::Registration, "transports"),
        (Ceremony::Authentication, "authenticatorData"),
        (Ceremony::Authentication, "signature"),
    ];
    for (ceremony, member) in of_both.chain(of_one) {
        let without =
            in_credential(move |credential| drop(object(&mut credential["response"]).remove(member)));
        cases.push(Case::new(ceremony, &format!("without-{member}"), without));
    }
    let values = [
        ("id-other", "id", json!("AAAA")),
        ("raw-id-other", "rawId", json!("AAAA")),
        ("id-number", "id", json!(7)),
        ("type-other", "type", json!("password")),
        ("attachment-unknown", "authenticatorAttachment", json!("implanted")),
        ("attachment-null", "authenticatorAttachment", Value::Null),
        ("extension-results-null", "clientExtensionResults", Value::Null),
        ("extension-results-list", "clientExtensionResults", json!([])),
        ("extension-results-unknown", "clientExtensionResults", json!({ "other": { "a": 1 } })),
        ("member-unknown", "other", json!([{ "a": 1 }])),
    ];
    for (name, member, value) in values {
        cases.extend(both(name, &in_credential(move |credential| credential[member] = value.clone())));
    }
    let twice = |text: String| text.replacen('{', r#"{"type":"password","#, 1);
    cases.extend(both("type-twice", &Change::Text(twice)));
    // Lists with the values of the members in the order of the standard.
    let list = |credential: &Value, members: &[&str]| {
        members
            .iter()
            .map(|member| credential[*member].clone())
            .filter(|value| !value.is_null())
            .collect::<Value>()
    };
    let response = in_credential(move |credential| {
        let members = ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"];
        credential["response"] = list(&credential["response"], &members);
    });
    cases.extend(both("response-as-list", &response));
    let all = in_credential(move |credential| {
        *credential = list(credential, &["id", "rawId", "type", "response", "clientExtensionResults"]);
    });
    cases.extend(both("credential-as-list", &all));
    cases
}

fn object(value: &mut Value) -> &mut serde_json::Map<String, Value> {
    value.as_object_mut().expect("an object")
}

/// Texts in base64url that are written in another way.
fn encodings() -> Vec<Case> {
    let mut cases = Vec::new();
    let ids = in_credential(|credential| {
        credential["id"] = URL_SAFE.encode(decoded(&credential["id"])).into();
        credential["rawId"] = credential["id"].clone();
    });
    cases.extend(both("id-with-padding", &ids));
    let bits = in_credential(|credential| {
        credential["id"] = with_spare_bits(&credential["id"]).into();
        credential["rawId"] = credential["id"].clone();
    });
    cases.extend(both("id-with-spare-bits", &bits));
    let one_of_two = in_credential(|credential| credential["id"] = with_spare_bits(&credential["id"]).into());
    cases.extend(both("id-with-spare-bits-and-raw-id-without", &one_of_two));
    // The document is not signed in a registration. The texts in it make the alphabets different and padding necessary.
    for (name, write) in [
        ("with-padding", (|bytes| URL_SAFE.encode(bytes)) as fn(&[u8]) -> String),
        ("in-base64", |bytes| STANDARD_NO_PAD.encode(bytes)),
        ("with-line-feed", |bytes| format!("{}\n", encoded(bytes))),
    ] {
        let written = in_credential(move |credential| {
            let member = &mut credential["response"]["clientDataJSON"];
            let mut document = decoded(member);
            document.pop();
            document.extend(b",\"a\":\"????????\"}");
            document.resize(document.len().next_multiple_of(3) + 1, b' ');
            *member = write(&document).into();
        });
        cases.push(Case::new(Ceremony::Registration, &format!("client-data-{name}"), written));
    }
    // 37 bytes need padding.
    let padded = in_credential(|credential| {
        let member = &mut credential["response"]["authenticatorData"];
        *member = URL_SAFE.encode(decoded(member)).into();
    });
    cases.push(Case::new(Ceremony::Authentication, "authenticator-data-with-padding", padded));
    cases
}

/// The same bytes of an id of 32 bytes; one of the bits at the end that have no meaning is set.
fn with_spare_bits(id: &Value) -> String {
    const ALPHABET: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = id.as_str().unwrap_or_default().to_owned();
    let place = text.pop().and_then(|last| ALPHABET.find(last)).expect("base64url");
    text.extend(ALPHABET.chars().nth(place | 1));
    text
}

fn authenticator_data() -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, alter) in [
        ("relying-party-other", (|data| data[0] ^= 1) as fn(&mut Vec<u8>)),
        ("user-absent", |data| data[FLAGS] &= !1),
        ("user-unverified", |data| data[FLAGS] &= !4),
        ("backed-up-and-not-eligible", |data| data[FLAGS] &= !8),
        ("eligible-and-not-backed-up", |data| data[FLAGS] &= !16),
        ("flags-reserved", |data| data[FLAGS] |= 0b10_0010),
        ("trailing-byte", |data| data.push(0)),
        ("empty", Vec::clear),
        ("36-bytes", |data| data.truncate(36)),
    ] {
        cases.extend(both(&format!("authenticator-data-{name}"), &in_authenticator_data(alter)));
    }
    for (name, extensions) in [
        ("missing", &b""[..]),
        ("empty-map", b"\xa0"),
        ("known", b"\xa1\x6bcredProtect\x02"),
        ("unknown", b"\xa1\x65other\x82\x01\x02"),
        ("twice", b"\xa2\x6bcredProtect\x02\x6bcredProtect\x02"),
        ("array", b"\x80"),
        ("null", b"\xf6"),
        ("indefinite", b"\xbf\xff"),
        ("indefinite-within", b"\xa1\x65other\x9f\xff"),
        ("tag-within", b"\xa1\x65other\xc1\x00"),
        ("long-form", b"\xb8\x00"),
        ("followed", b"\xa0\x00"),
        ("truncated", b"\xa1\x6bcredProtect"),
        ("huge", b"\xbb\xff\xff\xff\xff\xff\xff\xff\xff"),
    ] {
        let announced = in_authenticator_data(move |data| {
            data[FLAGS] |= 0x80;
            data.extend(extensions);
        });
        cases.extend(both(&format!("extensions-{name}"), &announced));
    }
    cases
}
