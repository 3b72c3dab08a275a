//! Host names of this server, and ranges of addresses. A request's `Host` is compared with the
//! names.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// An address range such as `10.0.0.0/8`, or one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    bits: u8,
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Network, String> {
        let wrong = || format!("'{text}' is not ADDRESS or ADDRESS/BITS");
        let (address, bits) = text
            .split_once('/')
            .map_or((text, None), |(address, bits)| (address, Some(bits)));
        let address: IpAddr = address.parse().map_err(|_| wrong())?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(most), |bits| bits.parse().map_err(|_| wrong()))?;
        if bits > most {
            return Err(wrong());
        }
        Ok(Network { address, bits })
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

impl Network {
    /// Returns true if the address is in the range. An IPv4-mapped IPv6 address counts as IPv4.
    pub fn has(&self, other: IpAddr) -> bool {
        // The bits that differ must all be after the prefix.
        match (self.address.to_canonical(), other.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                let differ = own.to_bits() ^ other.to_bits();
                differ.leading_zeros() >= self.bits.into()
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                let differ = own.to_bits() ^ other.to_bits();
                differ.leading_zeros() >= self.bits.into()
            }
            _ => false,
        }
    }
}

/// Host names by which browsers may reach this server. Others are refused, against DNS rebinding
/// (a stranger's host name that resolves to this server).
#[derive(Debug, Clone, Default)]
pub struct Hosts {
    /// Names accepted in addition to addresses and `localhost`.
    pub names: Vec<String>,
    /// A certificate identifies this server, so browsers accept it under no other name.
    pub certified: bool,
}

impl Hosts {
    pub(super) fn allow(&self, host: &str) -> bool {
        if self.certified && self.names.is_empty() {
            return true;
        }
        let name = without_port(host).trim_end_matches('.');
        let bare = name
            .strip_prefix('[')
            .and_then(|name| name.strip_suffix(']'));
        name.parse::<std::net::Ipv4Addr>().is_ok()
            || bare.is_some_and(|name| name.parse::<std::net::Ipv6Addr>().is_ok())
            || name.eq_ignore_ascii_case("localhost")
            || self.names.iter().any(|own| own.eq_ignore_ascii_case(name))
    }
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_has_its_addresses() {
        for (network, address, has) in [
            ("10.0.0.0/8", "10.200.3.4", true),
            ("10.0.0.0/8", "11.0.0.1", false),
            ("192.0.2.7", "192.0.2.7", true),
            ("192.0.2.7", "192.0.2.8", false),
            ("0.0.0.0/0", "192.0.2.8", true),
            ("2001:db8::/32", "2001:db8:1::2", true),
            ("2001:db8::/32", "2001:db9::", false),
            ("127.0.0.1", "::ffff:127.0.0.1", true),
            ("0.0.0.0/0", "::1", false),
        ] {
            let network: Network = network.parse().expect("a network");
            let address = address.parse().expect("an address");
            assert_eq!(network.has(address), has, "{network} {address}");
        }
        for wrong in ["", "x", "10.0.0.0/33", "10.0.0.0/-1", "::/129", "1.2.3.4/"] {
            assert!(wrong.parse::<Network>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_host_is_an_address_or_a_name_of_ours() {
        let mut hosts = Hosts {
            names: vec!["Farm.example".into()],
            certified: false,
        };
        for own in [
            "127.0.0.1",
            "192.0.2.1:7380",
            "[::1]:7380",
            "[::1]",
            "localhost:7380",
            "LOCALHOST.",
            "farm.example",
            "farm.example.:443",
        ] {
            assert!(hosts.allow(own), "{own}");
        }
        for other in [
            "evil.example",
            "evil.example:7380",
            "127.0.0.1.evil.example",
            "localhost.evil.example",
            "farm.example:x",
            "::1.evil",
            "",
            "127.0.0.1@evil.example",
        ] {
            assert!(!hosts.allow(other), "{other}");
        }
        hosts.certified = true;
        assert!(!hosts.allow("evil.example"));
        hosts.names.clear();
        assert!(hosts.allow("evil.example"));
    }
}
