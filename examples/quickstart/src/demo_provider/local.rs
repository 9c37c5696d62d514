//! Names of this machine.

use axum::http::uri::Authority;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Whether a host is a name of this machine.
pub(crate) fn is_this_machine(authority: &Authority) -> bool {
    let host = authority.host().trim_matches(['[', ']']);
    let is_loopback = |address: IpAddr| address.is_loopback();
    host.eq_ignore_ascii_case("localhost") || host.parse().is_ok_and(is_loopback)
}

/// The host and port of an address as browsers and this process reach it. `localhost` is where the page is opened.
pub(crate) fn name_of(listening: SocketAddr) -> String {
    match listening.ip() {
        IpAddr::V4(Ipv4Addr::LOCALHOST) | IpAddr::V6(Ipv6Addr::LOCALHOST) => {
            format!("localhost:{}", listening.port())
        }
        _ => listening.to_string(),
    }
}
