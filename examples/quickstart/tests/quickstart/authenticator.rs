//! An authenticator app that implements RFC 6238 without the library's code.

use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;
use std::time::{SystemTime, UNIX_EPOCH};

/// The code that an app with this base32 secret shows this number of 30-second steps from now.
pub(crate) fn code(secret: &str, steps_from_now: u64) -> String {
    code_of_step(secret, step_now() + steps_from_now)
}

/// A code that the app does not show within ten minutes. A fixed one could be the app's by chance.
pub(crate) fn wrong_code(secret: &str) -> String {
    let now = step_now();
    let near: Vec<_> = (now - 20..=now + 20).map(|step| code_of_step(secret, step)).collect();
    (0..).map(|number| format!("{number:06}")).find(|code| !near.contains(code)).expect("one of a million")
}

fn step_now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs() / 30
}

/// RFC 4226 §5.3 with the step for its counter.
fn code_of_step(secret: &str, step: u64) -> String {
    let mut mac = Hmac::<Sha1>::new_from_slice(&base32(secret)).expect("any key");
    mac.update(&step.to_be_bytes());
    let digest = mac.finalize().into_bytes();
    let offset = usize::from(digest[19] & 15);
    let four: [u8; 4] = digest[offset..offset + 4].try_into().expect("four bytes");
    format!("{:06}", (u32::from_be_bytes(four) & 0x7fff_ffff) % 1_000_000)
}

/// RFC 4648 §6, without padding.
fn base32(text: &str) -> Vec<u8> {
    let digit = |letter: char| "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".find(letter).expect("base32");
    let bits: String = text.chars().map(|letter| format!("{:05b}", digit(letter))).collect();
    let bytes = bits.as_bytes().chunks_exact(8).map(|byte| std::str::from_utf8(byte).expect("ASCII"));
    bytes.map(|byte| u8::from_str_radix(byte, 2).expect("binary")).collect()
}

#[test]
fn it_shows_the_codes_of_the_rfc() {
    // RFC 6238, appendix B, in six digits; the secret is `12345678901234567890`.
    for (seconds, expected) in [(59, "287082"), (1_111_111_109, "081804"), (20_000_000_000, "353130")] {
        assert_eq!(code_of_step("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", seconds / 30), expected);
    }
}
