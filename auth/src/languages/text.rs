//! The texts that a language has.

use super::{MailText, SuccessText};
use crate::error::{ErrorCode, FieldText};
use std::fmt;

/// A text of the library for people. Every language can have its own wording of it.
///
/// `Display` writes its name, `error.invalid_credentials`, which never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TextKey {
    /// The `detail` of a problem document.
    Error(ErrorCode),
    /// The `detail` of an error in one field.
    Field(FieldText),
    /// The `message` of a successful response.
    Success(SuccessText),
    /// A part of a mail.
    Mail(MailText),
}

impl TextKey {
    /// All of them. A release can add further ones.
    ///
    /// ```
    /// use axum_auth_module::languages::TextKey;
    ///
    /// for text in TextKey::all() {
    ///     println!("{text}: {}", text.english());
    /// }
    /// ```
    pub fn all() -> impl Iterator<Item = Self> {
        let errors = ErrorCode::ALL.iter().copied().map(Self::Error);
        let fields = FieldText::ALL.iter().copied().map(Self::Field);
        let successes = SuccessText::ALL.iter().copied().map(Self::Success);
        let mails = MailText::ALL.iter().copied().map(Self::Mail);
        errors.chain(fields).chain(successes).chain(mails)
    }

    /// The text in English. A name in braces, such as `{number}`, stands for a value, and a translation repeats it.
    #[must_use]
    pub const fn english(self) -> &'static str {
        match self {
            Self::Error(code) => code.detail(),
            Self::Field(text) => text.english(),
            Self::Success(text) => text.english(),
            Self::Mail(text) => text.english(),
        }
    }

    /// When it is said.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::Error(code) => code.description(),
            Self::Field(text) => text.description(),
            Self::Success(text) => text.description(),
            Self::Mail(text) => text.description(),
        }
    }

    /// The two parts of the name.
    const fn name(self) -> (&'static str, &'static str) {
        match self {
            Self::Error(code) => ("error", code.as_str()),
            Self::Field(text) => ("field", text.key()),
            Self::Success(text) => ("success", text.key()),
            Self::Mail(text) => ("mail", text.key()),
        }
    }
}

impl fmt::Display for TextKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, key) = self.name();
        write!(f, "{kind}.{key}")
    }
}

impl From<ErrorCode> for TextKey {
    fn from(code: ErrorCode) -> Self {
        Self::Error(code)
    }
}

impl From<FieldText> for TextKey {
    fn from(text: FieldText) -> Self {
        Self::Field(text)
    }
}

impl From<SuccessText> for TextKey {
    fn from(text: SuccessText) -> Self {
        Self::Success(text)
    }
}

impl From<MailText> for TextKey {
    fn from(text: MailText) -> Self {
        Self::Mail(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_are_unique_and_sentences_complete() {
        let all: Vec<_> = TextKey::all().collect();
        let names: HashSet<_> = all.iter().map(ToString::to_string).collect();
        assert_eq!(names.len(), all.len());
        for text in all {
            let words =
                |name: &str| name.bytes().all(|byte| byte.is_ascii_lowercase() || b"._".contains(&byte));
            assert!(words(&text.to_string()), "{text}");
            let is_sentence = text.english().ends_with('.') || matches!(text, TextKey::Mail(_));
            assert!(is_sentence && text.english().trim() == text.english(), "{text}: {}", text.english());
            assert!(!text.description().is_empty(), "{text}");
        }
    }
}
