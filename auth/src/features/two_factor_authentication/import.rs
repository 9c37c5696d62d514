//! Second factors that users have set up in another program (specification §13.8).

use super::recovery_codes as codes;
use super::stored_secrets::{Secrets, seal_recovery_codes};
use crate::clock::whole_seconds;
use crate::core::{By, Core, Patch};
use crate::crypto::totp::TotpSecret;
use crate::error::AuthError;
use crate::events::EventKind;
use crate::module::Admin;
use crate::repository::RepositoryError;
use crate::user::{AuthUser, UserChange, UserId};
use std::collections::HashSet;
use std::ops::RangeInclusive;
use zeroize::Zeroizing;

/// How many bytes a secret of another program can have. Many apps and programs use 10, which RFC 4226 §4 (R6) finds too few.
const SECRET_BYTES: RangeInclusive<usize> = 10..=64;
/// How many characters a recovery code of another program can have.
const CODE_CHARACTERS: RangeInclusive<usize> = 8..=128;
/// How many recovery codes a user can bring. All of them are compared with each that is sent.
const MAX_CODES: usize = 100;

/// A second factor that a user has set up in another program, in clear text: the secret that the user's app has, and the recovery
/// codes that the user has on paper. [`Admin::import_two_factor`] puts it in force.
///
/// Its codes must be the usual ones, because the library checks no others: six digits, SHA-1, steps of 30 seconds. It has no
/// `Debug`.
///
/// ```
/// use axum_auth_module::services::{ImportedTwoFactor, InvalidTwoFactor};
///
/// let factor = ImportedTwoFactor::new("GEZD GNBV GY3T QOJQ")?
///     .recovery_codes(vec!["7Qd0sYxm2A-hK4nB9wEr1".to_owned()])?;
/// assert!(matches!(ImportedTwoFactor::new("GEZDGNB1"), Err(InvalidTwoFactor::Base32)));
/// # let _ = factor;
/// # Ok::<(), InvalidTwoFactor>(())
/// ```
#[derive(Clone)]
pub struct ImportedTwoFactor {
    secret: TotpSecret,
    recovery_codes: Vec<String>,
}

/// Why a second factor of another program cannot be imported. No variant contains the secret or a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidTwoFactor {
    /// The secret is not base32 (RFC 4648 §6).
    #[error("the two-factor secret is not base32")]
    Base32,
    /// The secret has fewer than 10 bytes, or more than 64.
    #[error("the two-factor secret has fewer than 10 bytes, or more than 64")]
    SecretLength,
    /// A recovery code has fewer than 8 characters, more than 128, or other characters than the visible ones of ASCII.
    #[error("a recovery code does not have 8 to 128 visible ASCII characters")]
    RecoveryCode,
    /// A recovery code is there twice, or there are more than 100.
    #[error("a recovery code is there twice, or there are more than 100")]
    RecoveryCodes,
}

impl ImportedTwoFactor {
    /// A second factor with this secret, in base32, 10 to 64 bytes long. Spaces, padding and lower case are accepted.
    ///
    /// # Errors
    /// [`InvalidTwoFactor::Base32`], [`InvalidTwoFactor::SecretLength`].
    pub fn new(secret: &str) -> Result<Self, InvalidTwoFactor> {
        let letters = secret.trim_end_matches('=').chars().filter(|c| *c != ' ');
        let letters: Zeroizing<String> = Zeroizing::new(letters.map(|c| c.to_ascii_uppercase()).collect());
        let secret = TotpSecret::from_base32(&letters).map_err(|_| InvalidTwoFactor::Base32)?;
        if !SECRET_BYTES.contains(&secret.length()) {
            return Err(InvalidTwoFactor::SecretLength);
        }
        Ok(Self { secret, recovery_codes: Vec::new() })
    }

    /// The recovery codes that are still valid, in clear text, as the user types them: at most 100, each with 8 to 128 visible ASCII
    /// characters. Without any, the user gets eight new ones.
    ///
    /// # Errors
    /// [`InvalidTwoFactor::RecoveryCode`], [`InvalidTwoFactor::RecoveryCodes`].
    pub fn recovery_codes(self, codes: Vec<String>) -> Result<Self, InvalidTwoFactor> {
        let is_code = |code: &String| {
            CODE_CHARACTERS.contains(&code.len()) && code.bytes().all(|byte| byte.is_ascii_graphic())
        };
        if !codes.iter().all(is_code) {
            return Err(InvalidTwoFactor::RecoveryCode);
        }
        let different: HashSet<_> = codes.iter().collect();
        if different.len() != codes.len() || codes.len() > MAX_CODES {
            return Err(InvalidTwoFactor::RecoveryCodes);
        }
        Ok(Self { recovery_codes: codes, ..self })
    }
}

