//! Ways in: with what a user can sign in (specification §11.10). Nobody is locked out by removing one.

use super::{Core, ExpectedPasskey, LinkedIdentity, OpenChallenge, PasskeyProof};
use crate::assurance::ChallengeMethod;
use crate::client::Visitor;
use crate::error::AuthError;
use crate::store::StoreKey;
use crate::telemetry::log;
use crate::user::User;
use std::time::Duration;
use tokio::time::Instant;

/// How long one change keeps others waiting, if its process ends.
const LEASE: Duration = Duration::from_secs(10);
/// When a change has made its last write, counted from the beginning of its lease.
const LAST_WRITE: Duration = Duration::from_secs(8);
/// For how long a change waits for another one.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often it looks.
const POLL: Duration = Duration::from_millis(20);

/// The ways in of a user. A reset by mail is not one of them: it sets a password.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WaysIn {
    /// The password.
    pub(crate) password: bool,
    /// How many passkeys can sign in.
    pub(crate) passkeys: usize,
    /// How many identities at providers can sign in.
    pub(crate) identities: usize,
    /// The mailbox of the address.
    pub(crate) mailbox: bool,
}

impl WaysIn {
    /// Whether there is one.
    pub(crate) const fn any(self) -> bool {
        self.password || self.passkeys > 0 || self.identities > 0 || self.mailbox
    }

    /// The ways of both.
    const fn and(self, other: Self) -> Self {
        Self {
            password: self.password || other.password,
            passkeys: self.passkeys + other.passkeys,
            identities: self.identities + other.identities,
            mailbox: self.mailbox || other.mailbox,
        }
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

    /// With what the challenge after a sign-in of this user can be completed, in the order in which clients see it. Empty if the user
    /// has no second factor.
    ///
    /// # Errors
    /// Those of the repositories.
    pub(crate) async fn challenge_methods(&self, user: &User) -> Result<Vec<ChallengeMethod>, AuthError> {
        let mut all = Vec::new();
        if user.two_factor_confirmed_at().is_some() {
            for hook in &self.hooks {
                all.extend(hook.challenge_methods(self, user).await?);
            }
        }
        all.sort();
        Ok(all)
    }

    /// The identities of this user at providers, the oldest first.
    ///
    /// # Errors
    /// Those of the repositories.
    pub(crate) async fn identities(&self, user: &User) -> Result<Vec<LinkedIdentity>, AuthError> {
        let mut all = Vec::new();
        for hook in &self.hooks {
            all.extend(hook.identities(self, user).await?);
        }
        Ok(all)
    }

    /// Whether users come from providers.
    pub(crate) fn has_providers(&self) -> bool {
        self.hooks.iter().any(|hook| hook.has_providers())
    }

    /// Whether the challenge after a sign-in can be completed with a passkey.
    pub(crate) fn takes_passkeys(&self) -> bool {
        self.hooks.iter().any(|hook| hook.takes_passkeys())
    }

    /// The challenge of this token, which was issued to such a visitor and can still be tried.
    ///
    /// # Errors
    /// [`AuthError::InvalidChallengeToken`], also if no feature issues challenges; those of the repository and the store.
    #[cfg_attr(not(feature = "passkeys"), allow(dead_code, reason = "passkeys alone use it"))]
    pub(crate) async fn open_challenge(
        &self,
        token: &str,
        visitor: &Visitor,
    ) -> Result<OpenChallenge, AuthError> {
        for hook in &self.hooks {
            if let Some(opened) = hook.open_challenge(self, token, visitor).await {
                return opened;
            }
        }
        Err(AuthError::InvalidChallengeToken)
    }

    /// What a passkey at this challenge is compared with.
    ///
    /// # Errors
    /// [`AuthError::InvalidFlowToken`], also if no feature has passkeys.
    pub(crate) async fn expect_passkey(
        &self,
        challenge: &OpenChallenge,
        proof: &PasskeyProof,
    ) -> Result<Box<dyn ExpectedPasskey>, AuthError> {
        for hook in &self.hooks {
            if let Some(expected) = hook.expect_passkey(self, challenge, proof).await {
                return expected;
            }
        }
        Err(AuthError::InvalidFlowToken)
    }

    /// Begins the removal of a way in: waits for its turn, and counts what would be left of the ways that the user has now.
    ///
    /// # Errors
    /// Those of [`take_turn`](Self::take_turn) and [`Turn::must_leave`].
    pub(crate) async fn begin_removal(
        &self,
        user_id: &str,
        left: impl FnOnce(WaysIn) -> WaysIn + Send,
    ) -> Result<Turn, AuthError> {
        let turn = self.take_turn(user_id).await?;
        turn.must_leave(self, left).await?;
        Ok(turn)
    }

    /// Waits for a turn to change the user's ways in. Such changes of one user run one after another, on all instances.
    ///
    /// # Errors
    /// [`AuthError::Unavailable`] if another change takes too long; those of the user repository and the store.
    pub(crate) async fn take_turn(&self, user_id: &str) -> Result<Turn, AuthError> {
        // From here on every way out of this function ends the turn.
        let lease = self.lease(StoreKey::WaysInTurn, &[user_id]).await?;
        let user = self.users.find_by_id(user_id).await?.ok_or(AuthError::Unauthenticated)?;
        Ok(Turn { user, lease })
    }

    /// Waits for a turn to give an account to an identity. First sign-ins of one identity run one after another, on all instances.
    ///
    /// # Errors
    /// [`AuthError::Unavailable`] if another one takes too long; those of the store.
    #[cfg_attr(not(feature = "social-login"), allow(dead_code, reason = "providers alone use it"))]
    pub(crate) async fn take_turn_of_identity(
        &self,
        issuer: &str,
        subject: &str,
    ) -> Result<Lease, AuthError> {
        self.lease(StoreKey::IdentityTurn, &[issuer, subject]).await
    }

    async fn lease(&self, entry: StoreKey, of: &[&str]) -> Result<Lease, AuthError> {
        let began = Instant::now();
        // An operation of the store is not cut off: it has its own limit, after which the request waits for the store no more.
        while !self.store.claim(entry, of, LEASE).await? {
            if began.elapsed() >= PATIENCE {
                return Err(AuthError::Unavailable("another change of the ways in has not ended".into()));
            }
            tokio::time::sleep(POLL).await;
        }
        let until = Instant::now() + LAST_WRITE;
        let of = of.iter().map(|part| (*part).to_owned()).collect();
        Ok(Lease { core: self.clone(), entry, of, until })
    }
}

/// A change of a user's ways in that has its turn.
pub(crate) struct Turn {
    user: User,
    lease: Lease,
}

impl Turn {
    /// The record as it was read in the turn.
    pub(crate) const fn user(&self) -> &User {
        &self.user
    }

