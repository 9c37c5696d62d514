//! What keeps the quickstart from starting.

use auth::ConfigError;
use std::borrow::Cow;
use std::fmt;

/// Everything that is wrong, for whoever started it: a line for each, under the name of the variable to change and
/// without the values of secrets.
#[derive(Default)]
pub(crate) struct Problems(Vec<(Cow<'static, str>, String)>);

impl Problems {
    /// One problem.
    pub(crate) fn one(variable: &'static str, message: impl Into<String>) -> Self {
        Self(vec![(variable.into(), message.into())])
    }

    /// Keeps what was read, or adds what is wrong with it.
    pub(crate) fn take<T>(&mut self, read: Result<T, impl Into<Self>>) -> Option<T> {
        read.map_err(|problems| self.0.append(&mut problems.into().0)).ok()
    }
}

impl From<ConfigError> for Problems {
    /// The library's list under the quickstart's names. It names variables already, but for the feature list, which is
    /// no variable of the library's.
    fn from(error: ConfigError) -> Self {
        let line = |problem: &auth::ConfigProblem| {
            let variable =
                if problem.option == "features" { "AUTH_FEATURES".into() } else { problem.option.clone() };
            (variable, problem.message.clone())
        };
        Self(error.problems().iter().map(line).collect())
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the quickstart cannot start:")?;
        for (variable, message) in &self.0 {
            write!(f, "\n  {variable}: {message}")?;
        }
        Ok(())
    }
}
