//! What a module logs once, because each request would repeat it.

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
            tracing::warn!(
                "requests carry no peer address, so all clients share one limit: \
                 serve with `into_make_service_with_connect_info::<std::net::SocketAddr>()`"
            );
        });
    }

    /// If the peer is a proxy, the limits count all of its clients as one.
    pub(crate) fn untrusted_proxy(&self) {
        self.untrusted_proxy.call_once(|| {
            tracing::warn!(
                "a request has `X-Forwarded-For`, but its peer is not one of the `trusted_proxies` \
                 (AUTH_TRUSTED_PROXIES), so the header is ignored: if the peer is your proxy, all of its clients share one limit"
            );
        });
    }
}
