//! What the store keeps about changes of the address (specification §15.8): the pending change of a user, and the address that can
//! take the account back.

use crate::clock::{unix_milliseconds, unix_seconds};
use crate::config::LONGEST_REVERT;
use crate::core::{Core, Flow, FlowContent};
use crate::error::AuthError;
use crate::store::StoreKey;
use crate::user::UserRecord;
use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What the token of the mail to a new address holds.
#[derive(Serialize, Deserialize)]
pub(super) struct ConfirmToken {
    /// The user's id.
    pub(super) sub: String,
    /// The new address.
    pub(super) email: String,
    /// The address that the user had.
    pub(super) from: String,
}

impl FlowContent for ConfirmToken {
    const PURPOSE: &'static str = "email-change";
}

/// What the token of the mail to a previous address holds.
#[derive(Serialize, Deserialize)]
pub(super) struct RevertToken {
    /// The user's id.
    pub(super) sub: String,
    /// The previous address.
    pub(super) email: String,
    /// When it was verified, in Unix seconds.
    #[serde(rename = "ver")]
    pub(super) verified_at: u64,
    /// The beginning of the visit that a lock down undoes, in milliseconds since 1970.
    pub(super) since: u64,
}

impl FlowContent for RevertToken {
    const PURPOSE: &'static str = "email-revert";
}

/// The newest change that a user has asked for.
#[derive(Serialize, Deserialize)]
pub(super) struct PendingChange {
    pub(super) email: String,
    /// The `jti` of its token. For an address that is taken nobody has that token.
    #[serde(rename = "of")]
    pub(super) token_id: String,
}

impl FlowContent for PendingChange {
    const PURPOSE: &'static str = "pending-email-change";
    /// More than the longest address.
    const PADDED: usize = 1024;
}

/// The address that can take the account of a user back.
#[derive(Serialize, Deserialize)]
pub(super) struct PossibleRevert {
    pub(super) email: String,
    /// When it was verified, in Unix seconds.
    #[serde(rename = "ver")]
    pub(super) verified_at: u64,
    /// The `jti` of its token.
    #[serde(rename = "of")]
    pub(super) token_id: String,
}

impl FlowContent for PossibleRevert {
    const PURPOSE: &'static str = "possible-email-revert";
    const PADDED: usize = 1024;
}

/// Whose address a reserved one was.
#[derive(Serialize, Deserialize)]
struct Reserved {
    sub: String,
}

impl FlowContent for Reserved {
    const PURPOSE: &'static str = "reserved-email";
    const PADDED: usize = 1024;
}

/// The token that takes an account back, and how it is remembered.
pub(super) struct Reservation {
    pub(super) token: String,
    pub(super) expires_at: SystemTime,
    token_id: String,
    email: String,
}

/// The entries of one user.
pub(super) struct Entries<'a> {
    core: &'a Core,
    user_id: &'a str,
}

impl<'a> Entries<'a> {
    pub(super) const fn of(core: &'a Core, user_id: &'a str) -> Self {
        Self { core, user_id }
    }

    pub(super) async fn pending(&self) -> Result<Option<Flow<PendingChange>>, AuthError> {
        self.core.kept(StoreKey::EmailChange, &[self.user_id]).await
    }

    /// Replaces the pending change.
    pub(super) async fn set_pending(&self, email: &str, token_id: &str) -> Result<(), AuthError> {
        self.end_pending().await?;
        let pending = PendingChange { email: email.to_owned(), token_id: token_id.to_owned() };
        let lifetime = self.core.config.email_change.lifetime;
        self.core.keep(StoreKey::EmailChange, &[self.user_id], pending, lifetime).await
    }

    /// Ends the pending change, if there is one. A confirmation claims the token as well, so one of both wins.
    pub(super) async fn end_pending(&self) -> Result<(), AuthError> {
        if let Some(pending) = self.pending().await? {
            let lifetime = self.core.config.email_change.lifetime;
            self.core.use_mail_token(&pending.content.token_id, lifetime).await?;
        }
        self.core.store.delete(StoreKey::EmailChange, &[self.user_id]).await
    }

    /// The address that can take the account back.
    pub(super) async fn possible_revert(&self) -> Result<Option<Flow<PossibleRevert>>, AuthError> {
        self.core.kept(StoreKey::EmailRevert, &[self.user_id]).await
    }

