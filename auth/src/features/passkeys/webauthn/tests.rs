//! The verification against an authenticator that breaks one rule at a time.

use super::{ALGORITHMS, Assertion, Expected, Flaw, NewCredential};
use crate::config::RelyingParty;
use crate::testing::SoftPasskey;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

const ORIGIN: &str = "https://example.com";

fn site() -> RelyingParty {
    RelyingParty::new("example.com", "Example", [ORIGIN]).unwrap()
}

fn expected<'a>(site: &'a RelyingParty, challenge: &'a str) -> Expected<'a> {
    Expected { challenge, relying_party: site, user_verification: true }
}

fn creation_options() -> Value {
    json!({ "challenge": "AAAA", "rp": { "id": "example.com" }, "user": { "id": "AQ" } })
}

fn request_options() -> Value {
    json!({ "challenge": "BBBB", "rpId": "example.com" })
}

fn registered(credential: Value) -> Result<NewCredential, Flaw> {
    NewCredential::verify(credential, &expected(&site(), "AAAA"))
}

fn asserted(credential: Value) -> Result<Assertion, Flaw> {
    Assertion::read(credential, &expected(&site(), "BBBB"))
}

fn flaw<T>(result: Result<T, Flaw>) -> Option<Flaw> {
    result.err()
}

#[test]
fn a_passkey_of_each_algorithm_signs_in() {
    assert_eq!(ALGORITHMS, [-7, -8, -257]);
    for mut passkey in [SoftPasskey::on(ORIGIN), SoftPasskey::on(ORIGIN).with_ed25519()] {
        let made = registered(passkey.register(&creation_options())).unwrap();
        assert_eq!(URL_SAFE_NO_PAD.encode(&made.id), passkey.credential_id());
        assert_eq!((made.counter, made.backup_eligible, made.backed_up), (0, true, true));
        assert_eq!((made.aaguid, made.transports), (None, vec!["hybrid".to_owned(), "internal".to_owned()]));
        let proof = asserted(passkey.sign_in(&request_options())).unwrap();
        assert_eq!(proof.verify(&made.public_key), Ok(()));
        assert_eq!((proof.user_handle.as_deref(), proof.user_verified), (Some(&[1][..]), true));
    }
}

#[test]
fn a_passkey_that_counts_says_so() {
    let mut passkey = SoftPasskey::on(ORIGIN).counting_from(u32::MAX - 1);
    let made = registered(passkey.register(&creation_options())).unwrap();
    assert_eq!((made.counter, made.backup_eligible, made.backed_up), (u32::MAX - 1, false, false));
    assert_eq!(asserted(passkey.sign_in(&request_options())).unwrap().counter, u32::MAX);
}

#[test]
fn a_signature_of_something_else_is_refused() {
    let (mut passkey, mut other) = (SoftPasskey::on(ORIGIN), SoftPasskey::on(ORIGIN));
    let own = registered(passkey.register(&creation_options())).unwrap().public_key;
    let others = registered(other.register(&creation_options())).unwrap().public_key;
    let credential = passkey.sign_in(&request_options());
    let verify = |credential: Value, key: &[u8]| asserted(credential).and_then(|proof| proof.verify(key));
    assert_eq!(verify(credential.clone(), &own), Ok(()));
    assert_eq!(verify(credential.clone(), &others), Err(Flaw::Signature));
    let signature = URL_SAFE_NO_PAD.decode(credential["response"]["signature"].as_str().unwrap()).unwrap();
    for at in 0..signature.len() {
        let (mut changed, mut bytes) = (credential.clone(), signature.clone());
        bytes[at] ^= 1;
        changed["response"]["signature"] = URL_SAFE_NO_PAD.encode(bytes).into();
        assert_eq!(verify(changed, &own), Err(Flaw::Signature), "byte {at}");
    }
    // Every byte of what is signed counts.
    let data = URL_SAFE_NO_PAD.decode(credential["response"]["authenticatorData"].as_str().unwrap()).unwrap();
    for at in 0..data.len() {
        let (mut changed, mut bytes) = (credential.clone(), data.clone());
        bytes[at] ^= 2;
        changed["response"]["authenticatorData"] = URL_SAFE_NO_PAD.encode(bytes).into();
        assert!(verify(changed, &own).is_err(), "byte {at}");
    }
}

