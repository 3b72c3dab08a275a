//! Addresses of callers, and the limit of posts from those without a token.

use std::net::IpAddr;

use selo_base::address::neighbourhood;

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
