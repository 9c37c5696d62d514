//! Which known word was meant by an unknown one.

use std::fmt::Display;

/// Words less alike than this are not proposed: a wrong proposal costs more than none.
const ALIKE: f64 = 0.7;

/// The known word that is most like `word`, case, underscores and hyphens aside, if one is alike enough.
///
/// Jaro and not Jaro-Winkler: the latter rewards common beginnings, and half of our words begin with `two_factor_`,
/// `password_` or `UPDATE_`.
pub(crate) fn nearest(word: &str, known: impl IntoIterator<Item = &'static str>) -> Option<&'static str> {
    let word = folded(word);
    known
        .into_iter()
        .map(|candidate| (strsim::jaro(&word, &folded(candidate)), candidate))
        .filter(|(likeness, _)| *likeness > ALIKE)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, candidate)| candidate)
}

/// Whether the two are the same but for case, underscores and hyphens.
pub(crate) fn is_same(word: &str, known: &str) -> bool {
    folded(word) == folded(known)
}

/// What to say below "there is no such word": the nearest known word, or all of them.
pub(crate) fn help(word: &str, known: impl IntoIterator<Item = &'static str> + Clone) -> String {
    match nearest(word, known.clone()) {
        Some(nearest) => format!("help: did you mean `{nearest}`?"),
        None => format!("help: write one of {}", list(known, "or")),
    }
}

/// `` `a`, `b` and `c` ``, with the word that joins the last.
pub(crate) fn list(words: impl IntoIterator<Item = impl Display>, join: &str) -> String {
    let mut quoted: Vec<_> = words.into_iter().map(|word| format!("`{word}`")).collect();
    let last = quoted.pop().unwrap_or_default();
    if quoted.is_empty() { last } else { format!("{} {join} {last}", quoted.join(", ")) }
}

fn folded(word: &str) -> String {
    word.chars().filter(|c| !matches!(c, '_' | '-')).map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: [&str; 4] =
        ["REGISTRATION", "RESET_PASSWORDS", "UPDATE_PASSWORDS", "UPDATE_PROFILE_INFORMATION"];

    #[test]
    fn a_slip_finds_its_word() {
        assert_eq!(nearest("REGISTRATON", WORDS), Some("REGISTRATION"));
        assert_eq!(nearest("UPDATE_PASSWORD", WORDS), Some("UPDATE_PASSWORDS"));
        assert_eq!(nearest("ResetPasswords", WORDS), Some("RESET_PASSWORDS"));
        assert_eq!(nearest("emailVerifiedAt", ["email", "email_verified_at"]), Some("email_verified_at"));
    }

    #[test]
    fn a_stranger_finds_the_list() {
        assert_eq!(nearest("PASSKEYS", WORDS), None);
        assert_eq!(help("xyz", ["a", "b", "c"]), "help: write one of `a`, `b` or `c`");
        assert_eq!(list(["a"], "and"), "`a`");
        assert_eq!(list([""; 0], "and"), "");
    }
}
