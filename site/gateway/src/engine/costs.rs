//! Measures the cost of tag checks on this machine [docs/protocol.md, Under load].

use std::time::{Duration, Instant};

use selo_link::frame::{Frame, JoinRequest};
use selo_link::join::JoinOpened;
use selo_link::noise::CipherState;
use selo_link::{DeviceId, DeviceKey, Suite};

/// Runs of each check. The minimum counts, because other load only makes a run longer.
const RUNS: u32 = 64;
/// A typical packet: a 16-byte reading behind a 5-byte header.
const HEADER: [u8; 5] = [0; 5];
const READING: usize = 16;

/// Duration of one check with a wrong tag, in the slowest suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Costs {
    /// Check of a JOIN-REQUEST.
    pub join: Duration,
    /// Check of a session packet.
    pub packet: Duration,
}

impl Costs {
    /// Costs that the default budgets assume.
    pub const REFERENCE: Costs = Costs {
        join: Duration::from_micros(10),
        packet: Duration::from_micros(1),
    };

    /// Measures the costs. Takes a few milliseconds.
    pub fn measured() -> Costs {
        let longest = |check: fn(Suite)| {
            let shortest = |suite| (0..RUNS).map(|_| timed(|| check(suite))).min();
            Suite::ALL.into_iter().filter_map(shortest).max()
        };
        Costs {
            join: longest(check_join).unwrap_or_default(),
            packet: longest(check_packet).unwrap_or_default(),
        }
    }

    /// Ratios of the costs to the reference, for joins and for packets.
    pub fn factors(self) -> (f64, f64) {
        let times = |own: Duration, of: Duration| own.as_secs_f64() / of.as_secs_f64();
        (
            times(self.join, Costs::REFERENCE.join),
            times(self.packet, Costs::REFERENCE.packet),
        )
    }
}

fn timed(work: impl FnOnce()) -> Duration {
    let since = Instant::now();
    work();
    since.elapsed()
}

fn check_join(suite: Suite) {
    let bytes = JoinRequest::encode(DeviceId(1), &[1; 32], &[2; 21]);
    if let Ok(Frame::JoinRequest(request)) = Frame::parse(&bytes) {
        let opened = JoinOpened::open(suite, &DeviceKey::new([3; 32]), &request);
        let _ = std::hint::black_box(opened.is_ok());
    }
}

fn check_packet(suite: Suite) {
    let mut text = [0; READING];
    let opened = CipherState::new(suite, [4; 32]).open(&HEADER, &mut text, &[5; 16]);
    let _ = std::hint::black_box(opened.is_ok());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_takes_time() {
        let costs = Costs::measured();
        assert!(costs.join > Duration::ZERO && costs.packet > Duration::ZERO);
        assert!(costs.join < Duration::from_secs(1), "{costs:?}");
    }
}
