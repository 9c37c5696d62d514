//! What a suite reports.

use crate::error::BoxError;
use crate::repository::RepositoryError;
use std::fmt;

/// The cases that have failed. `Debug` prints the same text as `Display`, so that a test can return it or unwrap it.
pub struct Failures {
    failures: Vec<Failure>,
    of: usize,
}

/// A case that has failed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failure {
    /// The name of the case.
    pub case: &'static str,
    /// What the implementation did, as a sentence without a full stop.
    pub found: String,
    /// What the trait requires.
    pub requirement: &'static str,
}

impl Failures {
    pub(super) const fn new(failures: Vec<Failure>, of: usize) -> Self {
        Self { failures, of }
    }

    /// The cases that have failed, in the order of the suite's table.
    pub fn iter(&self) -> impl Iterator<Item = &Failure> {
        self.failures.iter()
    }
}

impl fmt::Display for Failures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} cases failed:", self.failures.len(), self.of)?;
        for Failure { case, found, requirement } in &self.failures {
            write!(f, "\n\n{case}\n    found:    {found}.\n    required: {requirement}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Failures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A line of its own, because `unwrap` and a test that returns it put words in front.
        write!(f, "\n{self}\n")
    }
}

impl std::error::Error for Failures {}

/// What a case has found, before it is known which case it was.
#[derive(Debug)]
pub(super) struct Broken(String);

impl Broken {
    pub(super) fn new(found: impl Into<String>) -> Self {
        Self(found.into())
    }

    pub(super) fn of(self, case: &'static str, requirement: &'static str) -> Failure {
        Failure { case, found: self.0, requirement }
    }
}

/// Adds which operation returned an error.
pub(super) trait Operation<T> {
    /// The value, or that `operation` returned the error.
    fn of(self, operation: &str) -> Result<T, Broken>;
}

impl<T> Operation<T> for Result<T, RepositoryError> {
    fn of(self, operation: &str) -> Result<T, Broken> {
        self.map_err(|error| Broken::new(format!("`{operation}` returned {}", error_text(&error))))
    }
}

impl<T> Operation<T> for Result<T, BoxError> {
    fn of(self, operation: &str) -> Result<T, Broken> {
        self.map_err(|error| Broken::new(format!("`{operation}` returned the error \"{error}\"")))
    }
}

/// `Stale`, `EmailTaken`, `UsernameTaken`, or the text of another error.
pub(super) fn error_text(error: &RepositoryError) -> String {
    match error {
        RepositoryError::EmailTaken => "`EmailTaken`".to_owned(),
        RepositoryError::UsernameTaken => "`UsernameTaken`".to_owned(),
        RepositoryError::Stale => "`Stale`".to_owned(),
        RepositoryError::Unavailable(cause) => format!("`Unavailable` with the error \"{cause}\""),
        RepositoryError::Other(cause) => format!("the error \"{cause}\""),
    }
}

/// Ends the case with this sentence unless the condition holds.
macro_rules! ensure {
    ($holds:expr, $($found:tt)+) => {
        if !$holds {
            return Err($crate::testing::conformance::failures::Broken::new(format!($($found)+)));
        }
    };
}

pub(super) use ensure;
