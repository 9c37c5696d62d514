//! Links to the host's front end, which then calls this module.
//!
//! A link is a URI template (RFC 6570, level 1): a placeholder `{…}` is replaced by its value, percent-encoded, so it can be
//! anywhere in path, query or fragment.

use crate::uri::encoded;
use url::Url;

/// What the link of a kind of mail is called in errors, and which placeholders it has.
pub struct LinkOption {
    pub(super) option: &'static str,
    pub(super) required: &'static [&'static str],
    pub(super) optional: &'static [&'static str],
}

/// A valid URI template whose links are absolute URLs.
pub(super) struct Link(Vec<Piece>);

enum Piece {
    Text(String),
    Value(&'static str),
}

impl Link {
    /// Of mails without a link.
    pub(super) fn none() -> Self {
        Self(Vec::new())
    }

    /// Reads a template, or says what is wrong with it.
    pub(super) fn parse(template: &str, option: &LinkOption) -> Result<Self, String> {
        let parsed = Self(pieces(template, option)?);
        let missing = |name: &&&str| !parsed.holds(name);
        let missing: Vec<_> = option.required.iter().filter(missing).map(|name| braced(name)).collect();
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

    /// Whether the link has this placeholder.
    pub(super) fn holds(&self, name: &str) -> bool {
        self.0.iter().any(|piece| matches!(piece, Piece::Value(held) if *held == name))
    }
}

/// Splits a template at its braces.
fn pieces(template: &str, option: &LinkOption) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut rest = template;
    while let Some((text, behind)) = rest.split_once('{') {
        let (name, after) = behind.split_once('}').ok_or("a `{` is not closed")?;
        pieces.push(Piece::Text(literal(text)?));
        pieces.push(Piece::Value(option.find(name)?));
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

impl LinkOption {
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
