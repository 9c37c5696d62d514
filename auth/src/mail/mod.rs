//! Reset tokens and verification links by mail, over lettre (cargo feature `mail`).
//!
//! [`MailDelivery`] implements [`Delivers`](crate::delivery::Delivers) for both messages. It writes a mail with a plain and
//! an HTML part and sends it over an SMTP server, or writes it into a directory during development.
//!
//! ```
//! use axum_auth_module::mail::{MailDelivery, MailLinks};
//!
//! # fn main() -> Result<(), axum_auth_module::config::ConfigError> {
//! # let smtp_url: Option<String> = None;
//! let links = MailLinks::new()
//!     .reset_url("https://example.com/reset-password#token={token}&email={email}")
//!     .verification_url("https://example.com/verify/{id}/{hash}?signature={signature}&expires={expires}");
//! let sender = "Example <no-reply@example.com>";
//! let mail = match smtp_url {
//!     Some(url) => MailDelivery::smtp(url, sender, links),
//!     None => MailDelivery::files("outbox", sender, links),
//! };
//! let mail = mail.build()?;
//! // … delivery: { PasswordReset: mail.clone(), EmailVerification: mail },
//! # let _ = mail;
//! # Ok(()) }
//! ```
//!
//! * Links lead to the host's front end, which then calls this module: see [`MailLinks`].
//! * Which servers, and how they are encrypted: see [`MailDelivery::smtp`].
//! * What the mails say, and in which language: see [`MailTemplates`].
//!
//! A mail goes to the stored address and to no other. It is sent once: a failure is logged, and the user must request a
//! new one.
//!
//! # Secrets
//!
//! No error of this module contains a token, a link, an address or a password. Of a server's reply it repeats only the
//! codes, because servers quote what they refuse. lettre's own cargo feature `tracing` writes whole mails to the log at
//! level DEBUG: this module does not enable it, and a host must not either.

mod builder;
mod delivery;
mod error;
mod files;
mod links;
mod mails;
mod message;
mod smtp;
mod standard;
mod templates;

#[cfg(test)]
mod tests;

pub use builder::MailDeliveryBuilder;
pub use delivery::MailDelivery;
pub use links::MailLinks;
pub use standard::{StandardTemplates, escape_html};
pub use templates::{EmailVerificationMail, MailContent, MailTemplates, PasswordResetMail};
