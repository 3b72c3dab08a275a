//! Limits the log to one line per minute and address, however much a stranger does.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use selo_base::address::neighbourhood;

/// How long an address is quiet after a line.
const QUIET: Duration = Duration::from_secs(60);
/// Maximum addresses that are remembered. Further ones share one entry.
const ADDRESSES: usize = 1024;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Throttle {
    last: HashMap<IpAddr, (Instant, u64)>,
}

impl Throttle {
    /// Returns the number of lines suppressed since the last one if a line about this address may
    /// be logged now, else `None`.
    pub fn ask(&mut self, address: IpAddr) -> Option<u64> {
        self.ask_at(address, Instant::now())
    }

    fn ask_at(&mut self, address: IpAddr, now: Instant) -> Option<u64> {
        let mut key = neighbourhood(address);
        if self.last.len() >= ADDRESSES && !self.last.contains_key(&key) {
            self.last
                .retain(|_, (since, _)| now.duration_since(*since) < QUIET);
            if self.last.len() >= ADDRESSES {
                key = IpAddr::from([0, 0, 0, 0]);
            }
        }
        let Some((since, before)) = self.last.get_mut(&key) else {
            self.last.insert(key, (now, 0));
            return Some(0);
        };
        if now.duration_since(*since) < QUIET {
            *before += 1;
            return None;
        }
        *since = now;
        Some(std::mem::take(before))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_line_a_minute_and_its_count() {
        let mut throttle = Throttle::default();
        let (one, other) = (IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2]));
        let now = Instant::now();
        assert_eq!(throttle.ask_at(one, now), Some(0));
        assert_eq!(throttle.ask_at(one, now), None);
        assert_eq!(throttle.ask_at(one, now + Duration::from_secs(59)), None);
        assert_eq!(throttle.ask_at(other, now), Some(0));
        assert_eq!(throttle.ask_at(one, now + Duration::from_secs(61)), Some(2));
    }

    #[test]
    fn many_addresses_take_bounded_memory_and_lines() {
        let mut throttle = Throttle::default();
        let now = Instant::now();
        let lines = (0..20_000_u32)
            .filter(|n| {
                throttle
                    .ask_at(IpAddr::from(n.to_be_bytes()), now)
                    .is_some()
            })
            .count();
        assert!(lines <= ADDRESSES + 1, "{lines}");
        assert!(throttle.last.len() <= ADDRESSES + 1);
    }
}
