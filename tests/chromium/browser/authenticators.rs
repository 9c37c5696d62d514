//! Authenticators in the memory of the browser (WebAuthn Level 3 §11): devices that have passkeys.

use super::Browser;
use super::commands::{delete, get, post};
use serde_json::{Value, json};

/// A device with passkeys.
pub(crate) struct Device(String);

/// What kind of device it is.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    /// The computer itself, which asks its user for a fingerprint.
    Computer,
    /// A security key on USB.
    SecurityKey,
}

impl Browser {
    /// Connects a device. Its user touches it as soon as the browser asks, and is verified by it.
    pub(crate) async fn connect(&self, kind: Kind) -> Device {
        let options = json!({
            "protocol": "ctap2",
            "transport": if kind == Kind::Computer { "internal" } else { "usb" },
            "hasResidentKey": true,
            "hasUserVerification": true,
            "isUserVerified": true,
            "isUserConsenting": true,
            "defaultBackupEligibility": kind == Kind::Computer,
            "defaultBackupState": kind == Kind::Computer,
        });
        let id = post(&self.client, "webauthn/authenticator", options).await;
        Device(id.as_str().expect("an id").to_owned())
    }

    pub(crate) async fn disconnect(&self, device: Device) {
        delete(&self.client, &format!("webauthn/authenticator/{}", device.0)).await;
    }

    /// Whether the user touches the device when the browser asks for a passkey, from now on. A request of the browser while the user does
    /// not touch the device is never completed, and a conditional request of a page that opens later is completed at once.
    pub(crate) async fn is_touched(&self, device: &Device, is_touched: bool) {
        let parameters = json!({ "authenticatorId": device.0, "enabled": is_touched });
        self.devtools("WebAuthn.setAutomaticPresenceSimulation", parameters).await;
    }

    /// Whether the device recognizes its user from now on.
    pub(crate) async fn recognizes_its_user(&self, device: &Device, is_verified: bool) {
        let path = format!("webauthn/authenticator/{}/uv", device.0);
        post(&self.client, &path, json!({ "isUserVerified": is_verified })).await;
    }

    /// The passkeys of a device: what an authenticator stores of each.
    pub(crate) async fn passkeys(&self, device: &Device) -> Vec<Value> {
        let passkeys = get(&self.client, &format!("webauthn/authenticator/{}/credentials", device.0)).await;
        passkeys.as_array().expect("a list").clone()
    }

    /// Puts a passkey on a device, as [`passkeys`](Self::passkeys) returns it.
    pub(crate) async fn store_passkey(&self, device: &Device, passkey: Value) {
        post(&self.client, &format!("webauthn/authenticator/{}/credential", device.0), passkey).await;
    }
}
