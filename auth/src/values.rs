//! Validated names, e-mail addresses and passwords (specification §7).

use crate::error::{FieldErrors, FieldText};
use email_address::Options;
use std::fmt;
use zeroize::Zeroizing;

/// The maximum length of a name, in characters.
pub(crate) const NAME_CHARACTERS: usize = 255;
/// The bounds of the length of a user name, in characters.
pub(crate) const LEAST_USERNAME: usize = 3;
pub(crate) const LONGEST_USERNAME: usize = 32;
/// The maximum length of an address, in bytes (RFC 5321 §4.5.3.1.3 without the angle brackets).
pub(crate) const EMAIL_BYTES: usize = 254;
/// The maximum length of a password, in bytes. bcrypt ignores everything after byte 72.
pub(crate) const PASSWORD_BYTES: usize = 72;

/// A user's name: 1 to 255 characters, none of them a control character or invisible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserName(String);

impl UserName {
    /// Reads a name.
    ///
    /// # Errors
    /// `required` if it is empty or blank, `too_long` if it has more than 255 characters, `invalid` if it has control
    /// characters, separators of lines or format characters of Unicode: they hide a part of the name or turn it around. Zero-width
    /// joiners and non-joiners, which names in some scripts need, are allowed.
    pub fn parse(text: &str) -> Result<Self, FieldErrors> {
        let error = |text| Err(FieldErrors::standard("name", text));
        if text.trim().is_empty() {
            return error(FieldText::NameRequired);
        }
        if text.chars().count() > NAME_CHARACTERS {
            return Err(FieldErrors::standard_with("name", FieldText::NameTooLong, NAME_CHARACTERS));
        }
        if text.chars().any(|c| c.is_control() || (is_invisible(c) && !is_joiner(c))) {
            return error(FieldText::NameInvalid);
        }
        Ok(Self(text.to_owned()))
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The most characters of a [`short_name`].
const SHORT_NAME_CHARACTERS: usize = 64;

/// What a user calls a passkey or an API token: a name of 1 to 64 characters, without blanks around it.
pub(crate) fn short_name(text: &str) -> Result<String, FieldErrors> {
    let text = text.trim();
    if text.chars().count() > SHORT_NAME_CHARACTERS {
        return Err(FieldErrors::standard_with("name", FieldText::NameTooLong, SHORT_NAME_CHARACTERS));
    }
    UserName::parse(text).map(|name| name.as_str().to_owned())
}

/// Whether a character shows nothing by itself: Unicode's general categories Cf, Zl and Zp.
const fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{AD}'
            | '\u{600}'..='\u{605}'
            | '\u{61C}'
            | '\u{6DD}'
            | '\u{70F}'
            | '\u{890}'..='\u{891}'
            | '\u{8E2}'
            | '\u{180E}'
            | '\u{200B}'..='\u{200F}'
            | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{2064}'
            | '\u{2066}'..='\u{206F}'
            | '\u{FEFF}'
            | '\u{FFF9}'..='\u{FFFB}'
            | '\u{110BD}'
            | '\u{110CD}'
            | '\u{13430}'..='\u{1343F}'
            | '\u{1BCA0}'..='\u{1BCA3}'
            | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0001}'
            | '\u{E0020}'..='\u{E007F}'
    )
}

/// Whether a character decides how its neighbours are written: names in Persian and in scripts of India need them.
const fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200C}' | '\u{200D}')
}

/// A user name in its canonical form: 3 to 32 characters of `a` to `z`, `0` to `9`, `.`, `_` and `-`, the first of them a letter
/// (specification §7.7).
///
/// ```
/// use axum_auth_module::values::Username;
///
/// assert_eq!(Username::parse("Ada.Lovelace")?.as_str(), "ada.lovelace");
/// assert!(Username::parse("ada@example.com").is_err());
/// # Ok::<(), axum_auth_module::error::FieldErrors>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Username(String);

impl Username {
    /// Reads a user name and converts it to its canonical form.
    ///
    /// # Errors
    /// `required` if it is empty; `invalid` if it has another character than those above, or does not begin with a letter; `too_short` if
    /// it has fewer than 3 characters; `too_long` if it has more than 32.
    pub fn parse(text: &str) -> Result<Self, FieldErrors> {
        let error = |text| Err(FieldErrors::standard("username", text));
        let out_of_bounds = |text, bound| Err(FieldErrors::standard_with("username", text, bound));
        if text.is_empty() {
            return error(FieldText::Required);
        }
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        if !text.starts_with(|first: char| first.is_ascii_alphabetic()) || !text.chars().all(is_allowed) {
            return error(FieldText::UsernameInvalid);
        }
        match text.len() {
            ..LEAST_USERNAME => out_of_bounds(FieldText::UsernameTooShort, LEAST_USERNAME),
            LEAST_USERNAME..=LONGEST_USERNAME => Ok(Self(text.to_ascii_lowercase())),
            _ => out_of_bounds(FieldText::UsernameTooLong, LONGEST_USERNAME),
        }
    }

    /// The canonical user name.
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
    /// Reads an address and converts it to its canonical form.
    ///
    /// # Errors
    /// `required` if it is blank, `too_long` if it has more than 254 bytes, `invalid` if it is not one plain address
    /// with a domain name: no display name, no address literal, no character outside ASCII.
    pub fn parse(text: &str) -> Result<Self, FieldErrors> {
        let error = |text| Err(FieldErrors::standard("email", text));
        let canonical = text.trim_matches([' ', '\t']).to_ascii_lowercase();
        if canonical.is_empty() {
            return error(FieldText::EmailRequired);
        }
        if canonical.len() > EMAIL_BYTES {
            return Err(FieldErrors::standard_with("email", FieldText::EmailTooLong, EMAIL_BYTES));
        }
        let plain = Options::default().without_display_text().without_domain_literal().with_required_tld();
        let well_formed = canonical.is_ascii()
            && !canonical.contains(|c: char| c.is_ascii_control())
            && email_address::EmailAddress::parse_with_options(&canonical, plain).is_ok();
        if well_formed { Ok(Self(canonical)) } else { error(FieldText::EmailInvalid) }
    }

