//! The addresses that a channel may reach. A channel may reach this network and this machine,
//! because most mail servers and ntfy servers of a site are there. It never reaches an address
//! that no such server has: among them are the servers from which a machine in a cloud gets its
//! keys.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use ureq::Error;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

/// Servers of clouds with the keys of a machine, outside of the link-local addresses: Amazon's by
/// IPv6, Alibaba's, Oracle's.
const KEYS: [IpAddr; 3] = [
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V4(Ipv4Addr::new(192, 0, 0, 192)),
];

/// Why an address is refused.
const REFUSED: &str = "its address is link-local, multicast or unspecified, or has a cloud's keys";

/// Returns true if a channel may send to this address.
pub fn is_allowed(address: IpAddr) -> bool {
    let address = match address.to_canonical() {
        IpAddr::V6(v6) => embedded(v6).map_or(IpAddr::V6(v6), IpAddr::V4),
        v4 => v4,
    };
    let is_local = match address {
        IpAddr::V4(v4) => v4.is_link_local() || v4.is_broadcast(),
        IpAddr::V6(v6) => v6.is_unicast_link_local(),
    };
    let is_server = !is_local && !address.is_unspecified() && !address.is_multicast();
    is_server && !KEYS.contains(&address)
}

/// The IPv4 address that a NAT64 gateway would reach [RFC6052, 2.1].
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    match address.octets() {
        [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0, a, b, c, d] => {
            Some(Ipv4Addr::new(a, b, c, d))
        }
        _ => None,
    }
}

/// The allowed ones of the addresses that a name has. The name is looked up once, and the
/// connection goes to these addresses, so a name cannot change in between.
pub fn allowed(found: impl IntoIterator<Item = SocketAddr>) -> io::Result<Vec<SocketAddr>> {
    let found: Vec<SocketAddr> = found
        .into_iter()
        .filter(|address| is_allowed(address.ip()))
        .collect();
    if found.is_empty() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, REFUSED));
    }
    Ok(found)
}

/// Looks names up, and drops the addresses that are refused.
#[derive(Debug, Default)]
pub(super) struct Reach(DefaultResolver);

impl Resolver for Reach {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, Error> {
        let found = self.0.resolve(uri, config, timeout)?;
        let mut kept = self.empty();
        for address in allowed(found.iter().copied())? {
            kept.push(address);
        }
        Ok(kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_network_is_reached_and_a_clouds_keys_are_not() {
        let allowed = |text: &str| is_allowed(text.parse().expect("an address"));
        for good in [
            "127.0.0.1",
            "::1",
            "10.0.0.5",
            "192.168.1.9",
            "100.64.0.7",
            "fd12::1",
            "203.0.113.4",
            "2001:db8::1",
        ] {
            assert!(allowed(good), "{good}");
        }
        for bad in [
            "169.254.169.254",
            "::ffff:169.254.169.254",
            "64:ff9b::a9fe:a9fe",
            "fe80::1",
            "0.0.0.0",
            "::",
            "::ffff:0.0.0.0",
            "224.0.0.1",
            "255.255.255.255",
            "ff02::1",
            "fd00:ec2::254",
            "100.100.100.200",
            "192.0.0.192",
        ] {
            assert!(!allowed(bad), "{bad}");
        }
    }
}
