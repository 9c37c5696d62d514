//! Names of languages (BCP 47, RFC 5646).

use std::borrow::Cow;
use std::fmt;

/// The name of a language: `de`, `pt-BR`, `zh-Hant-TW`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Tag(Cow<'static, str>);

/// An invalid language tag.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid language tag `{tag}`: expected a BCP 47 tag such as `fr`, `pt-BR` or `zh-Hant-TW`")]
#[non_exhaustive]
pub struct InvalidLanguage {
    /// What was given, at most 40 characters of it.
    pub tag: String,
}

impl Tag {
    pub(super) const ENGLISH: Self = Self(Cow::Borrowed("en"));
    pub(super) const GERMAN: Self = Self(Cow::Borrowed("de"));

    /// Reads a name in any case: a language, and optionally a script, a region and variants (RFC 5646 §2.1). Extensions,
    /// private and grandfathered names are refused: browsers do not send them.
    pub(super) fn parse(text: &str) -> Result<Self, InvalidLanguage> {
        canonical(text).map(|tag| Self(tag.into())).ok_or_else(|| InvalidLanguage {
            tag: text.chars().filter(|c| !c.is_control()).take(40).collect(),
        })
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The parts of a name, in the order in which they must come.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Part {
    Script,
    Region,
    Variant,
}

/// The name in the usual case (RFC 5646 §2.1.1): `zh-Hant-TW`.
fn canonical(text: &str) -> Option<String> {
    let mut parts = text.split('-');
    let language = parts.next()?;
    let mut tag = letters(language, 2..=3).then(|| language.to_ascii_lowercase())?;
    let mut last = None;
    for part in parts {
        let (kind, written) = part_of(part)?;
        // Only variants come more than once.
        if last.is_some_and(|last| kind < last || (kind == last && kind != Part::Variant)) {
            return None;
        }
        last = Some(kind);
        tag.push('-');
        tag.push_str(&written);
    }
    (tag.len() <= 35).then_some(tag)
}

fn part_of(part: &str) -> Option<(Part, String)> {
    let alphanumeric = part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let begins_with_digit = part.starts_with(|c: char| c.is_ascii_digit());
    match part.len() {
        4 if letters(part, 4..=4) => {
            let (first, rest) = part.split_at_checked(1)?;
            Some((Part::Script, first.to_ascii_uppercase() + &rest.to_ascii_lowercase()))
        }
        2 if letters(part, 2..=2) => Some((Part::Region, part.to_ascii_uppercase())),
        3 if part.bytes().all(|byte| byte.is_ascii_digit()) => Some((Part::Region, part.to_owned())),
        4 if alphanumeric && begins_with_digit => Some((Part::Variant, part.to_ascii_lowercase())),
        5..=8 if alphanumeric => Some((Part::Variant, part.to_ascii_lowercase())),
        _ => None,
    }
}

fn letters(text: &str, length: std::ops::RangeInclusive<usize>) -> bool {
    length.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_a_language_a_script_a_region_and_variants() {
        for (written, tag) in [
            ("de", "de"),
            ("DE-at", "de-AT"),
            ("zh-hant-tw", "zh-Hant-TW"),
            ("es-419", "es-419"),
            ("sl-ROZAJ-biske-1994", "sl-rozaj-biske-1994"),
            ("hsb", "hsb"),
        ] {
            assert_eq!(Tag::parse(written).as_ref().map(Tag::as_str), Ok(tag));
        }
    }

    #[test]
    fn anything_else_is_no_name() {
        for wrong in [
            "",
            "*",
            "d",
            "german",
            "de_AT",
            "de-",
            "-de",
            "de--AT",
            "de-AT-AT",
            "de-AT-Latn",
            "de-x-private",
            "de-u-co-phonebk",
            "i-klingon",
            "dé",
            "de\r\nx",
            "de-abcdefghi",
            "sl-rozaj-biske-nedis-solba-lipaw-osojs-1994",
        ] {
            assert!(Tag::parse(wrong).is_err(), "{wrong}");
        }
        let error = Tag::parse(&"x\n".repeat(100)).unwrap_err();
        assert_eq!(error.tag, "x".repeat(40));
    }
}
