//! The id that a proxy or a layer of the host has given to a request.

use std::sync::Arc;

/// The maximum length. Ids that are used have about 40 characters.
const LONGEST: usize = 128;

/// The id of a request: 1 to 128 visible ASCII characters. It is not a secret, and anybody can send any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RequestId(Arc<str>);

impl RequestId {
    /// The id in a header. `None` if it is empty, too long, or has a character that could disturb a log.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        let is_valid = (1..=LONGEST).contains(&text.len()) && text.iter().all(u8::is_ascii_graphic);
        let text = str::from_utf8(text).ok().filter(|_| is_valid)?;
        Some(Self(text.into()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_visible_ascii_characters() {
        let longest = "x".repeat(LONGEST);
        for valid in ["a", "4bf92f3577b34da6a3ce929d0e0e4736", "id:1/2~{}", &longest] {
            assert_eq!(RequestId::parse(valid.as_bytes()).as_ref().map(RequestId::as_str), Some(valid));
        }
        let too_long = "x".repeat(LONGEST + 1);
        for invalid in ["", "a b", "a\nb", "a\tb", "é", "\u{7f}", &too_long] {
            assert_eq!(RequestId::parse(invalid.as_bytes()), None, "{invalid:?}");
        }
    }
}
