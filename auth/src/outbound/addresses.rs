//! Which addresses a request may reach.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether a connection to this address is allowed: without TLS to this machine alone, and to what is not public only if the
/// configuration of the program names the host.
pub(super) fn is_allowed(address: IpAddr, has_tls: bool, is_configured: bool) -> bool {
    match address.to_canonical() {
        address if address.is_loopback() => is_configured,
        address => has_tls && (is_configured || is_public(address)),
    }
}

/// Whether anybody on the Internet reaches this address: what IANA's registries of special-purpose addresses do not name.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    !matches!(
        address.octets(),
        // This network, private networks, shared address space, this machine.
        [0 | 10 | 127, ..]
            | [100, 64..=127, ..]
            | [172, 16..=31, ..]
            | [192, 168, ..]
            // Of this link: also where clouds tell their machines their credentials.
            | [169, 254, ..]
            // Protocol assignments, and what was for 6to4.
            | [192, 0, 0, _]
            | [192, 88, 99, _]
            // Documentation, and measurements.
            | [192, 0, 2, _]
            | [198, 51, 100, _]
            | [203, 0, 113, _]
            | [198, 18..=19, ..]
            // Multicast, and what is reserved, with the address of everybody.
            | [224..=255, ..]
    )
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    match address.segments() {
        // An IPv4 address behind NAT64 (RFC 6052 §2.1), with which networks without IPv4 reach servers without IPv6.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            is_public_v4(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)))
        }
        // Protocol assignments: Teredo, which has an IPv4 address in it, measurements, identifiers that nobody routes.
        [0x2001, 0..=0x1ff, ..] => false,
        // Documentation.
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => false,
        // 6to4, which has an IPv4 address in it and which no network uses any more.
        [0x2002, ..] => false,
        // The only addresses that IANA has given to networks.
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_this_machine_or_its_network_reaches_is_not_public() {
        for private in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "10.255.255.255",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.0.192",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.0.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::7f00:1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::127.0.0.1",
            "64:ff9b::192.168.0.1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:0:7f00:1::1",
            "2001:2::1",
            "2001:20::1",
            "2001:1ff::1",
            "2001:db8::1",
            "2002:7f00:1::1",
            "2002:c0a8:1::1",
            "3fff::1",
            "3fff:fff::1",
            "4000::1",
            "5f00::1",
            "fc00::1",
            "fd12:3456::1",
            "fe80::1",
            "febf::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(private.parse().unwrap()), "{private}");
        }
    }

    #[test]
    fn what_the_internet_reaches_is_public() {
        for public in [
            "1.1.1.1",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.1",
            "192.167.0.1",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "::ffff:1.1.1.1",
            "64:ff9b::1.1.1.1",
            "2001:200::1",
            "2001:db7::1",
            "2001:4860:4860::8888",
            "2606:4700::1111",
            "3fff:1000::1",
        ] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
    }

    #[test]
    fn without_tls_this_machine_alone_is_reached_and_only_if_it_is_configured() {
        // The address, with TLS; of a host that is configured, with TLS; and that, without TLS.
        for (address, allowed) in [
            ("127.0.0.1", [false, true, true]),
            ("::ffff:127.0.0.1", [false, true, true]),
            ("::1", [false, true, true]),
            ("10.0.0.1", [false, true, false]),
            ("169.254.169.254", [false, true, false]),
            ("fd00::1", [false, true, false]),
            ("0.0.0.0", [false, true, false]),
            ("1.1.1.1", [true, true, false]),
            ("2606:4700::1111", [true, true, false]),
        ] {
            let ip = address.parse().unwrap();
            let found =
                [(true, false), (true, true), (false, true)].map(|(tls, own)| is_allowed(ip, tls, own));
            assert_eq!(found, allowed, "{address}");
            assert!(!is_allowed(ip, false, false), "{address}");
        }
    }
}
