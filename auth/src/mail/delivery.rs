//! The delivery of one kind of mail.

use super::error::MailError;
use super::link::Link;
use super::mailer::{Mailer, Settings};
use super::mails::{Mail, address_changed};
use super::message;
use crate::delivery::{AddressChanged, Delivers, EmailVerificationMessage};
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
    notice: NoticeTemplate,
}

/// Writes a mail.
pub(super) type Template<M> = Arc<dyn Fn(&MailContext<'_, M>) -> Result<MailContent, BoxError> + Send + Sync>;

/// Writes the notice to a previous address.
type NoticeTemplate = Arc<dyn Fn(&NoticeContext<'_>) -> Result<MailContent, BoxError> + Send + Sync>;

/// What the template of the notice to a previous address receives.
#[derive(Debug)]
#[non_exhaustive]
pub struct NoticeContext<'a> {
    /// The application's name.
    pub app_name: &'a str,
    /// The address that the account had, and the user's name. In HTML the name must be escaped.
    pub notice: &'a AddressChanged,
    /// The language of the mail: `language.tag()` is its name.
    pub language: &'a Language,
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
    pub(super) fn new(mailer: Mailer, link: Link, template: Template<M>) -> Self {
        let notice = Arc::new(|mail: &NoticeContext<'_>| Ok(address_changed(mail)));
        Self { mailer, link: Arc::new(link), template, subject: None, notice }
    }

    /// The text of the mail. Default: a short text in the language of the message.
    ///
    /// If the template returns an error, it is logged and the mail is not sent.
    #[must_use]
    pub fn template(
        mut self,
        template: impl Fn(&MailContext<'_, M>) -> Result<MailContent, BoxError> + Send + Sync + 'static,
    ) -> Self {
        self.template = Arc::new(template);
        self
    }

    /// The subject of the mail, in every language. Default: the template's.
    #[must_use]
    pub fn subject(mut self, subject: impl Into<Arc<str>>) -> Self {
        self.subject = Some(subject.into());
        self
    }
}

impl MailDelivery<EmailVerificationMessage> {
    /// The text of the notice to the previous address of an account. Default: a short text in the language of the notice.
    ///
    /// If the template returns an error, it is logged and the notice is not sent.
    #[must_use]
    pub fn notice_template(
        mut self,
        template: impl Fn(&NoticeContext<'_>) -> Result<MailContent, BoxError> + Send + Sync + 'static,
    ) -> Self {
        self.notice = Arc::new(template);
        self
    }
}

impl<M: Mail> MailDelivery<M> {
    async fn send(&self, message: &M) -> Result<(), MailError> {
        let Settings { app_name, clock, .. } = &*self.mailer.0;
        let link = self.link.expand(&message.link_values());
        let valid_for = message.expires_at().duration_since(clock.now()).unwrap_or_default();
        let language = message.language();
        let context = MailContext { app_name, message, link: &link, valid_for, language };
        let mut content = (self.template)(&context).map_err(MailError::Template)?;
        if let Some(subject) = &self.subject {
            content.subject = subject.to_string();
        }
        self.send_to(message.recipient(), content).await
    }

    async fn send_notice(&self, notice: &AddressChanged) -> Result<(), MailError> {
        let language = &notice.language;
        let context = NoticeContext { app_name: &self.mailer.0.app_name, notice, language };
        let content = (self.notice)(&context).map_err(MailError::Template)?;
        self.send_to(&notice.previous_email, content).await
    }

    async fn send_to(&self, recipient: &str, content: MailContent) -> Result<(), MailError> {
        let Settings { transport, sender, timeout, .. } = &*self.mailer.0;
        let mail = message::compose(sender, recipient, content)?;
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

    async fn address_changed(&self, notice: AddressChanged) -> Result<(), BoxError> {
        Ok(self.send_notice(&notice).await?)
    }
}

impl<M> Clone for MailDelivery<M> {
    fn clone(&self) -> Self {
        Self {
            mailer: self.mailer.clone(),
            link: Arc::clone(&self.link),
            template: Arc::clone(&self.template),
            subject: self.subject.clone(),
            notice: Arc::clone(&self.notice),
        }
    }
}
