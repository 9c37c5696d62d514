//! TRUSTED_DEVICES: a user who has proven the second factor on a device is not asked for it there for some weeks.
//!
//! **Needs** no provider: a trusted device is a row of the session repository.
//!
//! The device is looked for at a sign-in, in `core::sign_in`, and its row is in `core::session::devices`. The feature switches this on, and
//! lists and ends the trust.

mod handlers;
mod hooks;
mod service;

pub use service::TrustedDevicesService;

use crate::endpoint::{
    Confirmation, Credential, Endpoint, EndpointField, EndpointFieldKind, EndpointResponse,
};
use crate::error::ErrorCode;
use crate::events::EventName;
use crate::feature::Feature;
use crate::module::{AuthModuleBuilder, Pending};
use crate::user::AuthUser;
use hooks::Devices;

/// A device in the list.
const ITEM: &[EndpointField] = &[
    EndpointField::required("id", EndpointFieldKind::NonEmptyText),
    EndpointField::required("current", EndpointFieldKind::Bool),
    EndpointField::required("createdAt", EndpointFieldKind::Time),
    EndpointField::required("lastUsedAt", EndpointFieldKind::Time),
    EndpointField::required("expiresAt", EndpointFieldKind::Time),
    EndpointField::required("client", EndpointFieldKind::OrNull(&EndpointFieldKind::Text)),
    EndpointField::required("userAgent", EndpointFieldKind::OrNull(&EndpointFieldKind::Text)),
];

const LIST: Endpoint = Endpoint::get("/user/trusted-devices", "listTrustedDevices")
    .of(Feature::TrustedDevices)
    .summary("Returns the user's trusted devices, that of the session first.")
    .requires(Credential::Session)
    .returns(&[EndpointResponse::object(
        "TrustedDevices",
        &[EndpointField::required("devices", EndpointFieldKind::List(&EndpointFieldKind::Object(ITEM)))],
    )]);

const FORGET: Endpoint = Endpoint::delete("/user/trusted-devices/{id}", "forgetTrustedDevice")
    .of(Feature::TrustedDevices)
    .summary("Ends the trust in one of the user's devices; the sessions there go on.")
    .requires(Credential::RecentConfirmation)
    .confirmed_by(Confirmation::step_up)
    .changes_cookies()
    .emits(&[EventName::DeviceForgotten])
    .refuses(&[ErrorCode::NotFound]);

const FORGET_ALL: Endpoint = Endpoint::delete("/user/trusted-devices", "forgetTrustedDevices")
    .of(Feature::TrustedDevices)
    .summary("Ends the trust in all of the user's devices; the sessions there go on.")
    .requires(Credential::RecentConfirmation)
    .confirmed_by(Confirmation::step_up)
    .changes_cookies()
    .returns(&[EndpointResponse::object(
        "TrustedDevicesForgotten",
        &[EndpointField::MESSAGE, EndpointField::required("ended", EndpointFieldKind::Number)],
    )])
    .emits(&[EventName::DeviceForgotten]);

impl<U: AuthUser> AuthModuleBuilder<U> {
    /// TRUSTED_DEVICES: the field `trustDevice` of `POST /two-factor-challenge`, devices in the place of the second factor at each sign-in,
    /// and the `/user/trusted-devices` routes. It needs no provider.
    pub fn trusted_devices(self) -> Self {
        self.mount(pending())
    }
}

fn pending() -> Pending {
    Pending::new(TrustedDevicesService::new).with_hooks(Devices)
}
