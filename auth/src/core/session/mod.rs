//! Sessions. [`Core::sign_in`](super::Core::sign_in) starts them, tokens carry them, and a logout, a change of
//! credentials or the reuse of a refresh token ends them.

mod claims;
mod id;
mod lifecycle;
mod revocation;
mod rotation;

pub use claims::SessionClaims;

use crate::clock::{Clock, unix_seconds};
use crate::config::AuthConfig;
use crate::crypto::jwt::TokenKey;
use crate::crypto::keys::{MacKey, Purpose};
use crate::crypto::random;
use crate::error::{AuthError, BoxError};
use crate::store::{KeyedStore, StoreKey};
use crate::user::UserRecord;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use claims::RefreshClaims;
use id::milliseconds;
use revocation::Revocations;
use rotation::{Presented, Rotation};
use std::time::Duration;
use subtle::ConstantTimeEq;

/// How often a swap is tried when other requests write the same entry. Each failure means that another request
/// succeeded.
const SWAPS: usize = 32;

/// An access token and its refresh token. It has no `Debug`, because both are secrets.
#[derive(Clone)]
#[non_exhaustive]
pub struct TokenPair {
    /// The session's id, which both tokens carry as `sid`. It is not a secret.
    pub session_id: String,
    /// The bearer token of protected routes.
    pub access_token: String,
    /// The token for the next pair. It works once.
    pub refresh_token: String,
}

/// The result of presenting a refresh token.
enum RefreshOutcome {
    /// A new pair.
    Renewed(TokenPair),
    /// The token was used before. Its session has ended.
    Reused,
}

/// Issues the tokens of sessions and knows which sessions have ended.
pub(super) struct Sessions {
    config: AuthConfig,
    access: TokenKey,
    refresh: TokenKey,
    generation: MacKey,
    revocations: Revocations,
    store: KeyedStore,
}

impl Sessions {
    pub(super) fn new(config: &AuthConfig, store: KeyedStore) -> Self {
        Self {
            access: TokenKey::new("at+jwt", config.jwt_secret.expose()),
            refresh: TokenKey::new("rt+jwt", config.refresh_secret.expose()),
            generation: config.jwt_secret.derive(Purpose::Generation),
            revocations: Revocations::new(store.clone(), config.refresh_token_lifetime),
            config: config.clone(),
            store,
        }
    }

    /// Starts a session: makes a new session id and issues the first pair.
    pub(super) async fn start(&self, user: &dyn UserRecord) -> Result<TokenPair, AuthError> {
        let now = self.clock().now();
        let started = self.revocations.start_after_revocation(&user.id_text(), now).await?;
        self.issue(user, &id::new(started)?, 0)
    }

    /// The claims of an access token, if it is valid now and its session has not ended.
    pub(super) async fn open_access(&self, token: &str) -> Result<SessionClaims, AuthError> {
        let claims = self.access.open::<SessionClaims>(token).filter(|claims| self.valid(claims));
        let claims = claims.ok_or(AuthError::Unauthenticated)?;
        if self.revocations.contains(&claims).await? {
            return Err(AuthError::Unauthenticated);
        }
        Ok(claims)
    }

    /// The claims of a refresh token, if it is valid now and its session has neither ended nor reached
    /// `session_lifetime`.
    async fn open_refresh(&self, token: &str) -> Result<RefreshClaims, AuthError> {
        let within_lifetime = |claims: &RefreshClaims| self.now() < self.session_end(claims.auth_time);
        let claims = self.refresh.open::<RefreshClaims>(token);
        let claims = claims.filter(|claims| self.valid(&claims.session) && within_lifetime(claims));
        let claims = claims.ok_or(AuthError::InvalidRefreshToken)?;
        if self.revocations.contains(&claims.session).await? {
            return Err(AuthError::InvalidRefreshToken);
        }
        Ok(claims)
    }

    /// Exchanges the claims of a refresh token of this user for a new pair. A reuse ends the session.
    async fn renew(
        &self,
        user: &dyn UserRecord,
        claims: &RefreshClaims,
    ) -> Result<RefreshOutcome, AuthError> {
        let sid = &claims.session.sid;
        match self.present(sid, claims.rotation).await? {
            Some(successor) => self.issue(user, sid, successor).map(RefreshOutcome::Renewed),
            None => {
                self.end(sid).await?;
                Ok(RefreshOutcome::Reused)
            }
        }
    }

