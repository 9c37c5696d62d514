//! What a mail has for its reader, and how it is compared.

use crate::core::{Core, FLOW, Guess};
use crate::crypto::random;
use crate::error::AuthError;
use crate::limits::Checked;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// What proves that somebody reads the mailbox. It has no `Debug`, because both are secrets.
#[non_exhaustive]
pub enum EmailProof {
    /// The digits in the mail.
    Code(String),
    /// The token of the link in the mail.
    Token(String),
}

impl EmailProof {
    /// A code without blanks and hyphens between its groups.
    pub(super) fn normalised(&self) -> Self {
        match self {
            Self::Code(code) => Self::Code(without_separators(code)),
            Self::Token(token) => Self::Token(token.clone()),
        }
    }
}

/// What a mail has, as the flow token keeps it.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct Expected {
    #[serde(default, rename = "code", skip_serializing_if = "Option::is_none")]
    pub(super) code: Option<Zeroizing<String>>,
    /// The SHA-256 of the token of the link, in base64url.
    #[serde(default, rename = "link", skip_serializing_if = "Option::is_none")]
    link: Option<String>,
}

impl Expected {
    /// With a random code of so many digits.
    pub(super) fn with_code(self, digits: usize) -> Result<Self, AuthError> {
        Ok(Self { code: Some(Zeroizing::new(random::text(digits, b"0123456789")?)), ..self })
    }

    /// Adds a link that has this token.
    pub(super) fn add_token(&mut self, token: &str) {
        self.link = Some(hash_of(token));
    }

    /// Whether this is what the mail has. A comparison takes as long for each wrong proof.
    pub(super) fn is(&self, proof: &EmailProof) -> bool {
        let (expected, sent) = match proof {
            EmailProof::Code(code) => (self.code.as_deref(), code.clone()),
            EmailProof::Token(token) => (self.link.as_ref(), hash_of(token)),
        };
        expected.is_some_and(|expected| expected.as_bytes().ct_eq(sent.as_bytes()).into())
    }
}

/// The SHA-256 of a token, in base64url.
fn hash_of(token: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(token.as_bytes()))
}

/// A code as somebody has typed it, without blanks and hyphens between its groups.
pub(super) fn without_separators(code: &str) -> String {
    let is_separator = |c: char| matches!(c, ' ' | '\u{a0}' | '\u{2009}' | '-' | '\u{2010}'..='\u{2013}');
    code.chars().filter(|c| !is_separator(*c)).collect()
}

/// Compares a proof with what the mail of this ceremony has, under the limits of the account, and uses the ceremony up if the proof
/// is right.
///
/// # Errors
/// [`AuthError::InvalidFlowToken`] if the ceremony was used or tried too often; [`AuthError::InvalidLoginCode`];
/// [`AuthError::TooManyAttempts`].
pub(super) async fn check(
    core: &Core,
    guess: &Guess<'_>,
    (jti, expected): (&str, &Expected),
    proof: &EmailProof,
) -> Result<Checked<()>, AuthError> {
    let check = async {
        FLOW.count_try(core, jti).await?;
        if !expected.is(proof) {
            return Ok(Checked::Wrong(AuthError::InvalidLoginCode));
        }
        FLOW.spend(core, jti).await.map(Checked::Right)
    };
    match core.guess(guess, check).await {
        Ok(()) => Ok(Checked::Right(())),
        Err(wrong @ AuthError::InvalidLoginCode) => Ok(Checked::Wrong(wrong)),
        Err(refused) => Err(refused),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_can_be_typed_in_groups_and_has_ascii_digits_only() {
        for typed in
            ["12345678", "1234 5678", " 1234-5678 ", "12\u{a0}34\u{2009}56\u{2013}78", "1234\u{2010}5678"]
        {
            assert_eq!(without_separators(typed), "12345678", "{typed}");
        }
        let expected = Expected { code: Some(Zeroizing::new("12345678".to_owned())), link: None };
        assert!(expected.is(&EmailProof::Code("12345678".to_owned())));
        for wrong in ["12345679", "1234567", "123456789", "", "１２３４５６７８", "1234\n5678"] {
            assert!(!expected.is(&EmailProof::Code(without_separators(wrong))), "{wrong}");
        }
    }

    #[test]
    fn what_the_mail_does_not_have_is_wrong() {
        let mut link = Expected::default();
        link.add_token("token");
        assert!(link.is(&EmailProof::Token("token".to_owned())));
        assert!(!link.is(&EmailProof::Token("Token".to_owned())));
        assert!(!link.is(&EmailProof::Code(String::new())));
        let code = Expected::default().with_code(6).unwrap();
        assert_eq!(code.code.as_ref().unwrap().len(), 6);
        assert!(!code.is(&EmailProof::Token(String::new())));
    }
}
