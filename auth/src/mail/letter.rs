//! The layout of the standard mails, which are short and plain.

use super::delivery::MailContent;
use super::placeholders::filled;
use crate::languages::{Language, MailText};
use std::borrow::Cow;
use std::time::Duration;

/// A mail in its parts, none of them escaped.
///
/// It has no name (specification §20.5): whoever has registered a stranger's address, or has taken over a session, chooses the name,
/// and so would choose what the owner of the mailbox reads in a mail of the application.
pub(super) struct Letter<'a> {
    pub(super) language: &'a Language,
    pub(super) subject: String,
    pub(super) before: String,
    pub(super) link: Option<LetterLink<'a>>,
    pub(super) after: String,
    pub(super) signature: &'a str,
}

/// The link of a letter.
pub(super) struct LetterLink<'a> {
    /// The text of the link in HTML.
    pub(super) action: String,
    pub(super) url: &'a str,
}

impl From<Letter<'_>> for MailContent {
    fn from(letter: Letter<'_>) -> Self {
        let Letter { language, subject, before, link, after, signature } = letter;
        let greeting = language.text(MailText::Greeting);
        let url = link.as_ref().map(|link| format!("{}\n\n", link.url)).unwrap_or_default();
        let text = format!("{greeting}\n\n{before}\n\n{url}{after}\n\n{signature}\n");
        let link = link.map(|LetterLink { action, url }| {
            format!("<p><a href=\"{}\">{}</a></p>\n", escape_html(url), escape_html(&action))
        });
        let html = format!(
            "<!DOCTYPE html>\n<html lang=\"{tag}\">\n<head><meta charset=\"utf-8\"><title>{title}</title></head>\n\
             <body style=\"font-family: sans-serif; line-height: 1.5\">\n<p>{greeting}</p>\n<p>{before}</p>\n\
             {link}<p>{after}</p>\n<p>{signature}</p>\n</body>\n</html>\n",
            tag = escape_html(language.tag()),
            title = escape_html(&subject),
            greeting = escape_html(greeting),
            before = escape_html(&before),
            link = link.unwrap_or_default(),
            after = escape_html(&after),
            signature = escape_html(signature),
        );
        Self { subject, text, html }
    }
}

/// `60 minutes`, `24 hours`, `3 days`: rounded, and at least one minute.
pub(super) fn in_words(language: &Language, valid_for: Duration) -> String {
    let minutes = ((valid_for.as_secs() + 30) / 60).max(1);
    let (number, unit) = match minutes {
        1 => (1, MailText::OneMinute),
        ..120 => (minutes, MailText::Minutes),
        120..2880 => ((minutes + 30) / 60, MailText::Hours),
        _ => ((minutes + 720) / 1440, MailText::Days),
    };
    filled(language.text(unit), &[("number", &number.to_string())])
}

/// Escapes text for HTML: between tags and in a quoted attribute.
///
/// ```
/// assert_eq!(axum_auth_module::mail::escape_html("\"R&D\" <b>"), "&quot;R&amp;D&quot; &lt;b&gt;");
/// ```
#[must_use]
pub fn escape_html(text: &str) -> String {
    let escaped = |c: char| match c {
        '&' => Cow::Borrowed("&amp;"),
        '<' => Cow::Borrowed("&lt;"),
        '>' => Cow::Borrowed("&gt;"),
        '"' => Cow::Borrowed("&quot;"),
        '\'' => Cow::Borrowed("&#39;"),
        other => Cow::Owned(other.to_string()),
    };
    text.chars().map(escaped).collect()
}
