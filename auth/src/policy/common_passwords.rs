//! Passwords that are easy to guess.

use super::{PasswordOwner, Policy, PolicyError};
use crate::error::FieldText;
use crate::user::AuthUser;
use crate::values::NewPassword;
use async_trait::async_trait;
use zxcvbn::{Score, zxcvbn};

/// Refuses passwords that are easy to guess, with the field error `easy_to_guess` (cargo feature `common-passwords`; ASVS 6.2.4,
/// 6.2.11).
///
/// The crate `zxcvbn` estimates how many guesses somebody needs who tries the most common passwords, names, words, dates and
/// patterns of keys first, and also the user's name and address and the name of the application. Passwords below a million
/// guesses are refused: after a hundred failures in a row only clients that have logged in before can try at all. This is no
/// rule about kinds of characters, which NIST SP 800-63B-4 §3.1.1.2 forbids.
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

#[async_trait]
#[diagnostic::do_not_recommend]
impl<U: AuthUser> Policy<U> for CommonPasswords {
    async fn allows_password(
        &self,
        password: &NewPassword,
        owner: &PasswordOwner<'_, U>,
    ) -> Result<(), PolicyError> {
        let PasswordOwner { name, email, app_name, .. } = *owner;
        if !is_easy_to_guess(password.as_password().expose(), [name, email, app_name]) {
            return Ok(());
        }
        Err(PolicyError::Standard(FieldText::PasswordEasyToGuess))
    }

    fn meets(&self) -> Vec<&'static str> {
        vec!["6.2.4", "6.2.11"]
    }
}

/// Whether somebody who knows these texts about the user needs less than a million guesses.
fn is_easy_to_guess(password: &str, known: [&str; 3]) -> bool {
    // A whole text, the two halves of an address, its labels, and single words.
    let ends: [fn(char) -> bool; 4] =
        [|_| false, |c| c == '@', |c| ['@', '.', ' '].contains(&c), |c| !c.is_alphanumeric()];
    let parts = known.iter().flat_map(|text| ends.iter().flat_map(|end| text.split(end)));
    let words: Vec<_> = parts.filter(|part| part.chars().count() > 2).map(str::to_lowercase).collect();
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    zxcvbn(password, &words).score() <= Score::One
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
}
