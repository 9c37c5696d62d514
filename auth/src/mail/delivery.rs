//! The delivery of every kind of mail.

use super::builder::{MailDeliveryBuilder, Route};
use super::error::MailError;
use super::files::Files;
use super::links::{LinkTemplate, MailLinks};
use super::mails::{About, Mail};
use super::message::{self, Email};
use super::smtp::Smtp;
use super::templates::{MailContent, MailTemplates};
use crate::clock::Clock;
use crate::delivery::Delivers;
use crate::error::BoxError;
use async_trait::async_trait;
use lettre::message::Mailbox;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Takes reset tokens and verification links to their users by mail. Clones share everything.
#[derive(Clone)]
pub struct MailDelivery(Arc<Settings>);

/// Options that work.
pub(super) struct Settings {
    pub(super) transport: Transport,
    pub(super) sender: Mailbox,
    pub(super) app_name: String,
    /// The template of the link, by kind of mail.
    pub(super) links: HashMap<&'static str, LinkTemplate>,
    /// The subjects that the host has configured, by kind of mail.
    pub(super) subjects: HashMap<&'static str, String>,
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
}

impl Transport {
    async fn send(&self, mail: Email) -> Result<(), MailError> {
        match self {
            Self::Smtp(server) => server.send(&mail).await,
            Self::Files(directory) => directory.write(mail).await,
        }
    }
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl<M: Mail> Delivers<M> for MailDelivery {
    async fn deliver(&self, message: M) -> Result<(), BoxError> {
        let kind = M::KIND.link_option;
        let settings = &self.0;
        let template = settings.links.get(kind).ok_or_else(|| format!("the mails have no {kind}"))?;
        let link = template.expand(&message.values());
        let valid_for = message.expires_at().duration_since(settings.clock.now()).unwrap_or_default();
        let about = About { app_name: &settings.app_name, link: &link, valid_for };
        let content = message.content(&*settings.templates, &about);
        Ok(self.send(message.recipient(), content, settings.subjects.get(kind)).await?)
    }
}
