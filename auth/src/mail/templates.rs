//! What the mails say.

use super::standard;
use crate::error::BoxError;
use std::time::{Duration, SystemTime};

/// Writes the mails. Each method has the text of [`StandardTemplates`](super::StandardTemplates) for its default, so a
/// host replaces one or both.
///
/// ```
/// use axum_auth_module::BoxError;
/// use axum_auth_module::mail::{MailContent, MailTemplates, PasswordResetMail, escape_html};
///
/// struct German;
///
/// impl MailTemplates for German {
///     fn password_reset(&self, mail: &PasswordResetMail<'_>) -> Result<MailContent, BoxError> {
///         let minutes = mail.valid_for.as_secs() / 60;
///         Ok(MailContent {
///             subject: format!("Neues Passwort für {}", mail.app_name),
///             text: format!("Hier wählen Sie ein neues Passwort: {}\nDas geht {minutes} Minuten lang.", mail.link),
///             html: format!(r#"<p><a href="{}">Neues Passwort wählen</a></p>"#, escape_html(mail.link)),
///         })
///     }
/// }
/// ```
///
/// A name is whatever somebody typed who registered with this address, maybe not its owner. In HTML it has to be
/// escaped, and anywhere it can be an advertisement with a link in it.
pub trait MailTemplates: Send + Sync + 'static {
    /// The mail with the link that resets a password.
    ///
    /// # Errors
    /// What went wrong with the template. It is logged, and the mail is not sent.
    fn password_reset(&self, mail: &PasswordResetMail<'_>) -> Result<MailContent, BoxError> {
        Ok(standard::password_reset(mail))
    }

    /// The mail with the link that verifies an address.
    ///
    /// # Errors
    /// What went wrong with the template. It is logged, and the mail is not sent.
    fn email_verification(&self, mail: &EmailVerificationMail<'_>) -> Result<MailContent, BoxError> {
        Ok(standard::email_verification(mail))
    }
}

/// A mail as a template wrote it. It has no `Debug`: the link is in it.
#[derive(Clone)]
pub struct MailContent {
    /// One line. Line breaks and other control characters in it become spaces.
    pub subject: String,
    /// The plain part, for programs that show no HTML.
    pub text: String,
    /// The HTML part, a whole document. It says the same.
    pub html: String,
}

/// What a mail about a reset is written from. It has no `Debug`: the token opens the account.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct PasswordResetMail<'a> {
    /// The application's name.
    pub app_name: &'a str,
    /// The user's name, as it is stored.
    pub name: &'a str,
    /// The address that the mail goes to.
    pub email: &'a str,
    /// The link, ready to be shown. In HTML it has to be escaped: it has `&` in it.
    pub link: &'a str,
    /// The token, for hosts whose users type it.
    pub token: &'a str,
    /// Until when it works.
    pub expires_at: SystemTime,
    /// How long that is from now.
    pub valid_for: Duration,
}

/// What a mail about a verification is written from. It has no `Debug`: the link verifies the address.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct EmailVerificationMail<'a> {
    /// The application's name.
    pub app_name: &'a str,
    /// The user's name, as it is stored.
    pub name: &'a str,
    /// The address that the mail goes to.
    pub email: &'a str,
    /// The link, ready to be shown. In HTML it has to be escaped: it has `&` in it.
    pub link: &'a str,
    /// Until when it works.
    pub expires_at: SystemTime,
    /// How long that is from now.
    pub valid_for: Duration,
}
