//! The only place that verifies addresses: what proves that an address is its user's leads here.

use super::{ActingSession, Core, Patch};
use crate::client::ClientAddress;
use crate::clock::whole_seconds;
use crate::error::AuthError;
use crate::events::EventKind;
use crate::store::StoreKey;
use crate::user::{User, UserChange, UserRecord};

impl Core {
    /// Sets `emailVerifiedAt` of a user who has this address, if it is not set. The same write has what the features add
    /// to it. Returns whether it did.
    ///
    /// # Errors
    /// Those of the repository and of the features' hooks.
    pub(crate) async fn verify_address(
        &self,
        user: &dyn UserRecord,
        acting: Option<&ActingSession>,
    ) -> Result<bool, AuthError> {
        let verify = |now: &User| {
            let is_unverified = now.email() == user.email() && now.email_verified_at().is_none();
            is_unverified.then(|| self.verifying(now)).transpose()
        };
        self.change_user(user.shared(), acting, verify).await
    }

    /// The same, with the event of a request of this client.
    ///
    /// # Errors
    /// Those of [`verify_address`](Self::verify_address).
    pub(crate) async fn verify_and_announce(
        &self,
        user: &dyn UserRecord,
        acting: Option<&ActingSession>,
        client: ClientAddress,
    ) -> Result<bool, AuthError> {
        let is_new = self.verify_address(user, acting).await?;
        if is_new {
            self.events.emit(EventKind::EmailVerified, Some(user.id_text()), client).await;
        }
        Ok(is_new)
    }

    /// Whether the module itself has given the user this address within the last two minutes: it was proven, and what follows from that
    /// is done.
    ///
    /// # Errors
    /// [`AuthError::Unavailable`] when the store cannot be reached.
    pub(crate) async fn has_moved(&self, user_id: &str, email: &str) -> Result<bool, AuthError> {
        match self.changes_addresses() {
            true => self.store.exists(StoreKey::EmailMoved, &[user_id, email]).await,
            false => Ok(false),
        }
    }

    /// The patch that verifies the address of this record.
    fn verifying(&self, user: &User) -> Result<Patch, AuthError> {
        let patch = Patch::of(&**user)
            .with(UserChange::EmailVerifiedAt(Some(whole_seconds(self.now()))))
            .only_if(UserChange::Email(user.email().to_owned()))
            .only_if(UserChange::EmailVerifiedAt(None));
        self.hooks.iter().try_fold(patch, |patch, hook| hook.verifying(self, &**user, patch))
    }
}
