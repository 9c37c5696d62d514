//! The id of a session: when it started, and 128 random bits.
//!
//! Every token carries the session's id and so the time at which its session started. One entry in the store can
//! therefore end all sessions of a user that started before now.

use crate::crypto::random;
use crate::error::AuthError;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use std::time::{SystemTime, UNIX_EPOCH};

/// Bytes of the time: milliseconds since 1970, until the year 10889.
const TIME: usize = 6;

/// The id of a session that starts at this time, in milliseconds since 1970.
pub(super) fn new(started: u64) -> Result<String, AuthError> {
    let [_, _, time @ ..] = started.to_be_bytes();
    let random: [u8; 16] = random::bytes()?;
    Ok(URL_SAFE_NO_PAD.encode([time.as_slice(), &random].concat()))
}

/// When the session started, in milliseconds since 1970. `None` if the library cannot have made this id.
pub(super) fn started(id: &str) -> Option<u64> {
    let bytes = URL_SAFE_NO_PAD.decode(id).ok()?;
    let time: [u8; TIME] = *bytes.first_chunk()?;
    Some(time.iter().fold(0, |time, byte| (time << 8) | u64::from(*byte)))
}

/// A time in milliseconds since 1970.
pub(super) fn milliseconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis().try_into().unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_contains_the_start_of_its_session_and_never_repeats() {
        let now = milliseconds(UNIX_EPOCH + std::time::Duration::from_millis(1_795_000_000_123));
        let (one, other) = (new(now).unwrap(), new(now).unwrap());
        assert_ne!(one, other);
        assert_eq!(started(&one), Some(1_795_000_000_123));
        assert_eq!(started("x"), None);
    }
}
