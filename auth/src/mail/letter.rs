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
    /// A code to type.
    pub(super) code: Option<String>,
    pub(super) link: Option<LetterLink<'a>>,
    /// Paragraphs.
    pub(super) after: Vec<String>,
    pub(super) signature: &'a str,
}

/// The link of a letter.
pub(super) struct LetterLink<'a> {
    /// A sentence in front of it, if it is not the one before the code.
    pub(super) before: Option<String>,
    /// The text of the link in HTML.
    pub(super) action: String,
    pub(super) url: &'a str,
}

impl From<Letter<'_>> for MailContent {
    fn from(letter: Letter<'_>) -> Self {
        let Letter { language, subject, before, code, link, after, signature } = letter;
        let greeting = language.text(MailText::Greeting).to_owned();
        let (before_link, url, action) = match link {
            Some(LetterLink { before, action, url }) => (before, Some(url.to_owned()), action),
            None => (None, None, String::new()),
        };
        let parts =
            [Some(greeting.clone()), Some(before.clone()), code.clone(), before_link.clone(), url.clone()];
        let mut text: Vec<_> = parts.into_iter().flatten().collect();
        text.extend(after.iter().cloned().chain([signature.to_owned()]));
        let text = text.join("\n\n") + "\n";
        let paragraph = |text: &String| format!("<p>{}</p>\n", escape_html(text));
        let code = code.map(|code| {
            format!(
                "<p style=\"font-size: 1.5em; letter-spacing: 0.1em\"><strong>{}</strong></p>\n",
                escape_html(&code)
            )
        });
        let link =
            url.map(|url| format!("<p><a href=\"{}\">{}</a></p>\n", escape_html(&url), escape_html(&action)));
        let link = before_link.iter().map(paragraph).chain(link).collect::<String>();
        let after: String = after.iter().map(paragraph).collect();
        let html = format!(
            "<!DOCTYPE html>\n<html lang=\"{tag}\">\n<head><meta charset=\"utf-8\"><title>{title}</title></head>\n\
             <body style=\"font-family: sans-serif; line-height: 1.5\">\n<p>{greeting}</p>\n<p>{before}</p>\n\
             {code}{link}{after}<p>{signature}</p>\n</body>\n</html>\n",
            tag = escape_html(language.tag()),
            title = escape_html(&subject),
            greeting = escape_html(&greeting),
            before = escape_html(&before),
            code = code.unwrap_or_default(),
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
