//! What a client may send for a name, an address and a password (specification §7). A value of these types is valid.

use crate::error::FieldErrors;
use email_address::Options;
use std::fmt;
use zeroize::Zeroizing;

/// The longest name, in characters.
const NAME_CHARACTERS: usize = 255;
/// The longest address, in bytes (RFC 5321 §4.5.3.1.3 less the angle brackets).
const EMAIL_BYTES: usize = 254;
/// The longest password that the hasher verifies whole, in bytes: bcrypt ignores everything behind the 72nd.
pub(crate) const PASSWORD_BYTES: usize = 72;

/// A user's name: 1 to 255 characters, none of them a control character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserName(String);

impl UserName {
    /// Reads a name.
    ///
    /// # Errors
    /// `required` when it is empty or blank, `too_long` over 255 characters, `invalid` with control characters.
    pub fn parse(text: &str) -> Result<Self, FieldErrors> {
        let error = |code, detail| Err(FieldErrors::one("name", code, detail));
        if text.trim().is_empty() {
            return error("required", "The name is required.");
        }
        if text.chars().count() > NAME_CHARACTERS {
            return error("too_long", "The name may have 255 characters at most.");
        }
        if text.chars().any(char::is_control) {
            return error("invalid", "The name may not have control characters.");
        }
        Ok(Self(text.to_owned()))
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// An e-mail address in its canonical form: one RFC 5321 address, ASCII, trimmed and lower-cased.
///
/// ```
/// use axum_auth_module::values::EmailAddress;
///
/// let address = EmailAddress::parse("  Ada@Example.COM ")?;
/// assert_eq!(address.as_str(), "ada@example.com");
/// assert!(EmailAddress::parse("Ada <ada@example.com>").is_err());
/// # Ok::<(), axum_auth_module::error::FieldErrors>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct EmailAddress(String);

impl EmailAddress {
    /// Reads an address and brings it into its canonical form.
    ///
    /// # Errors
    /// `required` when it is blank, `too_long` over 254 bytes, `invalid` when it is not one plain address with a
    /// domain name: no display name, no address literal, no character outside ASCII.
    pub fn parse(text: &str) -> Result<Self, FieldErrors> {
        let error = |code, detail| Err(FieldErrors::one("email", code, detail));
        let canonical = text.trim_matches([' ', '\t']).to_ascii_lowercase();
        if canonical.is_empty() {
            return error("required", "The e-mail address is required.");
        }
        if canonical.len() > EMAIL_BYTES {
            return error("too_long", "The e-mail address may have 254 bytes at most.");
        }
        let plain = Options::default().without_display_text().without_domain_literal().with_required_tld();
        let well_formed = canonical.is_ascii()
            && !canonical.contains(|c: char| c.is_ascii_control())
            && email_address::EmailAddress::parse_with_options(&canonical, plain).is_ok();
        if well_formed { Ok(Self(canonical)) } else { error("invalid", "This is not an e-mail address.") }
    }

    /// The canonical address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// An address is personal data, so logs that print a value in passing do not get it.
impl fmt::Debug for EmailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EmailAddress(..)")
    }
}

/// A password as somebody typed it: no `Debug`, no `Display`, no `Serialize`, and its memory is cleared.
///
/// It is taken byte for byte; the library does not normalise Unicode, so the composed and the decomposed form of a
/// letter are two passwords.
#[derive(Clone)]
pub struct Password(Zeroizing<String>);

impl Password {
    /// A password to be checked against a stored one. Nothing is asked of it: whatever does not match is refused
    /// with the same answer after the same work.
    #[must_use]
    pub fn to_check(text: String) -> Self {
        Self(Zeroizing::new(text))
    }

    /// The text. Do not log it, do not store it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

/// A password that may be set: long enough, short enough for the hasher to verify whole, and without NUL, which
/// bcrypt takes for the end of its key.
#[derive(Clone)]
pub struct NewPassword(Password);

impl NewPassword {
    /// Reads a password and its repetition (specification §7.4: they have to be equal).
    ///
    /// # Errors
    /// For `password`: `required` when empty, `too_short` under `min_characters` characters, `too_long` over 72
    /// bytes, `invalid` with a NUL. For `passwordConfirmation`: `mismatch`.
    pub fn parse(text: String, confirmation: &str, min_characters: usize) -> Result<Self, FieldErrors> {
        let confirmed = text == confirmation;
        match (Self::unconfirmed(text, min_characters), confirmed) {
            (read, true) => read,
            (Ok(_), false) => Err(mismatch()),
            (Err(errors), false) => Err(errors.and(mismatch())),
        }
    }

