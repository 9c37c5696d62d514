//! The error of an invalid configuration: a list of all problems.

use std::borrow::Cow;
use std::fmt;

/// One problem with one option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigProblem {
    /// The option, as the host wrote it: `jwt_secret`, or `AUTH_JWT_SECRET` when it came from the environment.
    pub option: Cow<'static, str>,
    /// What is wrong or what is expected. It never contains the option's value.
    pub message: String,
}

/// An invalid configuration: *all* problems, each with its option's name and never with its value.
///
/// `Display` writes a list with one problem per line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError(Vec<ConfigProblem>);

impl ConfigError {
    /// An error with one problem.
    pub(crate) fn one(option: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self(vec![ConfigProblem { option: option.into(), message: message.into() }])
    }

    /// `Err` with these problems, or `Ok` when the list is empty.
    pub(crate) fn check(problems: Vec<ConfigProblem>) -> Result<(), Self> {
        if problems.is_empty() { Ok(()) } else { Err(Self(problems)) }
    }

    /// The same problems with other names. `name` returns the new name of an option; `reword` replaces the names of
    /// other options in a message.
    pub(crate) fn renamed(
        self,
        name: impl Fn(&str) -> Option<&'static str>,
        reword: impl Fn(String) -> String,
    ) -> Self {
        let rename = |ConfigProblem { option, message }| ConfigProblem {
            option: name(&option).map_or(option, Cow::Borrowed),
            message: reword(message),
        };
        Self(self.0.into_iter().map(rename).collect())
    }

    /// The problems, in the order of the options.
    #[must_use]
    pub fn problems(&self) -> &[ConfigProblem] {
        &self.0
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the authentication module cannot start with this configuration:")?;
        for ConfigProblem { option, message } in &self.0 {
            write!(f, "\n  {option}: {message}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigError {}