    /// Ends all other sessions of the user, and returns a new pair for this one.
    async fn end_others(
        &self,
        user: &dyn UserRecord,
        session: &SessionClaims,
    ) -> Result<TokenPair, AuthError> {
        self.revocations.end_all(&session.sub, self.clock().now(), Some(&session.sid)).await?;
        let (_, record) = self.rotation(&session.sid).await?;
        self.issue(user, &session.sid, record.next())
    }

    /// Ends a session.
    async fn end(&self, sid: &str) -> Result<(), AuthError> {
        self.revocations.end(sid).await
    }

    /// Ends all sessions of a user.
    async fn end_all(&self, user_id: &str) -> Result<(), AuthError> {
        self.revocations.end_all(user_id, self.clock().now(), None).await
    }

    /// The mark of a user's current credentials: a MAC of the id, the password hash and the time at which two-factor
    /// was confirmed (specification §10.4). A token with another mark was issued before the credentials changed.
    pub(super) fn generation_of(&self, user: &dyn UserRecord) -> String {
        let confirmed = user.two_factor_confirmed_at().map_or(0, unix_seconds);
        let id = user.id_text();
        let mark =
            self.generation.mac(&[id.as_bytes(), user.password().as_bytes(), &confirmed.to_be_bytes()]);
        URL_SAFE_NO_PAD.encode(mark)
    }

    /// Whether a token with this mark was issued under the user's current credentials.
    pub(super) fn is_generation_of(&self, mark: &str, user: &dyn UserRecord) -> bool {
        self.generation_of(user).as_bytes().ct_eq(mark.as_bytes()).into()
    }

    fn issue(&self, user: &dyn UserRecord, sid: &str, rotation: u64) -> Result<TokenPair, AuthError> {
        let started = id::started(sid)
            .ok_or_else(|| AuthError::internal("the library did not make this session id"))?;
        let auth_time = started / 1000;
        let (iat, end) = (self.now(), self.session_end(auth_time));
        let claims = |lifetime: Duration| {
            Ok::<_, AuthError>(SessionClaims {
                sub: user.id_text(),
                sid: sid.to_owned(),
                jti: random::id()?,
                iat,
                exp: end.min(iat.saturating_add(lifetime.as_secs())),
                generation: self.generation_of(user),
                nbf: None,
                iss: self.config.issuer.clone(),
                aud: self.config.audience.clone(),
            })
        };
        let refresh =
            RefreshClaims { session: claims(self.config.refresh_token_lifetime)?, auth_time, rotation };
        Ok(TokenPair {
            session_id: sid.to_owned(),
            access_token: self.access.sign(&claims(self.config.access_token_lifetime)?)?,
            refresh_token: self.refresh.sign(&refresh)?,
        })
    }

    /// Marks a refresh token as used. Returns the number of its successor, or `None` when it was used before.
    async fn present(&self, sid: &str, number: u64) -> Result<Option<u64>, AuthError> {
        let grace = self.config.refresh_grace.as_millis().try_into().unwrap_or(u64::MAX);
        for _ in 0..SWAPS {
            let (stored, record) = self.rotation(sid).await?;
            let (successor, record) = match record.present(number, milliseconds(self.clock().now()), grace) {
                Presented::First { successor, record } => (successor, record),
                Presented::Again { successor } => return Ok(Some(successor)),
                Presented::Reused => return Ok(None),
            };
            let bytes = serde_json::to_vec(&record).map_err(AuthError::internal)?;
            let (expected, lifetime) = (stored.as_deref(), self.config.refresh_token_lifetime);
            if self.store.swap(StoreKey::Rotation, &[sid], expected, &bytes, lifetime).await? {
                return Ok(Some(successor));
            }
        }
        Err(AuthError::Unavailable(BoxError::from("a session's rotation record could not be written")))
    }

    /// The session's rotation record: the stored bytes and the parsed record.
    async fn rotation(&self, sid: &str) -> Result<(Option<Vec<u8>>, Rotation), AuthError> {
        let stored = self.store.get(StoreKey::Rotation, &[sid]).await?;
        let record = match stored.as_deref() {
            Some(bytes) => serde_json::from_slice(bytes).map_err(AuthError::internal)?,
            None => Rotation::default(),
        };
        Ok((stored, record))
    }

    fn valid(&self, claims: &SessionClaims) -> bool {
        claims.valid(self.now(), self.config.issuer.as_deref(), self.config.audience.as_deref())
    }

    fn session_end(&self, auth_time: u64) -> u64 {
        auth_time.saturating_add(self.config.session_lifetime.as_secs())
    }

    fn clock(&self) -> &dyn Clock {
        &*self.config.clock
    }

    fn now(&self) -> u64 {
        unix_seconds(self.clock().now())
    }
}