    /// Fails if the user has a way in now, and none is left of them.
    ///
    /// # Errors
    /// [`AuthError::LastSignInMethod`]; those of the repositories.
    pub(crate) async fn must_leave(
        &self,
        core: &Core,
        left: impl FnOnce(WaysIn) -> WaysIn + Send,
    ) -> Result<(), AuthError> {
        let ways = core.ways_in(&self.user).await?;
        if ways.any() && !left(ways).any() { Err(AuthError::LastSignInMethod) } else { Ok(()) }
    }

    /// Runs what writes the change. The turn lasts until this value is dropped.
    ///
    /// # Errors
    /// Those of `write`; [`AuthError::Unavailable`] if `write` takes longer than the turn.
    pub(crate) async fn run<T>(
        &self,
        write: impl Future<Output = Result<T, AuthError>>,
    ) -> Result<T, AuthError> {
        self.lease.run(write).await
    }
}

/// The lease of a turn. The end of the value ends the turn.
pub(crate) struct Lease {
    core: Core,
    entry: StoreKey,
    of: Vec<String>,
    until: Instant,
}

impl Lease {
    /// Runs what writes the change. The lease lasts until this value is dropped.
    ///
    /// # Errors
    /// Those of `write`; [`AuthError::Unavailable`] if `write` takes longer than the lease.
    pub(crate) async fn run<T>(
        &self,
        write: impl Future<Output = Result<T, AuthError>>,
    ) -> Result<T, AuthError> {
        tokio::time::timeout_at(self.until, write).await.unwrap_or_else(|_elapsed| {
            Err(AuthError::Unavailable("a change of the ways in took too long".into()))
        })
    }
}

impl Drop for Lease {
    /// Beside the response, because it may be the store that has failed. A lease that is not deleted expires.
    fn drop(&mut self) {
        let (core, entry, of) = (self.core.clone(), self.entry, std::mem::take(&mut self.of));
        self.core.background.spawn("ending a change of the ways in", async move {
            let of: Vec<_> = of.iter().map(String::as_str).collect();
            if let Err(error) = core.store.delete(entry, &of).await {
                log::way_in_not_released(error.code().as_str());
            }
        });
    }
}
