//! The client's address, as rate limits and events use it, and what else a request tells about its client.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

/// The address of the client: the peer's address, or the address that a trusted proxy reports.
///
/// It is unknown when the host serves without connection info
/// (`axum::Router::into_make_service_with_connect_info::<std::net::SocketAddr>`), and when a service is called
/// without HTTP. The limits count all unknown clients as one client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientAddress(Option<IpAddr>);

impl ClientAddress {
    /// An unknown client.
    pub const UNKNOWN: Self = Self(None);

    /// The address, if it is known.
    #[must_use]
    pub const fn ip(self) -> Option<IpAddr> {
        self.0
    }

    /// The keys under which the limits count this client (specification §18.1).
    pub(crate) fn limit_keys(self) -> ClientKeys {
        let of_ipv4 = |ip: Ipv4Addr| ClientKeys { narrow: ip.to_string(), wide: None };
        match self.0.map(|ip| ip.to_canonical()) {
            None => ClientKeys { narrow: "unknown".to_owned(), wide: None },
            Some(IpAddr::V4(ip)) => of_ipv4(ip),
            Some(IpAddr::V6(ip)) => match ip.segments() {
                // The IPv4 clients of a network that has only IPv6 (RFC 6052 §2.1).
                [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
                    of_ipv4(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)))
                }
                [a, b, c, d, ..] => ClientKeys {
                    narrow: format!("{a:x}:{b:x}:{c:x}:{d:x}::/64"),
                    wide: Some(format!("{a:x}:{b:x}:{c:x}:{:x}::/56", d & 0xff00)),
                },
            },
        }
    }

    /// The narrow key: an IPv4 address or an IPv6 /64 network.
    pub(crate) fn limit_key(self) -> String {
        self.limit_keys().narrow
    }

    /// The wide key: an IPv4 address or an IPv6 /56 network. One line has one.
    pub(crate) fn line_key(self) -> String {
        let ClientKeys { narrow, wide } = self.limit_keys();
        wide.unwrap_or(narrow)
    }
}

/// The keys under which the limits count a client. A device usually has an IPv6 /64 network, and a line a whole /56, so the
/// addresses of one line are counted together, too (specification §18.1).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClientKeys {
    /// The IPv4 address, or the IPv6 /64 network.
    pub(crate) narrow: String,
    /// The /56 network of an IPv6 client.
    pub(crate) wide: Option<String>,
}

impl From<IpAddr> for ClientAddress {
    fn from(ip: IpAddr) -> Self {
        Self(Some(ip))
    }
}

/// The maximum length of a recorded `User-Agent`.
const USER_AGENT: usize = 256;

/// What a request tells about its client: the address, and the `User-Agent` header. A session records it.
///
/// A [`ClientAddress`] alone converts into a description of its client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClientInfo {
    /// The client's address.
    pub address: ClientAddress,
    /// Up to 256 characters of printable ASCII.
    pub user_agent: Option<Arc<str>>,
}

impl ClientInfo {
    /// The client with this `User-Agent`. Bytes outside of printable ASCII are removed, and the rest is truncated.
    #[must_use]
    pub fn with_user_agent(mut self, header: &[u8]) -> Self {
        let printable = header.iter().filter(|byte| (0x20..=0x7e).contains(*byte));
        let text: String = printable.take(USER_AGENT).copied().map(char::from).collect();
        let text = text.trim();
        self.user_agent = (!text.is_empty()).then(|| text.into());
        self
    }
}

impl From<ClientAddress> for ClientInfo {
    fn from(address: ClientAddress) -> Self {
        Self { address, user_agent: None }
    }
}

/// A client, and how the client keeps the session that starts: the argument of methods that start one.
///
/// [`Browser::visitor`](crate::Browser::visitor) is a browser, which keeps its session in a cookie. A [`ClientInfo`] or a
/// [`ClientAddress`] converts into the visitor whose client keeps tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Visitor {
    /// The client.
    pub client: ClientInfo,
    pub(crate) transport: Transport,
    device: VisitorDevice,
}

/// What a visitor says of the device.
#[derive(Clone, Default, PartialEq, Eq)]
struct VisitorDevice {
    /// The token that a client has sent which keeps tokens. It may be invalid.
    token: Option<Arc<str>>,
    /// Whether the device shall be trusted from now on.
    is_to_be_trusted: bool,
}

/// Shows no token.
impl fmt::Debug for VisitorDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VisitorDevice")
            .field("is_to_be_trusted", &self.is_to_be_trusted)
            .finish_non_exhaustive()
    }
}

/// How a client keeps and sends its session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Transport {
    /// In an access token and a refresh token.
    #[default]
    Tokens,
    /// In a cookie of the browser.
    Cookies(BrowserCookies),
}

/// What a request from a browser tells about its sessions.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct BrowserCookies {
    /// Whether a session that starts now outlives the browser's own.
    pub(crate) remember: bool,
    /// Where the browser goes after what starts now.
    pub(crate) next: Option<Arc<str>>,
    /// The session cookie. It may be invalid.
    pub(crate) session: Option<Arc<str>>,
    /// The challenge cookie. It may be invalid.
    pub(crate) challenge: Option<Arc<str>>,
    /// The cookies of visits to providers: the end of the name, and the value. They may be invalid.
    pub(crate) flows: Vec<(Arc<str>, Arc<str>)>,
    /// The cookie of a registration that was begun. It may be invalid.
    pub(crate) registration: Option<Arc<str>>,
    /// The cookie of an identity that can be linked. It may be invalid.
    pub(crate) link: Option<Arc<str>>,
    /// The cookie of a trusted device. It may be invalid.
    pub(crate) device: Option<Arc<str>>,
}

