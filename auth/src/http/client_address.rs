//! The address of the client: the peer's address, or the address that a trusted proxy reports (specification §18).

use crate::client::{ClientAddress, ClientInfo};
use crate::core::Core;
use axum::extract::ConnectInfo;
use axum::http::header::USER_AGENT;
use axum::http::{Extensions, HeaderMap};
use ipnet::IpNet;
use std::net::{IpAddr, SocketAddr};
use std::str;

const FORWARDED_FOR: &str = "x-forwarded-for";

/// The client's address, and its `User-Agent`.
pub(crate) fn client(core: &Core, extensions: &Extensions, headers: &HeaderMap) -> ClientInfo {
    let address = match extensions.get::<ConnectInfo<SocketAddr>>() {
        Some(ConnectInfo(peer)) => {
            let (peer, trusted) = (peer.ip().to_canonical(), &core.config.trusted_proxies);
            if headers.contains_key(FORWARDED_FOR) && !is_trusted(peer, trusted) {
                core.warnings.untrusted_proxy();
            }
            client_address(peer, headers, trusted).into()
        }
        None => {
            core.warnings.no_peer_address();
            ClientAddress::UNKNOWN
        }
    };
    let client = ClientInfo::from(address);
    match headers.get(USER_AGENT) {
        Some(user_agent) => client.with_user_agent(user_agent.as_bytes()),
        None => client,
    }
}

/// The client's address.
///
/// It is the peer's address, unless the peer is a trusted proxy. Then `X-Forwarded-For` is read from right to left,
/// because each proxy appends the address of its own peer. The first address that is not a trusted proxy is the client;
/// the client can have forged all entries to its left, so they are not looked at. An entry that is not an address ends the
/// chain, and the last trusted proxy is the client.
fn client_address(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let values = headers.get_all(FORWARDED_FOR).iter().rev();
    let mut entries = values.flat_map(|value| value.as_bytes().rsplit(|byte| *byte == b','));
    let mut client = peer;
    while is_trusted(client, trusted) {
        let Some(ip) = entries.next().and_then(|entry| address(str::from_utf8(entry).ok()?.trim())) else {
            break;
        };
        client = ip;
    }
    client
}

fn is_trusted(ip: IpAddr, trusted: &[IpNet]) -> bool {
    trusted.iter().any(|network| network.contains(&ip))
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

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn client(peer: &str, forwarded: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for value in forwarded {
            headers.append(FORWARDED_FOR, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        let trusted = ["10.0.0.0/8".parse().unwrap(), "fd00::/8".parse().unwrap()];
        client_address(peer.parse().unwrap(), &headers, &trusted).to_string()
    }

    #[test]
    fn the_header_of_an_untrusted_peer_is_ignored() {
        assert_eq!(client("192.0.2.1", &["198.51.100.7"]), "192.0.2.1");
    }

    #[test]
    fn what_the_client_wrote_before_its_address_does_not_hide_it() {
        for forged in ["é", "\u{1f600}, 10.0.0.7", "10.0.0.9, ,,", "\t"] {
            assert_eq!(client("10.0.0.1", &[&format!("{forged}, 198.51.100.7")]), "198.51.100.7");
            assert_eq!(client("10.0.0.1", &[forged, "198.51.100.7, 10.0.0.2"]), "198.51.100.7");
        }
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
