//! The tokens of notices, and what the store keeps about notices (specification §15.10).

use super::LIFETIME;
use crate::clock::unix_milliseconds;
use crate::core::{Core, FlowContent, Recovered};
use crate::error::AuthError;
use crate::store::StoreKey;
use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What the token of a notice holds. Times are milliseconds since 1970.
#[derive(Serialize, Deserialize)]
pub(super) struct SecureToken {
    /// The user's id.
    pub(super) sub: String,
    /// The address to which the notice goes.
    pub(super) email: String,
    /// When it happened of which the notice tells.
    pub(super) at: u64,
    /// The beginning of the visit that a lock down undoes.
    pub(super) since: u64,
}

impl FlowContent for SecureToken {
    const PURPOSE: &'static str = "account-secure";
}

impl SecureToken {
    pub(super) fn since(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(self.since)
    }
}

/// The oldest notice that nobody has answered.
#[derive(Serialize, Deserialize)]
struct FirstNotice {
    /// The address to which it went.
    email: String,
    /// When the request has begun of which it told.
    since: u64,
}

impl FlowContent for FirstNotice {
    const PURPOSE: &'static str = "first-notice";
    /// More than the longest address.
    const PADDED: usize = 1024;
}

/// The entries of one user.
pub(super) struct Entries<'a> {
    core: &'a Core,
    user_id: &'a str,
}

/// What has become of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answered {
    /// Nobody has answered its notice.
    No,
    /// A lock down has.
    ByLockDown,
    /// A reset has, or the account was closed.
    ByReset,
}

impl<'a> Entries<'a> {
    pub(super) const fn of(core: &'a Core, user_id: &'a str) -> Self {
        Self { core, user_id }
    }

    /// Since when somebody else may have used the account, if nobody has answered a notice.
    pub(super) async fn suspected_since(&self) -> Result<Option<SystemTime>, AuthError> {
        let first = self.core.kept::<FirstNotice>(StoreKey::NoticeFirst, &[self.user_id]).await?;
        Ok(first.map(|first| UNIX_EPOCH + Duration::from_millis(first.content.since)))
    }

    /// Records a notice to this address. Returns the beginning of the visit to which it belongs: that of the oldest notice.
    pub(super) async fn begin_visit(&self, email: &str, began: SystemTime) -> Result<SystemTime, AuthError> {
        if let Some(first) = self.suspected_since().await? {
            return Ok(first.min(began));
        }
        let first = FirstNotice { email: email.to_owned(), since: unix_milliseconds(began) };
        self.core.keep(StoreKey::NoticeFirst, &[self.user_id], first, LIFETIME).await?;
        Ok(began)
    }

    /// The owner of this mailbox has recovered the account. The notices of another mailbox are not answered by that.
    pub(super) async fn answered(&self, email: &str, how: Recovered) -> Result<(), AuthError> {
        let (store, now) = (&self.core.store, unix_milliseconds(self.core.now()));
        let entry = match how {
            Recovered::LockDown => StoreKey::AccountSecured,
            Recovered::Reset => StoreKey::AccountReset,
        };
        store.raise(entry, &[self.user_id, &key(email)], now, LIFETIME).await?;
        let first = self.core.kept::<FirstNotice>(StoreKey::NoticeFirst, &[self.user_id]).await?;
        match first.is_some_and(|first| first.content.email.eq_ignore_ascii_case(email)) {
            true => store.delete(StoreKey::NoticeFirst, &[self.user_id]).await,
            false => Ok(()),
        }
    }

    /// Ends everything: another account may get this id.
    pub(super) async fn close(&self) -> Result<(), AuthError> {
        self.answered(ALL, Recovered::Reset).await?;
        self.core.store.delete(StoreKey::NoticeFirst, &[self.user_id]).await
    }

    /// What has become of a token.
    pub(super) async fn answer_to(&self, token: &SecureToken) -> Result<Answered, AuthError> {
        let is_later = async |entry, email: &str| {
            let time = self.core.store.number(entry, &[self.user_id, &key(email)]).await?;
            Ok::<_, AuthError>(time.is_some_and(|time| token.at <= time))
        };
        if is_later(StoreKey::AccountSecured, &token.email).await? {
            return Ok(Answered::ByLockDown);
        }
        let is_over = is_later(StoreKey::AccountReset, &token.email).await?
            || is_later(StoreKey::AccountReset, ALL).await?;
        Ok(if is_over { Answered::ByReset } else { Answered::No })
    }
}

/// In place of an address: whatever the address is.
const ALL: &str = "";

/// Addresses that differ in the case of letters are one address (specification §7.3).
fn key(email: &str) -> String {
    email.to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::is_golden;

    /// Mails in people's mailboxes, and entries of stores, that a later release must be able to read.
    #[test]
    fn the_golden_documents_of_notices() {
        is_golden::<SecureToken>(
            "account-secure",
            r#"{"sub":"7","email":"ada@example.com","at":1767225600456,"since":1767225600123}"#,
        );
        is_golden::<FirstNotice>("first-notice", r#"{"email":"ada@example.com","since":1767225600123}"#);
    }
}
