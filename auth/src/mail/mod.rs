//! Deliveries by mail, over lettre (cargo feature `mail`).
//!
//! A [`Mailer`] sends mails over an SMTP server, or writes them into a directory during development. Each of its methods
//! returns a [`MailDelivery`], which implements [`Delivers`](crate::delivery::Delivers) for one message and writes a mail
//! with a plain and an HTML part.
//!
//! ```
//! use axum_auth_module::mail::Mailer;
//!
//! # fn main() -> Result<(), axum_auth_module::config::ConfigError> {
//! # let smtp_url: Option<String> = None;
//! let sender = "Example <no-reply@example.com>";
//! let mailer = match smtp_url {
//!     Some(url) => Mailer::smtp(url, sender),
//!     None => Mailer::files("outbox", sender),
//! };
//! let mailer = mailer.build()?;
//! let password_reset = mailer.password_reset("https://example.com/reset-password#token={token}&email={email}")?;
//! let email_verification = mailer.email_verification(
//!     "https://example.com/verify-email#id={id}&hash={hash}&signature={signature}&expires={expires}",
//! )?;
//! let notices = mailer.notices();
//! // … delivery: { PasswordReset: password_reset, EmailVerification: email_verification, Notices: notices },
//! # let _ = (password_reset, email_verification, notices);
//! # Ok(()) }
//! ```
//!
//! * The links lead to the host's front end, which then calls this module. A link is a URI template (RFC 6570, level 1):
//!   each placeholder `{…}` is replaced by its value, percent-encoded. Text after a `#` is in no server's log and in no
//!   `Referer`.
//! * Which servers, and how the connection is encrypted: see [`Mailer::smtp`].
//! * What each mail is says its header `X-Auth-Message`: `security-notice; kind=PasswordChanged`.
//! * What the mails say, and in which language: see [`MailDelivery::template`].
//!
//! A mail goes to the stored address and to no other. It is sent once: a failure is logged, and the user must request a
//! new one.
//!
//! # Secrets
//!
//! No error of this module contains a token, a link, an address or a password. Of a server's reply it repeats only the
//! codes, because servers quote what they refuse. lettre's own cargo feature `tracing` writes whole mails to the log at
//! level DEBUG: this module does not enable it, and a host must not either.

mod accounts;
mod delivery;
mod error;
mod files;
mod letter;
mod link;
mod mailer;
mod mails;
mod message;
mod placeholders;
mod security_notices;
mod smtp;

#[cfg(test)]
mod tests;

pub use delivery::{MailContent, MailContext, MailDelivery, NoticeContext};
pub use letter::escape_html;
pub use mailer::{Mailer, MailerBuilder};
pub use mails::{LinkedMail, Mail};
