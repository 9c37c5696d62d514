//! The text of an error in the log (specification §25.1): the only way from an error to a line.

#[cfg(any(feature = "sqlite", feature = "postgres", feature = "mysql"))]
mod database;

use std::error::Error;
use std::fmt::{self, Write};
use std::{io, iter};

/// An error as the log shows it. Only [`cause`] makes one.
pub(crate) struct Cause(String);

/// What the log shows of an error of an adapter, of the host or of the library.
///
/// It is the `Display` of the error and of its sources, and never `Debug`: the `Debug` output of an error of a database has the
/// whole row. An error of a database anywhere among the sources is reduced to its code, its table and its constraint, and the
/// texts around it are left out, because they may repeat its message. Control characters are escaped, so that a text cannot look
/// like another line.
pub(crate) fn cause(error: &(dyn Error + 'static)) -> Cause {
    let text = chain(error).find_map(reduced).unwrap_or_else(|| displayed(error));
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() {
            escaped.extend(character.escape_default());
        } else {
            escaped.push(character);
        }
    }
    Cause(escaped)
}

/// Whether the error says that a database has no such table. It does not pass by itself.
pub(crate) fn is_missing_table(error: &(dyn Error + 'static)) -> bool {
    #[cfg(any(feature = "sqlite", feature = "postgres", feature = "mysql"))]
    return chain(error).any(database::is_missing_table);
    #[cfg(not(any(feature = "sqlite", feature = "postgres", feature = "mysql")))]
    {
        let _without_databases = error;
        false
    }
}

/// An error and its sources.
fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    iter::successors(Some(error), |error| next(*error))
}

/// What has caused an error. An [`io::Error`] leaves out the error that it was made of.
fn next<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(inner) => Some(inner),
        None => error.source(),
    }
}

/// The texts of an error and of its sources. Many errors repeat the text of their source, which is then not written again.
fn displayed(error: &(dyn Error + 'static)) -> String {
    let mut text = String::new();
    for error in chain(error) {
        let next = error.to_string();
        if text.contains(&next) {
            continue;
        }
        let separator = if text.is_empty() { "" } else { ": " };
        let _infallible = write!(text, "{separator}{next}");
    }
    text
}

/// The text of an error whose own text may have values in it: values of a row, or the arguments of a command.
fn reduced(error: &(dyn Error + 'static)) -> Option<String> {
    #[cfg(any(feature = "sqlite", feature = "postgres", feature = "mysql"))]
    if let Some(text) = database::reduced(error) {
        return Some(text);
    }
    #[cfg(feature = "redis")]
    if let Some(error) = error.downcast_ref::<redis::RedisError>() {
        return Some(format!("Redis: {}", without_arguments(error)));
    }
    // Without these cargo features there is no such error.
    let _other = error;
    None
}

/// The text of an error of Redis, which repeats the arguments of a command that it does not know.
#[cfg(feature = "redis")]
pub(crate) fn without_arguments(error: &redis::RedisError) -> String {
    let text = error.to_string();
    text.split_once(", with args").map_or(text.as_str(), |(before, _)| before).to_owned()
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An error whose `Debug` output has a value that its text does not have.
    #[derive(Debug, thiserror::Error)]
    #[error("{text}")]
    struct Failed {
        text: &'static str,
        row: &'static str,
        source: Option<Box<Self>>,
    }

    fn failed(text: &'static str, source: Option<Failed>) -> Failed {
        Failed { text, row: "canary", source: source.map(Box::new) }
    }

    fn shown(error: &(dyn Error + 'static)) -> String {
        cause(error).to_string()
    }

    #[test]
    fn the_texts_of_an_error_and_its_sources_are_shown_once() {
        let error = failed("saving a member", Some(failed("the connection is closed", None)));
        assert_eq!(shown(&error), "saving a member: the connection is closed");
        let repeats = failed("not saved: it is closed", Some(failed("it is closed", None)));
        assert_eq!(shown(&repeats), "not saved: it is closed");
    }

    #[test]
    fn a_text_is_one_line() {
        let error = failed("one\nERROR axum_auth_module: another\u{1b}[2J", None);
        assert_eq!(shown(&error), "one\\nERROR axum_auth_module: another\\u{1b}[2J");
    }

    #[cfg(feature = "redis")]
    #[test]
    fn redis_does_not_repeat_arguments() {
        let detail = "unknown command 'GETX', with args beginning with: 'canary'".to_owned();
        let error = redis::RedisError::from((redis::ErrorKind::Extension, "ERR", detail));
        let text = shown(&std::io::Error::other(error));
        assert!(text.contains("GETX") && !text.contains("canary"), "{text}");
    }
}
