//! Lock down: what is done to an account that somebody else has used (specification §15.9).

use super::emitter::By;
use super::{Ceremonies, Core, Patch, Recovered, Recovery};
use crate::client::{ClientAddress, ClientInfo};
use crate::config::{LONGEST_CHANGE, LONGEST_REVERT};
use crate::error::AuthError;
use crate::events::{EventKind, SessionEnd};
use crate::repository::RepositoryError;
use crate::user::{User, UserChange};
use std::time::{Duration, SystemTime};

/// How often what a session has done in its last moment is done again.
const PASSES: usize = 32;
/// How far back an administrator's lock down reaches.
const OF_ADMINISTRATOR: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// The clocks of two instances can differ.
const LEEWAY: Duration = Duration::from_secs(10);

/// What a lock down removes, and to which address the account goes back.
#[derive(Clone)]
pub(crate) struct LockDown {
    /// The beginning of the visit of the thief.
    since: SystemTime,
    /// The address that the account gets back, and when it was verified.
    back_to: Option<(String, SystemTime)>,
    by: By,
}

impl LockDown {
    /// How far back one can reach: a change of the address is confirmed late, and undone late.
    pub(crate) const FURTHEST: Duration =
        LONGEST_CHANGE.saturating_add(LONGEST_REVERT).saturating_add(LEEWAY);

    /// Removes what was added at or after this time, for a request of this client.
    pub(crate) fn since(since: SystemTime, client: ClientAddress) -> Self {
        Self { since, back_to: None, by: client.into() }
    }

    /// Removes what was added lately, for an administrator.
    pub(crate) fn by_administrator(now: SystemTime) -> Self {
        let since = now.checked_sub(OF_ADMINISTRATOR).unwrap_or(SystemTime::UNIX_EPOCH);
        Self { since, back_to: None, by: By::Administrator }
    }

    /// Also gives the account this address back, which was verified at this time.
    pub(crate) fn going_back_to(self, email: String, verified_at: SystemTime) -> Self {
        Self { back_to: Some((email, verified_at)), ..self }
    }

    /// By whom the account is locked down.
    pub(crate) const fn by(&self) -> By {
        self.by
    }

    /// Whether something that happened at this time, in whole seconds, is part of the visit.
    pub(crate) fn covers(&self, time: SystemTime) -> bool {
        time + Duration::from_secs(1) + LEEWAY > self.since
    }

    /// The address and the password of the record, as this lock down wants them.
    fn patch(&self, now: &User) -> Patch {
        let mut patch = Patch::of(&**now);
        if let Some((email, verified_at)) = &self.back_to
            && (now.email() != email || now.email_verified_at().is_none())
        {
            let read = UserChange::Email(now.email().to_owned());
            patch = patch
                .with(UserChange::Email(email.clone()))
                .with(UserChange::EmailVerifiedAt(Some(*verified_at)))
                .only_if(read);
        }
        if now.has_password() {
            patch = patch
                .with(UserChange::Password(String::new()))
                .with(UserChange::PasswordConfirmedAt(None))
                .only_if(UserChange::Password(now.password().to_owned()));
        }
        patch
    }
}

impl Core {
    /// Whether somebody whose password is gone gets a way back by mail.
    pub(crate) fn has_way_back(&self) -> bool {
        self.hooks.iter().any(|hook| hook.way_back().is_some())
    }

    /// Whether users can sign in by mail.
    pub(crate) fn signs_in_by_mail(&self) -> bool {
        self.hooks.iter().any(|hook| hook.way_back() == Some(super::WayBack::SignInByMail))
    }

    /// Mails a way back to a user whose password was removed, unless the account is suspended or is going to be deleted.
    ///
    /// # Errors
    /// Those of the repositories and the store.
    pub(crate) async fn mail_way_back(&self, user_id: &str, why: Recovery) -> Result<(), AuthError> {
        // Until now a session could have changed the address.
        let user = self.usable(self.users.find_by_id(user_id).await?).await?;
        let ways = self.hooks.iter().filter_map(|hook| Some((hook.way_back()?, hook)));
        match ways.min_by_key(|(way, _)| *way).zip(user) {
            Some(((_, hook), user)) => hook.mail_way_back(self, &user, why).await,
            None => Ok(()),
        }
    }

    /// Mails a way back after a lock down to the address that the account has now, and records that.
    ///
    /// # Errors
    /// Those of the repositories and the store, after which it can be repeated.
    pub(crate) async fn finish_lock_down(&self, user_id: &str) -> Result<(), AuthError> {
        self.mail_way_back(user_id, Recovery::LockedDown).await?;
        match self.users.find_by_id(user_id).await? {
            Some(user) => self.recovered(user_id, user.email(), Recovered::LockDown).await,
            None => Ok(()),
        }
    }

