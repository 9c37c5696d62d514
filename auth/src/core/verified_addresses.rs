//! The only place that verifies addresses: what proves that an address is its user's leads here.

use super::{ActingSession, Core, Patch};
use crate::clock::whole_seconds;
use crate::error::AuthError;
use crate::repository::RepositoryError;
use crate::user::{User, UserChange, UserRecord};

/// How often a write is tried when other requests change the record at the same time.
const SAVES: usize = 32;

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
        let (id, mut now) = (user.id_text(), user.shared());
        for _ in 0..SAVES {
            if now.email() != user.email() || now.email_verified_at().is_some() {
                return Ok(false);
            }
            let patch = self.verifying(&now)?;
            let saved = match acting {
                Some(acting) => acting.save(patch).await,
                None => self.users.save(patch).await,
            };
            match saved {
                Err(RepositoryError::Stale) => {}
                saved => return Ok(saved.map(|_| true)?),
            }
            match self.users.find_by_id(&id).await? {
                Some(found) => now = found,
                None => return Ok(false),
            }
        }
        Err(AuthError::Unavailable("a user's record changed with every attempt to verify the address".into()))
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
