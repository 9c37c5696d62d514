//! Passwords that are easy to guess.

use super::{PasswordOwner, Policy, PolicyError};
use crate::error::FieldText;
use crate::user::AuthUser;
use crate::values::NewPassword;
use zxcvbn::{Score, zxcvbn};

/// How many characters of a password are judged. zxcvbn tries every reading of look-alike characters against every list, which
/// takes up to a second for 72 characters.
const JUDGED: usize = 32;

/// Refuses passwords that are easy to guess, with the field error `easy_to_guess` (cargo feature `common-passwords`; ASVS 6.2.4,
/// 6.2.11).
///
/// The crate `zxcvbn` estimates how many guesses somebody needs who tries the most common passwords, names, words, dates and
/// patterns of keys first, and also the user's name, address and user name and the name of the application. Passwords below a million
/// guesses are refused: after a hundred failures in a row only clients that have logged in before can try at all. This is no
/// rule about kinds of characters, which NIST SP 800-63B-4 §3.1.1.2 forbids.
///
/// The first 32 characters are judged, on one of the threads for passwords. A password whose beginning is hard to guess is hard
/// to guess; one whose first 32 characters are easy to guess is refused.
///
/// ```
/// use axum_auth_module::policy::CommonPasswords;
/// # use axum_auth_module::{AuthModuleBuilder, AuthUser};
/// # fn with_policy<U: AuthUser>(builder: AuthModuleBuilder<U>) -> AuthModuleBuilder<U> {
/// builder.policy(CommonPasswords)
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct CommonPasswords;

#[diagnostic::do_not_recommend]
impl<U: AuthUser> Policy<U> for CommonPasswords {
    fn judges_password(
        &self,
        password: &NewPassword,
        owner: &PasswordOwner<'_, U>,
    ) -> Result<(), PolicyError> {
        let PasswordOwner { name, email, username, app_name, .. } = *owner;
        let known = [name, email, username.unwrap_or_default(), app_name];
        if !is_easy_to_guess(password.as_password().expose(), known) {
            return Ok(());
        }
        Err(PolicyError::Standard(FieldText::PasswordEasyToGuess))
    }

    fn meets(&self) -> Vec<&'static str> {
        vec!["6.2.4", "6.2.11"]
    }
}

/// Whether somebody who knows these texts about the user needs less than a million guesses.
fn is_easy_to_guess<const N: usize>(password: &str, known: [&str; N]) -> bool {
    is_easy_by(|password, words| zxcvbn(password, words).score(), password, known)
}

/// Whether this estimate says that less than a million guesses are needed.
fn is_easy_by<const N: usize>(
    estimate: impl FnOnce(&str, &[&str]) -> Score,
    password: &str,
    known: [&str; N],
) -> bool {
    // A whole text, the two halves of an address, its labels, and single words.
    let ends: [fn(char) -> bool; 4] =
        [|_| false, |c| c == '@', |c| ['@', '.', ' '].contains(&c), |c| !c.is_alphanumeric()];
    let parts = known.iter().flat_map(|text| ends.iter().flat_map(|end| text.split(end)));
    let long_enough = parts.filter(|part| part.chars().count() > 2);
    // Shortened like the password, so that a long address is found in a password that begins with it.
    let words: Vec<_> = long_enough.map(|part| beginning(part).to_lowercase()).collect();
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    estimate(beginning(password), &words) <= Score::One
}

/// The characters that are judged.
fn beginning(text: &str) -> &str {
    let end = text.char_indices().nth(JUDGED).map_or(text.len(), |(end, _)| end);
    text.get(..end).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADA: [&str; 3] = ["Ada Lovelace", "ada.king@ockham-park.example", "Difference Engine"];

    #[test]
    fn a_common_password_is_easy_to_guess() {
        for common in [
            "password",
            "12345678",
            "qwertyuiop",
            "iloveyou",
            "password1",
            "Passw0rd",
            "letmein123",
            "sunshine1",
            "football",
            "abcd1234",
            "11111111",
            "1q2w3e4r5t",
            "trustno1",
            "baseball",
            "superman",
            "qazwsxedc",
            "aaaaaaaaaaaa",
            "abcdefghijkl",
            "P@ssw0rd",
            "drowssap",
            "19840712",
            "charlie1",
        ] {
            assert!(is_easy_to_guess(common, ADA), "{common}");
        }
    }

    #[test]
    fn what_is_known_of_the_user_and_the_application_is_easy_to_guess() {
        for known in [
            "ada lovelace",
            "lovelace1",
            "Lovelace!",
            "ockham-park",
            "ada.king@ockham-park.example",
            "difference engine",
            "Difference1",
        ] {
            assert!(is_easy_to_guess(known, ADA), "{known}");
        }
        assert!(!is_easy_to_guess("ockham-park", ["Grace Hopper", "grace@example.com", "Compiler"]));
    }

    #[test]
    fn other_passwords_are_allowed_without_rules_about_characters() {
        for good in [
            "correct horse battery",
            "gnjhzvkwpqtd",
            "drei nasse pferde",
            "7f3k9q2m",
            "пароль-из-леса",
            "🦀🦀 und 🐴🐴",
        ] {
            assert!(!is_easy_to_guess(good, ADA), "{good}");
        }
        assert!(!is_easy_to_guess(&"correct horse battery ".repeat(3), ADA));
    }

    /// The password of the third security review, which took zxcvbn a second.
    const DEAR: &str = "4@8({[<369&#!1/|0$5+7%24@8({[<369&#!1/|0$5+7%24@8({[<369&#!1/|0$5+7%2";

    #[test]
    fn the_work_of_an_estimate_is_bounded() {
        let (long_name, long_address) =
            ("Ada Lovelace ".repeat(5), format!("{}@example.com", "a".repeat(200)));
        for password in [DEAR, &"é".repeat(36), "short enough"] {
            let is_easy = is_easy_by(
                |judged, words| {
                    assert!(judged.chars().count() <= JUDGED && password.starts_with(judged), "{judged}");
                    assert!(words.iter().all(|word| word.chars().count() <= JUDGED), "{words:?}");
                    Score::Three
                },
                password,
                [&long_name, &long_address, "Difference Engine"],
            );
            assert!(!is_easy);
        }
    }

    #[test]
    fn a_password_is_judged_by_its_first_32_characters() {
        assert!(is_easy_to_guess(&format!("{}gnjhzvkwpqtd", "a".repeat(32)), ADA));
        assert!(!is_easy_to_guess(&format!("gnjhzvkwpqtd{}", "a".repeat(40)), ADA));
        let address = "ada.augusta.king-noel.countess@lovelace.example";
        assert!(is_easy_to_guess(address, ["Ada", address, "Shop"]));
    }
}
