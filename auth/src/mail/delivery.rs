//! The delivery of one kind of mail.

use super::error::MailError;
use super::link::Link;
use super::mailer::{Mailer, Settings};
use super::mails::{self, LinkedMail, Mail};
use super::message;
use crate::delivery::{Delivers, Notice};
use crate::error::BoxError;
use crate::languages::Language;
use async_trait::async_trait;
use std::sync::Arc;
use std::time::Duration;

/// Delivers one kind of message by mail: an implementation of [`Delivers<M>`](Delivers). The methods of
/// [`Mailer`] return it. Clones share everything.
///
/// ```
/// use axum_auth_module::BoxError;
/// use axum_auth_module::delivery::PasswordResetMessage;
/// use axum_auth_module::mail::{MailContent, MailContext, Mailer, escape_html};
///
/// fn german(mail: &MailContext<'_, PasswordResetMessage>) -> Result<MailContent, BoxError> {
///     let minutes = mail.valid_for.as_secs() / 60;
///     let subject = format!("Neues Passwort für {}", mail.app_name);
///     let text = format!("Hier wählen Sie ein neues Passwort: {}\nDas geht {minutes} Minuten lang.", mail.link);
///     let html = format!(r#"<p><a href="{}">Neues Passwort wählen</a></p>"#, escape_html(mail.link));
///     Ok(MailContent::new(subject, text, html))
/// }
///
/// # fn main() -> Result<(), axum_auth_module::config::ConfigError> {
/// let mailer = Mailer::files("outbox", "Example <no-reply@example.com>").build()?;
/// let delivery = mailer
///     .password_reset("https://example.com/reset-password#token={token}&email={email}")?
///     .template(german);
/// # let _ = delivery;
/// # Ok(()) }
/// ```
pub struct MailDelivery<M> {
    mailer: Mailer,
    link: Arc<Link>,
    template: Template<M>,
    subject: Option<Arc<str>>,
}

/// Writes the mail of a message, with the link of the delivery.
type Template<M> = Arc<dyn Fn(&Settings, &Link, &M) -> Result<MailContent, BoxError> + Send + Sync>;

/// Writes a mail with a link.
pub(super) type LinkTemplate<M> = fn(&MailContext<'_, M>) -> MailContent;

/// What the template of notices receives.
#[derive(Debug)]
#[non_exhaustive]
pub struct NoticeContext<'a> {
    /// The application's name.
    pub app_name: &'a str,
    /// What the user is told.
    pub notice: &'a Notice,
    /// The language of the mail: `language.tag()` is its name.
    pub language: &'a Language,
}

impl NoticeContext<'_> {
    /// The standard text of this notice, for a template that has no text of its own for it.
    #[must_use]
    pub fn standard(&self) -> MailContent {
        mails::notice(self)
    }
}

/// What a template receives. It has no `Debug`: it contains the message.
#[non_exhaustive]
pub struct MailContext<'a, M> {
    /// The application's name.
    pub app_name: &'a str,
    /// The message, with the user's name and address.
    ///
    /// The name is untrusted input: anyone could have registered with this address. In HTML it must be escaped, and it can be an
    /// advertisement with a link in it.
    pub message: &'a M,
    /// The link, ready to be shown. In HTML it must be escaped, because it can contain `&`.
    pub link: &'a str,
    /// How long the link works from now.
    pub valid_for: Duration,
    /// The language of the mail: `language.tag()` is its name.
    pub language: &'a Language,
}

/// A mail as a template wrote it. It has no `Debug`: it contains the link.
#[derive(Clone)]
#[non_exhaustive]
pub struct MailContent {
    /// One line. Line breaks and other control characters become spaces.
    pub subject: String,
    /// The plain part, for programs that show no HTML.
    pub text: String,
    /// The HTML part, a whole document with the same content.
    pub html: String,
}

impl MailContent {
    /// A mail with a subject, a plain part and an HTML part.
    ///
    /// ```
    /// use axum_auth_module::mail::MailContent;
    ///
    /// let content = MailContent::new("Welcome", "Hello Ada", "<!DOCTYPE html><title>Welcome</title><p>Hello Ada</p>");
    /// # assert_eq!(content.subject, "Welcome");
    /// ```
    pub fn new(subject: impl Into<String>, text: impl Into<String>, html: impl Into<String>) -> Self {
        Self { subject: subject.into(), text: text.into(), html: html.into() }
    }
}

