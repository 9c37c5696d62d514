//! An address is verified by whatever proves that the mailbox is the user's.

use crate::client::ClientAddress;
use crate::clock::whole_seconds;
use crate::core::{ActingSession, Core, Hooks, Patch};
use crate::delivery::{AddressChanged, Delivers, EmailVerificationMessage};
use crate::error::AuthError;
use crate::events::EventKind;
use crate::repository::RepositoryError;
use crate::telemetry::{cause, log};
use crate::user::{User, UserChange, UserRecord};
use async_trait::async_trait;
use std::sync::Arc;

/// Verifies the address of a user who has reset the password by mail, and tells a verified address that it was replaced.
pub(super) struct OfAddresses {
    pub(super) delivery: Arc<dyn Delivers<EmailVerificationMessage>>,
}

#[async_trait]
impl Hooks for OfAddresses {
    /// An address that was not verified may be anybody's: nothing is sent to it.
    fn address_left(&self, core: &Core, before: &dyn UserRecord) {
        if before.email_verified_at().is_none() {
            return;
        }
        let email = before.email().to_owned();
        let delivery = Arc::clone(&self.delivery);
        let notice =
            AddressChanged { language: core.language_of(before), ..AddressChanged::new(email, core.now()) };
        core.background.spawn("telling the previous address of an account", async move {
            if let Err(error) = delivery.address_changed(notice).await {
                log::previous_address_not_told(cause(&*error));
            }
        });
    }

    fn verifies_addresses(&self) -> bool {
        true
    }

    async fn mailbox_proven(&self, core: &Core, user: &User, client: ClientAddress) -> Result<(), AuthError> {
        if user.email_verified_at().is_some() {
            return Ok(());
        }
        core.owner_arrived(user, client).await?;
        verify(core, &**user, client).await.map(drop)
    }
}

/// Sets `emailVerifiedAt`, if the address is still the same and is not verified. Returns whether it did.
pub(super) async fn verify(
    core: &Core,
    user: &dyn UserRecord,
    client: ClientAddress,
) -> Result<bool, AuthError> {
    let saved = core.users.save(verifying(core, user)).await;
    is_verified(core, saved, client).await
}

/// The same in the name of a session.
pub(super) async fn verify_in_session(acting: &ActingSession) -> Result<bool, AuthError> {
    let saved = acting.save(verifying(acting.core(), acting.user())).await;
    is_verified(acting.core(), saved, acting.client()).await
}

/// The patch that verifies an address, if it is still the same and is not verified.
fn verifying(core: &Core, user: &dyn UserRecord) -> Patch {
    Patch::of(user)
        .with(UserChange::EmailVerifiedAt(Some(whole_seconds(core.now()))))
        .only_if(UserChange::Email(user.email().to_owned()))
        .only_if(UserChange::EmailVerifiedAt(None))
}

/// Whether the patch was written. Emits the event.
async fn is_verified(
    core: &Core,
    saved: Result<User, RepositoryError>,
    client: ClientAddress,
) -> Result<bool, AuthError> {
    let user = match saved {
        Err(RepositoryError::Stale) => return Ok(false),
        saved => saved?,
    };
    core.events.emit(EventKind::EmailVerified, Some(user.id_text()), client).await;
    Ok(true)
}
