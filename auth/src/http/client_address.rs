//! The address of the client: the peer's address, or the address that a trusted proxy reports (specification §18).

use crate::client::{ClientAddress, Visitor};
use axum::extract::ConnectInfo;
use axum::http::header::USER_AGENT;
use axum::http::{Extensions, HeaderMap};
use ipnet::IpNet;
use std::net::{IpAddr, SocketAddr};
use std::sync::Once;

/// The client's address, and its `User-Agent`.
pub(crate) fn visitor(extensions: &Extensions, headers: &HeaderMap, trusted: &[IpNet]) -> Visitor {
    let visitor = Visitor::from(client_address(extensions, headers, trusted));
    match headers.get(USER_AGENT) {
        Some(user_agent) => visitor.user_agent(user_agent.as_bytes()),
        None => visitor,
    }
}

/// The client's address.
///
/// It is the peer's address, unless the peer is a trusted proxy. Then `X-Forwarded-For` is read from right to left,
/// because each proxy appends the address of its own peer. The first address that is not a trusted proxy is the client;
/// the client can have forged all entries to its left. An entry that is not an address ends the chain, and the last
/// trusted proxy is the client.
fn client_address(extensions: &Extensions, headers: &HeaderMap, trusted: &[IpNet]) -> ClientAddress {
    let Some(ConnectInfo(peer)) = extensions.get::<ConnectInfo<SocketAddr>>() else {
        warn_once();
        return ClientAddress::UNKNOWN;
    };
    let is_trusted = |ip: IpAddr| trusted.iter().any(|network| network.contains(&ip));
    let mut client = peer.ip().to_canonical();
    let forwarded: Vec<&str> = headers
        .get_all("x-forwarded-for")
        .iter()
        .flat_map(|value| value.to_str().unwrap_or_default().split(','))
        .collect();
    for entry in forwarded.into_iter().rev() {
        if !is_trusted(client) {
            break;
        }
        let Some(ip) = address(entry.trim()) else { break };
        client = ip;
    }
    client.into()
}

/// Parses an entry of `X-Forwarded-For`: an address with or without a port. An IPv6 address can have brackets and a
/// zone.
fn address(entry: &str) -> Option<IpAddr> {
    let entry = entry.split_once('%').map_or(entry, |(address, _zone)| address.trim_start_matches('['));
    let bracketed = || entry.strip_prefix('[')?.split_once(']').map(|(address, _port)| address)?.parse().ok();
    let with_port = || entry.parse::<SocketAddr>().map(|address| address.ip()).ok();
    let ip: Option<IpAddr> = entry.parse().ok().or_else(with_port).or_else(bracketed);
    ip.map(|ip| ip.to_canonical())
}

/// Without connection info the limits count all clients as one.
fn warn_once() {
    static WARNED: Once = Once::new();
    WARNED.call_once(|| {
        tracing::warn!(
            "requests carry no peer address, so all clients share one limit: \
             serve with `into_make_service_with_connect_info::<std::net::SocketAddr>()`"
        );
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(peer: &str, forwarded: &[&str]) -> String {
        let mut extensions = Extensions::new();
        extensions.insert(ConnectInfo(SocketAddr::new(peer.parse().unwrap(), 1)));
        let mut headers = HeaderMap::new();
        for value in forwarded {
            headers.append("x-forwarded-for", value.parse().unwrap());
        }
        let trusted = ["10.0.0.0/8".parse().unwrap(), "fd00::/8".parse().unwrap()];
        client_address(&extensions, &headers, &trusted).ip().unwrap().to_string()
    }

    #[test]
    fn the_header_of_an_untrusted_peer_is_ignored() {
        assert_eq!(client("192.0.2.1", &["198.51.100.7"]), "192.0.2.1");
        assert_eq!(client("::ffff:192.0.2.1", &["198.51.100.7"]), "192.0.2.1");
    }

    #[test]
    fn the_header_of_a_trusted_proxy_is_read_from_right_to_left() {
        assert_eq!(client("10.0.0.1", &["198.51.100.7"]), "198.51.100.7");
        assert_eq!(client("10.0.0.1", &["203.0.113.9, 198.51.100.7, 10.0.0.2"]), "198.51.100.7");
        assert_eq!(client("10.0.0.1", &["203.0.113.9", "198.51.100.7"]), "198.51.100.7");
        assert_eq!(client("10.0.0.1", &[]), "10.0.0.1");
    }

    #[test]
    fn ports_brackets_and_zones_are_accepted_and_an_invalid_entry_ends_the_chain() {
        assert_eq!(client("10.0.0.1", &["198.51.100.7:4711"]), "198.51.100.7");
        assert_eq!(client("10.0.0.1", &["[2001:db8::1]:4711"]), "2001:db8::1");
        assert_eq!(client("10.0.0.1", &["[2001:db8::1]"]), "2001:db8::1");
        assert_eq!(client("10.0.0.1", &["fe80::1%eth0"]), "fe80::1");
        assert_eq!(client("10.0.0.1", &["198.51.100.7, unknown, 10.0.0.2"]), "10.0.0.2");
        assert_eq!(client("10.0.0.1", &["198.51.100.7,"]), "10.0.0.1");
    }
}
