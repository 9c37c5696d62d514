//! Reset tokens and verification links by mail, over lettre (cargo feature `mail`).
//!
//! [`MailDelivery`] is a [`PasswordResetDelivery`](crate::delivery::PasswordResetDelivery) and an
//! [`EmailVerificationDelivery`](crate::delivery::EmailVerificationDelivery). It writes a mail with a plain and an HTML part and
//! hands it to an SMTP server, or puts it into a directory while a host is being developed.
//!
//! ```
//! use axum_auth_module::mail::{MailDelivery, MailLinks};
//!
//! # fn main() -> Result<(), axum_auth_module::config::ConfigError> {
//! # let smtp_url: Option<String> = None;
//! let links = MailLinks {
//!     reset_url: "https://example.com/reset-password#token={token}&email={email}".to_owned(),
//!     verification_url: "https://example.com/verify/{id}/{hash}?signature={signature}&expires={expires}".to_owned(),
//! };
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
//! A mail goes to the stored address and to no other. It is tried once: a failure is logged, and the user asks again.
//!
//! # What it keeps to itself
//!
//! No error of this module has a token, a link, an address or a password in it, and of a server's reply it repeats the
//! codes alone, because servers quote what they refuse. One leak is beyond its reach: lettre's own cargo feature
//! `tracing` writes whole mails to the log at level DEBUG. This module leaves it off, and a host should, too.

mod builder;
mod delivery;
mod error;
mod files;
mod links;
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
