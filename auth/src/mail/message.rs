//! A mail as it goes over the wire (RFC 5322), with its envelope.

use super::delivery::MailContent;
use super::error::MailError;
use super::mails::Mail;
use crate::crypto::random;
use crate::values::EmailAddress;
use lettre::address::{Address, Envelope};
use lettre::message::header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue};
use lettre::message::{Body, Mailbox, Message, MultiPart, SinglePart};

/// RFC 3834 §5: a program sent this mail, so that no automatic response is sent to it.
const AUTO_SUBMITTED: HeaderName = HeaderName::new_from_ascii_str("Auto-Submitted");

/// What the mail is, whatever its language and its template.
const AUTH_MESSAGE: HeaderName = HeaderName::new_from_ascii_str("X-Auth-Message");

/// The maximum length of a line without its CRLF (RFC 5322 §2.1.1).
const LINE_BYTES: usize = 998;

/// A mail, ready to be sent.
pub(super) struct Email {
    pub(super) envelope: Envelope,
    pub(super) bytes: Vec<u8>,
}

/// Composes a mail. The stored address is the only recipient of the envelope and the whole of `To`, without the user's
/// name, which somebody else may have chosen.
pub(super) fn compose(sender: &Mailbox, mail: &impl Mail, content: MailContent) -> Result<Email, MailError> {
    let recipient = address(mail.recipient())?;
    let MailContent { subject, text, html } = content;
    let plain = part(ContentType::TEXT_PLAIN, &text);
    let html = part(ContentType::TEXT_HTML, &html);
    let message = Message::builder()
        .from(sender.clone())
        .to(Mailbox::new(None, recipient))
        .subject(one_line(&subject))
        .message_id(Some(message_id(sender)?))
        .raw_header(HeaderValue::new(AUTO_SUBMITTED, "auto-generated".to_owned()))
        .raw_header(HeaderValue::new(AUTH_MESSAGE, one_line(&mail.label())))
        .multipart(MultiPart::alternative().singlepart(plain).singlepart(html))
        .map_err(MailError::Message)?;
    Ok(Email { envelope: message.envelope().clone(), bytes: message.formatted() })
}

/// The stored address, if it is one address without line breaks, which would be further SMTP commands.
fn address(stored: &str) -> Result<Address, MailError> {
    EmailAddress::parse(stored).map_err(|_| MailError::Address)?;
    stored.parse().map_err(|_| MailError::Address)
}

/// A part without encoding if that is allowed, so that a person who reads the file finds the link in one piece; otherwise
/// as lettre encodes it. Every kind of line break becomes CRLF: servers disagree on the others, so a text with them could
/// end its mail and start another.
fn part(kind: ContentType, text: &str) -> SinglePart {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let short = text.lines().all(|line| line.len() <= LINE_BYTES);
    let body = if short && text.chars().all(|c| matches!(c, ' '..='~' | '\n' | '\t')) {
        Body::dangerous_pre_encoded(
            text.replace('\n', "\r\n").into_bytes(),
            ContentTransferEncoding::SevenBit,
        )
    } else {
        Body::new(text)
    };
    SinglePart::builder().header(kind).body(body)
}

/// A line break in a subject would start the next header.
fn one_line(subject: &str) -> String {
    subject.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// RFC 5322 §3.6.4, under the sender's domain.
fn message_id(sender: &Mailbox) -> Result<String, MailError> {
    let id = random::id().map_err(|_| MailError::Random)?;
    Ok(format!("<{id}@{}>", sender.email.domain()))
}
