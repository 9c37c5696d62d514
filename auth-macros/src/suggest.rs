//! Proposes a known word for an unknown one.

use std::fmt::Display;

/// Words that are less similar are not proposed: a wrong proposal is worse than none.
const LEAST_SIMILARITY: f64 = 0.7;

/// The known word that is most similar to `word`, apart from case, underscores and hyphens, if one is similar enough.
///
/// It compares with Jaro and not with Jaro-Winkler, which prefers common beginnings: many of the words begin with
/// `two_factor_`, `password_` or `UPDATE_`.
pub(crate) fn nearest(word: &str, known: impl IntoIterator<Item = &'static str>) -> Option<&'static str> {
    let word = folded(word);
    known
        .into_iter()
        .map(|candidate| (strsim::jaro(&word, &folded(candidate)), candidate))
        .filter(|(similarity, _)| *similarity > LEAST_SIMILARITY)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, candidate)| candidate)
}

/// Whether two words are the same apart from case, underscores and hyphens.
pub(crate) fn is_same(word: &str, known: &str) -> bool {
    folded(word) == folded(known)
}

/// The help for an unknown word: the most similar known word, or all of them.
pub(crate) fn help(word: &str, known: impl IntoIterator<Item = &'static str> + Clone) -> String {
    match nearest(word, known.clone()) {
        Some(nearest) => format!("help: did you mean `{nearest}`?"),
        None => format!("help: write one of {}", list(known, "or")),
    }
}

/// `` `a`, `b` and `c` ``, where `join` is "and".
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
    fn a_misspelled_word_is_found() {
        assert_eq!(nearest("REGISTRATON", WORDS), Some("REGISTRATION"));
        assert_eq!(nearest("UPDATE_PASSWORD", WORDS), Some("UPDATE_PASSWORDS"));
        assert_eq!(nearest("ResetPasswords", WORDS), Some("RESET_PASSWORDS"));
        assert_eq!(nearest("emailVerifiedAt", ["email", "email_verified_at"]), Some("email_verified_at"));
    }

    #[test]
    fn for_an_unknown_word_all_are_listed() {
        assert_eq!(nearest("TELEPATHY", WORDS), None);
        assert_eq!(help("xyz", ["a", "b", "c"]), "help: write one of `a`, `b` or `c`");
        assert_eq!(list(["a"], "and"), "`a`");
        assert_eq!(list([""; 0], "and"), "");
    }
}