    /// The canonical address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// For actions of a host: `NewUser::new(data.name, data.email, hash)`.
impl From<UserName> for String {
    fn from(name: UserName) -> Self {
        name.0
    }
}

/// The canonical form.
impl From<Username> for String {
    fn from(username: Username) -> Self {
        username.0
    }
}

/// The canonical form.
impl From<EmailAddress> for String {
    fn from(address: EmailAddress) -> Self {
        address.0
    }
}

/// Hides the address, because it is personal data and must not get into logs.
impl fmt::Debug for EmailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EmailAddress(..)")
    }
}

/// A password in clear text. It has no `Debug`, `Display` or `Serialize`, and its memory is cleared when it is dropped.
///
/// The library does not normalise Unicode: the composed and the decomposed form of a letter are different passwords.
#[derive(Clone)]
pub struct Password(Zeroizing<String>);

impl Password {
    /// A password to check against a stored hash. It is not validated: every password that does not match leads to the
    /// same response after the same work.
    #[must_use]
    pub fn to_check(text: String) -> Self {
        Self(Zeroizing::new(text))
    }

    /// The text. Do not log or store it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

/// A valid new password: long enough, at most 72 bytes, and without NUL, which ends a bcrypt key.
#[derive(Clone)]
pub struct NewPassword(Password);

impl NewPassword {
    /// Reads a password and its confirmation, which must be equal (specification §7.4).
    ///
    /// # Errors
    /// For `password`: `required` if it is empty, `too_short` if it has fewer than `min_characters` characters,
    /// `too_long` if it has more than 72 bytes, `invalid` if it has a NUL. For `passwordConfirmation`: `mismatch`.
    pub fn parse(text: String, confirmation: &str, min_characters: usize) -> Result<Self, FieldErrors> {
        let confirmed = text == confirmation;
        match (Self::unconfirmed(text, min_characters), confirmed) {
            (read, true) => read,
            (Ok(_), false) => Err(mismatch()),
            (Err(errors), false) => Err(errors.and(mismatch())),
        }
    }

    /// Reads a password without a confirmation, for example in an administrator's task.
    ///
    /// # Errors
    /// The errors of [`parse`](Self::parse) for `password`.
    pub fn unconfirmed(text: String, min_characters: usize) -> Result<Self, FieldErrors> {
        let password = Password::to_check(text);
        let text = password.expose();
        let error = |text| Err(FieldErrors::standard("password", text));
        let out_of_bounds = |text, bound| Err(FieldErrors::standard_with("password", text, bound));
        if text.is_empty() {
            return error(FieldText::PasswordRequired);
        }
        if text.chars().count() < min_characters {
            return out_of_bounds(FieldText::PasswordTooShort, min_characters);
        }
        if text.len() > PASSWORD_BYTES {
            return out_of_bounds(FieldText::PasswordTooLong, PASSWORD_BYTES);
        }
        if text.contains('\0') {
            return error(FieldText::PasswordInvalid);
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
    FieldErrors::standard("passwordConfirmation", FieldText::PasswordMismatch)
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
    fn a_new_password_has_8_characters_to_72_bytes_and_no_nul() {
        let read = |text: &str| code(NewPassword::unconfirmed(text.to_owned(), 8));
        assert!(read("12345678").is_empty());
        assert!(read(&"x".repeat(72)).is_empty());
        assert_eq!(read(&"x".repeat(73))[0].1, "too_long");
        assert_eq!(read(&"ü".repeat(37))[0].1, "too_long", "the maximum is in bytes");
        assert_eq!(read("ünicöde")[0].1, "too_short", "the minimum is in characters");
        assert_eq!(read("1234567\0")[0].1, "invalid");
        assert_eq!(read("")[0].1, "required");
    }

    #[test]
    fn a_mismatch_is_reported_together_with_the_password_errors() {
        let errors = code(NewPassword::parse("short".to_owned(), "shirt", 8));
        assert_eq!(errors.len(), 2);
        assert_eq!(errors[1], ("passwordConfirmation".to_owned(), "mismatch".to_owned()));
    }

    #[test]
    fn a_name_has_one_to_255_characters() {
        assert!(UserName::parse(&"ü".repeat(255)).is_ok());
        assert_eq!(code(UserName::parse(&"u".repeat(256)))[0].1, "too_long");
        assert_eq!(code(UserName::parse("  "))[0].1, "required");
        for hidden in
            ["a\r\nb", "evil.\u{200B}com", "evil.c\u{AD}om", "a\u{2028}b", "a\u{202E}b", "\u{E0041}a"]
        {
            assert_eq!(code(UserName::parse(hidden))[0].1, "invalid", "{hidden:?}");
        }
        for joined in ["علی\u{200C}رضا", "👩\u{200D}💻", "Zoë O’Neil-Śmith"] {
            assert!(UserName::parse(joined).is_ok(), "{joined}");
        }
    }

    #[test]
    fn a_short_name_has_1_to_64_characters() {
        assert_eq!(short_name(" My phone ").unwrap(), "My phone");
        assert_eq!(short_name(&"ü".repeat(64)).unwrap(), "ü".repeat(64));
        for wrong in ["", "   ", &"a".repeat(65), "a\u{202e}b", "a\nb"] {
            assert!(short_name(wrong).is_err(), "{wrong:?}");
        }
    }
}