    /// The owner of this mailbox has recovered the account: earlier notices to this address lock it down no more.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) async fn recovered(
        &self,
        user_id: &str,
        email: &str,
        how: Recovered,
    ) -> Result<(), AuthError> {
        for hook in &self.hooks {
            hook.recovered(self, user_id, email, how).await?;
        }
        Ok(())
    }

    /// Since when somebody else may have used the account, if its owner was told of anything and has not answered.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) async fn suspected_since(&self, user_id: &str) -> Result<Option<SystemTime>, AuthError> {
        let mut earliest = None;
        for hook in &self.hooks {
            let since = hook.suspected_since(self, user_id).await?;
            earliest = since.into_iter().chain(earliest).min();
        }
        Ok(earliest)
    }

    /// Gives the account its previous address back and locks it down, if an address can take it back.
    pub(crate) async fn take_back(
        &self,
        user_id: &str,
        order: &LockDown,
        client: &ClientInfo,
    ) -> Option<Result<(), AuthError>> {
        for hook in &self.hooks {
            if let Some(taken_back) = hook.take_back(self, user_id, order, client).await {
                return Some(taken_back);
            }
        }
        None
    }

    /// The address that can take the account back, and until when.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) async fn can_take_back(
        &self,
        user_id: &str,
    ) -> Result<Option<(String, SystemTime)>, AuthError> {
        for hook in &self.hooks {
            if let Some(possible) = hook.can_take_back(self, user_id).await? {
                return Ok(Some(possible));
            }
        }
        Ok(None)
    }

    /// Ends what was mailed to recover the account of this record.
    ///
    /// # Errors
    /// Those of the repositories and the store.
    pub(crate) async fn end_recovery(&self, user: &User) -> Result<(), AuthError> {
        for hook in &self.hooks {
            hook.recovery_ending(self, user).await?;
        }
        Ok(())
    }

    /// Takes away from an account what somebody else may have left there. The passes are repeated until one changes nothing: what
    /// a session does in its last moment does not stay. It does not mail a way back.
    ///
    /// # Errors
    /// Those of the repositories and the store, after which it can be repeated; [`AuthError::EmailTaken`] if another account has the
    /// address to which this one shall go back.
    pub(crate) async fn lock_down(&self, user_id: &str, order: &LockDown) -> Result<(), AuthError> {
        let mut written = None::<User>;
        for _ in 0..PASSES {
            // The sessions end also if the store cannot be reached.
            let both = [Ceremonies::OfCredentials, Ceremonies::OfMailbox];
            let ceremonies = self.end_ceremonies(&both, user_id).await;
            self.end_sessions(user_id, None, SessionEnd::LockedDown, order.by).await?;
            ceremonies?;
            let now = self.users.find_by_id(user_id).await?;
            let now = now.ok_or_else(|| AuthError::internal("there is no user with this id"))?;
            self.end_recovery(&now).await?;
            let (mut patch, mut has_removed) = (order.patch(&now), false);
            for hook in &self.hooks {
                has_removed |= hook.locked_down(self, &now, order).await?;
                patch = hook.locking_down(self, &now, order, written.as_ref(), patch).await?;
            }
            if patch.is_empty() && has_removed {
                // A session may have begun with what was removed.
                continue;
            }
            if patch.is_empty() {
                self.forget_clients(user_id, ClientAddress::UNKNOWN).await?;
                if order.back_to.is_some() {
                    let reverted = EventKind::EmailReverted;
                    self.events.emit_by(reverted, Some(user_id.to_owned()), order.by).await;
                }
                self.events.emit_by(EventKind::AccountSecured, Some(user_id.to_owned()), order.by).await;
                return Ok(());
            }
            match self.users.save(patch).await {
                Ok(saved) => written = Some(saved),
                // Another request was faster: its write is looked at in the next pass.
                Err(RepositoryError::Stale) => {}
                Err(failure) => return Err(failure.into()),
            }
        }
        Err(AuthError::Unavailable(
            "a user's record changed with every attempt to lock the account down".into(),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::UNIX_EPOCH;

    #[test]
    fn what_happened_within_ten_seconds_before_the_visit_belongs_to_it() {
        let at = |seconds| UNIX_EPOCH + Duration::from_secs(seconds);
        let visit = LockDown::since(at(100) + Duration::from_millis(900), ClientAddress::UNKNOWN);
        assert!(!visit.covers(at(89)), "89 stands for 89.999 at most");
        assert!(visit.covers(at(90)) && visit.covers(at(100)) && visit.covers(at(1000)));
    }
}
