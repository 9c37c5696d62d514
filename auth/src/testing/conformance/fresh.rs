//! Test data that occurs nowhere else, and times.

use super::failures::Broken;
use crate::crypto::random;
use std::fmt::Write as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A text that occurs nowhere else: 32 hexadecimal digits.
pub(super) fn token() -> Result<String, Broken> {
    random::hex::<16>().map_err(|error| Broken::new(format!("the system's random numbers failed: {error}")))
}

/// An id like that of a session: 22 characters of base64url.
pub(super) fn id() -> Result<String, Broken> {
    random::id().map_err(|error| Broken::new(format!("the system's random numbers failed: {error}")))
}

/// Random bytes, enough of which occur nowhere else.
pub(super) fn bytes<const N: usize>() -> Result<[u8; N], Broken> {
    random::bytes().map_err(|error| Broken::new(format!("the system's random numbers failed: {error}")))
}

/// An address that nobody else has. A host finds them by their first and last words.
pub(super) fn address() -> Result<String, Broken> {
    Ok(format!("conformance-{}@users.example.invalid", token()?))
}

/// A user name that nobody else has.
pub(super) fn username() -> Result<String, Broken> {
    Ok(format!("as-{}", token()?.split_at(28).0))
}

/// A time in milliseconds since 1970.
pub(super) fn at(milliseconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(milliseconds)
}

/// A text for a sentence, in quotes and shortened.
pub(super) fn quoted(text: &str) -> String {
    const CHARACTERS: usize = 40;
    match text.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{:?}… ({} bytes)", text.get(..end).unwrap_or_default(), text.len()),
        None => format!("{text:?}"),
    }
}

/// A time for a sentence: `2026-11-18T11:06:41.789Z`.
pub(super) fn shown(time: SystemTime) -> String {
    let mut text = String::new();
    // The form has no years before 1970 and after 9999.
    match write!(text, "{}", humantime::format_rfc3339(time)) {
        Ok(()) => text,
        Err(_) => format!("{time:?}"),
    }
}

/// Texts that differ from this one in a way that some databases ignore, with the difference.
pub(super) fn almost(text: &str) -> Vec<(&'static str, String)> {
    let others = [
        ("in case", text.to_uppercase()),
        ("by an accent", text.replacen('a', "\u{e4}", 1)),
        ("by a combining accent", text.replacen('a', "a\u{301}", 1)),
        ("by a letter that case folding maps to the same one", text.replacen('s', "\u{17f}", 1)),
        ("by a space at its end", format!("{text} ")),
        ("by a space at its beginning", format!(" {text}")),
        ("by a letter of another width", text.replacen('a', "\u{ff41}", 1)),
        ("by its length", text.chars().take(text.chars().count().saturating_sub(1)).collect()),
    ];
    // A text without the letter would be the same one.
    others.into_iter().filter(|(_, other)| other != text).collect()
}

/// The text with another last character.
pub(super) fn last_changed(text: &str) -> String {
    text.chars().take(text.chars().count().saturating_sub(1)).chain(['x']).collect()
}

/// Texts that a database must not change or interpret.
pub(super) const TEXTS: &[&str] = &[
    "Ren\u{e9}e",
    "Rene\u{301}e",
    "\u{5218}\u{6d0b} \u{1f469}\u{1f3fd}\u{200d}\u{1f680}",
    "\u{5d3}\u{5d5}\u{5d3} \u{661}\u{662}",
    "O'Neil \"Tip\" \\ ` %_ ? $1 :name {} --",
    "' OR ''='",
    "  Ada  ",
    "null",
    "1e3",
];