impl<M> MailDelivery<M> {
    /// The subject of the mail, in every language. Default: the template's.
    #[must_use]
    pub fn subject(mut self, subject: impl Into<Arc<str>>) -> Self {
        self.subject = Some(subject.into());
        self
    }
}

impl<M: LinkedMail> MailDelivery<M> {
    pub(super) fn with_link(mailer: Mailer, link: Link, standard: LinkTemplate<M>) -> Self {
        let template = written_by(move |mail: &MailContext<'_, M>| Ok(standard(mail)));
        Self { mailer, link: Arc::new(link), template, subject: None }
    }

    /// The text of the mail. Default: a short text in the language of the message.
    ///
    /// If the template returns an error, it is logged and the mail is not sent.
    #[must_use]
    pub fn template(
        mut self,
        template: impl Fn(&MailContext<'_, M>) -> Result<MailContent, BoxError> + Send + Sync + 'static,
    ) -> Self {
        self.template = written_by(template);
        self
    }
}

fn written_by<M: LinkedMail>(
    template: impl Fn(&MailContext<'_, M>) -> Result<MailContent, BoxError> + Send + Sync + 'static,
) -> Template<M> {
    Arc::new(move |Settings { app_name, clock, .. }, link, message| {
        if let Some(problem) = message.problem_with_link(link.holds("token")) {
            return Err(problem.into());
        }
        let link = link.expand(&message.link_values());
        let valid_for = message.expires_at().duration_since(clock.now()).unwrap_or_default();
        template(&MailContext { app_name, message, link: &link, valid_for, language: message.language() })
    })
}

impl MailDelivery<Notice> {
    pub(super) fn of_notices(mailer: Mailer) -> Self {
        let template = notices_written_by(|mail| Ok(mail.standard()));
        Self { mailer, link: Arc::new(Link::none()), template, subject: None }
    }

    /// The texts of the notices. Default: for each a short text in its language.
    ///
    /// If the template returns an error, it is logged and the notice is not sent.
    ///
    /// ```
    /// use axum_auth_module::delivery::Notice;
    /// use axum_auth_module::mail::{MailContent, Mailer};
    ///
    /// # fn main() -> Result<(), axum_auth_module::config::ConfigError> {
    /// let mailer = Mailer::files("outbox", "Example <no-reply@example.com>").build()?;
    /// let delivery = mailer.notices().template(|mail| match mail.notice {
    ///     Notice::AddressChanged(_) => Ok(MailContent::new("Moved", "You have moved.", "<p>You have moved.</p>")),
    ///     _ => Ok(mail.standard()),
    /// });
    /// # let _ = delivery;
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn template(
        mut self,
        template: impl Fn(&NoticeContext<'_>) -> Result<MailContent, BoxError> + Send + Sync + 'static,
    ) -> Self {
        self.template = notices_written_by(template);
        self
    }
}

fn notices_written_by(
    template: impl Fn(&NoticeContext<'_>) -> Result<MailContent, BoxError> + Send + Sync + 'static,
) -> Template<Notice> {
    Arc::new(move |Settings { app_name, .. }, _, notice| {
        template(&NoticeContext { app_name, notice, language: notice.language() })
    })
}

impl<M: Mail> MailDelivery<M> {
    async fn send(&self, message: &M) -> Result<(), MailError> {
        let settings = &*self.mailer.0;
        let mut content = (self.template)(settings, &self.link, message).map_err(MailError::Template)?;
        if let Some(subject) = &self.subject {
            content.subject = subject.to_string();
        }
        let Settings { transport, sender, timeout, .. } = settings;
        let mail = message::compose(sender, message, content)?;
        let sent = tokio::time::timeout(*timeout, transport.send(mail)).await;
        sent.unwrap_or(Err(MailError::Timeout(*timeout)))
    }
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl<M: Mail> Delivers<M> for MailDelivery<M> {
    async fn deliver(&self, message: M) -> Result<(), BoxError> {
        Ok(self.send(&message).await?)
    }
}

impl<M> Clone for MailDelivery<M> {
    fn clone(&self) -> Self {
        Self {
            mailer: self.mailer.clone(),
            link: Arc::clone(&self.link),
            template: Arc::clone(&self.template),
            subject: self.subject.clone(),
        }
    }
}
