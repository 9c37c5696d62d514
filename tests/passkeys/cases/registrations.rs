//! Changes that only a registration can have, except those of keys.

use super::{Case, Ceremony, in_authenticator_data, in_credential};
use crate::change::{Change, FLAGS, attestation_object};
use serde_json::{Value, json};
use std::rc::Rc;

pub(super) fn cases() -> Vec<Case> {
    let case = |name: &str, change| Case::new(Ceremony::Registration, name, change);
    let mut cases = vec![
        case("packed-self-attestation", Change::SelfAttestation(|_| {})),
        case("packed-with-wrong-signature", Change::SelfAttestation(|signature| signature[12] ^= 1)),
    ];
    for (name, wrap) in attestations() {
        cases.push(case(&format!("attestation-{name}"), Change::Attestation(Rc::new(wrap))));
    }
    for length in [0, 1, 16, 1023, 1024] {
        cases.push(case(&format!("id-of-{length}-bytes"), Change::Id(length)));
    }
    let other = in_credential(|credential| {
        credential["id"] = "AAAA".into();
        credential["rawId"] = "AAAA".into();
    });
    cases.push(case("id-other-than-that-of-the-authenticator", other));
    cases.push(case(
        "without-key",
        in_authenticator_data(|data| {
            data[FLAGS] &= !0x40;
            data.truncate(37);
        }),
    ));
    cases.push(case("key-without-its-flag", in_authenticator_data(|data| data[FLAGS] &= !0x40)));
    cases.push(case("model", in_authenticator_data(|data| data[37..53].fill(7))));
    let transports =
        |value: Value| in_credential(move |credential| credential["response"]["transports"] = value.clone());
    cases.push(case("transports-unknown", transports(json!(["usb", "pigeon", "", "a,b"]))));
    cases.push(case("transports-none", transports(json!([]))));
    cases.push(case("transports-null", transports(Value::Null)));
    cases.push(case("transports-text", transports(json!("usb"))));
    let properties = |value: Value| {
        in_credential(move |credential| {
            credential["clientExtensionResults"] = json!({ "credProps": value });
        })
    };
    cases.push(case("not-discoverable", properties(json!({ "rk": false }))));
    cases.push(case("discoverable-unknown", properties(json!({}))));
    cases
}

type Wrap = fn(&[u8]) -> Vec<u8>;

/// Attestation objects around authenticator data that is not changed.
fn attestations() -> Vec<(&'static str, Wrap)> {
    vec![
        ("members-in-another-order", |data| {
            let all = attestation_object("none", &[0xa0], data);
            let [head, format, rest] = [&all[..1], &all[1..10], &all[10..]];
            [head, rest, format].concat()
        }),
        ("packed-without-signature", |data| attestation_object("packed", b"\xa1\x63alg\x26", data)),
        ("packed-with-empty-statement", |data| attestation_object("packed", &[0xa0], data)),
        ("unknown-format", |data| attestation_object("other", &[0xa0], data)),
        ("none-with-statement", |data| attestation_object("none", b"\xa1\x63alg\x26", data)),
        ("statement-array", |data| attestation_object("none", &[0x80], data)),
        ("statement-indefinite", |data| attestation_object("none", &[0xbf, 0xff], data)),
        ("statement-nested-30000-deep", |data| {
            let deep = [vec![0xa1, 0x61, 0x61], vec![0x81; 30_000], vec![0x00]].concat();
            attestation_object("packed", &deep, data)
        }),
        ("statement-missing", |data| {
            let all = attestation_object("none", &[0xa0], data);
            [&[0xa2], &all[1..10], &all[19..]].concat()
        }),
        ("trailing-byte", |data| [&attestation_object("none", &[0xa0], data)[..], &[0]].concat()),
        ("member-twice", |data| {
            let all = attestation_object("none", &[0xa0], data);
            [&[0xa4], &all[1..], b"\x63fmt\x64none"].concat()
        }),
        ("member-unknown", |data| {
            let all = attestation_object("none", &[0xa0], data);
            [&[0xa4], &all[1..], b"\x65other\x00"].concat()
        }),
        ("indefinite", |data| {
            let all = attestation_object("none", &[0xa0], data);
            [&[0xbf], &all[1..], &[0xff]].concat()
        }),
        ("data-indefinite", |data| {
            let all = attestation_object("none", &[0xa0], data);
            let (head, bytes) = all.split_at(all.len() - data.len() - 3);
            [head, &[0x5f], bytes, &[0xff]].concat()
        }),
        ("data-text", |data| {
            let mut all = attestation_object("none", &[0xa0], data);
            let at = all.len() - data.len() - 3;
            all[at] = 0x79;
            all
        }),
        ("long-form", |data| {
            let all = attestation_object("none", &[0xa0], data);
            [&[0xb8, 3], &all[1..]].concat()
        }),
        ("empty", |_| Vec::new()),
        ("array", |data| [&[0x81], &attestation_object("none", &[0xa0], data)[..]].concat()),
        ("truncated", |data| {
            let mut all = attestation_object("none", &[0xa0], data);
            all.pop();
            all
        }),
    ]
}
