//! What is wrong with the fields of a request.

use std::borrow::Cow;
use std::fmt;

/// One thing wrong with one field: the `{ "field", "code", "detail" }` of a validation problem (specification §6.6).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// The field's name on the wire: `passwordConfirmation`.
    pub field: Cow<'static, str>,
    /// What is wrong, for programs. The library's own are `required`, `wrong_type`, `invalid`, `too_short`,
    /// `too_long` and `mismatch`; a host's action may use others.
    pub code: Cow<'static, str>,
    /// What is wrong, for people. Never put input here.
    pub detail: Cow<'static, str>,
}

/// At least one [`FieldError`].
///
/// It is a refusal and not a failure, so it is no `std::error::Error`: `?` in an action turns it into a 422.
///
/// ```
/// use axum_auth_module::actions::ActionError;
/// use axum_auth_module::error::FieldErrors;
///
/// fn check_plan(plan: &str) -> Result<(), ActionError> {
///     match plan {
///         "free" | "pro" => Ok(()),
///         _ => Err(FieldErrors::one("plan", "unknown_plan", "The plan is free or pro.").into()),
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
        Self(vec![FieldError { field: field.into(), code: code.into(), detail: detail.into() }])
    }

    /// These errors and those.
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

/// Reads several fields and reports what is wrong with all of them, not with the first.
///
/// Its only way out is [`finish`](Self::finish), which asks for the errors before it gives the values.
#[derive(Default)]
pub(crate) struct FieldCollector(Option<FieldErrors>);

impl FieldCollector {
    /// Keeps a value, or the error in its place.
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

    /// The values, if every one was read.
    pub(crate) fn finish<T>(self, values: Option<T>) -> Result<T, FieldErrors> {
        match (self.0, values) {
            (Some(errors), _) => Err(errors),
            (None, Some(values)) => Ok(values),
            (None, None) => Err(FieldErrors::one("", "required", "A field is missing.")),
        }
    }
}
