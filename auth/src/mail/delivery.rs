//! The delivery of both kinds.

use super::builder::{MailDeliveryBuilder, Route};
use super::error::MailError;
use super::files::Files;
use super::links::{LinkTemplate, MailLinks};
use super::message::{self, Mail};
use super::smtp::Smtp;
use super::templates::{EmailVerificationMail, MailContent, MailTemplates, PasswordResetMail};
use crate::clock::Clock;
use crate::delivery::{
    EmailVerificationDelivery, EmailVerificationMessage, PasswordResetDelivery, PasswordResetMessage,
};
use crate::error::BoxError;
use async_trait::async_trait;
use lettre::message::Mailbox;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// Takes reset tokens and verification links to their users by mail. Clones share everything.
#[derive(Clone)]
pub struct MailDelivery(Arc<Settings>);

/// Options that work.
pub(super) struct Settings {
    pub(super) transport: Transport,
    pub(super) sender: Mailbox,
    pub(super) app_name: String,
    pub(super) reset_link: LinkTemplate,
    pub(super) verification_link: LinkTemplate,
    pub(super) password_reset_subject: Option<String>,
    pub(super) email_verification_subject: Option<String>,
    pub(super) templates: Arc<dyn MailTemplates>,
    pub(super) timeout: Duration,
    pub(super) clock: Arc<dyn Clock>,
}

/// Which way the mails go.
pub(super) enum Transport {
    Smtp(Smtp),
    Files(Files),
}

impl MailDelivery {
    /// Mails over an SMTP server.
    ///
    /// `sender` is the mailbox that `From` names, `Example <no-reply@example.com>`, and the envelope's. `url` is the
    /// server, with user and password percent-encoded if it asks for them:
    ///
    /// | `url` | encryption | port |
    /// |---|---|---|
    /// | `smtps://user:password@host` | TLS from the first byte | 465 |
    /// | `smtp://user:password@host?tls=required` | STARTTLS; a server without it is told nothing | 587 |
    /// | `smtp://host?tls=none` | none: whoever listens reads the mails and can take the accounts | 25 |
    /// | `smtp://host` | none for `localhost` and loopback addresses, else as with `tls=required` | 25 or 587 |
    ///
    /// Another port is written behind the host, and the name for EHLO, which few servers ask for, as a path. The
    /// server's certificate has to be for its host, by an authority of Mozilla's list; there is no way around it.
    #[must_use]
    pub fn smtp(url: impl Into<String>, sender: impl Into<String>, links: MailLinks) -> MailDeliveryBuilder {
        MailDeliveryBuilder::new(Route::Smtp(url.into()), sender.into(), links)
    }

    /// Mails into a directory, for development: each is a file `{milliseconds}-{random}.eml` that only its owner can
    /// read, and that is whole once it is there. The directory is made when it is missing.
    #[must_use]
    pub fn files(
        directory: impl Into<PathBuf>,
        sender: impl Into<String>,
        links: MailLinks,
    ) -> MailDeliveryBuilder {
        MailDeliveryBuilder::new(Route::Files(directory.into()), sender.into(), links)
    }

    pub(super) fn new(settings: Settings) -> Self {
        Self(Arc::new(settings))
    }

    async fn send(
        &self,
        recipient: &str,
        content: Result<MailContent, BoxError>,
        subject: Option<&String>,
    ) -> Result<(), MailError> {
        let mut content = content.map_err(MailError::Template)?;
        if let Some(subject) = subject {
            content.subject.clone_from(subject);
        }
        let mail = message::compose(&self.0.sender, recipient, content)?;
        let timeout = self.0.timeout;
        let sent = tokio::time::timeout(timeout, self.0.transport.send(mail)).await;
        sent.unwrap_or(Err(MailError::Timeout(timeout)))
    }

    fn valid_for(&self, expires_at: SystemTime) -> Duration {
        expires_at.duration_since(self.0.clock.now()).unwrap_or_default()
    }
}

impl Transport {
    async fn send(&self, mail: Mail) -> Result<(), MailError> {
        match self {
            Self::Smtp(server) => server.send(&mail).await,
            Self::Files(directory) => directory.write(mail).await,
        }
    }
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl PasswordResetDelivery for MailDelivery {
    async fn deliver(&self, reset: PasswordResetMessage) -> Result<(), BoxError> {
        let PasswordResetMessage { email, name, token, expires_at } = &reset;
        let link = self.0.reset_link.expand(&[("token", token), ("email", email)]);
        let content = self.0.templates.password_reset(&PasswordResetMail {
            app_name: &self.0.app_name,
            name,
            email,
            link: &link,
            token,
            expires_at: *expires_at,
            valid_for: self.valid_for(*expires_at),
        });
        Ok(self.send(email, content, self.0.password_reset_subject.as_ref()).await?)
    }
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl EmailVerificationDelivery for MailDelivery {
    async fn deliver(&self, verification: EmailVerificationMessage) -> Result<(), BoxError> {
        let EmailVerificationMessage { email, name, data, expires_at } = &verification;
        let link = self.0.verification_link.expand(&[
            ("id", &data.id),
            ("hash", &data.hash),
            ("signature", &data.signature),
            ("expires", &data.expires.to_string()),
        ]);
        let content = self.0.templates.email_verification(&EmailVerificationMail {
            app_name: &self.0.app_name,
            name,
            email,
            link: &link,
            expires_at: *expires_at,
            valid_for: self.valid_for(*expires_at),
        });
        Ok(self.send(email, content, self.0.email_verification_subject.as_ref()).await?)
    }
}