/// Changes to the document that the browser signs, and why it is refused then.
const CLIENT_DATA: &[(&str, Flaw)] = &[
    (r#"{"type":"webauthn.TYPE","challenge":"CHALLENGE","origin":"https://example.com:8443"}"#, Flaw::Origin),
    (r#"{"type":"webauthn.TYPE","challenge":"CHALLENGE","origin":"https://example.com:443"}"#, Flaw::Origin),
    (r#"{"type":"webauthn.TYPE","challenge":"CHALLENGE","origin":"https://Example.com"}"#, Flaw::Origin),
    (r#"{"type":"webauthn.TYPE","challenge":"CHALLENGE","origin":"https://example.com/"}"#, Flaw::Origin),
    (
        r#"{"type":"webauthn.TYPE","challenge":"CHALLENGE","origin":"https://example.com.evil.test"}"#,
        Flaw::Origin,
    ),
    (r#"{"type":"webauthn.TYPE","challenge":"CHALLENGE","origin":"https://evilexample.com"}"#, Flaw::Origin),
    (
        r#"{"type":"webauthn.TYPE","challenge":"CHALLENGE","origin":"https://sibling.example.com"}"#,
        Flaw::Origin,
    ),
    (r#"{"type":"webauthn.TYPE","challenge":"CHALLENGE","origin":"http://example.com"}"#, Flaw::Origin),
    (r#"{"type":"webauthn.TYPE","challenge":"CHALLENGE","origin":"null"}"#, Flaw::Origin),
    (r#"{"type":"webauthn.TYPE","challenge":"CHALLENGE","origin":""}"#, Flaw::Origin),
    (
        r#"{"type":"webauthn.TYPE","challenge":"CHALLENGE","origin":["https://example.com"]}"#,
        Flaw::ClientData,
    ),
    (r#"{"type":"webauthn.TYPE","challenge":"CHALLENGE"}"#, Flaw::ClientData),
    (r#"{"type":"webauthn.TYPE","challenge":"CHALLENGF","origin":"https://example.com"}"#, Flaw::Challenge),
    (r#"{"type":"webauthn.TYPE","challenge":"CHALLENGE=","origin":"https://example.com"}"#, Flaw::Challenge),
    (r#"{"type":"webauthn.TYPE","challenge":"","origin":"https://example.com"}"#, Flaw::Challenge),
    (r#"{"type":"webauthn.TYPE","challenge":null,"origin":"https://example.com"}"#, Flaw::ClientData),
    (r#"{"type":"webauthn.other","challenge":"CHALLENGE","origin":"https://example.com"}"#, Flaw::Ceremony),
    (r#"{"type":"WEBAUTHN.TYPE","challenge":"CHALLENGE","origin":"https://example.com"}"#, Flaw::Ceremony),
    (
        r#"{"type":"webauthn.TYPE","challenge":"CHALLENGE","origin":"https://example.com","crossOrigin":true}"#,
        Flaw::CrossOrigin,
    ),
    (
        r#"{"type":"webauthn.TYPE","challenge":"CHALLENGE","origin":"https://example.com","crossOrigin":"false"}"#,
        Flaw::CrossOrigin,
    ),
    (
        r#"{"type":"webauthn.TYPE","challenge":"CHALLENGE","origin":"https://example.com","topOrigin":"https://example.com"}"#,
        Flaw::CrossOrigin,
    ),
    (
        r#"{"type":"webauthn.TYPE","challenge":"CHALLENGE","origin":"https://evil.test","origin":"https://example.com"}"#,
        Flaw::ClientData,
    ),
    (
        r#"{"type":"webauthn.TYPE","challenge":"CHALLENGE","origin":"https://example.com"} {}"#,
        Flaw::ClientData,
    ),
    (r#"["webauthn.TYPE"]"#, Flaw::ClientData),
    ("", Flaw::ClientData),
    ("\u{feff}\u{feff}{}", Flaw::ClientData),
];

#[test]
fn what_the_browser_says_about_the_page_is_compared_as_a_whole() {
    let document = |template: &str, ceremony: &str, challenge: &str| {
        template.replace("TYPE", ceremony).replace("CHALLENGE", challenge).into_bytes()
    };
    let with = |template: &str| {
        let (creation, request) = (document(template, "create", "AAAA"), document(template, "get", "BBBB"));
        let mut passkey = SoftPasskey::on(ORIGIN);
        let made = registered(
            passkey.register_altered(&creation_options(), |client_data, _| *client_data = creation),
        );
        let proof =
            asserted(passkey.sign_in_altered(&request_options(), |client_data, _| *client_data = request));
        (flaw(made), flaw(proof))
    };
    let accepted =
        r#"{"origin":"https://example.com","type":"webauthn.TYPE","other":{"a":1},"challenge":"CHALLENGE"}"#;
    assert_eq!(with(accepted), (None, None), "in any order, with members of later versions");
    assert_eq!(with(&format!("\u{feff}{accepted}")), (None, None), "a byte order mark is passed over");
    for (template, expected) in CLIENT_DATA {
        assert_eq!(with(template), (Some(*expected), Some(*expected)), "{template}");
    }
    let mut passkey = SoftPasskey::on(ORIGIN);
    let swapped = document(accepted, "get", "AAAA");
    let made =
        registered(passkey.register_altered(&creation_options(), |client_data, _| *client_data = swapped));
    assert_eq!(flaw(made), Some(Flaw::Ceremony), "another ceremony");
    let not_text = passkey.sign_in_altered(&request_options(), |client_data, _| client_data.push(0xff));
    assert_eq!(flaw(asserted(not_text)), Some(Flaw::ClientData), "not UTF-8");
}

const FLAGS: usize = 32;

#[test]
fn what_the_authenticator_says_is_compared_with_what_was_asked_for() {
    let with = |alter: &dyn Fn(&mut Vec<u8>)| {
        let mut passkey = SoftPasskey::on(ORIGIN);
        let made = registered(passkey.register_altered(&creation_options(), |_, data| alter(data)));
        let proof = asserted(passkey.sign_in_altered(&request_options(), |_, data| alter(data)));
        (flaw(made), flaw(proof))
    };
    let both = |flaw| (Some(flaw), Some(flaw));
    assert_eq!(with(&|_| {}), (None, None));
    assert_eq!(with(&|data| data[0] ^= 1), both(Flaw::RelyingParty));
    assert_eq!(with(&|data| data[FLAGS] &= !1), both(Flaw::UserPresence));
    assert_eq!(with(&|data| data[FLAGS] &= !4), both(Flaw::UserVerification));
    assert_eq!(with(&|data| data[FLAGS] &= !8), both(Flaw::Flags), "backed up, and not eligible");
    assert_eq!(with(&|data| data[FLAGS] |= 0b10_0010), (None, None), "reserved flags");
    assert_eq!(with(&|data| data.push(0)), both(Flaw::AuthenticatorData), "something follows");
    assert_eq!(
        with(&|data| data[FLAGS] |= 0x80),
        both(Flaw::AuthenticatorData),
        "extensions are announced, and missing"
    );
    let with_extensions = |bytes: &'static [u8]| {
        with(&move |data| {
            data[FLAGS] |= 0x80;
            data.extend(bytes);
        })
    };
    assert_eq!(with_extensions(&[0xa0]), (None, None), "an empty map");
    assert_eq!(with_extensions(b"\xa1\x6bcredProtect\x02"), (None, None));
    for bytes in [
        &b"\x80"[..],
        b"\x00",
        b"\xf6",
        b"\xa0\x00",
        b"\xa1\x6bcredProtect",
        b"\xbf\xff",
        b"\xbb\xff\xff\xff\xff\xff\xff\xff\xff",
    ] {
        assert_eq!(with_extensions(bytes), both(Flaw::AuthenticatorData), "{bytes:x?}");
    }
    let mut passkey = SoftPasskey::on(ORIGIN);
    passkey.register(&creation_options());
    for length in 0..37 {
        let proof = asserted(passkey.sign_in_altered(&request_options(), |_, data| data.truncate(length)));
        assert_eq!(flaw(proof), Some(Flaw::AuthenticatorData), "{length} bytes");
    }
    let with_key = |_: &mut Vec<u8>, data: &mut Vec<u8>| {
        data[FLAGS] |= 0x40;
        data.extend([0; 16]);
        data.extend([0, 1, 7, 0xa0]);
    };
    assert_eq!(flaw(asserted(passkey.sign_in_altered(&request_options(), with_key))), Some(Flaw::Flags));
    let without_key = |_: &mut Vec<u8>, data: &mut Vec<u8>| {
        data[FLAGS] &= !0x40;
        data.truncate(37);
    };
    let made = registered(passkey.register_altered(&creation_options(), without_key));
    assert_eq!(flaw(made), Some(Flaw::AuthenticatorData));
}

#[test]
fn user_verification_can_be_left_to_the_authenticator() {
    let (site, mut passkey) = (site(), SoftPasskey::on(ORIGIN).without_user_verification());
    let made = passkey.register(&creation_options());
    assert_eq!(flaw(registered(made.clone())), Some(Flaw::UserVerification));
    let preferred = |challenge| Expected { user_verification: false, ..expected(&site, challenge) };
    assert!(NewCredential::verify(made, &preferred("AAAA")).is_ok());
    let proof = Assertion::read(passkey.sign_in(&request_options()), &preferred("BBBB")).unwrap();
    assert!(!proof.user_verified);
}

/// The bytes of an attestation object with this authenticator data, and otherwise this text.
fn object(format: &str, statement: &[u8], data: &[u8]) -> Vec<u8> {
    let mut object = vec![0xa3];
    object.extend(b"\x63fmt");
    object.push(0x60 + u8::try_from(format.len()).unwrap());
    object.extend(format.as_bytes());
    object.extend(b"\x67attStmt");
    object.extend(statement);
    object.extend(b"\x68authData\x59");
    object.extend(u16::try_from(data.len()).unwrap().to_be_bytes());
    object.extend(data);
    object
}

/// What makes an attestation object of authenticator data.
type Wrap = fn(&[u8]) -> Vec<u8>;

/// A new credential whose authenticator data is changed, and which is in an object of this making.
fn made_as(
    alter: impl FnOnce(&mut Vec<u8>),
    wrap: impl FnOnce(&[u8]) -> Vec<u8>,
) -> Result<NewCredential, Flaw> {
    let (mut passkey, mut authenticator_data) = (SoftPasskey::on(ORIGIN), Vec::new());
    let mut credential = passkey.register_altered(&creation_options(), |_, data| {
        alter(data);
        authenticator_data.clone_from(data);
    });
    credential["response"]["attestationObject"] = URL_SAFE_NO_PAD.encode(wrap(&authenticator_data)).into();
    registered(credential)
}

#[test]
fn an_attestation_object_has_three_members_and_nothing_else() {
    let made = |wrap: &dyn Fn(&[u8]) -> Vec<u8>| flaw(made_as(|_| {}, wrap));
    assert_eq!(made(&|data| object("none", &[0xa0], data)), None);
    assert_eq!(
        made(&|data| object("packed", b"\xa1\x63alg\x26", data)),
        None,
        "a statement that was not asked for"
    );
    let wrong: [Wrap; 9] = [
        |data| object("none", b"\xa1\x63alg\x26", data),
        |data| [&object("none", &[0xa0], data)[..], &[0]].concat(),
        |data| object("none", &[0x80], data),
        |data| object("none", &[0xbf, 0xff], data),
        |data| [&[0xa2][..], &object("none", &[0xa0], data)[1..]].concat(),
        |data| [&[0xa4][..], &object("none", &[0xa0], data)[1..], b"\x63fmt\x64none"].concat(),
        |data| [&[0xa4][..], &object("none", &[0xa0], data)[1..], b"\x65other\x00"].concat(),
        |data| [&[0xbf][..], &object("none", &[0xa0], data)[1..], &[0xff]].concat(),
        |_| Vec::new(),
    ];
    for (number, wrap) in wrong.iter().enumerate() {
        assert_eq!(made(wrap), Some(Flaw::AttestationObject), "{number}");
    }
    for bytes in [
        &b"\xa3"[..],
        b"\xbb\xff\xff\xff\xff\xff\xff\xff\xff",
        b"\x81\x81\x81",
        &[0x9f; 4000],
        &[0x81; 4000],
        &[0xc6; 4000],
    ] {
        assert_eq!(made(&|_| bytes.to_vec()), Some(Flaw::AttestationObject), "{:x?}", &bytes[..1]);
    }
    // Nesting to any depth inside of the statement takes no stack.
    let deep = [vec![0xa1, 0x00], vec![0x81; 30_000], vec![0x00]].concat();
    assert_eq!(made(&|data| object("packed", &deep, data)), None);
}

/// The offset of the key in authenticator data with an id of 32 bytes.
const KEY: usize = 37 + 16 + 2 + 32;

#[test]
fn a_key_is_one_of_an_algorithm_that_was_offered_and_is_strong() {
    let with_key = |key: &[u8]| {
        let alter = |data: &mut Vec<u8>| {
            data.truncate(KEY);
            data.extend(key);
        };
        flaw(made_as(alter, |data| object("none", &[0xa0], data)))
    };
    let ed25519 = |key: &[u8; 32]| [b"\xa4\x01\x01\x03\x27\x20\x06\x21\x58\x20", &key[..]].concat();
    let p256 = |x: &[u8; 32], y: &[u8; 32]| {
        [&b"\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20"[..], x, b"\x22\x58\x20", y].concat()
    };
    let rsa = |modulus: &[u8], exponent: &[u8]| {
        let length = u16::try_from(modulus.len()).unwrap().to_be_bytes();
        let exponent = [&[0x21, 0x40 + u8::try_from(exponent.len()).unwrap()][..], exponent].concat();
        [&b"\xa4\x01\x03\x03\x39\x01\x00\x20\x59"[..], &length, modulus, &exponent].concat()
    };
    let modulus = |bytes: usize, first: u8| {
        let mut modulus = vec![0xff; bytes];
        modulus[0] = first;
        modulus
    };
    assert_eq!(with_key(&ed25519(&[9; 32])), None);
    for bytes in [256, 384, 512] {
        assert_eq!(with_key(&rsa(&modulus(bytes, 0x80), &[1, 0, 1])), None, "{bytes}");
    }
    let mut weak = Vec::new();
    for y in ["00", "01", "ec", "ed", "ee"] {
        let first = u8::from_str_radix(y, 16).unwrap();
        for sign in [0, 0x80] {
            let mut key = if first < 2 { [0; 32] } else { [0xff; 32] };
            key[0] = first;
            key[31] = sign | if first < 2 { 0 } else { 0x7f };
            weak.push(ed25519(&key));
        }
    }
    weak.extend([
        p256(&[1; 32], &[1; 32]),
        p256(&[0; 32], &[0; 32]),
        rsa(&modulus(255, 0xff), &[1, 0, 1]),
        rsa(&modulus(256, 0x7f), &[1, 0, 1]),
        rsa(&modulus(513, 1), &[1, 0, 1]),
        rsa(&modulus(257, 0), &[1, 0, 1]),
        rsa(&modulus(256, 0xff), &[3]),
        rsa(&modulus(256, 0xff), &[0, 1, 0, 1]),
        rsa(&modulus(256, 0xff), &[]),
        // Another algorithm, another curve, a kind that does not fit the algorithm, and a label that comes twice.
        b"\xa4\x01\x01\x03\x38\x22\x20\x06\x21\x58\x20".iter().copied().chain([9; 32]).collect(),
        b"\xa4\x01\x01\x03\x27\x20\x07\x21\x58\x20".iter().copied().chain([9; 32]).collect(),
        b"\xa4\x01\x02\x03\x27\x20\x06\x21\x58\x20".iter().copied().chain([9; 32]).collect(),
        b"\xa5\x01\x01\x03\x27\x20\x06\x03\x27\x21\x58\x20".iter().copied().chain([9; 32]).collect(),
        // Without the algorithm, and with a key that is too short.
        b"\xa3\x01\x01\x20\x06\x21\x58\x20".iter().copied().chain([9; 32]).collect(),
        b"\xa4\x01\x01\x03\x27\x20\x06\x21\x58\x1f".iter().copied().chain([9; 31]).collect(),
        // A compressed point, an empty map, and something else than a map.
        b"\xa5\x01\x02\x03\x26\x20\x01\x22\xf5\x21\x58\x20".iter().copied().chain([9; 32]).collect(),
        vec![0xa0],
        vec![0x00],
    ]);
    for key in weak {
        assert_eq!(with_key(&key), Some(Flaw::PublicKey), "{key:x?}");
    }
    assert_eq!(with_key(&[]), Some(Flaw::AuthenticatorData));
    assert_eq!(with_key(&[0xa1, 0x01]), Some(Flaw::AuthenticatorData), "truncated");
}

#[test]
fn an_id_has_1_to_1023_bytes_and_is_the_one_that_the_browser_names() {
    let with_id = |length: usize| {
        let (mut passkey, id) = (SoftPasskey::on(ORIGIN), vec![7; length]);
        let alter = |_: &mut Vec<u8>, data: &mut Vec<u8>| {
            let key = data.split_off(KEY);
            data.truncate(37 + 16);
            data.extend(u16::try_from(length).unwrap().to_be_bytes());
            data.extend(&id);
            data.extend(key);
        };
        let mut credential = passkey.register_altered(&creation_options(), alter);
        credential["id"] = URL_SAFE_NO_PAD.encode(vec![7; length]).into();
        credential["rawId"] = credential["id"].clone();
        flaw(registered(credential))
    };
    for length in [1, 16, 1023] {
        assert_eq!(with_id(length), None, "{length}");
    }
    for length in [0, 1024] {
        assert_eq!(with_id(length), Some(Flaw::Id), "{length}");
    }
    let mut other = SoftPasskey::on(ORIGIN).register(&creation_options());
    other["id"] = "AAAA".into();
    assert_eq!(flaw(registered(other.clone())), Some(Flaw::Id), "`id` and `rawId` differ");
    other["rawId"] = "AAAA".into();
    assert_eq!(flaw(registered(other)), Some(Flaw::Id), "the authenticator names another one");
}

#[test]
fn a_credential_has_the_members_of_the_standard() {
    let mut passkey = SoftPasskey::on(ORIGIN);
    let (made, proof) = (passkey.register(&creation_options()), passkey.sign_in(&request_options()));
    let without = |credential: &Value, pointer: &str| {
        let mut changed = credential.clone();
        let (parent, member) = pointer.rsplit_once('/').unwrap();
        changed.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(member);
        changed
    };
    let with = |credential: &Value, pointer: &str, value: Value| {
        let mut changed = credential.clone();
        *changed.pointer_mut(pointer).unwrap() = value;
        changed
    };
    for pointer in ["/clientExtensionResults", "/authenticatorAttachment", "/response/transports"] {
        assert_eq!(flaw(registered(without(&made, pointer))), None, "{pointer}");
    }
    assert_eq!(flaw(asserted(with(&proof, "/response/userHandle", Value::Null))), None);
    for pointer in
        ["/id", "/rawId", "/type", "/response", "/response/clientDataJSON", "/response/attestationObject"]
    {
        assert_eq!(flaw(registered(without(&made, pointer))), Some(Flaw::Malformed), "{pointer}");
        for wrong in [json!(7), json!(null), json!(["AAAA"])] {
            assert_eq!(flaw(registered(with(&made, pointer, wrong))), Some(Flaw::Malformed), "{pointer}");
        }
    }
    for pointer in ["/response/authenticatorData", "/response/signature", "/response/clientDataJSON"] {
        assert_eq!(flaw(asserted(without(&proof, pointer))), Some(Flaw::Malformed), "{pointer}");
        for wrong in ["AA==", "A", "+/", "AB"] {
            assert_eq!(
                flaw(asserted(with(&proof, pointer, wrong.into()))),
                Some(Flaw::Malformed),
                "{pointer}: {wrong}"
            );
        }
    }
    let list = |response: &Value| Value::from_iter(response.as_object().unwrap().values().cloned());
    assert_eq!(flaw(registered(with(&made, "/response", list(&made["response"])))), Some(Flaw::Malformed));
    assert_eq!(flaw(asserted(with(&proof, "/response", list(&proof["response"])))), Some(Flaw::Malformed));
    assert_eq!(flaw(registered(list(&made))), Some(Flaw::Malformed));
    assert_eq!(flaw(registered(with(&made, "/clientExtensionResults", json!([])))), Some(Flaw::Malformed));
    assert_eq!(flaw(registered(with(&made, "/type", "password".into()))), Some(Flaw::CredentialType));
    let rk = |value| with(&made, "/clientExtensionResults", json!({ "credProps": value }));
    assert_eq!(flaw(registered(rk(json!({ "rk": false })))), Some(Flaw::NotDiscoverable));
    assert_eq!(flaw(registered(rk(json!({})))), None, "a browser that does not know");
    for value in [json!([]), json!("text"), json!(7)] {
        assert_eq!(flaw(registered(value)), Some(Flaw::Malformed));
    }
    let many: Vec<_> = (0..20).map(|number| json!(format!("kind-{number}"))).collect();
    let transports = registered(with(&made, "/response/transports", json!(many))).unwrap().transports;
    assert_eq!((transports.len(), transports[7].as_str()), (8, "kind-7"));
    let odd = json!(["usb", "", "a,b", "a".repeat(33), "smart-card"]);
    let transports = registered(with(&made, "/response/transports", odd)).unwrap().transports;
    assert_eq!(transports, ["usb", "smart-card"]);
}
