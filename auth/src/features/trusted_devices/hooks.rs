//! How trusted devices take part in the rest of the module.

use crate::clock::rfc3339;
use crate::core::{Core, Hooks};
use crate::error::AuthError;
use crate::user::User;
use async_trait::async_trait;
use serde_json::{Value, json};

/// Has the core look for trusted devices.
pub(super) struct Devices;

#[async_trait]
impl Hooks for Devices {
    fn trusts_devices(&self) -> bool {
        true
    }

    async fn stored_about(
        &self,
        core: &Core,
        user: &User,
    ) -> Result<Option<(&'static str, Value)>, AuthError> {
        let devices = core.devices_of(&user.id_text(), None).await?;
        let devices = devices.into_iter().map(|device| {
            json!({
                "id": device.id,
                "createdAt": rfc3339(device.created_at),
                "lastUsedAt": rfc3339(device.last_used_at),
                "expiresAt": rfc3339(device.expires_at),
                "client": device.client,
                "userAgent": device.user_agent,
            })
        });
        Ok(Some(("trustedDevices", devices.collect())))
    }
}
