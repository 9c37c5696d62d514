//! Why a mail was not delivered. The text is logged and must contain no secret.

use crate::error::BoxError;
use lettre::transport::smtp::Error as SmtpError;
use std::error::Error;
use std::time::Duration;

/// Why a mail was not delivered.
#[derive(Debug, thiserror::Error)]
pub(super) enum MailError {
    #[error("the stored address is not one plain e-mail address")]
    Address,
    #[error("a mail template failed: {0}")]
    Template(#[source] BoxError),
    #[error("the mail could not be composed: {0}")]
    Message(lettre::error::Error),
    #[error("the system's random number generator failed")]
    Random,
    #[error("the mail could not be written to its directory: {0}")]
    File(#[from] std::io::Error),
    #[error("the mail server refused with {0}")]
    Refused(String),
    #[error("the mail server's reply is not SMTP, or it closed the connection")]
    NotSmtp,
    #[error("the mail server took longer than {0:?}")]
    Timeout(Duration),
    /// Name resolution, TCP, TLS, or an extension that the server lacks.
    #[error("the mail server cannot be used: {0}")]
    Connection(SmtpError),
}

impl From<SmtpError> for MailError {
    /// Omits the server's text: a spam filter, for example, quotes the link that it rejects.
    fn from(error: SmtpError) -> Self {
        match error.status() {
            Some(code) => Self::Refused(with_enhanced_code(&code.to_string(), error.source())),
            None if error.is_response() => Self::NotSmtp,
            None => Self::Connection(error),
        }
    }
}

/// `550 5.7.1`: the reply's code, and the enhanced code (RFC 3463 §2) if the text begins with one.
fn with_enhanced_code(code: &str, text: Option<&dyn Error>) -> String {
    let text = text.map(ToString::to_string).unwrap_or_default();
    let first = text.split_whitespace().next().unwrap_or_default();
    let numbers: Vec<_> = first.split('.').collect();
    let number =
        |part: &&str| (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    if numbers.len() == 3 && numbers.iter().all(number) { format!("{code} {first}") } else { code.to_owned() }
}
