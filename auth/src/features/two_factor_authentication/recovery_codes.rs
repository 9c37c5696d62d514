//! Recovery codes: eight of them, each valid for one login and replaced by a new one after that (specification §13.7).

use super::stored_secrets::{recovery_codes, seal_recovery_codes};
use crate::config::AuthConfig;
use crate::core::{Core, Patch};
use crate::crypto::random;
use crate::error::AuthError;
use crate::store::StoreKey;
use crate::user::{User, UserChange, UserRecord};
use std::time::Duration;
use subtle::ConstantTimeEq;

/// How many codes a user has.
const CODES: usize = 8;
const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Eight new codes.
pub(super) fn generate() -> Result<Vec<String>, AuthError> {
    (0..CODES).map(|_| code()).collect()
}

/// `XXXXXXXXXX-XXXXXXXXXX`: 119 bits.
fn code() -> Result<String, AuthError> {
    Ok(format!("{}-{}", random::text(10, ALPHABET)?, random::text(10, ALPHABET)?))
}

/// Which of the user's codes this is. All are compared, in a time that does not tell which one came near.
pub(super) fn position(
    user: &dyn UserRecord,
    sent: &str,
    config: &AuthConfig,
) -> Result<Option<usize>, AuthError> {
    let codes = recovery_codes(user, config)?;
    let equal = |code: &String| bool::from(code.as_bytes().ct_eq(sent.as_bytes()));
    let found = |found, (at, code)| if equal(code) { Some(at) } else { found };
    Ok(codes.iter().enumerate().fold(None, found))
}

/// Uses a code up: it is replaced by a new one. Returns `false` when the code is not, or no longer, one of the user's.
///
/// A claim taken before the work keeps one code from being spent twice, whatever the repository does; the condition
/// on the save keeps two different codes, spent at once, from bringing each other back.
pub(super) async fn spend(core: &Core, user: &dyn UserRecord, sent: &str) -> Result<bool, AuthError> {
    let id = user.id_text();
    if position(user, sent, &core.config)?.is_none() {
        return Ok(false);
    }
    let (claim, an_hour) = ([id.as_str(), sent], Duration::from_secs(3600));
    if !core.store.claim(StoreKey::RecoveryCode, &claim, an_hour).await? {
        return Ok(false);
    }
    let replaced = replace(core, &id, sent).await;
    if replaced.is_err() {
        // The code is still there, and it has opened nothing.
        core.store.delete(StoreKey::RecoveryCode, &claim).await?;
    }
    replaced
}

/// Replaces a code by a new one. Returns `false` when it is no longer one of the user's.
async fn replace(core: &Core, id: &str, sent: &str) -> Result<bool, AuthError> {
    let Some(user) = core.users.find_by_id(id).await? else { return Ok(false) };
    let replace = |now: &User| {
        let position = position(&**now, sent, &core.config)?;
        position.map(|position| replaced(&**now, position, &core.config)).transpose()
    };
    core.change_user(user, None, replace).await
}

/// The patch that replaces a code by a new one.
fn replaced(user: &dyn UserRecord, position: usize, config: &AuthConfig) -> Result<Patch, AuthError> {
    let mut codes = recovery_codes(user, config)?;
    let new = code()?;
    if let Some(spent) = codes.get_mut(position) {
        *spent = new;
    }
    let sealed = seal_recovery_codes(user, &codes, config)?;
    let stored = user.two_factor_recovery_codes().map(str::to_owned);
    Ok(Patch::of(user)
        .with(UserChange::TwoFactorRecoveryCodes(Some(sealed)))
        .only_if(UserChange::TwoFactorRecoveryCodes(stored)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_their_form_and_never_repeat() {
        let codes: Vec<_> = (0..50).flat_map(|_| generate().unwrap()).collect();
        for code in &codes {
            let (one, other) = code.split_once('-').unwrap();
            assert!(
                [one, other]
                    .iter()
                    .all(|half| half.len() == 10 && half.bytes().all(|b| ALPHABET.contains(&b)))
            );
        }
        let different: std::collections::HashSet<_> = codes.iter().collect();
        assert_eq!(different.len(), codes.len());
    }

    /// Five hundred of each are expected, give or take a hundred and twenty, which is more than five deviations.
    #[test]
    fn every_character_is_as_likely_as_the_others() {
        let text = random::text(62 * 500, ALPHABET).unwrap();
        for character in ALPHABET {
            let count = text.bytes().filter(|byte| byte == character).count();
            assert!((380..=620).contains(&count), "{}: {count}", char::from(*character));
        }
    }
}
