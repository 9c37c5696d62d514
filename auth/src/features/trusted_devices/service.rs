//! Listing trusted devices, and ending the trust. No HTTP.

use super::{FORGET, FORGET_ALL};
use crate::client::ClientAddress;
use crate::core::{Core, Identity, TrustedDeviceInfo};
use crate::error::AuthError;

/// The trusted devices of a user, with the rules and events of the routes.
#[derive(Clone)]
pub struct TrustedDevicesService {
    core: Core,
}

impl TrustedDevicesService {
    pub(super) fn new(core: &Core) -> Self {
        Self { core: core.clone() }
    }

    /// The user's trusted devices: that on which the session has started first, then by their last use (specification §9.65).
    ///
    /// # Errors
    /// [`AuthError::Unavailable`] when the session repository fails.
    pub async fn list(&self, who: &Identity) -> Result<Vec<TrustedDeviceInfo>, AuthError> {
        self.core.devices_of(&who.user_id(), who.session.device_id()).await
    }

    /// Ends the trust in one of the user's devices (specification §9.66). Sessions that have started on it go on.
    ///
    /// # Errors
    /// [`AuthError::NotFound`] if the user has no such device; [`AuthError::PasswordConfirmationRequired`];
    /// [`AuthError::Unauthenticated`] if the session has ended.
    pub async fn forget(&self, who: &Identity, id: &str, client: ClientAddress) -> Result<(), AuthError> {
        self.core.begin(&FORGET, who, client).await?.check_alive().await?;
        match self.core.forget_device(&who.user_id(), id, client).await? {
            true => Ok(()),
            false => Err(AuthError::NotFound),
        }
    }

    /// Ends the trust in all of the user's devices, and returns how many there were (specification §9.67).
    ///
    /// # Errors
    /// [`AuthError::PasswordConfirmationRequired`]; [`AuthError::Unauthenticated`] if the session has ended; [`AuthError::Unavailable`]
    /// when the session repository fails.
    pub async fn forget_all(&self, who: &Identity, client: ClientAddress) -> Result<u64, AuthError> {
        self.core.begin(&FORGET_ALL, who, client).await?.check_alive().await?;
        self.core.forget_devices(&who.user_id(), client).await
    }
}
