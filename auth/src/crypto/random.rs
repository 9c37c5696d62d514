//! Random values, straight from the operating system.

use crate::error::AuthError;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// `N` random bytes.
pub(crate) fn bytes<const N: usize>() -> Result<[u8; N], AuthError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| AuthError::internal(error.to_string()))?;
    Ok(bytes)
}

/// An id that nobody guesses and that never repeats: 128 random bits as 22 characters of base64url.
pub(crate) fn id() -> Result<String, AuthError> {
    Ok(URL_SAFE_NO_PAD.encode(bytes::<16>()?))
}
