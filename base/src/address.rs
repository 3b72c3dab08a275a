//! Network addresses of clients, as limits count them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The address that limits count: an IPv6 client has a network of 64 bits for itself.
pub fn neighbourhood(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let network = u128::from(address) & !u128::from(u64::MAX);
            Ipv6Addr::from(network).into()
        }
        address => address,
    }
}

/// True for the address from which services and proxies of this machine connect. The rest of
/// 127.0.0.0/8 is not: nothing connects from there unless it chooses to, and limits hold for it.
pub fn is_this_machine(address: IpAddr) -> bool {
    let address = address.to_canonical();
    address == Ipv4Addr::LOCALHOST || address == Ipv6Addr::LOCALHOST
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn a_network_of_64_bits_is_one_address() {
        let of = |text: &str| neighbourhood(address(text));
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:2"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"));
    }

    #[test]
    fn this_machine_has_two_addresses() {
        for text in ["127.0.0.1", "::1", "::ffff:127.0.0.1"] {
            assert!(is_this_machine(address(text)), "{text}");
        }
        for text in ["127.0.0.2", "::", "::2", "192.0.2.1"] {
            assert!(!is_this_machine(address(text)), "{text}");
        }
    }
}
