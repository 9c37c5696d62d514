//! What ends an invitation, beside a newer one: everything by which the account gets or loses a password in another way.

use super::entries::Entry;
use crate::clock::rfc3339;
use crate::core::{ChangedCredential, Core, Hooks, Identity};
use crate::error::AuthError;
use crate::user::User;
use async_trait::async_trait;
use serde_json::{Value, json};

pub(super) struct OfInvitations;

#[async_trait]
impl Hooks for OfInvitations {
    async fn credentials_changed(
        &self,
        core: &Core,
        who: &Identity,
        changed: ChangedCredential,
    ) -> Result<(), AuthError> {
        if changed != ChangedCredential::Password {
            return Ok(());
        }
        let id = who.user_id();
        let ended = Entry::of(core, &id).end().await;
        match ended {
            // While the account has a password, nobody can accept. The removal of the password ends the invitation.
            Err(_) if core.users.find_by_id(&id).await?.is_some_and(|now| now.has_password()) => Ok(()),
            ended => ended,
        }
    }

    /// A mail from before may be in the mailbox of somebody else.
    async fn recovery_ending(&self, core: &Core, user: &User) -> Result<(), AuthError> {
        Entry::of(core, &user.id_text()).end().await
    }

    async fn stored_about(
        &self,
        core: &Core,
        user: &User,
    ) -> Result<Option<(&'static str, Value)>, AuthError> {
        let newest = Entry::of(core, &user.id_text()).newest().await?;
        Ok(newest.map(|newest| ("invitation", json!({ "expiresAt": rfc3339(newest.expires_at()) }))))
    }

    async fn account_closing(&self, core: &Core, user: &User) -> Result<(), AuthError> {
        Entry::of(core, &user.id_text()).end().await
    }
}
