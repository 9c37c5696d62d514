//! Which sessions have ended before their tokens expire: one by one, or all of a user's at once.

use super::claims::SessionClaims;
use super::id::{self, milliseconds};
use crate::clock::unix_seconds;
use crate::crypto::keys::MacKey;
use crate::error::AuthError;
use crate::store::EphemeralStore;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// Remembers ended sessions for as long as a token of theirs could live.
pub(super) struct Revocations {
    store: Arc<dyn EphemeralStore>,
    names: MacKey,
    /// The life of a refresh token: no token that was issued before now lives longer.
    longest_token: Duration,
}

/// All sessions of a user that began up to this time have ended, but for one.
#[derive(Serialize, Deserialize)]
struct RevokedBefore {
    milliseconds: u64,
    except: Option<Exception>,
}

/// The session that goes on, with tokens that were issued since: in whole seconds, as `iat` is. A token of the very
/// second of the change is left to `gen`, which knows the credentials.
#[derive(Serialize, Deserialize)]
struct Exception {
    sid: String,
    since: u64,
}

impl Revocations {
    pub(super) fn new(store: Arc<dyn EphemeralStore>, names: MacKey, longest_token: Duration) -> Self {
        Self { store, names, longest_token }
    }

    /// Ends one session.
    pub(super) async fn end(&self, sid: &str) -> Result<(), AuthError> {
        self.put(&one(sid), b"").await
    }

    /// Ends the sessions of a user that began up to now, but for one.
    pub(super) async fn end_all(
        &self,
        user_id: &str,
        now: SystemTime,
        except: Option<&str>,
    ) -> Result<(), AuthError> {
        let milliseconds = self.start_after_revocation(user_id, now).await?;
        let except = except.map(|sid| Exception { sid: sid.to_owned(), since: unix_seconds(now) });
        let ended = RevokedBefore { milliseconds, except };
        self.put(&self.all(user_id), &serde_json::to_vec(&ended).map_err(AuthError::internal)?).await
    }

    /// When a session of a user begins that begins now: later than whatever ended the earlier ones, even if that was
    /// within this millisecond.
    pub(super) async fn start_after_revocation(
        &self,
        user_id: &str,
        now: SystemTime,
    ) -> Result<u64, AuthError> {
        let ended = self.all_before(user_id).await?;
        Ok(milliseconds(now).max(ended.map_or(0, |ended| ended.milliseconds + 1)))
    }

    /// Whether the session of these claims has ended. One whose id is not of our making never began.
    pub(super) async fn contains(&self, claims: &SessionClaims) -> Result<bool, AuthError> {
        let Some(began) = id::began(&claims.sid) else { return Ok(true) };
        if self.get(&one(&claims.sid)).await?.is_some() {
            return Ok(true);
        }
        let Some(ended) = self.all_before(&claims.sub).await? else { return Ok(false) };
        if began > ended.milliseconds {
            return Ok(false);
        }
        let survives = |survivor: Exception| survivor.sid == claims.sid && claims.iat >= survivor.since;
        Ok(!ended.except.is_some_and(survives))
    }

    async fn all_before(&self, user_id: &str) -> Result<Option<RevokedBefore>, AuthError> {
        let stored = self.get(&self.all(user_id)).await?;
        stored.map(|bytes| serde_json::from_slice(&bytes).map_err(AuthError::internal)).transpose()
    }

    async fn put(&self, key: &str, value: &[u8]) -> Result<(), AuthError> {
        self.store.put(key, value, self.longest_token).await.map_err(AuthError::Unavailable)
    }

    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, AuthError> {
        self.store.get(key).await.map_err(AuthError::Unavailable)
    }

    fn all(&self, user_id: &str) -> String {
        self.names.name("ended-all", &[user_id])
    }
}

fn one(sid: &str) -> String {
    format!("ended:{sid}")
}
