//! Errors in the fields of a request.

use super::FieldText;
use std::borrow::Cow;
use std::fmt;

/// One error in one field: the `{ "field", "code", "detail" }` of a validation problem (specification §6.6).
/// [`FieldErrors::one`] and [`FieldErrors::standard`] make it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldError {
    /// The field's name on the wire: `passwordConfirmation`.
    pub field: Cow<'static, str>,
    /// The code for programs. The library uses `required`, `wrong_type`, `invalid`, `too_short`, `too_long`,
    /// `mismatch` and `conflict`; a host's action can use others.
    pub code: Cow<'static, str>,
    /// A sentence for people. It must not contain input. A sentence of the library is in English here;
    /// [`Language::of_field`](crate::languages::Language::of_field) has it in another language.
    pub detail: Cow<'static, str>,
    /// Which sentence of the library it is, and the number in it.
    standard: Option<(FieldText, Option<usize>)>,
}

impl FieldError {
    /// Which sentence of the library the error has. `None` for one of the host's own.
    #[must_use]
    pub fn text(&self) -> Option<FieldText> {
        self.standard.map(|(text, _)| text)
    }

    /// The number that stands for `{number}` in the sentence of the library.
    #[must_use]
    pub fn number(&self) -> Option<usize> {
        self.standard.and_then(|(_, number)| number)
    }

    fn standard(field: Cow<'static, str>, text: FieldText, number: Option<usize>) -> Self {
        let detail = with_number(text.english(), number);
        Self { field, code: text.code().into(), detail, standard: Some((text, number)) }
    }
}

/// The sentence with the number in the place of `{number}`.
pub(crate) fn with_number(sentence: &str, number: Option<usize>) -> Cow<'_, str> {
    match number {
        Some(number) => sentence.replace("{number}", &number.to_string()).into(),
        None => sentence.into(),
    }
}

/// At least one [`FieldError`].
///
/// It does not implement `std::error::Error`, because it is not a failure of the server: in an action, `?` turns it
/// into a 422 response.
///
/// ```
/// use axum_auth_module::actions::ActionError;
/// use axum_auth_module::error::FieldErrors;
///
/// fn check_plan(plan: &str) -> Result<(), ActionError> {
///     match plan {
///         "free" | "pro" => Ok(()),
///         _ => Err(FieldErrors::one("plan", "unknown_plan", "The plan must be free or pro.").into()),
///     }
/// }
/// assert!(check_plan("gold").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldErrors(Vec<FieldError>);

impl FieldErrors {
    /// One error.
    pub fn one(
        field: impl Into<Cow<'static, str>>,
        code: impl Into<Cow<'static, str>>,
        detail: impl Into<Cow<'static, str>>,
    ) -> Self {
        let (field, code, detail) = (field.into(), code.into(), detail.into());
        Self(vec![FieldError { field, code, detail, standard: None }])
    }

    /// One error with a code and a sentence of the library, which responses have in the language of the request.
    ///
    /// ```
    /// use axum_auth_module::error::{FieldErrors, FieldText};
    ///
    /// let missing = FieldErrors::standard("country", FieldText::Required);
    /// assert_eq!(missing.to_string(), "country: The field is required.");
    /// ```
    pub fn standard(field: impl Into<Cow<'static, str>>, text: FieldText) -> Self {
        Self(vec![FieldError::standard(field.into(), text, None)])
    }

    /// One error with a code and a sentence of the library that has a number.
    ///
    /// ```
    /// use axum_auth_module::error::{FieldErrors, FieldText};
    ///
    /// let long = FieldErrors::standard_with("name", FieldText::NameTooLong, 40);
    /// assert_eq!(long.to_string(), "name: The name must have at most 40 characters.");
    /// ```
    pub fn standard_with(field: impl Into<Cow<'static, str>>, text: FieldText, number: usize) -> Self {
        Self(vec![FieldError::standard(field.into(), text, Some(number))])
    }

    /// Appends other errors.
    #[must_use]
    pub fn and(mut self, mut others: Self) -> Self {
        self.0.append(&mut others.0);
        self
    }

    /// The errors, in the order in which they were found.
    pub fn iter(&self) -> impl Iterator<Item = &FieldError> {
        self.0.iter()
    }
}

impl fmt::Display for FieldErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { " " };
            write!(f, "{separator}{}: {}", error.field, error.detail)?;
        }
        Ok(())
    }
}

/// Collects the errors of several fields, so that all of them are reported and not only the first.
///
/// [`finish`](Self::finish) returns the values only if there were no errors.
#[derive(Default)]
pub(crate) struct FieldCollector(Option<FieldErrors>);

impl FieldCollector {
    /// Returns the value, or records the errors.
    pub(crate) fn take<T>(&mut self, read: Result<T, FieldErrors>) -> Option<T> {
        read.map_err(|errors| self.add(errors)).ok()
    }

    /// Adds errors.
    pub(crate) fn add(&mut self, errors: FieldErrors) {
        self.0 = Some(match self.0.take() {
            Some(earlier) => earlier.and(errors),
            None => errors,
        });
    }

    /// Returns the values if there were no errors.
    pub(crate) fn finish<T>(self, values: Option<T>) -> Result<T, FieldErrors> {
        match (self.0, values) {
            (Some(errors), _) => Err(errors),
            (None, Some(values)) => Ok(values),
            (None, None) => Err(FieldErrors::standard("", FieldText::Incomplete)),
        }
    }
}
