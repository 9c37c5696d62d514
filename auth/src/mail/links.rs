//! Links to the host's front end.

use crate::uri::encoded;
use url::Url;

/// Where the links of the mails lead: to pages of the host's front end, which then call this module.
///
/// Both are URI templates (RFC 6570, level 1): each `{…}` becomes its value, percent-encoded, so a value can stand
/// anywhere in path, query or fragment. What stands behind a `#` is in no server's log and in no `Referer`.
#[derive(Clone, Debug)]
pub struct MailLinks {
    /// The page that asks for a new password and sends it to `POST /reset-password`. It holds `{token}`, and may hold
    /// `{email}`, for that route wants both.
    pub reset_url: String,
    /// The page that calls `GET /email/verify/{id}/{hash}?signature={signature}&expires={expires}` with the access
    /// token of its user, who has to be logged in. It holds these four.
    pub verification_url: String,
}

/// What a link may and must hold.
pub(super) struct Placeholders {
    required: &'static [&'static str],
    optional: &'static [&'static str],
}

pub(super) const RESET: Placeholders = Placeholders { required: &["token"], optional: &["email"] };
pub(super) const VERIFICATION: Placeholders =
    Placeholders { required: &["id", "hash", "signature", "expires"], optional: &[] };

/// A URI template that is complete and whose links are absolute URLs.
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

    /// The link with these values. A value that is not among them is empty.
    pub(super) fn expand(&self, values: &[(&str, &str)]) -> String {
        let piece = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Value(name) => {
                let value = values.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value);
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

/// A piece of a URL as it has to be written. A mail program finds the end of a link by such characters.
fn literal(text: &str) -> Result<String, String> {
    let written = |c: char| c.is_ascii_graphic() && !"<>\"\\^`{|}".contains(c);
    match text.chars().find(|c| !written(*c)) {
        Some(other) => Err(format!("{other:?} cannot stand in a URL; percent-encode it")),
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
