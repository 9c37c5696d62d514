//! Challenge tokens: proof that somebody knows the password and has not proven the second factor yet
//! (specification §10.1, §13.6). They open `POST /two-factor-challenge` and nothing else.

use crate::clock::{Clock, unix_seconds};
use crate::config::AuthConfig;
use crate::core::Core;
use crate::crypto::jwt::TokenKeys;
use crate::crypto::keys::Purpose;
use crate::crypto::random;
use crate::error::AuthError;
use crate::store::{Counted, StoreKey};
use crate::user::UserRecord;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// The lifetime of a challenge token.
const LIFETIME: Duration = Duration::from_secs(5 * 60);
/// How many wrong codes it survives.
const WRONG_CODES: u32 = 5;

/// The claims of a challenge token.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct ChallengeClaims {
    pub(super) sub: String,
    jti: String,
    exp: u64,
    #[serde(rename = "gen")]
    pub(super) generation: String,
}

/// Issues and opens challenge tokens.
#[derive(Clone)]
pub(super) struct ChallengeTokens {
    keys: Arc<TokenKeys>,
    clock: Arc<dyn Clock>,
}

impl ChallengeTokens {
    pub(super) fn new(config: &AuthConfig) -> Self {
        let keys = config.jwt_secrets.derive_keys(Purpose::Challenge);
        Self { keys: Arc::new(TokenKeys::new("2fa+jwt", &keys)), clock: Arc::clone(&config.clock) }
    }

    /// A token for a user whose password has just been verified.
    pub(super) fn issue(&self, core: &Core, user: &dyn UserRecord) -> Result<String, AuthError> {
        self.keys.sign(&ChallengeClaims {
            sub: user.id_text(),
            jti: random::id()?,
            exp: unix_seconds(self.clock.now() + LIFETIME),
            generation: core.generation_of(user),
        })
    }

    /// The claims of a token that is valid now.
    pub(super) fn open(&self, token: &str) -> Result<ChallengeClaims, AuthError> {
        let claims = self.keys.open::<ChallengeClaims>(token);
        let valid = claims.filter(|claims| unix_seconds(self.clock.now()) < claims.exp);
        valid.ok_or(AuthError::InvalidChallengeToken)
    }
}

impl ChallengeClaims {
    /// Counts a try with the token, before its code is checked.
    ///
    /// # Errors
    /// [`AuthError::InvalidChallengeToken`] when the token has been used or tried too often.
    pub(super) async fn try_once(&self, core: &Core) -> Result<(), AuthError> {
        if core.store.exists(StoreKey::ChallengeSpent, &[&self.jti]).await? {
            return Err(AuthError::InvalidChallengeToken);
        }
        match core.store.count(StoreKey::ChallengeTries, &[&self.jti], WRONG_CODES, LIFETIME).await? {
            Counted::Taken(_) => Ok(()),
            Counted::Full { .. } => Err(AuthError::InvalidChallengeToken),
        }
    }

    /// Uses the token up: of any number of right codes at once, one at most passes.
    ///
    /// # Errors
    /// [`AuthError::InvalidChallengeToken`] when it has been used.
    pub(super) async fn spend(&self, core: &Core) -> Result<(), AuthError> {
        match core.store.claim(StoreKey::ChallengeSpent, &[&self.jti], LIFETIME).await? {
            true => Ok(()),
            false => Err(AuthError::InvalidChallengeToken),
        }
    }
}
