//! Challenge tokens: proof that somebody knows the password and has not proven the second factor yet
//! (specification §10.1, §13.6). They open `POST /two-factor-challenge` and nothing else.

use crate::client::{Transport, Visitor};
use crate::clock::{Clock, unix_seconds};
use crate::config::AuthConfig;
use crate::core::{Ceremony, Challenge, Core};
use crate::crypto::jwt::TokenKeys;
use crate::crypto::keys::Purpose;
use crate::crypto::random;
use crate::error::AuthError;
use crate::store::StoreKey;
use crate::user::UserRecord;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// The rules of challenge tokens (specification §13.6).
const CHALLENGE: Ceremony = Ceremony {
    lifetime: Duration::from_secs(5 * 60),
    spent: StoreKey::ChallengeSpent,
    tries: StoreKey::ChallengeTries,
    most_tries: 5,
    refusal: AuthError::InvalidChallengeToken,
};

/// The claims of a challenge token.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct ChallengeClaims {
    pub(super) sub: String,
    jti: String,
    exp: u64,
    #[serde(rename = "gen")]
    pub(super) mark: String,
    /// Whether the session will outlive the browser's own.
    #[serde(default, rename = "rem", skip_serializing_if = "Option::is_none")]
    remember: Option<bool>,
}

/// Issues and opens challenge tokens.
#[derive(Clone)]
pub(super) struct ChallengeTokens {
    /// For clients that keep tokens, and for browsers.
    keys: Arc<(TokenKeys, TokenKeys)>,
    clock: Arc<dyn Clock>,
}

impl ChallengeTokens {
    pub(super) fn new(config: &AuthConfig) -> Self {
        let keys = |typ, purpose| TokenKeys::new(typ, &config.jwt_secrets.derive_keys(purpose));
        let keys = (keys("2fa+jwt", Purpose::Challenge), keys("bc+jwt", Purpose::BrowserChallenge));
        Self { keys: Arc::new(keys), clock: Arc::clone(&config.clock) }
    }

    fn keys(&self, visitor: &Visitor) -> &TokenKeys {
        let (tokens, browsers) = &*self.keys;
        match visitor.transport {
            Transport::Tokens => tokens,
            Transport::Cookies(_) => browsers,
        }
    }

    /// A challenge for a user whose password has just been verified.
    pub(super) fn issue(
        &self,
        core: &Core,
        user: &dyn UserRecord,
        visitor: &Visitor,
    ) -> Result<Challenge, AuthError> {
        let token = self.keys(visitor).sign(&ChallengeClaims {
            sub: user.id_text(),
            jti: random::id()?,
            exp: unix_seconds(self.clock.now() + CHALLENGE.lifetime),
            mark: core.mark_of(user),
            remember: visitor.transport.cookies().map(|sent| sent.remember),
        })?;
        Ok(match visitor.transport {
            Transport::Cookies(_) => Challenge::Cookie(token, CHALLENGE.lifetime),
            Transport::Tokens => Challenge::Token(token),
        })
    }

    /// The claims of a token that is valid now, and was issued to such a visitor.
    pub(super) fn open(&self, token: &str, visitor: &Visitor) -> Result<ChallengeClaims, AuthError> {
        let claims = self.keys(visitor).open::<ChallengeClaims>(token);
        let valid = claims.filter(|claims| unix_seconds(self.clock.now()) < claims.exp);
        valid.ok_or(AuthError::InvalidChallengeToken)
    }
}

impl ChallengeClaims {
    /// Whether the session will outlive the browser's own.
    pub(super) fn remember(&self) -> bool {
        self.remember.unwrap_or_default()
    }

    /// Counts a try with the token, before its code is checked.
    ///
    /// # Errors
    /// [`AuthError::InvalidChallengeToken`] when the token has been used or tried too often.
    pub(super) async fn count_try(&self, core: &Core) -> Result<(), AuthError> {
        CHALLENGE.count_try(core, &self.jti).await
    }

    /// Uses the token up: of any number of right codes at once, one at most passes.
    ///
    /// # Errors
    /// [`AuthError::InvalidChallengeToken`] when it has been used.
    pub(super) async fn spend(&self, core: &Core) -> Result<(), AuthError> {
        CHALLENGE.spend(core, &self.jti).await
    }
}
