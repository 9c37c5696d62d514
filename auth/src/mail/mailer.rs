//! How mails are sent, and what can be wrong with the options.

use super::delivery::{LinkTemplate, MailDelivery};
use super::error::MailError;
use super::files::Files;
use super::link::Link;
use super::mails::LinkedMail;
use super::message::Email;
use super::smtp::Smtp;
use crate::clock::{Clock, SystemClock};
use crate::config::ConfigError;
use lettre::address::Address;
use lettre::message::Mailbox;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Sends mails over an SMTP server, or writes them into a directory during development. Clones share everything.
///
/// Each kind of mail is a method, such as [`password_reset`](Self::password_reset). It returns the delivery of that
/// message, so that a message cannot be delivered without the link that its mail needs.
#[derive(Clone)]
pub struct Mailer(pub(super) Arc<Settings>);

/// The checked options.
pub(super) struct Settings {
    pub(super) transport: Transport,
    pub(super) sender: Mailbox,
    pub(super) app_name: String,
    pub(super) timeout: Duration,
    pub(super) clock: Arc<dyn Clock>,
}

/// How the mails are sent.
pub(super) enum Transport {
    Smtp(Smtp),
    Files(Files),
}

impl Transport {
    pub(super) async fn send(&self, mail: Email) -> Result<(), MailError> {
        match self {
            Self::Smtp(server) => server.send(&mail).await,
            Self::Files(directory) => directory.write(mail).await,
        }
    }
}

impl Mailer {
    /// Mails over an SMTP server.
    ///
    /// `sender` is the mailbox of `From` and of the envelope: `Example <no-reply@example.com>`. `url` is the server, with
    /// user name and password percent-encoded if it requires them:
    ///
    /// | `url` | encryption | port |
    /// |---|---|---|
    /// | `smtps://user:password@host` | TLS | 465 |
    /// | `smtp://user:password@host?tls=required` | STARTTLS; nothing is sent to a server without it | 587 |
    /// | `smtp://host?tls=none` | none: anybody on the way can read the mails and take the accounts | 25 |
    /// | `smtp://host` | none for `localhost` and loopback addresses, otherwise as with `tls=required` | 25 or 587 |
    ///
    /// Another port is written after the host. The name for EHLO, which few servers require, is written as a path. The
    /// server's certificate must be valid for its host and issued by an authority of Mozilla's list.
    pub fn smtp(url: impl Into<String>, sender: impl Into<String>) -> MailerBuilder {
        MailerBuilder::new(Route::Smtp(url.into()), sender.into())
    }

    /// Mails into a directory, for development: each is a file `{milliseconds}-{random}.eml` that only its owner can
    /// read, and which is complete when it has this name. The directory is created if it does not exist.
    pub fn files(directory: impl Into<PathBuf>, sender: impl Into<String>) -> MailerBuilder {
        MailerBuilder::new(Route::Files(directory.into()), sender.into())
    }

    /// The delivery of one kind of mail, whose link is made from this URI template.
    pub(super) fn delivering<M: LinkedMail>(
        &self,
        link: &str,
        standard: LinkTemplate<M>,
    ) -> Result<MailDelivery<M>, ConfigError> {
        let link = named(M::LINK.option, Link::parse(link, &M::LINK))?;
        Ok(MailDelivery::with_link(self.clone(), link, standard))
    }
}

/// Collects options; [`build`](Self::build) checks them. Made by [`Mailer::smtp`] and [`Mailer::files`].
#[derive(Clone)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct MailerBuilder {
    route: Route,
    sender: String,
    app_name: Option<String>,
    timeout: Duration,
    clock: Arc<dyn Clock>,
}

/// The way of the mails, not checked yet.
#[derive(Clone)]
enum Route {
    Smtp(String),
    Files(PathBuf),
}

impl MailerBuilder {
    fn new(route: Route, sender: String) -> Self {
        Self { route, sender, app_name: None, timeout: Duration::from_secs(30), clock: Arc::new(SystemClock) }
    }

    /// The application's name in the mails. Default: the sender's name, or the domain of its address.
    pub fn app_name(mut self, name: impl Into<String>) -> Self {
        self.app_name = Some(name.into());
        self
    }

    /// The maximum duration of sending a mail, from the lookup of the server's name to its last reply. Default: 30 seconds.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The clock by which a mail says how long its link works; a test uses the clock of its
    /// [`AuthConfig`](crate::AuthConfig). Default: the system's.
    pub fn clock(mut self, clock: impl Clock) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// The mailer. It does not connect or write yet.
    ///
    /// # Errors
    /// Everything that is wrong, at once:
    /// * `smtp_url` is not a URL as [`Mailer::smtp`] describes it. The message does not repeat it.
    /// * `sender` is not one mailbox with an ASCII address.
    /// * `timeout` is zero.
    pub fn build(self) -> Result<Mailer, ConfigError> {
        let transport = named("smtp_url", self.route.transport(self.timeout));
        let sender = named("sender", sender(&self.sender));
        let timeout = named("timeout", positive(self.timeout));
        let errors = [transport.as_ref().err(), sender.as_ref().err(), timeout.as_ref().err()];
        let problems = errors.into_iter().flatten().flat_map(ConfigError::problems);
        ConfigError::check(problems.cloned().collect())?;
        let sender = sender?;
        let name = || sender.name.clone().unwrap_or_else(|| sender.email.domain().to_owned());
        Ok(Mailer(Arc::new(Settings {
            app_name: self.app_name.unwrap_or_else(name),
            transport: transport?,
            sender,
            timeout: timeout?,
            clock: self.clock,
        })))
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
fn named<T>(option: &'static str, read: Result<T, String>) -> Result<T, ConfigError> {
    read.map_err(|message| ConfigError::one(option, message))
}
