//! The reset tokens of addresses, which are mailed again for a while when somebody asks again (specification §15.2).
//!
//! The host's table has the hash of a token and decides which token is valid. The ephemeral store keeps the token itself for a few
//! minutes, encrypted. What is kept counts only while its hash is the one in the table, so a token that has ended is not mailed
//! again, whatever the store still has.

use crate::clock::whole_milliseconds;
use crate::core::{Core, best_effort};
use crate::crypto::encryption::{Encryption, Place};
use crate::crypto::keys::Purpose;
use crate::error::AuthError;
use crate::repository::{PasswordResetRepository, StoredResetToken};
use crate::store::StoreKey;
use crate::user::UserRecord;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use zeroize::Zeroizing;

/// For how long after it was made a token is mailed again, unless half of its lifetime is shorter.
const KEPT: Duration = Duration::from_secs(600);
/// How often a request looks whether another request for the address is done.
const POLL: Duration = Duration::from_millis(50);
/// How much longer than its work the turn of a request can last.
const MARGIN: Duration = Duration::from_secs(30);

/// The reset tokens of one module.
#[derive(Clone)]
pub(super) struct ResetTokens {
    core: Core,
    resets: Arc<dyn PasswordResetRepository>,
    encryption: Encryption,
}

/// A new token, which nobody has yet.
pub(super) struct NewToken {
    pub(super) token: Zeroizing<String>,
    pub(super) hash: String,
}

/// A token to mail, with its expiry.
pub(super) struct PendingToken {
    pub(super) token: Zeroizing<String>,
    pub(super) expires_at: SystemTime,
}

/// What the store keeps of a token.
#[derive(Serialize, Deserialize)]
struct Kept {
    user: String,
    token: Zeroizing<String>,
    hash: String,
    /// In milliseconds since 1970.
    created_at: u64,
}

impl ResetTokens {
    pub(super) fn new(core: &Core, resets: Arc<dyn PasswordResetRepository>) -> Self {
        let encryption = Encryption::derived(&core.config.jwt_secrets, Purpose::ResetToken);
        Self { core: core.clone(), resets, encryption }
    }

    /// The token of this address to mail to this user: the one of a moment ago, or otherwise the new one, which replaces what the
    /// table has.
    ///
    /// Requests for one address take turns, across all instances. So two requests at once agree on one token, whose hash is in the
    /// table.
    ///
    /// # Errors
    /// Those of the repository and the store; [`AuthError::Unavailable`] if they take longer than `request_timeout`.
    pub(super) async fn repeated_or(
        &self,
        new: &NewToken,
        user: &dyn UserRecord,
        email: &str,
    ) -> Result<PendingToken, AuthError> {
        let longest = self.core.config.request_timeout;
        // If the instance ends before its turn does, the turn ends by itself. No request takes longer than background work.
        while !self.core.store.claim(StoreKey::ResetTurn, &[email], longest + MARGIN).await? {
            tokio::time::sleep(POLL).await;
        }
        let _turn = Turn { core: &self.core, email };
        let pending = tokio::time::timeout(longest, self.in_turn(new, user, email)).await;
        pending.unwrap_or_else(|_elapsed| {
            Err(AuthError::Unavailable("making a reset token took longer than `request_timeout`".into()))
        })
    }

    async fn in_turn(
        &self,
        new: &NewToken,
        user: &dyn UserRecord,
        email: &str,
    ) -> Result<PendingToken, AuthError> {
        let key = self.core.repository_key(email);
        if let Some(stored) = self.resets.find_by_email(&key).await?
            && let Some(token) = self.kept(&stored, user, email).await?
        {
            return Ok(self.pending(token, stored.created_at));
        }
        let created_at = whole_milliseconds(self.core.now());
        self.resets.create_token(&key, &new.hash, created_at).await?;
        // Without it the next request makes another token.
        let keep = self.keep(new, user, email, created_at);
        // The store gives up earlier, so that the rest of a request does not wait for it once more.
        best_effort("keeping a reset token", self.core.config.store_timeout * 2, keep).await;
        Ok(self.pending(new.token.clone(), created_at))
    }

    /// Stores the hash of a token that is in the response, and is never mailed.
    ///
    /// # Errors
    /// Those of the repository.
    pub(super) async fn store(&self, new: &NewToken, email: &str) -> Result<(), AuthError> {
        let created_at = whole_milliseconds(self.core.now());
        Ok(self.resets.create_token(&self.core.repository_key(email), &new.hash, created_at).await?)
    }

