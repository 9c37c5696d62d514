//! An address is verified by whatever proves that the mailbox is the user's.

use crate::client::ClientAddress;
use crate::core::{ActingSession, Core, Hooks};
use crate::delivery::AddressChanged;
use crate::error::AuthError;
use crate::events::EventKind;
use crate::user::{User, UserRecord};
use async_trait::async_trait;

/// Verifies the address of a user who has reset the password by mail, and tells a verified address that it was replaced.
pub(super) struct OfAddresses;

#[async_trait]
impl Hooks for OfAddresses {
    /// An address that was not verified may be anybody's: nothing is sent to it.
    fn address_left(&self, core: &Core, before: &dyn UserRecord) {
        if before.email_verified_at().is_none() {
            return;
        }
        let email = before.email().to_owned();
        let language = core.language_of(before);
        core.notify(AddressChanged { language, ..AddressChanged::new(email, core.now()) });
    }

    fn verifies_addresses(&self) -> bool {
        true
    }

    async fn mailbox_proven(&self, core: &Core, user: &User, client: ClientAddress) -> Result<(), AuthError> {
        // The record of the request is as old as the check of the token.
        let now = core.users.find_by_id(&user.id_text()).await?;
        let is_proven = |now: &User| now.email() == user.email() && now.email_verified_at().is_none();
        let Some(now) = now.filter(is_proven) else { return Ok(()) };
        core.owner_arrived(&now, client).await?;
        verify(core, &*now, client).await.map(drop)
    }
}

/// Sets `emailVerifiedAt`, if the address is still the same and is not verified. Returns whether it did.
pub(super) async fn verify(
    core: &Core,
    user: &dyn UserRecord,
    client: ClientAddress,
) -> Result<bool, AuthError> {
    announced(core, core.verify_address(user, None).await?, user, client).await
}

/// Verifies the address of the session's user, if the session is still alive.
pub(super) async fn verify_in_session(acting: &ActingSession) -> Result<bool, AuthError> {
    let (core, user) = (acting.core(), acting.user());
    announced(core, core.verify_address(user, Some(acting)).await?, user, acting.client()).await
}

/// Emits the event, if the address was verified. Returns whether it was.
async fn announced(
    core: &Core,
    is_new: bool,
    user: &dyn UserRecord,
    client: ClientAddress,
) -> Result<bool, AuthError> {
    if is_new {
        core.events.emit(EventKind::EmailVerified, Some(user.id_text()), client).await;
    }
    Ok(is_new)
}
