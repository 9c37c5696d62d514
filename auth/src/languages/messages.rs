//! The languages of a module.

use super::{InvalidLanguage, Language, TextKey, ranges};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// The supported languages: `messages:` of `auth_module!`, or
/// [`AuthModuleBuilder::messages`](crate::AuthModuleBuilder::messages). The first one is the fallback. Clones share the languages.
///
/// ```
/// use axum_auth_module::languages::Messages;
///
/// let messages = Messages::english().and(Messages::german());
/// assert!(messages.missing().is_empty());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Messages(Arc<[Language]>);

/// A text that a language lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MissingText {
    /// The language.
    pub language: Language,
    /// The text.
    pub text: TextKey,
}

impl fmt::Display for MissingText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { language, text } = self;
        write!(f, "{language} has no text for {text}: {}", text.english())
    }
}

impl Messages {
    /// English, as the library words it.
    #[must_use]
    pub fn english() -> Self {
        Self([Language::english()].into())
    }

    /// German, as the library words it.
    #[must_use]
    pub fn german() -> Self {
        Self([Language::german()].into())
    }

    /// A language of the host's own, or other words for one of the library's. The function is called once for each text;
    /// `None` if the language has no text for it. `{number}` in a text is replaced by a number.
    ///
    /// ```
    /// use axum_auth_module::error::ErrorCode;
    /// use axum_auth_module::languages::{Messages, TextKey};
    ///
    /// fn french(text: TextKey) -> Option<&'static str> {
    ///     match text {
    ///         TextKey::Error(ErrorCode::InvalidCredentials) => Some("L’adresse ou le mot de passe est incorrect."),
    ///         // …
    ///         _ => None,
    ///     }
    /// }
    ///
    /// # fn main() -> Result<(), axum_auth_module::languages::InvalidLanguage> {
    /// let messages = Messages::english().and(Messages::language("fr", french)?);
    /// // A test of the host asserts that this is empty.
    /// assert_eq!(messages.missing()[0].to_string(), "fr has no text for error.malformed_request: \
    ///     The body must be a JSON object in UTF-8 without duplicate keys.");
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// If `tag` is not a valid language tag: a language, and optionally a script, a region and variants (RFC 5646).
    pub fn language<T: Into<Cow<'static, str>>>(
        tag: &str,
        texts: impl Fn(TextKey) -> Option<T>,
    ) -> Result<Self, InvalidLanguage> {
        Ok(Self([Language::new(tag, texts)?].into()))
    }

    /// These languages, and then the others. If both have a language of one name, the texts of the second one count, and those
    /// of the first one where it has none: so a host words single texts of the library in another way.
    ///
    /// ```
    /// use axum_auth_module::error::ErrorCode;
    /// use axum_auth_module::languages::{Language, Messages, TextKey};
    ///
    /// # fn main() -> Result<(), axum_auth_module::languages::InvalidLanguage> {
    /// let own = Messages::language("de", |text| match text {
    ///     TextKey::Error(ErrorCode::TooManyAttempts) => Some("Bitte machen Sie eine kurze Pause."),
    ///     _ => None,
    /// })?;
    /// let messages = Messages::german().and(own);
    /// let german: Vec<&Language> = messages.languages().collect();
    /// assert_eq!(german[0].text(ErrorCode::TooManyAttempts), "Bitte machen Sie eine kurze Pause.");
    /// assert_eq!(german[0].text(ErrorCode::IncorrectPassword), "Das Passwort ist falsch.");
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn and(self, others: Self) -> Self {
        let (mut all, Self(others)) = (self.0.to_vec(), others);
        for other in others.iter() {
            match all.iter_mut().find(|language| *language == other) {
                Some(language) => *language = other.or(language),
                None => all.push(other.clone()),
            }
        }
        Self(all.into())
    }

    /// The languages, in the order in which they were added.
    pub fn languages(&self) -> impl Iterator<Item = &Language> {
        self.0.iter()
    }

    /// Every text that a language lacks. Responses have it in the first language, or in English if that lacks it too.
    #[must_use]
    pub fn missing(&self) -> Vec<MissingText> {
        let of = |language: &Language| {
            let missing = TextKey::all().filter(|text| language.lacks(*text));
            missing.map(|text| MissingText { language: language.clone(), text }).collect::<Vec<_>>()
        };
        self.0.iter().flat_map(of).collect()
    }

    /// These languages, with texts of the first one where another lacks a text.
    pub(crate) fn completed(self) -> Self {
        let Some(first) = self.0.first().cloned() else { return self };
        let complete = |language: &Language| match *language == first {
            true => first.clone(),
            false => language.or(&first),
        };
        Self(self.0.iter().map(complete).collect())
    }

    /// The language of everybody who understands none of the others.
    pub(crate) fn first(&self) -> Language {
        self.0.first().cloned().unwrap_or_default()
    }

    /// The language of this name, or the one that it is a variety of: `de` for `de-AT`.
    pub(crate) fn named(&self, name: &str) -> Option<Language> {
        let tags: Vec<_> = self.0.iter().map(Language::tag).collect();
        ranges::named(name, &tags).and_then(|at| self.0.get(at).cloned())
    }

    /// Whether there is a choice.
    pub(crate) fn are_several(&self) -> bool {
        self.0.len() > 1
    }

    /// The language that somebody wants most, whose `Accept-Language` this is (RFC 9110 §12.5.4).
    pub(crate) fn wanted(&self, header: &str) -> Language {
        let tags: Vec<_> = self.0.iter().map(Language::tag).collect();
        let found = ranges::lookup(header, &tags).and_then(|at| self.0.get(at).cloned());
        found.unwrap_or_else(|| self.first())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{ErrorCode, FieldText};

    const WRONG: TextKey = TextKey::Error(ErrorCode::IncorrectPassword);
    const SHORT: TextKey = TextKey::Field(FieldText::PasswordTooShort);

    fn partial(tag: &str) -> Messages {
        Messages::language(tag, |text| match text {
            WRONG => Some("Non."),
            SHORT => Some(" \n"),
            _ => None,
        })
        .unwrap()
    }

    #[test]
    fn what_a_language_lacks_is_listed_and_said_in_the_first_one() {
        let messages = Messages::german().and(partial("fr"));
        let missing = messages.missing();
        assert_eq!(missing.len(), TextKey::all().count() - 1);
        assert!(missing.iter().any(|missing| missing.text == SHORT && missing.language.tag() == "fr"));
        let french = messages.completed().wanted("fr");
        assert_eq!((french.tag(), french.text(WRONG)), ("fr", "Non."));
        assert_eq!(french.text(SHORT), Language::german().text(SHORT));
        // Without a first language that has it, English is left.
        assert_eq!(partial("fr").completed().first().text(SHORT), SHORT.english());
    }

    #[test]
    fn a_second_language_of_one_name_words_single_texts_in_another_way() {
        let messages = Messages::english().and(Messages::german()).and(partial("DE")).and(partial("en"));
        assert_eq!(messages.languages().map(Language::tag).collect::<Vec<_>>(), ["en", "de"]);
        assert!(messages.missing().is_empty());
        for (header, short) in [("en", SHORT.english()), ("de", Language::german().text(SHORT))] {
            let language = messages.wanted(header);
            assert_eq!((language.text(WRONG), language.text(SHORT)), ("Non.", short));
        }
    }

    #[test]
    fn whoever_understands_none_of_them_gets_the_first() {
        let messages = Messages::german().and(Messages::english());
        for header in ["", "fr", "garbage;;", "*;q=0"] {
            assert_eq!(messages.wanted(header).tag(), "de", "{header}");
        }
        assert_eq!(messages.wanted("en-GB").tag(), "en");
    }
}
