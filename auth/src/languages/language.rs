//! One language.

use super::tag::Tag;
use super::{InvalidLanguage, TextKey, german};
use crate::error::{AuthError, FieldError, with_number};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// A language, with the texts of the library in it. A text that it lacks is in English. Clones share everything.
///
/// ```
/// use axum_auth_module::error::ErrorCode;
/// use axum_auth_module::languages::Language;
///
/// let german = Language::german();
/// assert_eq!(german.tag(), "de");
/// assert_eq!(german.text(ErrorCode::IncorrectPassword), "Das Passwort ist falsch.");
/// ```
#[derive(Clone, Default)]
pub struct Language(Option<Arc<Texts>>);

/// The texts of a language. English alone needs none: every text has its own wording.
struct Texts {
    tag: Tag,
    of: HashMap<TextKey, Cow<'static, str>>,
}

impl Language {
    /// English, as the library words it.
    #[must_use]
    pub const fn english() -> Self {
        Self(None)
    }

    /// German, as the library words it.
    #[must_use]
    pub fn german() -> Self {
        let of = TextKey::all().map(|text| (text, german::german(text).into())).collect();
        Self(Some(Arc::new(Texts { tag: Tag::GERMAN, of })))
    }

    /// A language of these texts. A text that is blank is missing.
    pub(super) fn new<T: Into<Cow<'static, str>>>(
        tag: &str,
        texts: impl Fn(TextKey) -> Option<T>,
    ) -> Result<Self, InvalidLanguage> {
        let given = |text| texts(text).map(|written| (text, written.into()));
        let of = TextKey::all().filter_map(given).filter(|(_, written)| !written.trim().is_empty()).collect();
        Ok(Self(Some(Arc::new(Texts { tag: Tag::parse(tag)?, of }))))
    }

    /// The name of the language (BCP 47): `de`, `pt-BR`.
    #[must_use]
    pub fn tag(&self) -> &str {
        self.0.as_ref().map_or("en", |texts| texts.tag.as_str())
    }

    /// A text. It can have placeholders, such as `{number}`, in which values are put.
    #[must_use]
    pub fn text(&self, text: impl Into<TextKey>) -> &str {
        let text = text.into();
        self.own(text).unwrap_or(text.english())
    }

    /// The sentence of an error, as the response has it.
    ///
    /// ```
    /// use axum_auth_module::AuthError;
    /// use axum_auth_module::languages::Language;
    ///
    /// assert_eq!(Language::german().of_error(&AuthError::IncorrectPassword), "Das Passwort ist falsch.");
    /// ```
    #[must_use]
    pub fn of_error<'a>(&'a self, error: &'a AuthError) -> &'a str {
        match error {
            AuthError::NotAllowed { detail, .. } => detail,
            other => self.text(other.code()),
        }
    }

    /// The sentence of a field error, as the response has it. The host's own sentences stay as they are.
    ///
    /// ```
    /// use axum_auth_module::languages::Language;
    /// use axum_auth_module::values::UserName;
    ///
    /// let errors = UserName::parse("").unwrap_err();
    /// let sentences: Vec<_> = errors.iter().map(|error| Language::german().of_field(error).into_owned()).collect();
    /// assert_eq!(sentences, ["Der Name fehlt."]);
    /// ```
    #[must_use]
    pub fn of_field<'a>(&'a self, error: &'a FieldError) -> Cow<'a, str> {
        match error.text() {
            Some(text) => with_number(self.text(text), error.number()),
            None => Cow::Borrowed(&error.detail),
        }
    }

    /// The language's own wording of a text.
    fn own(&self, text: TextKey) -> Option<&str> {
        match &self.0 {
            Some(texts) => texts.of.get(&text).map(|written| &**written),
            None => Some(text.english()),
        }
    }

    /// Whether the language lacks a text.
    pub(super) fn lacks(&self, text: TextKey) -> bool {
        self.own(text).is_none()
    }

    /// The language with the texts of another one where it has none.
    pub(super) fn or(&self, other: &Self) -> Self {
        let tag = self.0.as_ref().map_or(Tag::ENGLISH, |texts| texts.tag.clone());
        let of = TextKey::all().filter_map(|text| {
            let written = self.own(text).or_else(|| other.own(text))?;
            Some((text, Cow::Owned(written.to_owned())))
        });
        Self(Some(Arc::new(Texts { tag, of: of.collect() })))
    }
}

/// Languages compare by tag.
impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.tag() == other.tag()
    }
}

impl Eq for Language {}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Language({})", self.tag())
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.tag())
    }
}
