//! The owner's arrival: for the first time somebody proves, outside of any session, to read the mailbox of an account
//! (specification §15.7). Somebody else may have made the account with this address.

use super::{Ceremonies, Core, FlowEpoch};
use crate::client::ClientAddress;
use crate::error::AuthError;
use crate::events::EventKind;
use crate::user::{User, UserChange};

/// By which request somebody has proven to read the mailbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProvenBy {
    /// A reset, which has replaced the password and ended the sessions.
    Reset,
    /// A sign-in.
    Login,
}

/// What an arrival has led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// The address was verified before, or is not the account's any more.
    NotFirst,
    /// The account has a second factor that was put in force under a verified address. Nothing was changed: who passes the second
    /// factor is the owner.
    SecondFactorStays,
    /// Whatever somebody else could have left was removed, and the address is verified.
    Reclaimed {
        /// Whether the account had a password, which was removed.
        had_password: bool,
        /// The epoch of the user's sign-ins by mail since then.
        epoch: FlowEpoch,
    },
}

impl Core {
    /// Does what the first proof of a mailbox leads to. The verified address is written last, so that a proof after a failure repeats
    /// everything.
    ///
    /// # Errors
    /// Those of the repositories and the store.
    pub(crate) async fn owner_arrives(
        &self,
        proven: &User,
        by: ProvenBy,
        client: ClientAddress,
    ) -> Result<Arrival, AuthError> {
        let id = proven.id_text();
        // The record of the request is as old as the check of its proof.
        let now = self.users.find_by_id(&id).await?;
        let is_first = |now: &User| now.email() == proven.email() && now.email_verified_at().is_none();
        let Some(user) = now.filter(is_first) else { return Ok(Arrival::NotFirst) };
        if self.hooks.iter().any(|hook| hook.withstands_arrival(self, &user)) {
            return Ok(Arrival::SecondFactorStays);
        }
        // Before and after what takes something away: nothing is added by a session, and none begins with what is taken away.
        self.end_all_sessions(&id).await?;
        for hook in &self.hooks {
            hook.owner_arrived(self, &user, by, client).await?;
        }
        let mut had_password = false;
        // A reset has replaced the password already.
        if by == ProvenBy::Login {
            let of_a_stranger = |now: &User| {
                let email = UserChange::Email(now.email().to_owned());
                is_first(now).then(|| vec![email, UserChange::EmailVerifiedAt(None)])
            };
            had_password = self.remove_password(&user, of_a_stranger).await?;
        }
        self.end_all_sessions(&id).await?;
        if by == ProvenBy::Login {
            self.forget_clients(&id, client).await?;
            // At the end: after a failure before this, the user can try again with the same mail.
            self.end_ceremonies(&[Ceremonies::OfMailbox], &id).await?;
        }
        // What ends the user's sign-ins from here on ends this one, too.
        let epoch = self.flow_epoch(Ceremonies::OfMailbox, &id).await?;
        if !self.verify_and_announce(&*user, None, client).await? {
            return Ok(Arrival::NotFirst);
        }
        self.emit_about(EventKind::AccountReclaimed, &*user, client).await;
        Ok(Arrival::Reclaimed { had_password, epoch })
    }

    /// Removes what the option `reset_removes` names, after a reset by mail has ended all sessions.
    ///
    /// # Errors
    /// Those of the repositories and the store, after which it can be repeated.
    pub(crate) async fn remove_after_reset(
        &self,
        user: &User,
        client: ClientAddress,
    ) -> Result<(), AuthError> {
        let mut has_removed = false;
        for hook in &self.hooks {
            has_removed |= hook.password_reset(self, user, client).await?;
        }
        match has_removed {
            // A sign-in with what was removed may have begun a session meanwhile.
            true => self.end_all_sessions(&user.id_text()).await.map(drop),
            false => Ok(()),
        }
    }
}