    /// Reads a password that nobody had to repeat, as for an administrator's task.
    ///
    /// # Errors
    /// Those of [`parse`](Self::parse) for `password`.
    pub fn unconfirmed(text: String, min_characters: usize) -> Result<Self, FieldErrors> {
        let password = Password::to_check(text);
        let text = password.expose();
        let error = |code, detail: String| Err(FieldErrors::one("password", code, detail));
        if text.is_empty() {
            return error("required", "The password is required.".to_owned());
        }
        if text.chars().count() < min_characters {
            return error("too_short", format!("The password needs {min_characters} characters at least."));
        }
        if text.len() > PASSWORD_BYTES {
            return error("too_long", format!("The password may have {PASSWORD_BYTES} bytes at most."));
        }
        if text.contains('\0') {
            return error("invalid", "The password may not have a NUL character.".to_owned());
        }
        Ok(Self(password))
    }

    /// The password.
    #[must_use]
    pub fn as_password(&self) -> &Password {
        &self.0
    }
}

fn mismatch() -> FieldErrors {
    FieldErrors::one("passwordConfirmation", "mismatch", "The confirmation is not equal to the password.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code<T>(read: Result<T, FieldErrors>) -> Vec<(String, String)> {
        let errors = read.err().map(|errors| errors.iter().cloned().collect::<Vec<_>>()).unwrap_or_default();
        errors.into_iter().map(|error| (error.field.into_owned(), error.code.into_owned())).collect()
    }

    #[test]
    fn an_address_is_one_plain_ascii_address() {
        for good in ["a@b.co", "A.B+tag@Example.org", "  a@b.co\t", "\"quoted\"@b.co", "b_c@d-e.co"] {
            assert!(EmailAddress::parse(good).is_ok(), "{good}");
        }
        let long = format!("{}@{}.co", "a".repeat(64), "b".repeat(63));
        for bad in [
            "a",
            "a@b",
            "@b.co",
            "a@",
            "a@b..co",
            "a b@c.co",
            "a@b.co,c@d.co",
            "A <a@b.co>",
            "a@[127.0.0.1]",
            "a@b.co\r\nBcc: c@d.co",
            "\"a\r\nb\"@c.co",
            "ä@b.co",
            "a@bücher.de",
            "\u{212a}@b.co",
            "a@b.co.",
        ] {
            assert_eq!(code(EmailAddress::parse(bad)), [("email".to_owned(), "invalid".to_owned())], "{bad}");
        }
        assert!(EmailAddress::parse(&long).is_ok());
        assert_eq!(code(EmailAddress::parse(" ")), [("email".to_owned(), "required".to_owned())]);
        let huge = format!("a@{}.co", "b".repeat(255));
        assert_eq!(code(EmailAddress::parse(&huge)), [("email".to_owned(), "too_long".to_owned())]);
    }

    #[test]
    fn a_password_to_set_is_what_bcrypt_verifies_whole() {
        let read = |text: &str| code(NewPassword::unconfirmed(text.to_owned(), 8));
        assert!(read("12345678").is_empty());
        assert!(read(&"x".repeat(72)).is_empty());
        assert_eq!(read(&"x".repeat(73))[0].1, "too_long");
        assert_eq!(read(&"ü".repeat(37))[0].1, "too_long", "the limit is in bytes");
        assert_eq!(read("ünicöde")[0].1, "too_short", "the least is in characters");
        assert_eq!(read("1234567\0")[0].1, "invalid");
        assert_eq!(read("")[0].1, "required");
    }

    #[test]
    fn a_confirmation_that_differs_is_reported_beside_what_else_is_wrong() {
        let errors = code(NewPassword::parse("short".to_owned(), "shirt", 8));
        assert_eq!(errors.len(), 2);
        assert_eq!(errors[1], ("passwordConfirmation".to_owned(), "mismatch".to_owned()));
    }

    #[test]
    fn a_name_has_one_to_255_characters() {
        assert!(UserName::parse(&"ü".repeat(255)).is_ok());
        assert_eq!(code(UserName::parse(&"u".repeat(256)))[0].1, "too_long");
        assert_eq!(code(UserName::parse("  "))[0].1, "required");
        assert_eq!(code(UserName::parse("a\r\nb"))[0].1, "invalid");
    }
}