impl<U: AuthUser> Admin<'_, U> {
    /// Puts a second factor in force that a user has set up in another program, and ends every session of the user. The secret and
    /// the recovery codes are encrypted with the configured key. `twoFactorConfirmedAt` stays if the record has it; otherwise it
    /// is the present time.
    ///
    /// Returns `false` if the user's record has a secret already, which then stays, as everything else: a program that was
    /// interrupted can be started again.
    ///
    /// ```
    /// # use axum_auth_module::{AuthModule, AuthUser, BoxError};
    /// use axum_auth_module::services::ImportedTwoFactor;
    ///
    /// # async fn import<U: AuthUser>(
    /// #     auth: AuthModule<U>, id: U::Id, secret: String, codes: Vec<String>,
    /// # ) -> Result<(), BoxError> {
    /// let factor = ImportedTwoFactor::new(&secret)?.recovery_codes(codes)?;
    /// auth.admin().import_two_factor(&id, &factor).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Those of the repositories; [`AuthError::Internal`] when there is no such user.
    pub async fn import_two_factor(
        &self,
        user_id: &U::Id,
        factor: &ImportedTwoFactor,
    ) -> Result<bool, AuthError> {
        let (core, user_id, factor) = (self.core().clone(), user_id.to_text(), factor.clone());
        // Sessions of before must not outlive an import of which the caller did not see the end.
        self.core().run_to_completion(async move { core.import_two_factor(&user_id, &factor).await }).await
    }
}

impl Core {
    async fn import_two_factor(&self, user_id: &str, factor: &ImportedTwoFactor) -> Result<bool, AuthError> {
        let user = self.users.find_by_id(user_id).await?;
        let user = user.ok_or_else(|| AuthError::internal("there is no user with this id"))?;
        let has_codes = !factor.recovery_codes.is_empty();
        let codes = if has_codes { factor.recovery_codes.clone() } else { codes::generate()? };
        // The other program has let its user set it up: it is not taken away because an address was not verified there.
        let secrets = Secrets { confirmed: Some(factor.secret.clone()), ..Secrets::default() };
        let confirmed_at = user.two_factor_confirmed_at().unwrap_or_else(|| whole_seconds(self.now()));
        let patch = Patch::of(&*user)
            .with(UserChange::TwoFactorSecret(Some(secrets.seal(&*user, &self.config)?)))
            .with(UserChange::TwoFactorRecoveryCodes(Some(seal_recovery_codes(
                &*user,
                &codes,
                &self.config,
            )?)))
            .with(UserChange::TwoFactorConfirmedAt(Some(confirmed_at)))
            .only_if(UserChange::TwoFactorSecret(None));
        match self.users.save(patch).await {
            Err(RepositoryError::Stale) => return Ok(false),
            saved => saved?,
        };
        self.emit_about(EventKind::TwoFactorConfirmed, &*user, By::Administrator).await;
        if !has_codes {
            self.emit_about(EventKind::RecoveryCodesGenerated, &*user, By::Administrator).await;
        }
        self.end_sessions_by_administrator(user_id).await?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal<T>(result: Result<T, InvalidTwoFactor>) -> Option<InvalidTwoFactor> {
        result.err()
    }

    #[test]
    fn a_secret_is_read_as_people_write_it() {
        let plain = ImportedTwoFactor::new("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ").unwrap();
        for written in ["gezd gnbv gy3t qojq gezd gnbv gy3t qojq", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ======"] {
            let read = ImportedTwoFactor::new(written).unwrap();
            assert_eq!(read.secret.to_base32(), plain.secret.to_base32());
        }
    }

    #[test]
    fn a_secret_that_is_not_base32_or_has_a_strange_length_is_refused() {
        for (secret, why) in [
            ("", InvalidTwoFactor::SecretLength),
            ("GEZDGNBVGY3TQ", InvalidTwoFactor::SecretLength),
            (&"A".repeat(104), InvalidTwoFactor::SecretLength),
            ("GEZDGNBVGY3TQOJ1", InvalidTwoFactor::Base32),
            ("s:16:\"GEZDGNBVGY3TQOJQ\";", InvalidTwoFactor::Base32),
        ] {
            assert_eq!(refusal(ImportedTwoFactor::new(secret)), Some(why), "{secret}");
        }
        for bytes in SECRET_BYTES {
            let secret = TotpSecret::generate(bytes).unwrap().to_base32();
            assert_eq!(refusal(ImportedTwoFactor::new(&secret)), None, "{bytes}");
        }
    }

    #[test]
    fn recovery_codes_that_nobody_could_type_or_guess_at_are_refused() {
        let factor = ImportedTwoFactor::new("GEZDGNBVGY3TQOJQ").unwrap();
        let codes = |codes: &[&str]| codes.iter().map(|&code| code.to_owned()).collect::<Vec<_>>();
        let many: Vec<_> = (0..=MAX_CODES).map(|number| format!("code-{number:05}")).collect();
        for (given, why) in [
            (codes(&["1234567"]), InvalidTwoFactor::RecoveryCode),
            (codes(&["12345678", "1234 5678"]), InvalidTwoFactor::RecoveryCode),
            (codes(&["pässword"]), InvalidTwoFactor::RecoveryCode),
            (codes(&[&"1".repeat(129)]), InvalidTwoFactor::RecoveryCode),
            (codes(&["12345678", "12345678"]), InvalidTwoFactor::RecoveryCodes),
            (many, InvalidTwoFactor::RecoveryCodes),
        ] {
            assert_eq!(refusal(factor.clone().recovery_codes(given)), Some(why));
        }
        assert_eq!(refusal(factor.recovery_codes(codes(&["12345678", "a.b/c=d!e"]))), None);
    }
}
