//! The way over an SMTP server (RFC 5321, submission as in RFC 6409 and RFC 8314).

use super::error::MailError;
use super::message::Email;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Tls, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use lettre::{AsyncSmtpTransport, AsyncTransport, Tokio1Executor};
use percent_encoding::percent_decode_str;
use std::net::IpAddr;
use std::time::Duration;
use url::{Host, Url};

/// What a URL has to look like. It is all that is ever said about one that does not: the password is in it.
const EXPECTED: &str =
    "expected smtps://user:password@host or smtp://user:password@host, with ?tls=required or ?tls=none";

/// An SMTP server, with a connection for each mail. lettre's pool would give a connection whose mail was cut off by the
/// timeout to the next mail, which then reads the answers to the one before.
pub(super) struct Smtp(AsyncSmtpTransport<Tokio1Executor>);

/// How a connection is encrypted.
enum Encryption {
    /// TLS from the first byte.
    Implicit,
    /// STARTTLS, and nothing is said to a server without it.
    StartTls,
    None,
}

impl Smtp {
    /// Reads a server's URL, or says what is wrong. What it says never repeats a part of the URL.
    pub(super) fn from_url(text: &str, timeout: Duration) -> Result<Self, String> {
        let url = Url::parse(text).map_err(|_| EXPECTED.to_owned())?;
        let host = host(&url).ok_or(EXPECTED)?;
        let parameters =
            || TlsParameters::new(host.clone()).map_err(|_| "the host's name cannot be used for TLS");
        let (tls, port) = match encryption(&url, &host)? {
            Encryption::Implicit => (Tls::Wrapper(parameters()?), 465),
            Encryption::StartTls => (Tls::Required(parameters()?), 587),
            Encryption::None => (Tls::None, 25),
        };
        let mut transport = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(host)
            .port(url.port().unwrap_or(port))
            .tls(tls)
            // For the connection alone. A host has several addresses at times, and each gets its turn.
            .timeout(Some(timeout / 3));
        if let Some(credentials) = credentials(&url)? {
            transport = transport.credentials(credentials);
        }
        let hello = url.path().trim_matches('/');
        if !hello.is_empty() {
            transport = transport.hello_name(ClientId::Domain(hello.to_owned()));
        }
        Ok(Self(transport.build()))
    }

    /// Hands a mail to the server.
    pub(super) async fn send(&self, mail: &Email) -> Result<(), MailError> {
        self.0.send_raw(&mail.envelope, &mail.bytes).await?;
        Ok(())
    }
}

/// The host as the resolver wants it: an IPv6 address without its brackets.
fn host(url: &Url) -> Option<String> {
    match url.host()? {
        Host::Domain("") => None,
        Host::Domain(name) => Some(name.to_owned()),
        Host::Ipv4(address) => Some(address.to_string()),
        Host::Ipv6(address) => Some(address.to_string()),
    }
}

fn encryption(url: &Url, host: &str) -> Result<Encryption, String> {
    let mut tls = None;
    for (key, value) in url.query_pairs() {
        if key != "tls" || tls.is_some() {
            return Err(EXPECTED.to_owned());
        }
        tls = Some(value);
    }
    match (url.scheme(), tls.as_deref()) {
        ("smtps", None | Some("required")) => Ok(Encryption::Implicit),
        ("smtp", Some("none")) => Ok(Encryption::None),
        ("smtp", None) if is_loopback(host) => Ok(Encryption::None),
        ("smtp", None | Some("required")) => Ok(Encryption::StartTls),
        _ => Err(EXPECTED.to_owned()),
    }
}

/// What is said to this machine is heard by nobody else.
fn is_loopback(host: &str) -> bool {
    host.parse()
        .map_or_else(|_| host.eq_ignore_ascii_case("localhost"), |address: IpAddr| address.is_loopback())
}

fn credentials(url: &Url) -> Result<Option<Credentials>, String> {
    let decoded = |text: &str| percent_decode_str(text).decode_utf8().map(Into::into).map_err(|_| EXPECTED);
    match (url.username(), url.password()) {
        ("", None) => Ok(None),
        ("", Some(_)) | (_, None) => Err("a user and a password belong together".to_owned()),
        (user, Some(password)) => Ok(Some(Credentials::new(decoded(user)?, decoded(password)?))),
    }
}
