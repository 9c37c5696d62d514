//! Links to the host's front end.

use super::builder::named;
use super::mails::{EMAIL_VERIFICATION, MailKind, PASSWORD_RESET};
use crate::config::ConfigError;
use crate::uri::encoded;
use std::collections::BTreeMap;
use url::Url;

/// The links in the mails: pages of the host's front end, which then call this module.
///
/// Each is a URI template (RFC 6570, level 1): a placeholder `{…}` is replaced by its value, percent-encoded, so it can be
/// anywhere in path, query or fragment. Text after a `#` is in no server's log and in no `Referer`. Both links are
/// required.
///
/// ```
/// use axum_auth_module::mail::MailLinks;
///
/// let verification = "id={id}&hash={hash}&signature={signature}&expires={expires}";
/// let links = MailLinks::new()
///     .reset_url("https://example.com/reset-password#token={token}&email={email}")
///     .verification_url(format!("https://example.com/verify-email#{verification}"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct MailLinks(BTreeMap<&'static str, String>);

impl MailLinks {
    /// No link yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The page that asks for a new password and sends it to `POST /reset-password`. Required: `{token}`; optional:
    /// `{email}`, because that route requires both.
    #[must_use]
    pub fn reset_url(self, template: impl Into<String>) -> Self {
        self.with(&PASSWORD_RESET, template.into())
    }

    /// The page that calls `GET /email/verify/{id}/{hash}?signature={signature}&expires={expires}` with the access token
    /// of its user, who must be logged in. Required: these four placeholders.
    #[must_use]
    pub fn verification_url(self, template: impl Into<String>) -> Self {
        self.with(&EMAIL_VERIFICATION, template.into())
    }

    fn with(mut self, kind: &MailKind, template: String) -> Self {
        self.0.insert(kind.link_option, template);
        self
    }

    /// The template for a kind of mail.
    pub(super) fn parse(&self, kind: &MailKind) -> Result<LinkTemplate, ConfigError> {
        let template = self.0.get(kind.link_option).ok_or_else(|| "it is missing".to_owned());
        named(kind.link_option, template.and_then(|text| LinkTemplate::parse(text, &kind.placeholders)))
    }
}

/// What a link may and must contain.
pub(super) struct Placeholders {
    pub(super) required: &'static [&'static str],
    pub(super) optional: &'static [&'static str],
}

/// A valid URI template whose links are absolute URLs.
pub(super) struct LinkTemplate(Vec<Piece>);

enum Piece {
    Text(String),
    Value(&'static str),
}

impl LinkTemplate {
    /// Reads a template, or says what is wrong with it.
    pub(super) fn parse(template: &str, placeholders: &Placeholders) -> Result<Self, String> {
        let parsed = Self(pieces(template, placeholders)?);
        let missing = |name: &&&str| !parsed.holds(name);
        let missing: Vec<_> = placeholders.required.iter().filter(missing).map(|name| braced(name)).collect();
        if !missing.is_empty() {
            return Err(format!("it lacks {}", missing.join(", ")));
        }
        let absolute = Url::parse(&parsed.expand(&[])).is_ok_and(|url| url.has_host());
        if absolute {
            Ok(parsed)
        } else {
            Err("expected an absolute URL: https://example.com/…".to_owned())
        }
    }

    /// The link with these values. A missing value is empty.
    pub(super) fn expand(&self, values: &[(&str, String)]) -> String {
        let piece = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Value(name) => {
                let value =
                    values.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value.as_str());
                encoded(value)
            }
        };
        self.0.iter().map(piece).collect()
    }

    fn holds(&self, name: &str) -> bool {
        self.0.iter().any(|piece| matches!(piece, Piece::Value(held) if *held == name))
    }
}

/// Splits a template at its braces.
fn pieces(template: &str, placeholders: &Placeholders) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut rest = template;
    while let Some((text, behind)) = rest.split_once('{') {
        let (name, after) = behind.split_once('}').ok_or("a `{` is not closed")?;
        pieces.push(Piece::Text(literal(text)?));
        pieces.push(Piece::Value(placeholders.find(name)?));
        rest = after;
    }
    pieces.push(Piece::Text(literal(rest)?));
    Ok(pieces)
}

/// Text of a URL that needs no percent-encoding. Other characters would end the link in a mail program.
fn literal(text: &str) -> Result<String, String> {
    let written = |c: char| c.is_ascii_graphic() && !"<>\"\\^`{|}".contains(c);
    match text.chars().find(|c| !written(*c)) {
        Some(other) => Err(format!("{other:?} is not allowed in a URL; percent-encode it")),
        None => Ok(text.to_owned()),
    }
}

impl Placeholders {
    fn find(&self, name: &str) -> Result<&'static str, String> {
        let mut known = self.required.iter().chain(self.optional);
        known.find(|known| **known == name).copied().ok_or_else(|| {
            let known: Vec<_> = self.required.iter().chain(self.optional).map(|name| braced(name)).collect();
            format!("`{{{name}}}` is not among {}", known.join(", "))
        })
    }
}

fn braced(name: &str) -> String {
    format!("{{{name}}}")
}
