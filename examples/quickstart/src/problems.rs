//! Errors at the start of the quickstart.

use axum_auth_module::config::{ConfigError, ConfigProblem};
use std::fmt;

/// All errors: one line each, with the name of the variable to change and without the values of secrets.
#[derive(Default)]
pub(crate) struct Problems(Vec<ConfigProblem>);

impl Problems {
    /// One problem.
    pub(crate) fn one(variable: &'static str, message: impl Into<String>) -> Self {
        Self(vec![ConfigProblem::new(variable, message)])
    }

    /// Returns the value, or adds its errors.
    pub(crate) fn take<T>(&mut self, read: Result<T, impl Into<Self>>) -> Option<T> {
        read.map_err(|problems| self.0.append(&mut problems.into().0)).ok()
    }
}

impl From<Vec<ConfigProblem>> for Problems {
    fn from(problems: Vec<ConfigProblem>) -> Self {
        Self(problems)
    }
}

impl From<ConfigError> for Problems {
    /// The library's errors with the quickstart's variables. Errors of the configuration have the variables already,
    /// those of the mailer have options.
    fn from(error: ConfigError) -> Self {
        let line = |problem: &ConfigProblem| {
            let variable = match &*problem.option {
                "smtp_url" => "SMTP_URL".into(),
                "sender" => "MAIL_FROM".into(),
                "reset_url" | "verification_url" | "login_url" | "change_url" | "secure_url" => {
                    "PUBLIC_URL".into()
                }
                "service_keys" if problem.message.starts_with("next:") => "SERVICE_NEXT_KEY_PEM_FILE".into(),
                "service_keys" if problem.message.starts_with("previous:") => {
                    "SERVICE_PREVIOUS_KEY_PEM_FILE".into()
                }
                _ => problem.option.clone(),
            };
            ConfigProblem::new(variable, &problem.message)
        };
        Self(error.problems().iter().map(line).collect())
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the quickstart cannot start:")?;
        self.0.iter().try_for_each(|problem| write!(f, "\n  {problem}"))
    }
}
