//! What a module logs once, because each request would repeat it.

use crate::telemetry::log;
use std::sync::Once;

/// The warnings that were logged.
pub(crate) struct Warnings {
    no_peer_address: Once,
    untrusted_proxy: Once,
}

impl Warnings {
    pub(super) const fn new() -> Self {
        Self { no_peer_address: Once::new(), untrusted_proxy: Once::new() }
    }

    /// Without the peer's address the limits count all clients as one.
    pub(crate) fn no_peer_address(&self) {
        self.no_peer_address.call_once(|| {
            log::no_peer_address();
        });
    }

    /// If the peer is a proxy, the limits count all of its clients as one.
    pub(crate) fn untrusted_proxy(&self) {
        self.untrusted_proxy.call_once(|| {
            log::untrusted_proxy();
        });
    }
}
