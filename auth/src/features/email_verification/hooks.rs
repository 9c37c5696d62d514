//! What the feature makes of verified addresses.

use crate::core::{Core, Hooks};
use crate::delivery::AddressChanged;
use crate::user::UserRecord;

/// Has a reset by mail verify the address, and tells a verified address that it was replaced.
pub(super) struct OfAddresses;

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

    fn verifies_by_mail(&self) -> bool {
        true
    }
}
