//! The error of an invalid configuration: a list of all problems.

use std::borrow::Cow;
use std::fmt;

/// The message for a secret that is missing.
pub(super) const NOT_SET: &str = "is not set; `openssl rand -base64 32` makes one";

/// One problem with one option.
///
/// `Display` writes `AUTH_BCRYPT_COST: expected 10 to 16` or, if it is missing, `AUTH_JWT_SECRET is not set; …`.
///
/// ```
/// use axum_auth_module::config::ConfigProblem;
///
/// let problem = ConfigProblem::new("PUBLIC_URL", "expected a URL that begins with https://");
/// assert_eq!(problem.to_string(), "PUBLIC_URL: expected a URL that begins with https://");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConfigProblem {
    /// The option, as the host wrote it: `jwt_secret`, or `AUTH_JWT_SECRET` when it came from the environment.
    pub option: Cow<'static, str>,
    /// What is wrong or what is expected. It never contains the option's value.
    pub message: String,
}

impl ConfigProblem {
    /// A problem with an option. Hosts that check options of their own list these problems beside those of the module.
    pub fn new(option: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self { option: option.into(), message: message.into() }
    }
}

/// An invalid configuration: *all* problems, each with its option's name and never with its value.
///
/// `Display` writes a list with one problem per line. So does `Debug`, because that is what Rust prints of an error that `main`
/// returns.
#[derive(Clone, PartialEq, Eq)]
pub struct ConfigError(Vec<ConfigProblem>);

impl ConfigError {
    /// An error with one problem.
    pub(crate) fn one(option: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self(vec![ConfigProblem::new(option, message)])
    }

    /// `Err` with these problems, or `Ok` when the list is empty.
    pub(crate) fn check(problems: Vec<ConfigProblem>) -> Result<(), Self> {
        if problems.is_empty() { Ok(()) } else { Err(Self(problems)) }
    }

    /// These problems with other names. `name` returns the new name of an option; `reword` replaces the names of
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
        self.0.iter().try_for_each(|problem| write!(f, "\n  {problem}"))
    }
}

impl fmt::Debug for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let separator = if self.message == NOT_SET { "" } else { ":" };
        write!(f, "{}{separator} {}", self.option, self.message)
    }
}

impl std::error::Error for ConfigError {}
