//! The options of a mail delivery, and what can be wrong with them.

use super::delivery::{MailDelivery, Settings, Transport};
use super::files::Files;
use super::links::MailLinks;
use super::mails::{EMAIL_VERIFICATION, KINDS, PASSWORD_RESET};
use super::smtp::Smtp;
use super::standard::StandardTemplates;
use super::templates::MailTemplates;
use crate::clock::{Clock, SystemClock};
use crate::config::ConfigError;
use lettre::address::Address;
use lettre::message::Mailbox;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Collects options; [`build`](Self::build) checks them. Made by [`MailDelivery::smtp`] and
/// [`MailDelivery::files`].
#[derive(Clone)]
pub struct MailDeliveryBuilder {
    route: Route,
    sender: String,
    links: MailLinks,
    app_name: Option<String>,
    subjects: HashMap<&'static str, String>,
    templates: Arc<dyn MailTemplates>,
    timeout: Duration,
    clock: Arc<dyn Clock>,
}

/// How the mails are sent.
#[derive(Clone)]
pub(super) enum Route {
    Smtp(String),
    Files(PathBuf),
}

impl MailDeliveryBuilder {
    pub(super) fn new(route: Route, sender: String, links: MailLinks) -> Self {
        Self {
            route,
            sender,
            links,
            app_name: None,
            subjects: HashMap::new(),
            templates: Arc::new(StandardTemplates),
            timeout: Duration::from_secs(30),
            clock: Arc::new(SystemClock),
        }
    }

    /// The application's name, as the mails say it. Default: the sender's name, or the domain of its address.
    #[must_use]
    pub fn app_name(mut self, name: impl Into<String>) -> Self {
        self.app_name = Some(name.into());
        self
    }

    /// The subject of mails about a reset. Default: the template's.
    #[must_use]
    pub fn password_reset_subject(mut self, subject: impl Into<String>) -> Self {
        self.subjects.insert(PASSWORD_RESET.link_option, subject.into());
        self
    }

    /// The subject of mails about a verification. Default: the template's.
    #[must_use]
    pub fn email_verification_subject(mut self, subject: impl Into<String>) -> Self {
        self.subjects.insert(EMAIL_VERIFICATION.link_option, subject.into());
        self
    }

    /// The texts of the mails. Default: [`StandardTemplates`].
    #[must_use]
    pub fn templates(mut self, templates: impl MailTemplates) -> Self {
        self.templates = Arc::new(templates);
        self
    }

    /// The maximum duration of sending a mail, from the lookup of the server's name to its last reply. Default: 30 seconds.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The clock by which a mail says how long its link works; a test uses the clock of its
    /// [`AuthConfig`](crate::AuthConfig). Default: the system's.
    #[must_use]
    pub fn clock(mut self, clock: impl Clock) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// The delivery. It does not connect or write yet.
    ///
    /// # Errors
    /// Everything that is wrong, at once:
    /// * `smtp_url` is not a URL as [`MailDelivery::smtp`] describes it. The message does not repeat it.
    /// * `sender` is not one mailbox with an ASCII address.
    /// * `reset_url` or `verification_url` is missing, is not an absolute URL, lacks a placeholder or has an unknown one.
    /// * `timeout` is zero.
    pub fn build(self) -> Result<MailDelivery, ConfigError> {
        let transport = named("smtp_url", self.route.transport(self.timeout));
        let sender = named("sender", sender(&self.sender));
        let links = KINDS.map(|kind| self.links.parse(kind).map(|link| (kind.link_option, link)));
        let timeout = named("timeout", positive(self.timeout));
        let errors = [transport.as_ref().err(), sender.as_ref().err()].into_iter();
        let errors =
            errors.chain(links.iter().map(|link| link.as_ref().err())).chain([timeout.as_ref().err()]);
        let problems = errors.flatten().flat_map(ConfigError::problems);
        ConfigError::check(problems.cloned().collect())?;
        let sender = sender?;
        let name = || sender.name.clone().unwrap_or_else(|| sender.email.domain().to_owned());
        Ok(MailDelivery::new(Settings {
            app_name: self.app_name.unwrap_or_else(name),
            transport: transport?,
            sender,
            links: links.into_iter().collect::<Result<_, _>>()?,
            subjects: self.subjects,
            templates: self.templates,
            timeout: timeout?,
            clock: self.clock,
        }))
    }
}

impl Route {
    fn transport(&self, timeout: Duration) -> Result<Transport, String> {
        match self {
            Self::Smtp(url) => Smtp::from_url(url, timeout).map(Transport::Smtp),
            Self::Files(directory) => Ok(Transport::Files(Files::new(directory.clone()))),
        }
    }
}

/// Reads `Example <no-reply@example.com>`, or the address alone.
fn sender(text: &str) -> Result<Mailbox, String> {
    let (name, address) = match text.trim().strip_suffix('>').and_then(|text| text.rsplit_once('<')) {
        Some((name, address)) => (name.trim().trim_matches('"'), address),
        None => ("", text.trim()),
    };
    let plain = !name.contains(|c: char| c.is_control() || "<>".contains(c));
    match address.parse::<Address>() {
        Ok(address) if plain && address.to_string().is_ascii() => {
            Ok(Mailbox::new(Some(name.to_owned()).filter(|name| !name.is_empty()), address))
        }
        _ => Err("expected one mailbox: Example <no-reply@example.com>".to_owned()),
    }
}

fn positive(timeout: Duration) -> Result<Duration, String> {
    if timeout.is_zero() { Err("it is zero".to_owned()) } else { Ok(timeout) }
}

/// What is wrong, with the name of the option.
pub(super) fn named<T>(option: &'static str, read: Result<T, String>) -> Result<T, ConfigError> {
    read.map_err(|message| ConfigError::one(option, message))
}