/// Shows no cookie.
impl fmt::Debug for BrowserCookies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BrowserCookies").field("remember", &self.remember).finish_non_exhaustive()
    }
}

impl Transport {
    /// The cookies of a browser. `None` for a client that keeps tokens.
    pub(crate) const fn cookies(&self) -> Option<&BrowserCookies> {
        match self {
            Self::Tokens => None,
            Self::Cookies(cookies) => Some(cookies),
        }
    }
}

impl Visitor {
    /// The address of the client.
    #[must_use]
    pub const fn address(&self) -> ClientAddress {
        self.client.address
    }

    /// A client that keeps its session in this way.
    pub(crate) fn new(client: ClientInfo, transport: Transport) -> Self {
        Self { client, transport, device: VisitorDevice::default() }
    }

    /// Adds the token of a trusted device (TRUSTED_DEVICES), which a client that keeps tokens has got when the device was trusted. An
    /// invalid token counts as no token. Browsers have a cookie, and for them this does nothing.
    ///
    /// ```
    /// use axum_auth_module::client::{ClientAddress, Visitor};
    /// use axum_auth_module::services::{LoginService, SignedIn};
    /// use axum_auth_module::values::{EmailAddress, Password};
    /// use axum_auth_module::AuthError;
    ///
    /// async fn log_in(
    ///     service: &LoginService,
    ///     email: &EmailAddress,
    ///     password: &Password,
    ///     device_token: Option<&str>,
    /// ) -> Result<SignedIn, AuthError> {
    ///     let visitor = Visitor::from(ClientAddress::UNKNOWN).on_device(device_token);
    ///     service.login(email, password, visitor).await
    /// }
    /// ```
    #[must_use]
    pub fn on_device(mut self, token: Option<&str>) -> Self {
        self.device.token = token.map(Into::into);
        self
    }

    /// Has the device trusted from now on (TRUSTED_DEVICES), if the visitor completes a challenge with a one-time code or a passkey.
    #[must_use]
    pub const fn trusting_device(mut self, trusts: bool) -> Self {
        self.device.is_to_be_trusted = trusts;
        self
    }

    /// The token of the device, in a body or in a cookie. It may be invalid.
    pub(crate) fn device_token(&self) -> Option<&str> {
        match &self.transport {
            Transport::Tokens => self.device.token.as_deref(),
            Transport::Cookies(sent) => sent.device.as_deref(),
        }
    }

    /// Whether the device shall be trusted from now on.
    pub(crate) const fn trusts_device(&self) -> bool {
        self.device.is_to_be_trusted
    }

    /// Decides whether a session that starts now outlives the browser's own. Clients that keep tokens ignore it.
    #[must_use]
    pub(crate) fn remembered(mut self, remember: bool) -> Self {
        if let Transport::Cookies(cookies) = &mut self.transport {
            cookies.remember = remember;
        }
        self
    }
}

impl Visitor {
    /// Decides where the browser goes after what starts now.
    #[must_use]
    #[cfg_attr(not(feature = "social-login"), allow(dead_code, reason = "providers alone use it"))]
    pub(crate) fn going_to(mut self, next: Option<&str>) -> Self {
        if let Transport::Cookies(cookies) = &mut self.transport {
            cookies.next = next.map(Into::into);
        }
        self
    }
}

impl From<ClientInfo> for Visitor {
    fn from(client: ClientInfo) -> Self {
        Self::new(client, Transport::Tokens)
    }
}

impl From<ClientAddress> for Visitor {
    fn from(address: ClientAddress) -> Self {
        ClientInfo::from(address).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wide_key_is_an_ipv4_address_or_an_ipv6_line() {
        let key = |text: &str| ClientAddress::from(text.parse::<IpAddr>().unwrap()).line_key();
        assert_eq!(key("192.0.2.7"), "192.0.2.7");
        assert_eq!(key("64:ff9b::192.0.2.7"), "192.0.2.7");
        assert_eq!(key("2001:db8:1:200::1"), "2001:db8:1:200::/56");
        assert_eq!(key("2001:db8:1:200::1"), key("2001:db8:1:2ff:ffff::9"));
        assert_ne!(key("2001:db8:1:200::1"), key("2001:db8:1:300::1"));
        // A /56 and the first /64 in it are two clients.
        let keys = ClientAddress::from("2001:db8:1:200::1".parse::<IpAddr>().unwrap()).limit_keys();
        assert_ne!(Some(keys.narrow), keys.wide);
    }

    #[test]
    fn the_limit_key_is_an_ipv4_address_or_an_ipv6_network() {
        let key = |text: &str| ClientAddress::from(text.parse::<IpAddr>().unwrap()).limit_key();
        assert_eq!(key("192.0.2.7"), key("::ffff:192.0.2.7"));
        assert_eq!(key("2001:db8:1:2:3::1"), key("2001:db8:1:2:ffff::9"));
        assert_ne!(key("2001:db8:1:2::1"), key("2001:db8:1:3::1"));
        assert_eq!(key("64:ff9b::192.0.2.7"), key("192.0.2.7"));
    }
}
