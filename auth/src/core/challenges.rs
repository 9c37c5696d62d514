//! Challenge tokens: what somebody gets who knows the password and has not shown the second factor yet
//! (specification §10.1, §13.6). They open `POST /two-factor-challenge` and nothing else.

use super::session::Sessions;
use crate::clock::{Clock, unix_seconds};
use crate::config::AuthConfig;
use crate::crypto::jwt::TokenKey;
use crate::crypto::keys::{MacKey, Purpose};
use crate::crypto::random;
use crate::error::AuthError;
use crate::store::{EphemeralStore, Slot};
use crate::user::{AuthUser, UserId};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// How long a challenge token lives.
const LIFE: Duration = Duration::from_secs(5 * 60);
/// How many wrong codes it survives.
const WRONG_CODES: u32 = 5;

/// The claims of a challenge token.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct ChallengeClaims {
    pub(crate) sub: String,
    jti: String,
    exp: u64,
    #[serde(rename = "gen")]
    generation: String,
}

/// Issues and opens challenge tokens.
pub(crate) struct Challenges {
    key: TokenKey,
    names: MacKey,
    clock: Arc<dyn Clock>,
    store: Arc<dyn EphemeralStore>,
}

impl Challenges {
    pub(super) fn new(config: &AuthConfig, store: Arc<dyn EphemeralStore>) -> Self {
        let key = config.jwt_secret.derive_key(Purpose::Challenge);
        Self {
            key: TokenKey::new("2fa+jwt", key.as_slice()),
            names: config.jwt_secret.derive(Purpose::StoreKeys),
            clock: Arc::clone(&config.clock),
            store,
        }
    }

    /// A token for a user whose password has just been verified.
    pub(crate) fn issue<U: AuthUser>(&self, sessions: &Sessions, user: &U) -> Result<String, AuthError> {
        self.key.sign(&ChallengeClaims {
            sub: user.id().to_text(),
            jti: random::id()?,
            exp: unix_seconds(self.clock.now() + LIFE),
            generation: sessions.generation_of(user),
        })
    }

    /// The claims of a token that counts now.
    pub(crate) fn open(&self, token: &str) -> Result<ChallengeClaims, AuthError> {
        let claims = self.key.open::<ChallengeClaims>(token);
        let living = claims.filter(|claims| unix_seconds(self.clock.now()) < claims.exp);
        living.ok_or(AuthError::InvalidChallengeToken)
    }

    /// Whether the token was issued under the user's credentials as they are now.
    pub(crate) fn is_current<U: AuthUser>(
        &self,
        sessions: &Sessions,
        claims: &ChallengeClaims,
        user: &U,
    ) -> bool {
        sessions.is_generation_of(&claims.generation, user)
    }

    /// Counts a try with the token, before its code is looked at.
    ///
    /// # Errors
    /// [`AuthError::InvalidChallengeToken`] when the token has been spent or tried too often.
    pub(crate) async fn try_once(&self, claims: &ChallengeClaims) -> Result<(), AuthError> {
        if self.store.get(&self.spent(claims)).await.map_err(AuthError::Unavailable)?.is_some() {
            return Err(AuthError::InvalidChallengeToken);
        }
        match self
            .store
            .count(&self.tries(claims), WRONG_CODES, LIFE)
            .await
            .map_err(AuthError::Unavailable)?
        {
            Slot::Taken => Ok(()),
            Slot::Full { .. } => Err(AuthError::InvalidChallengeToken),
        }
    }

    /// Spends the token: of any number of right codes at once, one at most gets through.
    ///
    /// # Errors
    /// [`AuthError::InvalidChallengeToken`] when it has been spent.
    pub(crate) async fn spend(&self, claims: &ChallengeClaims) -> Result<(), AuthError> {
        let spent = self.spent(claims);
        match self.store.swap(&spent, None, b"", LIFE).await.map_err(AuthError::Unavailable)? {
            true => Ok(()),
            false => Err(AuthError::InvalidChallengeToken),
        }
    }

    fn spent(&self, claims: &ChallengeClaims) -> String {
        self.names.name("challenge-spent", &[&claims.jti])
    }

    fn tries(&self, claims: &ChallengeClaims) -> String {
        self.names.name("challenge-tries", &[&claims.jti])
    }
}
