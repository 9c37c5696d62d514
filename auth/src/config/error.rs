//! Everything that is wrong with a configuration.

use std::borrow::Cow;
use std::fmt;

/// One thing wrong with one option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigProblem {
    /// The option, as the host wrote it: `jwt_secret`, or `AUTH_JWT_SECRET` when it came from the environment.
    pub option: Cow<'static, str>,
    /// What is wrong and what is expected. It never holds the option's value.
    pub message: String,
}

/// A configuration that cannot work: *all* that is wrong with it, each with the option's name and never its value.
///
/// Displayed it is a list, one problem a line, fit to be printed as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError(Vec<ConfigProblem>);

impl ConfigError {
    /// One problem.
    pub(crate) fn one(option: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self(vec![ConfigProblem { option: option.into(), message: message.into() }])
    }

    /// `Err` with these problems, `Ok` when there are none.
    pub(crate) fn check(problems: Vec<ConfigProblem>) -> Result<(), Self> {
        if problems.is_empty() { Ok(()) } else { Err(Self(problems)) }
    }

    /// The same problems under other names: `name` gives an option's, `reword` mends what a message says of others.
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