    /// Deletes the token of an address from the table and from the store.
    pub(super) async fn delete(&self, email: &str) -> Result<(), AuthError> {
        delete(&self.core, &*self.resets, email).await
    }

    /// Lets the next request make a new token, for a token that was used and stays in the table.
    pub(super) fn forget(&self, email: &str) {
        forget(&self.core, email);
    }

    /// The token whose hash is stored, if the store still keeps it for this user. A reset that was interrupted has left its used token in
    /// the table, where it is of no use to anybody.
    async fn kept(
        &self,
        stored: &StoredResetToken,
        user: &dyn UserRecord,
        email: &str,
    ) -> Result<Option<Zeroizing<String>>, AuthError> {
        if self.core.now() >= stored.created_at + self.kept_for() {
            return Ok(None);
        }
        let id = user.id_text();
        let is_stored = |kept: &Kept| {
            kept.user == id && kept.hash == stored.token && kept.created_at == milliseconds(stored.created_at)
        };
        if self.core.store.exists(StoreKey::ResetUsed, &[&stored.token]).await? {
            return Ok(None);
        }
        let values = self.core.store.values(StoreKey::ResetKept, &[email]).await?;
        let mut kept = values.iter().filter_map(|value| self.open(value, email));
        Ok(kept.find(is_stored).map(|kept| kept.token))
    }

    async fn keep(
        &self,
        new: &NewToken,
        user: &dyn UserRecord,
        email: &str,
        created_at: SystemTime,
    ) -> Result<(), AuthError> {
        let kept = Kept {
            user: user.id_text(),
            token: new.token.clone(),
            hash: new.hash.clone(),
            created_at: milliseconds(created_at),
        };
        let document = Zeroizing::new(serde_json::to_vec(&kept).map_err(AuthError::internal)?);
        let sealed = self.encryption.encrypt(place(&self.core.repository_key(email)), &document)?;
        self.core.store.put(StoreKey::ResetKept, &[email], sealed.as_bytes(), self.kept_for()).await
    }

    /// What cannot be read is not there: the next token replaces it.
    fn open(&self, value: &[u8], email: &str) -> Option<Kept> {
        let sealed = std::str::from_utf8(value).ok()?;
        let document = self.encryption.decrypt(place(&self.core.repository_key(email)), sealed).ok()?;
        serde_json::from_slice(&document).ok()
    }

    fn pending(&self, token: Zeroizing<String>, created_at: SystemTime) -> PendingToken {
        PendingToken { token, expires_at: created_at + self.core.config.reset_token_lifetime }
    }

    fn kept_for(&self) -> Duration {
        KEPT.min(self.core.config.reset_token_lifetime / 2)
    }
}

/// Deletes the token of an address from the table, and then from the store. Without the table, what the store keeps is worthless.
pub(super) async fn delete(
    core: &Core,
    resets: &dyn PasswordResetRepository,
    email: &str,
) -> Result<(), AuthError> {
    resets.delete_by_email(&core.repository_key(email)).await?;
    forget(core, email);
    Ok(())
}

/// Deletes what the store keeps, beside the response: a store that cannot be reached delays nobody, and what it keeps of a token that
/// is not in the table counts for nothing. If a new token is kept for the address in the same moment, that one may be deleted, and
/// the next request makes another one.
fn forget(core: &Core, email: &str) {
    let (deleting, email) = (core.clone(), email.to_owned());
    core.background.spawn("deleting a kept reset token", async move {
        let delete = async { deleting.store.delete(StoreKey::ResetKept, &[&email]).await };
        best_effort("deleting a kept reset token", deleting.config.store_timeout, delete).await;
    });
}

/// Where a kept token belongs: to the realm and the address in this key of the table. The user is in the document.
const fn place(key: &str) -> Place<'_> {
    Place { user: key, field: "resetToken" }
}

fn milliseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// The turn of a request for an address. It ends when this is dropped, also by a panic of the host's repository.
struct Turn<'a> {
    core: &'a Core,
    email: &'a str,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let (core, email) = (self.core.clone(), self.email.to_owned());
        self.core.background.spawn("ending a turn of requests for a reset token", async move {
            let end = async { core.store.delete(StoreKey::ResetTurn, &[&email]).await };
            best_effort("ending a turn of requests for a reset token", core.config.store_timeout, end).await;
        });
    }
}
