//! Addresses of callers, and the limit of posts from those without a token.

use std::net::{IpAddr, Ipv6Addr};

use super::attempts::Counts;

/// Maximum posts of one address per minute without a token.
pub const STRANGER_POSTS: u32 = 600;

/// Posts of each address without a token in the current minute.
#[derive(Debug, Default)]
pub struct Strangers(Counts<IpAddr>);

impl Strangers {
    /// Counts one more post; returns false if the address is over its limit.
    pub fn take(&self, address: IpAddr, now: i64) -> bool {
        self.0.take(neighbourhood(address), STRANGER_POSTS, now)
    }
}

/// Masks an IPv6 address to its /64, because one customer controls all 2^64 addresses of it.
pub fn neighbourhood(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => {
            let network = u128::from(v6) & !u128::from(u64::MAX);
            Ipv6Addr::from(network).into()
        }
        v4 => v4,
    }
}
