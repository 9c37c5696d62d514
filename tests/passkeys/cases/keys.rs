//! New credentials with other keys. A key begins as one of ES256: a map of five entries, `1: 2, 3: -7, -1: 1, -2: x, -3: y`.

use super::{Case, Ceremony, in_authenticator_data};
use crate::change::KEY;

/// The offsets of the coordinates in a key of ES256, each behind its head of two bytes.
const X: usize = 10;
const Y: usize = 45;

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, make) in from_es256() {
        cases.push(case(name, make));
    }
    for (name, key) in others() {
        cases.push(case(name, move |_: &[u8]| key.clone()));
    }
    cases
}

fn case(name: &str, make: impl Fn(&[u8]) -> Vec<u8> + 'static) -> Case {
    let change = in_authenticator_data(move |data| {
        let key = make(&data.split_off(KEY));
        data.extend(key);
    });
    Case::new(Ceremony::Registration, &format!("key-{name}"), change)
}

type Make = fn(&[u8]) -> Vec<u8>;

/// Keys that are made of the passkey's own.
fn from_es256() -> Vec<(&'static str, Make)> {
    vec![
        ("missing", |_| Vec::new()),
        ("truncated", |key| key[..key.len() - 1].to_vec()),
        ("of-another-algorithm", |key| [b"\xa5\x01\x02\x03\x38\x22", &key[5..]].concat()),
        ("of-eddsa-on-p256", |key| [b"\xa5\x01\x02\x03\x27", &key[5..]].concat()),
        ("on-another-curve", |key| [&key[..5], b"\x20\x02", &key[7..]].concat()),
        ("without-algorithm", |key| [b"\xa4", &key[1..3], &key[5..]].concat()),
        ("without-y", |key| [b"\xa4", &key[1..Y - 3]].concat()),
        ("algorithm-twice", |key| [b"\xa6\x03\x26", &key[1..]].concat()),
        ("algorithm-as-text", |key| [b"\xa5\x01\x02\x03\x65ES256", &key[5..]].concat()),
        ("with-unknown-label", |key| [b"\xa6", &key[1..], b"\x18\x64\x00"].concat()),
        ("with-text-label", |key| [b"\xa6", &key[1..], b"\x61a\x00"].concat()),
        ("indefinite", |key| [b"\xbf", &key[1..], b"\xff"].concat()),
        ("long-form", |key| [b"\xb8\x05", &key[1..]].concat()),
        ("in-another-order", |key| [&key[..1], &key[3..], &key[1..3]].concat()),
        ("compressed", |key| [b"\xa5", &key[1..Y - 3], b"\x22\xf5"].concat()),
        ("not-on-the-curve", |key| {
            let mut key = key.to_vec();
            key[Y + 31] ^= 1;
            key
        }),
        ("of-zeros", |key| {
            let mut key = key.to_vec();
            key[X..X + 32].fill(0);
            key[Y..Y + 32].fill(0);
            key
        }),
        ("with-short-x", |key| [&key[..X - 1], &[31], &key[X..X + 31], &key[X + 32..]].concat()),
    ]
}

/// Keys of other kinds, which no passkey has.
fn others() -> Vec<(&'static str, Vec<u8>)> {
    let ed25519 = |key: [u8; 32]| [b"\xa4\x01\x01\x03\x27\x20\x06\x21\x58\x20", &key[..]].concat();
    let rsa = |modulus: &[u8], exponent: &[u8]| {
        let length = match u8::try_from(modulus.len()) {
            Ok(length) => vec![0x58, length],
            Err(_) => {
                let length = u16::try_from(modulus.len()).expect("a length of two bytes");
                [&[0x59][..], &length.to_be_bytes()].concat()
            }
        };
        let head = 0x40 + u8::try_from(exponent.len()).expect("a short exponent");
        [&b"\xa4\x01\x03\x03\x39\x01\x00\x20"[..], &length, modulus, &[0x21, head], exponent].concat()
    };
    let odd = |bytes: usize| vec![0xff; bytes];
    let first = |bytes: usize, first: u8| [vec![first], vec![0xff; bytes - 1]].concat();
    let point = |low: u8, middle: u8, high: u8| {
        let mut point = [middle; 32];
        (point[0], point[31]) = (low, high);
        point
    };
    vec![
        ("ed25519-of-small-order", ed25519(point(1, 0, 0))),
        ("ed25519-not-canonical", ed25519(point(0xf0, 0xff, 0x7f))),
        ("ed25519-of-31-bytes", [b"\xa4\x01\x01\x03\x27\x20\x06\x21\x58\x1f", &[9; 31][..]].concat()),
        ("ed25519-on-another-curve", [b"\xa4\x01\x01\x03\x27\x20\x07\x21\x58\x20", &[9; 32][..]].concat()),
        // What Firefox 117 wrote: texts for the kind and for the curve, and one entry less than there are.
        (
            "ed25519-of-firefox-117",
            [b"\xa3\x01\x63OKP\x03\x27\x20\x67Ed25519\x21\x58\x20", &[9; 32][..]].concat(),
        ),
        ("rsa-of-1024-bits", rsa(&odd(128), &[1, 0, 1])),
        ("rsa-of-2047-bits", rsa(&first(256, 0x7f), &[1, 0, 1])),
        ("rsa-of-2048-bits", rsa(&odd(256), &[1, 0, 1])),
        ("rsa-of-4096-bits", rsa(&odd(512), &[1, 0, 1])),
        ("rsa-of-8192-bits", rsa(&odd(1024), &[1, 0, 1])),
        ("rsa-with-leading-zero", rsa(&first(257, 0), &[1, 0, 1])),
        ("rsa-with-exponent-1", rsa(&odd(256), &[1])),
        ("rsa-with-exponent-3", rsa(&odd(256), &[3])),
        ("rsa-with-sha-1", {
            let mut key = rsa(&odd(256), &[1, 0, 1]);
            key.splice(4..7, [0x39, 0xff, 0xfe]);
            key
        }),
        ("of-an-empty-map", vec![0xa0]),
        ("of-a-number", vec![0x00]),
    ]
}
