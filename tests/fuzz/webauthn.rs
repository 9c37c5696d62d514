//! What the target `passkeys` knows of WebAuthn: an own, simple reading of what browsers and authenticators write. It is not
//! stricter than the specification of the library in §29.1.

use serde_json::Value;
use sha2::{Digest, Sha256};

const USER_PRESENT: u8 = 1;
const USER_VERIFIED: u8 = 1 << 2;
pub const BACKUP_ELIGIBLE: u8 = 1 << 3;
const BACKED_UP: u8 = 1 << 4;
const HAS_KEY: u8 = 1 << 6;
const HAS_EXTENSIONS: u8 = 1 << 7;

/// The base point of P-256, with which an input can name a point of the curve: its two coordinates.
const BASE_POINT: [[u8; 32]; 2] = [
    [
        0x6b, 0x17, 0xd1, 0xf2, 0xe1, 0x2c, 0x42, 0x47, 0xf8, 0xbc, 0xe6, 0xe5, 0x63, 0xa4, 0x40, 0xf2, 0x77,
        0x03, 0x7d, 0x81, 0x2d, 0xeb, 0x33, 0xa0, 0xf4, 0xa1, 0x39, 0x45, 0xd8, 0x98, 0xc2, 0x96,
    ],
    [
        0x4f, 0xe3, 0x42, 0xe2, 0xfe, 0x1a, 0x7f, 0x9b, 0x8e, 0xe7, 0xeb, 0x4a, 0x7c, 0x0f, 0x9e, 0x16, 0x2b,
        0xce, 0x33, 0x57, 0x6b, 0x31, 0x5e, 0xce, 0xcb, 0xb6, 0x40, 0x68, 0x37, 0xbf, 0x51, 0xf5,
    ],
];

/// Whether `clientDataJSON` says what a page of this origin would say.
pub fn is_right_client_data(document: &[u8], kind: &str, challenge: &str, origin: &str) -> bool {
    let document = document.strip_prefix(b"\xef\xbb\xbf").unwrap_or(document);
    let Ok(Value::Object(members)) = serde_json::from_slice(document) else { return false };
    let has = |name: &str, value: &str| members.get(name).is_some_and(|found| found == value);
    has("type", kind)
        && has("challenge", challenge)
        && has("origin", origin)
        && members.get("crossOrigin").is_none_or(|value| *value == false)
        && !members.contains_key("topOrigin")
}

/// Whether nothing in this `clientDataJSON` is unusual: it has the four members that browsers write, in alphabetical order, and no
/// others.
pub fn is_plain_client_data(document: &[u8]) -> bool {
    let Ok(Value::Object(members)) = serde_json::from_slice(document) else { return false };
    let names = ["challenge", "crossOrigin", "origin", "type"];
    members.keys().eq(names.iter()) && serde_json::to_vec(&members).unwrap() == document
}

/// What is in `authenticatorData`.
pub struct AuthenticatorData<'a> {
    pub flags: u8,
    /// The id and the COSE key of a new passkey.
    pub new: Option<(&'a [u8], &'a [u8])>,
}

impl<'a> AuthenticatorData<'a> {
    /// Reads it if it is of this relying party and of a user who was present and verified.
    pub fn read(bytes: &'a [u8], relying_party: &str) -> Option<Self> {
        let (head, mut rest) = bytes.split_at_checked(37)?;
        let flags = head[32];
        let has = |wanted: u8| flags & wanted == wanted;
        let is_of_site = head[..32] == Sha256::digest(relying_party)[..];
        let is_possible = has(BACKUP_ELIGIBLE) || !has(BACKED_UP);
        (is_of_site && has(USER_PRESENT | USER_VERIFIED) && is_possible).then_some(())?;
        let mut new = None;
        if has(HAS_KEY) {
            let (head, after) = rest.split_at_checked(18)?;
            let length = usize::from(u16::from_be_bytes([head[16], head[17]]));
            let (id, after) = after.split_at_checked(length)?;
            let (_, end) = Cbor::read(after)?;
            new = (1..=1023).contains(&length).then_some((id, &after[..after.len() - end.len()]));
            new?;
            rest = end;
        }
        if has(HAS_EXTENSIONS) {
            let (Cbor::Map(_), end) = Cbor::read(rest)? else { return None };
            rest = end;
        }
        rest.is_empty().then_some(Self { flags, new })
    }

    /// Whether a proof has no extensions.
    pub const fn is_plain(&self) -> bool {
        self.flags & HAS_EXTENSIONS == 0
    }
}

