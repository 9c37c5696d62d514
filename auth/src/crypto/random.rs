//! Random values from the operating system.

use crate::error::AuthError;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// `N` random bytes.
pub(crate) fn bytes<const N: usize>() -> Result<[u8; N], AuthError> {
    let mut bytes = [0; N];
    fill(&mut bytes)?;
    Ok(bytes)
}

/// Fills a buffer with random bytes.
pub(crate) fn fill(buffer: &mut [u8]) -> Result<(), AuthError> {
    getrandom::fill(buffer).map_err(|error| AuthError::internal(error.to_string()))
}

/// An id that cannot be guessed and never repeats: 128 random bits as 22 characters of base64url.
pub(crate) fn id() -> Result<String, AuthError> {
    let [id] = ids()?;
    Ok(id)
}

/// Whether a text has the form of an [`id`].
pub(crate) fn is_id(text: &str) -> bool {
    let is_base64url = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    text.len() == 22 && text.bytes().all(is_base64url)
}

/// Several ids, for one call of the operating system.
pub(crate) fn ids<const N: usize>() -> Result<[String; N], AuthError> {
    let mut random = [[0_u8; 16]; N];
    fill(random.as_flattened_mut())?;
    Ok(random.map(|id| URL_SAFE_NO_PAD.encode(id)))
}

/// `N` random bytes as hexadecimal digits.
pub(crate) fn hex<const N: usize>() -> Result<String, AuthError> {
    Ok(hex_of(&bytes::<N>()?))
}

/// Bytes as lower-case hexadecimal digits.
pub(crate) fn hex_of(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A random text of this length. All characters of the alphabet are equally likely.
pub(crate) fn text(length: usize, alphabet: &[u8]) -> Result<String, AuthError> {
    // Bytes from the last multiple of the alphabet's length on are discarded: with them, the first characters of the
    // alphabet would be more likely.
    let fair = 256 - 256 % alphabet.len().max(1);
    let mut text = String::with_capacity(length);
    while text.len() < length {
        let random = bytes::<32>()?.into_iter().map(usize::from).filter(|byte| *byte < fair);
        let characters =
            random.filter_map(|byte| alphabet.get(byte % alphabet.len()).copied().map(char::from));
        text.extend(characters.take(length - text.len()));
    }
    Ok(text)
}
