//! Revoked sessions: single ones, and all sessions of a user at once.

use super::claims::SessionClaims;
use super::id::{self, milliseconds};
use crate::clock::unix_seconds;
use crate::error::AuthError;
use crate::store::{KeyedStore, StoreKey};
use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime};

/// Stores ended sessions until all their tokens have expired.
pub(super) struct Revocations {
    store: KeyedStore,
    /// The lifetime of a refresh token. No token of a session has a longer lifetime.
    longest_token: Duration,
}

/// All sessions of a user that started up to this time have ended, except for one.
#[derive(Serialize, Deserialize)]
struct RevokedBefore {
    milliseconds: u64,
    except: Option<Exception>,
}

/// The session that continues, with the tokens that were issued since the change. The time is in whole seconds, like
/// `iat`. For a token of the same second, the check of `gen` decides, because `gen` depends on the credentials.
#[derive(Serialize, Deserialize)]
struct Exception {
    sid: String,
    since: u64,
}

impl Revocations {
    pub(super) fn new(store: KeyedStore, longest_token: Duration) -> Self {
        Self { store, longest_token }
    }

    /// Ends one session.
    pub(super) async fn end(&self, sid: &str) -> Result<(), AuthError> {
        self.store.put(StoreKey::SessionEnded, &[sid], b"", self.longest_token).await
    }

    /// Ends the sessions of a user that started up to now, except for one.
    pub(super) async fn end_all(
        &self,
        user_id: &str,
        now: SystemTime,
        except: Option<&str>,
    ) -> Result<(), AuthError> {
        let milliseconds = self.start_after_revocation(user_id, now).await?;
        let except = except.map(|sid| Exception { sid: sid.to_owned(), since: unix_seconds(now) });
        let ended = RevokedBefore { milliseconds, except };
        let ended = serde_json::to_vec(&ended).map_err(AuthError::internal)?;
        self.store.put(StoreKey::SessionsEnded, &[user_id], &ended, self.longest_token).await
    }

    /// The start time for a session that starts now. It is later than the last revocation of the user's sessions, even
    /// if that happened in the same millisecond.
    pub(super) async fn start_after_revocation(
        &self,
        user_id: &str,
        now: SystemTime,
    ) -> Result<u64, AuthError> {
        let ended = self.revoked_before(user_id).await?;
        Ok(milliseconds(now).max(ended.map_or(0, |ended| ended.milliseconds + 1)))
    }

    /// Whether the session of these claims has ended. A session id that the library cannot have made counts as ended.
    pub(super) async fn contains(&self, claims: &SessionClaims) -> Result<bool, AuthError> {
        let Some(started) = id::started(&claims.sid) else { return Ok(true) };
        if self.store.get(StoreKey::SessionEnded, &[&claims.sid]).await?.is_some() {
            return Ok(true);
        }
        let Some(ended) = self.revoked_before(&claims.sub).await? else { return Ok(false) };
        if started > ended.milliseconds {
            return Ok(false);
        }
        let continues = |exception: Exception| exception.sid == claims.sid && claims.iat >= exception.since;
        Ok(!ended.except.is_some_and(continues))
    }

    async fn revoked_before(&self, user_id: &str) -> Result<Option<RevokedBefore>, AuthError> {
        let stored = self.store.get(StoreKey::SessionsEnded, &[user_id]).await?;
        stored.map(|bytes| serde_json::from_slice(&bytes).map_err(AuthError::internal)).transpose()
    }
}
