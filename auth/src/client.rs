//! Who is at the other end, as far as limits and events are concerned.

use std::net::IpAddr;

/// The address a request comes from: the peer's, or the one that a trusted proxy vouches for.
///
/// Unknown when the host serves without connection info
/// (`axum::Router::into_make_service_with_connect_info::<std::net::SocketAddr>`) and when a service is called
/// without HTTP. All unknown clients are one client to the limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientAddress(Option<IpAddr>);

impl ClientAddress {
    /// A client that is not known.
    pub const UNKNOWN: Self = Self(None);

    /// The address, if it is known.
    #[must_use]
    pub const fn ip(self) -> Option<IpAddr> {
        self.0
    }

    /// Whose attempts the limits count: the IPv4 address, or the IPv6 network of 64 bits, which is what one customer
    /// is given (specification §18.1).
    pub(crate) fn limit_key(self) -> String {
        match self.0.map(|ip| ip.to_canonical()) {
            None => "unknown".to_owned(),
            Some(IpAddr::V4(ip)) => ip.to_string(),
            Some(IpAddr::V6(ip)) => {
                let [a, b, c, d, ..] = ip.segments();
                format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
            }
        }
    }
}

impl From<IpAddr> for ClientAddress {
    fn from(ip: IpAddr) -> Self {
        Self(Some(ip))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_client_is_an_ipv4_address_or_an_ipv6_network() {
        let key = |text: &str| ClientAddress::from(text.parse::<IpAddr>().unwrap()).limit_key();
        assert_eq!(key("192.0.2.7"), key("::ffff:192.0.2.7"));
        assert_eq!(key("2001:db8:1:2:3::1"), key("2001:db8:1:2:ffff::9"));
        assert_ne!(key("2001:db8:1:2::1"), key("2001:db8:1:3::1"));
    }
}
