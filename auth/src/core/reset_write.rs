//! The write of a password reset (specification §15.3): it is conditional on what was read when the token was checked.
//!
//! Between the check of a token and the write of the new password the policy is asked and the password is hashed, which can
//! take seconds. If the address or the password changes meanwhile, or the account is suspended, the reset is refused.

use super::Core;
use super::guarded_users::{Guard, Save, sets_password};
use crate::background::LONGEST;
use crate::error::AuthError;
use crate::repository::RepositoryError;
use crate::store::StoreKey;
use crate::user::{User, UserChange};
use async_trait::async_trait;

/// How often a write is tried when logins hash the password again at the same time.
const SAVES: usize = 8;

/// A reset of this user's password with a token that was right.
pub(crate) struct RedeemedReset {
    core: Core,
    user: User,
}

impl RedeemedReset {
    /// `user` is the record as it was read when the token was checked.
    pub(crate) fn of(core: &Core, user: &User) -> Self {
        Self { core: core.clone(), user: User::clone(user) }
    }

    pub(crate) const fn core(&self) -> &Core {
        &self.core
    }

    /// The user's record as it is now.
    ///
    /// # Errors
    /// [`AuthError::InvalidResetToken`] if the account has another address or another password than when the token was
    /// checked, or is not active any more; those of the repository and the store.
    pub(crate) async fn still_valid(&self) -> Result<User, AuthError> {
        let now = self.core.users.find_by_id(&self.user.id_text()).await?;
        let now = self.core.usable(now).await?.filter(|now| now.email() == self.user.email());
        let now = now.ok_or(AuthError::InvalidResetToken)?;
        let is_unchanged = now.password() == self.user.password()
            || self.core.was_only_hashed_again(&self.user, now.password()).await?;
        if is_unchanged { Ok(now) } else { Err(AuthError::InvalidResetToken) }
    }

    /// Writes the new password, if the account still is as [`still_valid`](Self::still_valid) wants it.
    ///
    /// # Errors
    /// Those of `save` and of [`still_valid`](Self::still_valid).
    async fn save(&self, save: Save<'_>) -> Result<User, RepositoryError> {
        let mut refused: Option<String> = None;
        for _ in 0..SAVES {
            let now = self.still_valid().await.map_err(RepositoryError::other)?;
            let hash = now.password().to_owned();
            if refused.as_ref() == Some(&hash) {
                // The record meets both conditions of the module, so another condition of the patch is not met.
                return Err(RepositoryError::Stale);
            }
            let conditions =
                vec![UserChange::Email(now.email().to_owned()), UserChange::Password(hash.clone())];
            match save(conditions).await {
                Err(RepositoryError::Stale) => refused = Some(hash),
                saved => return saved,
            }
        }
        Err(RepositoryError::other("the password was hashed again with every attempt to reset it"))
    }
}

#[async_trait]
impl Guard for RedeemedReset {
    fn guards(&self, user_id: &str, changes: &[UserChange]) -> bool {
        sets_password(changes) && user_id == self.user.id_text()
    }

    async fn write(&self, _: &[UserChange], save: Save<'_>) -> Result<User, RepositoryError> {
        self.save(save).await
    }
}

impl Core {
    /// Must be called before a user's password is stored with another hash of the same password: a reset that is under way
    /// recognises the hash.
    pub(super) async fn hashed_again(&self, user: &User, hash: &str) -> Result<(), AuthError> {
        let (id, before) = (user.id_text(), user.password());
        // No reset is under way for longer.
        self.store.claim(StoreKey::HashedAgain, &[&id, before, hash], LONGEST).await.map(drop)
    }

    /// Whether this hash is the one with which a login has replaced the hash in the record `before`.
    async fn was_only_hashed_again(&self, before: &User, hash: &str) -> Result<bool, AuthError> {
        let (id, before) = (before.id_text(), before.password());
        self.store.exists(StoreKey::HashedAgain, &[&id, before, hash]).await
    }
}
