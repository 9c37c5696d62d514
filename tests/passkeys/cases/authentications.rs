//! Changes that only an authentication can have.

use super::{Case, Ceremony, ORIGIN, in_authenticator_data, in_credential};
use crate::change::{Change, FLAGS, decoded, encoded};
use axum_auth_module::testing::SoftPasskey;
use serde_json::{Value, json};

pub(super) fn cases() -> Vec<Case> {
    let mut cases = signatures();
    cases.extend(counters());
    cases.push(case(
        "key-in-the-proof",
        in_authenticator_data(|data| {
            data[FLAGS] |= 0x40;
            data.extend([0; 16]);
            data.extend(b"\x00\x01\x07\xa1\x01\x02");
        }),
    ));
    cases.push(case("flag-of-the-key-alone", in_authenticator_data(|data| data[FLAGS] |= 0x40)));
    cases.push(case("not-eligible-any-more", in_authenticator_data(|data| data[FLAGS] &= !0x18)));
    let eligible = in_authenticator_data(|data| data[FLAGS] |= 0x08);
    cases.push(case("eligible-now", eligible).of(SoftPasskey::on(ORIGIN).counting_from(7)));
    let handle = |value: Value| in_credential(move |all| all["response"]["userHandle"] = value.clone());
    cases.push(case("user-handle-other", handle(json!("AQ"))));
    cases.push(case("user-handle-empty", handle(json!(""))));
    cases.push(case("user-handle-null", handle(Value::Null)));
    cases.push(case("user-handle-number", handle(json!(7))));
    cases
}

fn case(name: &str, change: Change) -> Case {
    Case::new(Ceremony::Authentication, name, change)
}

fn signatures() -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, alter) in [
        ("of-another-key", of_another_key as fn(&mut Vec<u8>)),
        ("empty", Vec::clear),
        ("truncated", |signature| signature.truncate(signature.len() - 1)),
        ("followed", |signature| signature.push(0)),
        ("changed", |signature| signature[12] ^= 1),
        ("of-zeros", |signature| *signature = b"\x30\x06\x02\x01\x00\x02\x01\x00".to_vec()),
        ("in-fixed-form", |signature| *signature = numbers(signature).concat()),
        ("with-leading-zeros", |signature| *signature = der(&numbers(signature), &[0, 0])),
        ("with-long-length", |signature| {
            signature.insert(1, 0x81);
        }),
    ] {
        let change = in_credential(move |credential| {
            let member = &mut credential["response"]["signature"];
            let mut signature = decoded(member);
            alter(&mut signature);
            *member = encoded(&signature).into();
        });
        let es256 = case(&format!("signature-{name}"), change.clone());
        cases.push(es256);
        if matches!(name, "of-another-key" | "truncated" | "followed" | "changed") {
            let eddsa = case(&format!("signature-{name}-eddsa"), change);
            cases.push(eddsa.of(SoftPasskey::on(ORIGIN).with_ed25519()));
        }
    }
    let data = in_credential(|credential| {
        let member = &mut credential["response"]["authenticatorData"];
        let mut data = decoded(member);
        data[36] ^= 1;
        *member = encoded(&data).into();
    });
    cases.push(case("authenticator-data-changed-after-the-signature", data));
    let document = in_credential(|credential| {
        let member = &mut credential["response"]["clientDataJSON"];
        *member = encoded(&[&decoded(member)[..], b" "].concat()).into();
    });
    cases.push(case("client-data-changed-after-the-signature", document));
    cases
}

fn of_another_key(signature: &mut Vec<u8>) {
    let mut other = SoftPasskey::on(ORIGIN);
    let proof = other.sign_in(&json!({ "challenge": "AA", "rpId": "example.com" }));
    *signature = decoded(&proof["response"]["signature"]);
}

/// The two numbers of a signature in DER, of 32 bytes each.
fn numbers(signature: &[u8]) -> [Vec<u8>; 2] {
    let length = usize::from(signature[3]);
    [&signature[4..4 + length], &signature[6 + length..]].map(|number| {
        let digits = &number[number.len().saturating_sub(32)..];
        [vec![0; 32 - digits.len()], digits.to_vec()].concat()
    })
}

/// A signature in DER whose numbers have these bytes in front of them.
fn der(numbers: &[Vec<u8>; 2], before: &[u8]) -> Vec<u8> {
    let of = |number: &Vec<u8>| {
        let number = [before, number].concat();
        [&[2, u8::try_from(number.len()).expect("a short number")], &number[..]].concat()
    };
    let both = [of(&numbers[0]), of(&numbers[1])].concat();
    [&[0x30, u8::try_from(both.len()).expect("a short signature")], &both[..]].concat()
}

fn counters() -> Vec<Case> {
    let set = |counter: u32| {
        in_authenticator_data(move |data| data[33..37].copy_from_slice(&counter.to_be_bytes()))
    };
    let mut cases = Vec::new();
    for (name, counter) in [("same", 7), ("less", 6), ("zero", 0), ("greatest", u32::MAX)] {
        let counting = SoftPasskey::on(ORIGIN).counting_from(7);
        cases.push(case(&format!("counter-{name}"), set(counter)).of(counting));
    }
    let first = SoftPasskey::on(ORIGIN).counting_from(0);
    cases.push(case("counter-zero-after-zero", set(0)).of(first));
    for (name, counter) in [("same", 7), ("less", 6), ("greater", 8)] {
        cases.push(case(&format!("synced-counter-{name}"), set(counter)).before(set(7)));
    }
    cases
}
