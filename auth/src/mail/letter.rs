//! The layout of the standard mails, which are short and plain.

use super::delivery::MailContent;
use super::placeholders::filled;
use crate::languages::{Language, MailText};
use crate::values::is_invisible;
use std::borrow::Cow;
use std::time::Duration;

/// The longest name that a mail greets with, in characters.
const GREETED_CHARACTERS: usize = 64;

/// A mail in its parts, none of them escaped.
pub(super) struct Letter<'a> {
    pub(super) language: &'a Language,
    pub(super) subject: String,
    /// The user's name, for the greeting, if the address is verified. A person who registers with a stranger's address chooses
    /// the name that the stranger would read.
    pub(super) name: Option<&'a str>,
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
        let Letter { language, subject, name, before, link, after, signature } = letter;
        let greeting = greeting(language, name.unwrap_or_default());
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
            greeting = escape_html(&greeting),
            before = escape_html(&before),
            link = link.unwrap_or_default(),
            after = escape_html(&after),
            signature = escape_html(signature),
        );
        Self { subject, text, html }
    }
}

/// `Hello Ada,`; or `Hello,` if the name could be an advertisement: mail programs make links of text that looks like one.
fn greeting(language: &Language, name: &str) -> String {
    let name = name.trim();
    let short = (1..=GREETED_CHARACTERS).contains(&name.chars().count());
    let plain = !name.contains(|c: char| c.is_control() || is_invisible(c) || "/\\:@<>".contains(c));
    match short && plain && !has_domain(name) {
        true => filled(language.text(MailText::GreetingByName), &[("name", name)]),
        false => language.text(MailText::Greeting).to_owned(),
    }
}

/// Whether a dot stands before two letters or digits: `evil.example`, unlike `Dr. Who` or `J.R.R. Tolkien`.
fn has_domain(name: &str) -> bool {
    let mut behind_dots = name.split('.').skip(1);
    behind_dots.any(|behind| behind.chars().take(2).filter(|c| c.is_alphanumeric()).count() == 2)
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
