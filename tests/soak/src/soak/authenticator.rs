//! An authenticator app that implements RFC 6238 without the library's code.

use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;
use std::time::{SystemTime, UNIX_EPOCH};

/// The number of the current step of 30 seconds.
pub(super) fn step() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs() / 30)
}

/// The code of a step for a secret in base32: RFC 4226 §5.3 with the step for its counter. `None` if it is not base32.
pub(super) fn code(secret: &str, step: u64) -> Option<String> {
    let mut mac = Hmac::<Sha1>::new_from_slice(&base32(secret)?).ok()?;
    mac.update(&step.to_be_bytes());
    let digest = mac.finalize().into_bytes();
    let offset = usize::from(digest.last()? & 15);
    let four: [u8; 4] = digest.get(offset..offset + 4)?.try_into().ok()?;
    Some(format!("{:06}", (u32::from_be_bytes(four) & 0x7fff_ffff) % 1_000_000))
}

/// RFC 4648 §6, without padding.
fn base32(text: &str) -> Option<Vec<u8>> {
    let (mut bytes, mut bits, mut number) = (Vec::new(), 0, 0_u32);
    for letter in text.chars() {
        let digit = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".find(letter)?;
        number = (number << 5 | u32::try_from(digit).ok()?) & 0xffff;
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(number >> bits & 0xff).ok()?);
        }
    }
    Some(bytes)
}

#[test]
fn it_shows_the_codes_of_the_rfc() {
    // RFC 6238, appendix B, in six digits; the secret is `12345678901234567890`.
    for (seconds, expected) in [(59, "287082"), (1_111_111_109, "081804"), (20_000_000_000, "353130")] {
        assert_eq!(code("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", seconds / 30).as_deref(), Some(expected));
    }
    assert_eq!(code("0", 1), None);
}
