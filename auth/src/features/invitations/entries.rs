//! The token of an invitation, and what the store keeps about the newest one of a user (specification §15.12).

use crate::config::LONGEST_INVITATION;
use crate::core::{Core, Flow, FlowContent};
use crate::error::AuthError;
use crate::store::StoreKey;
use serde::{Deserialize, Serialize};

/// What the token of an invitation holds.
#[derive(Serialize, Deserialize)]
pub(super) struct InvitationToken {
    /// The user's id.
    pub(super) sub: String,
    /// The address to which it went.
    pub(super) email: String,
}

impl FlowContent for InvitationToken {
    const PURPOSE: &'static str = "invitation";
}

/// The newest invitation of a user.
#[derive(Serialize, Deserialize)]
pub(super) struct NewestInvitation {
    /// The `jti` of its token.
    #[serde(rename = "of")]
    pub(super) token_id: String,
}

impl FlowContent for NewestInvitation {
    const PURPOSE: &'static str = "newest-invitation";
}

/// The entry of one user.
pub(super) struct Entry<'a> {
    core: &'a Core,
    user_id: &'a str,
}

impl<'a> Entry<'a> {
    pub(super) const fn of(core: &'a Core, user_id: &'a str) -> Self {
        Self { core, user_id }
    }

    pub(super) async fn newest(&self) -> Result<Option<Flow<NewestInvitation>>, AuthError> {
        self.core.kept(StoreKey::Invitation, &[self.user_id]).await
    }

    /// Replaces the invitation of the user.
    pub(super) async fn set(&self, token: &Flow<InvitationToken>) -> Result<(), AuthError> {
        self.end().await?;
        let newest = NewestInvitation { token_id: token.jti.clone() };
        let lifetime = self.core.config.invitations.lifetime;
        self.core.keep(StoreKey::Invitation, &[self.user_id], newest, lifetime).await
    }

    /// Ends the invitation of the user, if there is one. Who accepts claims the token as well, so one of both wins.
    pub(super) async fn end(&self) -> Result<(), AuthError> {
        let Some(newest) = self.newest().await? else { return Ok(()) };
        // Whatever the option was when it was mailed.
        self.core.use_mail_token(&newest.content.token_id, LONGEST_INVITATION).await?;
        self.core.store.delete(StoreKey::Invitation, &[self.user_id]).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::is_golden;

    /// Mails in people's mailboxes, and entries of stores, that a later release must be able to read.
    #[test]
    fn the_golden_documents_of_invitations() {
        is_golden::<InvitationToken>("invitation", r#"{"sub":"7","email":"ada@example.com"}"#);
        is_golden::<NewestInvitation>("newest-invitation", r#"{"of":"ID"}"#);
    }
}