/// The authenticator data in an `attestationObject`.
pub fn attested(object: &[u8]) -> Option<&[u8]> {
    let (Cbor::Map(members), []) = Cbor::read(object)? else { return None };
    let member = |name: &[u8]| {
        let mut named = members.iter().filter(|(key, _)| *key == Cbor::Text(name));
        named.next().filter(|_| members.len() == 3).map(|(_, value)| value)
    };
    let (format, statement, data) = (member(b"fmt")?, member(b"attStmt")?, member(b"authData")?);
    let (Cbor::Text(format), Cbor::Map(statement), Cbor::Bytes(data)) = (format, statement, data) else {
        return None;
    };
    (*format != b"none" || statement.is_empty()).then_some(data)
}

/// Whether the COSE key can be one. Points of P-256 are right if they are the one of this key or the base point: nobody finds
/// another one by chance.
pub fn is_right_key(key: &[u8], made: &[u8]) -> bool {
    let Some((Cbor::Map(members), [])) = Cbor::read(key) else { return false };
    let member = |label: i128| {
        members.iter().find(|(key, _)| *key == Cbor::Number(label)).map_or(&Cbor::Other, |(_, value)| value)
    };
    let is_twice = |index: usize| members[..index].iter().any(|(key, _)| *key == members[index].0);
    if (0..members.len()).any(is_twice) {
        return false;
    }
    match (member(1), member(3), member(-1), member(-2), member(-3)) {
        (Cbor::Number(2), Cbor::Number(-7), Cbor::Number(1), Cbor::Bytes(x), Cbor::Bytes(y)) => {
            let is_made = made.ends_with(&[x, &b"\x22\x58\x20"[..], y].concat());
            x.len() == 32 && y.len() == 32 && (is_made || [*x, *y] == BASE_POINT)
        }
        (Cbor::Number(1), Cbor::Number(-8), Cbor::Number(6), Cbor::Bytes(x), _) => is_ed25519(x),
        (Cbor::Number(3), Cbor::Number(-257), Cbor::Bytes(n), Cbor::Bytes(e), _) => {
            let bits = n.len() * 8 - n.first().map_or(0, |first| first.leading_zeros() as usize);
            (2048..=4096).contains(&bits) && n[0] != 0 && *e == [1, 0, 1]
        }
        _ => false,
    }
}

/// Whether this is a number below the prime, little-endian, with any sign in the highest bit, and none of those three points of
/// small order that are easy to write.
fn is_ed25519(key: &[u8]) -> bool {
    let Ok(mut y) = <[u8; 32]>::try_from(key) else { return false };
    y[31] &= 0x7f;
    let is_near_prime = y[31] == 0x7f && y[1..31].iter().all(|byte| *byte == 0xff);
    let is_tiny = y[1..].iter().all(|byte| *byte == 0);
    !(is_near_prime && y[0] >= 0xec || is_tiny && y[0] <= 1)
}

/// CBOR, with definite lengths alone.
#[derive(PartialEq)]
enum Cbor<'a> {
    Number(i128),
    Bytes(&'a [u8]),
    Text(&'a [u8]),
    Map(Vec<(Self, Self)>),
    Other,
}

impl<'a> Cbor<'a> {
    /// The first item, and what follows.
    fn read(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let (head, rest) = bytes.split_first()?;
        let length = match head & 31 {
            0..=23 => 0,
            24 => 1,
            25 => 2,
            26 => 4,
            27 => 8,
            // Reserved, and lengths that are not known before the end.
            _ => return None,
        };
        let (argument, mut rest) = rest.split_at_checked(length)?;
        let argument = match length {
            0 => u64::from(head & 31),
            _ => argument.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)),
        };
        // No input is as long as that.
        let count = usize::try_from(argument).unwrap_or(usize::MAX);
        let mut next = || {
            let (item, after) = Self::read(rest)?;
            rest = after;
            Some(item)
        };
        let item = match head >> 5 {
            0 => Self::Number(argument.into()),
            1 => Self::Number(-1 - i128::from(argument)),
            kind @ (2 | 3) => {
                let (content, after) = rest.split_at_checked(count)?;
                rest = after;
                if kind == 2 { Self::Bytes(content) } else { Self::Text(content) }
            }
            4 => {
                for _ in 0..count {
                    next()?;
                }
                Self::Other
            }
            5 => {
                let mut members = Vec::new();
                for _ in 0..count {
                    members.push((next()?, next()?));
                }
                Self::Map(members)
            }
            6 => next().map(|_| Self::Other)?,
            _ => Self::Other,
        };
        Some((item, rest))
    }
}
