//! Mails as they arrive at an SMTP server of the tests and in a directory.

mod configuration;
mod content;
mod files;
mod security_notices;
mod sink;
mod smtp;

use super::{MailDelivery, Mailer, MailerBuilder};
use crate::clock::Clock;
use crate::delivery::{
    Delivers, EmailLoginMessage, EmailLoginPurpose, EmailVerificationMessage, PasswordResetMessage,
    PasswordResetReason, VerificationData,
};
use crate::error::BoxError;
use crate::languages::Language;
use mail_parser::MessageParser;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// 64 hexadecimal digits, as a real token has.
const TOKEN: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
const SENDER: &str = "Example <no-reply@mail.example.com>";
const ADA: &str = "ada@example.org";

/// A clock that does not move, so that mails can be compared.
struct Stopped;

const NOW: Duration = Duration::from_secs(1_800_000_000);

impl Clock for Stopped {
    fn now(&self) -> SystemTime {
        UNIX_EPOCH + NOW
    }
}

const RESET_URL: &str = "https://example.com/reset-password?token={token}&email={email}";
const VERIFICATION_URL: &str =
    "https://example.com/verify/{id}/{hash}?signature={signature}&expires={expires}";

fn over_smtp(url: &str) -> MailerBuilder {
    Mailer::smtp(url, SENDER).clock(Stopped).timeout(Duration::from_secs(10))
}

fn resets(mailer: &Mailer) -> MailDelivery<PasswordResetMessage> {
    mailer.password_reset(RESET_URL).unwrap()
}

fn verifications(mailer: &Mailer) -> MailDelivery<EmailVerificationMessage> {
    mailer.email_verification(VERIFICATION_URL).unwrap()
}

fn expires_at() -> SystemTime {
    UNIX_EPOCH + NOW + Duration::from_secs(3600)
}

async fn deliver_reset(
    delivery: &MailDelivery<PasswordResetMessage>,
    email: &str,
    name: &str,
) -> Result<(), BoxError> {
    let (email, name, token) = (email.to_owned(), name.to_owned(), TOKEN.to_owned());
    let email_verified = true;
    delivery
        .deliver(PasswordResetMessage {
            email,
            name,
            email_verified,
            token,
            reason: PasswordResetReason::Requested,
            expires_at: expires_at(),
            language: Language::english(),
        })
        .await
}

/// Sends a reset token with the standard text.
async fn reset(mailer: &Mailer, email: &str, name: &str) -> Result<(), BoxError> {
    deliver_reset(&resets(mailer), email, name).await
}

async fn deliver_verification(
    delivery: &MailDelivery<EmailVerificationMessage>,
    email: &str,
    id: &str,
) -> Result<(), BoxError> {
    let data = VerificationData::new(id.to_owned(), "ab12".to_owned(), "cd34".to_owned(), 1_800_003_600);
    let (email, name) = (email.to_owned(), "Ada".to_owned());
    delivery
        .deliver(EmailVerificationMessage {
            email,
            name,
            data,
            expires_at: expires_at(),
            language: Language::english(),
        })
        .await
}

/// Sends a verification link with the standard text.
async fn verify(mailer: &Mailer, email: &str, id: &str) -> Result<(), BoxError> {
    deliver_verification(&verifications(mailer), email, id).await
}

const LOGIN_URL: &str = "https://example.com/login#token={token}";

/// A code and a link of this purpose, for an account or for somebody without one.
fn login_message(purpose: EmailLoginPurpose, language: Language) -> EmailLoginMessage {
    EmailLoginMessage {
        email: ADA.to_owned(),
        name: None,
        email_verified: purpose != EmailLoginPurpose::Registration,
        purpose,
        code: Some("12345678".to_owned()),
        token: (purpose != EmailLoginPurpose::Confirmation).then(|| TOKEN.to_owned()),
        client: Some("192.0.2.7".parse().unwrap()),
        user_agent: Some("free money at evil.example".to_owned()),
        requested_at: UNIX_EPOCH + NOW,
        expires_at: UNIX_EPOCH + NOW + Duration::from_secs(600),
        language,
    }
}

/// A mail as a mail program sees it.
struct Seen {
    headers: Vec<(String, String)>,
    subject: String,
    text: String,
    html: String,
}

impl Seen {
    /// Reads a mail with a parser that is independent of lettre.
    fn read(mail: &[u8]) -> Self {
        let message = MessageParser::default().parse(mail).expect("a mail");
        let raw = |(name, value): (&str, &str)| (name.to_owned(), value.trim().to_owned());
        Self {
            headers: message.headers_raw().map(raw).collect(),
            subject: message.subject().unwrap().to_owned(),
            text: message.body_text(0).unwrap().replace("\r\n", "\n"),
            html: message.body_html(0).unwrap().replace("\r\n", "\n"),
        }
    }

    /// The values of a header. There must be one.
    fn header(&self, name: &str) -> Vec<&str> {
        let named = |(known, _): &&(String, String)| known.eq_ignore_ascii_case(name);
        self.headers.iter().filter(named).map(|(_, value)| value.as_str()).collect()
    }
}