    /// Keeps the address of this record for the account, unless it was never proven, another one can take the account back already, or
    /// nothing shall ever be undone. The entries are written before the address changes. What has happened since `since`, or since the
    /// oldest notice that nobody has answered, is undone with the address.
    pub(super) async fn reserve(
        &self,
        before: &dyn UserRecord,
        since: SystemTime,
    ) -> Result<Option<Reservation>, AuthError> {
        let (core, lifetime) = (self.core, self.core.config.email_change.revert_lifetime);
        let Some(verified_at) = before.email_verified_at().filter(|_| !lifetime.is_zero()) else {
            return Ok(None);
        };
        if self.possible_revert().await?.is_some() {
            return Ok(None);
        }
        let (email, verified_at) = (before.email().to_owned(), unix_seconds(verified_at));
        let since = core.suspected_since(self.user_id).await?.map_or(since, |earlier| earlier.min(since));
        let content = RevertToken {
            sub: self.user_id.to_owned(),
            email: email.clone(),
            verified_at,
            since: unix_milliseconds(since),
        };
        let flow = core.flows.begin(content, lifetime)?;
        let reserved = Reserved { sub: self.user_id.to_owned() };
        core.keep(StoreKey::EmailReserved, &[&key(&email)], reserved, lifetime).await?;
        let possible = PossibleRevert { email: email.clone(), verified_at, token_id: flow.jti.clone() };
        core.keep(StoreKey::EmailRevert, &[self.user_id], possible, lifetime).await?;
        Ok(Some(Reservation {
            token: core.flows.token(&flow)?,
            expires_at: flow.expires_at(),
            token_id: flow.jti,
            email,
        }))
    }

    /// Takes a reservation back, because the address has not changed.
    pub(super) async fn take_back(&self, reservation: &Reservation) -> Result<(), AuthError> {
        let is_its = |possible: &Flow<PossibleRevert>| possible.content.token_id == reservation.token_id;
        if self.possible_revert().await?.is_some_and(|possible| is_its(&possible)) {
            self.core.store.delete(StoreKey::EmailRevert, &[self.user_id]).await?;
            self.free(&reservation.email).await?;
        }
        Ok(())
    }

    /// Ends what can take the account back, and the reservation of the address.
    pub(super) async fn end_revert(&self) -> Result<(), AuthError> {
        let Some(possible) = self.possible_revert().await? else { return Ok(()) };
        let PossibleRevert { email, token_id, .. } = &possible.content;
        // Whatever the option was when the link was mailed.
        self.core.use_mail_token(token_id, LONGEST_REVERT).await?;
        self.core.store.delete(StoreKey::EmailRevert, &[self.user_id]).await?;
        self.free(email).await
    }

    /// Ends the reservation of an address, if it is this user's.
    async fn free(&self, email: &str) -> Result<(), AuthError> {
        match owner_of(self.core, email).await? {
            Some(owner) if owner == self.user_id => {
                self.core.store.delete(StoreKey::EmailReserved, &[&key(email)]).await
            }
            _ => Ok(()),
        }
    }
}

/// The id of the user for whom an address is kept.
pub(super) async fn owner_of(core: &Core, email: &str) -> Result<Option<String>, AuthError> {
    let reserved = core.kept::<Reserved>(StoreKey::EmailReserved, &[&key(email)]).await?;
    Ok(reserved.map(|reserved| reserved.content.sub))
}

/// Addresses that differ in the case of letters are one address (specification §7.3).
fn key(email: &str) -> String {
    email.to_ascii_lowercase()
}

impl PossibleRevert {
    pub(super) fn verified_at(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(self.verified_at)
    }
}

impl RevertToken {
    pub(super) fn verified_at(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(self.verified_at)
    }

    pub(super) fn since(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(self.since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::is_golden;

    /// Mails in people's mailboxes, and entries of stores, that a later release must be able to read.
    #[test]
    fn the_golden_documents_of_mailed_tokens_and_of_entries() {
        is_golden::<ConfirmToken>(
            "email-change",
            r#"{"sub":"7","email":"new@example.com","from":"ada@example.com"}"#,
        );
        is_golden::<RevertToken>(
            "email-revert",
            r#"{"sub":"7","email":"ada@example.com","ver":1767225600,"since":1767225600123}"#,
        );
        is_golden::<PendingChange>("pending-email-change", r#"{"email":"new@example.com","of":"ID"}"#);
        is_golden::<PossibleRevert>(
            "possible-email-revert",
            r#"{"email":"ada@example.com","ver":1767225600,"of":"ID"}"#,
        );
        is_golden::<Reserved>("reserved-email", r#"{"sub":"7"}"#);
    }
}
