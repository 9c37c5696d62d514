//! Names of tables and columns. SQL cannot bind them like values.

use std::borrow::Cow;
use std::fmt;

/// A name that is not allowed for a table or column.
///
/// An allowed name begins with an ASCII letter or `_`; ASCII letters, digits and `_` can follow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name:?} cannot name a table or column: a letter or `_`, and then letters, digits and `_`")]
pub struct InvalidIdentifier {
    name: String,
}

/// The name of a table or column. A [`Statement`](super::statement::Statement) contains it in quotes, so that SQL keywords
/// can be names, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Identifier(Cow<'static, str>);

impl Identifier {
    /// Checks a name that was given at run time.
    pub(super) fn new(name: impl Into<String>) -> Result<Self, InvalidIdentifier> {
        let name = name.into();
        let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.starts_with(|c: char| c.is_ascii_digit()) || name.is_empty() || !name.chars().all(part) {
            return Err(InvalidIdentifier { name });
        }
        Ok(Self(Cow::Owned(name)))
    }

    /// A name from the source code of the library or its host. It is not checked: a Rust field can have the name
    /// `größe`.
    pub(super) const fn from_source(name: &'static str) -> Self {
        Self(Cow::Borrowed(name))
    }

    /// A name that the library composes of others.
    pub(super) const fn from_owned(name: String) -> Self {
        Self(Cow::Owned(name))
    }

    /// The name without quotes.
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the two names are equal in SQL, which ignores ASCII case.
    pub(super) fn is(&self, name: &str) -> bool {
        self.0.eq_ignore_ascii_case(name)
    }
}

/// Writes the name in double quotes, as in standard SQL. [`Dialect::render`](super::database::Dialect::render) changes the
/// quotes for MySQL.
impl fmt::Display for Identifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.replace('"', "\"\""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_ascii_letters_digits_and_underscores() {
        for good in ["users", "_", "Users2", "order"] {
            assert_eq!(Identifier::new(good).unwrap().to_string(), format!("\"{good}\""));
        }
        for bad in ["", "2users", "a-b", "a b", "a.b", "a\"b", "größe", "a;--", "a\0"] {
            assert!(Identifier::new(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_quote_in_a_name_does_not_end_it() {
        assert_eq!(Identifier::from_source("a\"b").to_string(), "\"a\"\"b\"");
    }
}
