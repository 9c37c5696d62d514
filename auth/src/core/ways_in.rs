//! Ways in: with what a user can sign in (specification §11.10). Nobody is locked out by removing one.

use super::Core;
use crate::assurance::ChallengeMethod;
use crate::error::AuthError;
use crate::store::StoreKey;
use crate::telemetry::log;
use crate::user::User;
use std::time::Duration;
use tokio::time::Instant;

/// How long one removal keeps others of the user waiting, if its process ends.
const LEASE: Duration = Duration::from_secs(10);
/// When a removal has made its last write, counted from the beginning of its lease.
const LAST_WRITE: Duration = Duration::from_secs(8);
/// For how long a removal waits for another one.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often it looks.
const POLL: Duration = Duration::from_millis(20);

/// The ways in of a user. A reset by mail is not one of them: it sets a password.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WaysIn {
    /// The password.
    pub(crate) password: bool,
    /// The mailbox of the address.
    pub(crate) mailbox: bool,
}

impl WaysIn {
    /// Whether there is one.
    pub(crate) const fn any(self) -> bool {
        self.password || self.mailbox
    }

    /// The ways of both.
    const fn and(self, other: Self) -> Self {
        Self { password: self.password || other.password, mailbox: self.mailbox || other.mailbox }
    }
}

impl Core {
    /// Whether a feature lets users sign in without a password.
    pub(crate) fn has_other_ways_in(&self) -> bool {
        self.hooks.iter().any(|hook| hook.is_way_in())
    }

    /// The ways in of this user, with all features.
    pub(crate) async fn ways_in(&self, user: &User) -> Result<WaysIn, AuthError> {
        let mut all = WaysIn { password: user.has_password(), ..WaysIn::default() };
        for hook in &self.hooks {
            all = all.and(hook.ways_in(self, user).await?);
        }
        Ok(all)
    }

    /// With what the challenge after a sign-in of this user can be completed.
    pub(crate) fn challenge_methods(&self, user: &User) -> Vec<ChallengeMethod> {
        self.hooks.iter().flat_map(|hook| hook.challenge_methods(user)).collect()
    }

    /// Begins the removal of a way in: waits for its turn, and counts what would be left of the ways that the user has now.
    /// Removals of one user run one after another, on all instances.
    ///
    /// # Errors
    /// [`AuthError::LastSignInMethod`] if none would be left; [`AuthError::Unavailable`] if another removal takes too long;
    /// those of the user repository and the store.
    pub(crate) async fn begin_removal(
        &self,
        user_id: &str,
        left: fn(WaysIn) -> WaysIn,
    ) -> Result<Removal, AuthError> {
        let claim = async {
            while !self.store.claim(StoreKey::WaysInTurn, &[user_id], LEASE).await? {
                tokio::time::sleep(POLL).await;
            }
            Ok(Instant::now())
        };
        let claimed = tokio::time::timeout(PATIENCE, claim).await.unwrap_or_else(|_elapsed| {
            Err(AuthError::Unavailable("another change of the user's ways in has not ended".into()))
        });
        let until = claimed? + LAST_WRITE;
        // From here on every way out of this function ends the turn.
        let turn = Turn { core: self.clone(), user_id: user_id.to_owned() };
        let user = self.users.find_by_id(user_id).await?.ok_or(AuthError::Unauthenticated)?;
        let ways = self.ways_in(&user).await?;
        if ways.any() && !left(ways).any() {
            return Err(AuthError::LastSignInMethod);
        }
        Ok(Removal { user, until, _turn: turn })
    }
}

/// The removal of a way in that has its turn.
pub(crate) struct Removal {
    user: User,
    until: Instant,
    _turn: Turn,
}

impl Removal {
    /// The record whose ways in were counted.
    pub(crate) const fn user(&self) -> &User {
        &self.user
    }

    /// Runs what writes the removal. The turn lasts until this value is dropped.
    ///
    /// # Errors
    /// Those of `write`; [`AuthError::Unavailable`] if `write` takes longer than the turn.
    pub(crate) async fn run<T>(
        &self,
        write: impl Future<Output = Result<T, AuthError>>,
    ) -> Result<T, AuthError> {
        tokio::time::timeout_at(self.until, write).await.unwrap_or_else(|_elapsed| {
            Err(AuthError::Unavailable("a change of the user's ways in took too long".into()))
        })
    }
}

/// The turn of a removal. The end of the value ends the turn.
struct Turn {
    core: Core,
    user_id: String,
}

impl Drop for Turn {
    /// Beside the response, because it may be the store that has failed. A lease that is not deleted expires.
    fn drop(&mut self) {
        let (core, user_id) = (self.core.clone(), std::mem::take(&mut self.user_id));
        self.core.background.spawn("ending the removal of a way in", async move {
            if let Err(error) = core.store.delete(StoreKey::WaysInTurn, &[&user_id]).await {
                log::way_in_not_released(error.code().as_str());
            }
        });
    }
}
