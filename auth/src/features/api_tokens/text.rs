//! The text of an API token (specification §31.1).

use crate::crypto::random;
use crate::error::AuthError;
use sha2::{Digest, Sha256};

const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ID: usize = 12;
/// 43 characters of base62 are 256 bits.
const SECRET: usize = 43;
/// The most that a CRC-32 can need.
const CHECKSUM: usize = 6;

/// A new token: what its user gets, and what is stored of it. It has no `Debug`, because its text is a secret.
pub(super) struct NewText {
    pub(super) text: String,
    pub(super) id: String,
    pub(super) secret_hash: [u8; 32],
}

impl NewText {
    pub(super) fn draw(prefix: &str) -> Result<Self, AuthError> {
        let [id, secret] = [random::text(ID, BASE62)?, random::text(SECRET, BASE62)?];
        let mut text = format!("{prefix}_{id}{secret}");
        text += &checksum(&text);
        Ok(Self { text, secret_hash: hash(&secret), id })
    }

    pub(super) fn last_four(&self) -> &str {
        self.text.get(self.text.len() - 4..).unwrap_or_default()
    }
}

/// A text that can be a token: its checksum is right.
pub(super) struct Presented<'a> {
    pub(super) id: &'a str,
    pub(super) secret_hash: [u8; 32],
}

impl<'a> Presented<'a> {
    /// `None` if the text is no token with this prefix.
    pub(super) fn parse(prefix: &str, text: &'a str) -> Option<Self> {
        let rest = text.strip_prefix(prefix)?.strip_prefix('_')?;
        if rest.len() != ID + SECRET + CHECKSUM || !rest.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return None;
        }
        let (covered, sum) = text.split_at_checked(text.len() - CHECKSUM)?;
        let (id, rest) = rest.split_at_checked(ID)?;
        let (secret, _) = rest.split_at_checked(SECRET)?;
        (checksum(covered) == sum).then(|| Self { id, secret_hash: hash(secret) })
    }
}

/// Whether this can be the id of a token.
pub(super) fn is_id(text: &str) -> bool {
    text.len() == ID && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn hash(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

/// The CRC-32 of a text in base62, the most significant character first.
fn checksum(text: &str) -> String {
    let mut rest = crc32(text.as_bytes()) as usize;
    let mut sum = [b'0'; CHECKSUM];
    for place in sum.iter_mut().rev() {
        *place = BASE62.get(rest % BASE62.len()).copied().unwrap_or_default();
        rest /= BASE62.len();
    }
    sum.iter().copied().map(char::from).collect()
}

/// CRC-32/ISO-HDLC, which zip and PNG use. It finds typing errors and protects nothing.
fn crc32(bytes: &[u8]) -> u32 {
    let bit = |crc: u32, _| (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg());
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), bit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_usual_crc_32_in_base62() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(checksum(""), "000000");
        // 0xcbf43926 = ((((3 * 62 + 45) * 62 + 35) * 62 + 27) * 62 + 22) * 62 + 14
        assert_eq!(checksum("123456789"), "3jZRME");
    }

    #[test]
    fn a_new_text_has_its_parts_and_is_read_back() {
        let new = NewText::draw("acme_pat").unwrap();
        assert_eq!(new.text.len(), "acme_pat_".len() + 61);
        assert!(new.text.starts_with(&format!("acme_pat_{}", new.id)) && new.text.ends_with(new.last_four()));
        let read = Presented::parse("acme_pat", &new.text).expect("it is a token");
        assert_eq!((read.id, read.secret_hash), (&*new.id, new.secret_hash));
        assert!(is_id(&new.id) && !is_id(&new.text) && !is_id("4fQz0aB7xK2-"));
        assert_ne!(NewText::draw("acme_pat").unwrap().text, new.text);
    }

    #[test]
    fn a_text_with_another_character_anywhere_is_no_token() {
        let NewText { text, .. } = NewText::draw("pat").unwrap();
        for at in 0..text.len() {
            for other in ["0", "z", "_", "", "é", " "] {
                let mut wrong = text.clone();
                wrong.replace_range(at..=at, other);
                assert!(wrong == text || Presented::parse("pat", &wrong).is_none(), "{wrong}");
            }
        }
        let without_prefix = text.trim_start_matches("pat_");
        for wrong in [
            "",
            "pat",
            "pat_",
            without_prefix,
            &format!("{text}0"),
            &format!(" {text}"),
            &text.to_uppercase(),
        ] {
            assert!(Presented::parse("pat", wrong).is_none(), "{wrong}");
        }
        assert!(Presented::parse("pa", &text).is_none() && Presented::parse("pat_", &text).is_none());
    }
}
