//! Challenge tokens: proof that somebody has proven the password, or something else, and not the second factor yet
//! (specification §10.1, §13.6). They open `POST /two-factor-challenge` and nothing else.

use crate::client::{Transport, Visitor};
use crate::clock::{Clock, unix_seconds};
use crate::config::AuthConfig;
use crate::core::{
    Ceremonies, Ceremony, Challenge, Core, FlowEpoch, Method, Methods, OpenChallenge, SignInRequest,
};
use crate::crypto::jwt::TokenKeys;
use crate::crypto::keys::{MacKey, Purpose};
use crate::crypto::random;
use crate::crypto::ring::KeyRing;
use crate::error::AuthError;
use crate::store::StoreKey;
use crate::user::{User, UserRecord};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};
use subtle::ConstantTimeEq;

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
    /// The names of the methods that were proven before the challenge. Absent: the password alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    amr: Option<Vec<String>>,
    /// The MAC of the address that was proven, if one was.
    #[serde(default, rename = "adr", skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    /// The epoch of the user's ceremonies.
    #[serde(default, rename = "ep", skip_serializing_if = "FlowEpoch::is_first")]
    pub(super) epoch: FlowEpoch,
    /// Whether the session will outlive the browser's own.
    #[serde(default, rename = "rem", skip_serializing_if = "Option::is_none")]
    remember: Option<bool>,
    /// Where a browser goes afterwards.
    #[serde(default, rename = "nxt", skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// Issues and opens challenge tokens.
#[derive(Clone)]
pub(super) struct ChallengeTokens {
    /// For clients that keep tokens, and for browsers.
    keys: Arc<(TokenKeys, TokenKeys)>,
    addresses: KeyRing<MacKey>,
    clock: Arc<dyn Clock>,
}

impl ChallengeTokens {
    pub(super) fn new(config: &AuthConfig) -> Self {
        let keys = |typ, purpose| TokenKeys::new(typ, &config.jwt_secrets.derive_keys(purpose));
        let keys = (keys("2fa+jwt", Purpose::Challenge), keys("bc+jwt", Purpose::BrowserChallenge));
        let addresses = config.jwt_secrets.derive(Purpose::ProvenAddress);
        Self { keys: Arc::new(keys), addresses, clock: Arc::clone(&config.clock) }
    }

    fn keys(&self, visitor: &Visitor) -> &TokenKeys {
        let (tokens, browsers) = &*self.keys;
        match visitor.transport {
            Transport::Tokens => tokens,
            Transport::Cookies(_) => browsers,
        }
    }

    /// A challenge for a user who has just proven something else.
    pub(super) async fn issue(
        &self,
        core: &Core,
        request: &SignInRequest<'_>,
    ) -> Result<Challenge, AuthError> {
        let SignInRequest { user, visitor, sign_in } = request;
        let (sub, proven) = (user.id_text(), sign_in.proven);
        let names = || proven.iter().map(|method| method.as_str().to_owned()).collect();
        let token = self.keys(visitor).sign(&ChallengeClaims {
            amr: (proven != Methods::of(Method::Password)).then(names),
            address: sign_in.proves_address().then(|| mac_of(self.addresses.current(), &***user)),
            epoch: core.flow_epoch(Ceremonies::OfCredentials, &sub).await?,
            sub,
            jti: random::id()?,
            exp: unix_seconds(self.clock.now() + CHALLENGE.lifetime),
            mark: core.mark_of(&***user),
            remember: visitor.transport.cookies().map(|sent| sent.remember),
            next: visitor.transport.cookies().and_then(|sent| sent.next.as_deref().map(str::to_owned)),
        })?;
        Ok(match visitor.transport {
            Transport::Cookies(_) => Challenge::Cookie(token, CHALLENGE.lifetime),
            Transport::Tokens => Challenge::Token(token),
        })
    }

    /// Whether the token says that the address which the user has now was proven.
    pub(super) fn has_proven_address(&self, claims: &ChallengeClaims, user: &dyn UserRecord) -> bool {
        let Some(proven) = &claims.address else { return false };
        self.addresses.any(|key| mac_of(key, user).as_bytes().ct_eq(proven.as_bytes()).into())
    }

    /// The claims of a token that is valid now, and was issued to such a visitor.
    pub(super) fn open(&self, token: &str, visitor: &Visitor) -> Result<ChallengeClaims, AuthError> {
        let claims = self.keys(visitor).open::<ChallengeClaims>(token);
        let valid = claims.filter(|claims| unix_seconds(self.clock.now()) < claims.exp);
        valid.ok_or(AuthError::InvalidChallengeToken)
    }
}

/// The MAC of a user's address.
fn mac_of(key: &MacKey, user: &dyn UserRecord) -> String {
    URL_SAFE_NO_PAD.encode(key.mac(&[user.id_text().as_bytes(), user.email().as_bytes()]))
}

impl ChallengeClaims {
    /// The user who has begun to sign in, unless something has ended the challenge.
    ///
    /// # Errors
    /// [`AuthError::InvalidChallengeToken`]; those of the repository and the store.
    pub(super) async fn user(&self, core: &Core) -> Result<User, AuthError> {
        let user = core.current_user(&self.sub, &self.mark).await?.ok_or(AuthError::InvalidChallengeToken)?;
        match self.epoch < core.flow_epoch(Ceremonies::OfCredentials, &self.sub).await? {
            true => Err(AuthError::InvalidChallengeToken),
            false => Ok(user),
        }
    }

    /// What other features see of the challenge of this user.
    pub(super) fn opened(&self, user: User) -> OpenChallenge {
        let expires_at = UNIX_EPOCH + Duration::from_secs(self.exp);
        OpenChallenge { user, id: self.jti.clone(), expires_at }
    }

    /// Whether no further try passes.
    pub(super) async fn is_over(&self, core: &Core) -> Result<bool, AuthError> {
        CHALLENGE.is_over(core, &self.jti).await
    }

    /// What was proven before the challenge.
    pub(super) fn proven(&self) -> Methods {
        match &self.amr {
            Some(names) => names.iter().filter_map(|name| Method::of_name(name)).collect(),
            None => Methods::of(Method::Password),
        }
    }

    /// Whether the account's address was proven before the challenge.
    pub(super) fn proves_address(&self) -> bool {
        self.address.is_some()
    }

    /// Where a browser goes afterwards.
    pub(super) fn next(&self) -> Option<&str> {
        self.next.as_deref()
    }

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
