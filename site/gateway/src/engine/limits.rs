//! The limits of the engine: packets, joins, faults, and tag checks without result.

use super::costs::Costs;
use crate::limit::{Pace, Rate};

/// Default limit per device: accepted packets per second, and the burst.
pub const PACKETS_PER_SECOND: u32 = 100;

pub const PACKETS_BURST: u32 = 200;

/// Rate limits.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Accepted packets per device.
    pub packets: Rate,
    /// Valid joins per device.
    pub joins: Rate,
    /// What nobody authenticates is limited by source: a handshake of a pairing
    /// costs [`HANDSHAKE_COST`], an answer again 1.
    pub faults: Rate,
    /// Tag checks of invalid or repeated packets.
    pub checks: Checks,
}

/// Cost of an unauthenticated handshake, charged to its source under [`Limits::faults`].
pub const HANDSHAKE_COST: u32 = 8;

impl Default for Limits {
    fn default() -> Self {
        Limits {
            packets: Rate::new(PACKETS_PER_SECOND, PACKETS_BURST),
            joins: Rate::new(1, 8),
            faults: Rate::new(100, 1000),
            checks: Checks::DEFAULT,
        }
    }
}

impl Limits {
    /// No limits, for measurements.
    pub const NONE: Limits = Limits {
        packets: Rate::UNLIMITED,
        joins: Rate::UNLIMITED,
        faults: Rate::UNLIMITED,
        checks: Checks::UNLIMITED,
    };
}

/// Repeated acknowledgements per session [docs/protocol.md, Data].
pub(super) const ACKS_AGAIN: Rate = Rate::new(1, 1);

/// Number of DOWN counters reserved at a time. After a restart, the gateway skips the rest of
/// the block.
pub(super) const RESERVED_BLOCK: u64 = 64;

/// Limits on checks without result: the tag was invalid, or the packet was a repetition.
#[derive(Debug, Clone, Copy)]
pub struct Checks {
    /// Joins in one device's name, from unproven addresses.
    pub strangers_of_device: Rate,
    /// Joins from unproven addresses, for all devices together.
    pub strangers: Pace,
    /// Joins from one proven address.
    pub proven_address: Rate,
    /// Joins from all proven addresses together.
    pub proven: Pace,
    /// Session packets from an address other than the node's last one.
    pub elsewhere: Pace,
    /// COOKIEs sent.
    pub cookies: Pace,
    /// Forgeries per session from the node's last address, in [seconds](Tick::from_seconds).
    pub forged_at_home: Rate,
    /// Forgeries per session from other addresses, in seconds.
    pub forged_elsewhere: Rate,
}

impl Checks {
    /// Assumes about 10 microseconds for the check of a join (hashing) and about one for a
    /// packet.
    pub(super) const DEFAULT: Checks = Checks {
        strangers_of_device: Rate::new(2, 8),
        strangers: Pace::new(1000, 1000),
        // The request follows the proof at once. Until it arrives, a flood from the same
        // address must not exhaust the allowance: at 100,000 packets a second, 1,000 checks
        // last 10 ms.
        proven_address: Rate::new(20, 1000),
        proven: Pace::new(4000, 4000),
        elsewhere: Pace::new(200_000, 20_000),
        cookies: Pace::new(100_000, 10_000),
        forged_at_home: Rate::each_tick(1 << 28),
        forged_elsewhere: Rate::each_tick(1 << 24),
    };

    /// Adjusts the budgets to the costs of this machine: at most the defaults and at least a
    /// tenth of them, so that an outlier in the measurement cannot block all joins. Shares of
    /// one core: strangers' joins 1 %, proven joins 4 %, packets from elsewhere 20 %.
    #[must_use]
    pub fn for_costs(self, costs: Costs) -> Checks {
        let (join, packet) = costs.factors();
        let slower = |pace: Pace, times: f64| pace.slower(times.clamp(1.0, 10.0));
        Checks {
            strangers: slower(self.strangers, join),
            proven: slower(self.proven, join),
            elsewhere: slower(self.elsewhere, packet),
            ..self
        }
    }

    pub(super) const UNLIMITED: Checks = Checks {
        strangers_of_device: Rate::UNLIMITED,
        strangers: Pace::UNLIMITED,
        proven_address: Rate::UNLIMITED,
        proven: Pace::UNLIMITED,
        elsewhere: Pace::UNLIMITED,
        cookies: Pace::UNLIMITED,
        forged_at_home: Rate::UNLIMITED,
        forged_elsewhere: Rate::UNLIMITED,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_machines_check_less_and_none_is_shut() {
        let of = |micros| {
            let cost = std::time::Duration::from_micros(micros);
            let checks = Checks::DEFAULT.for_costs(Costs {
                join: cost * 10,
                packet: cost,
            });
            (checks.strangers.per_second(), checks.elsewhere.per_second())
        };
        assert_eq!(of(0), (Some(1000), Some(200_000)));
        assert_eq!(of(1), (Some(1000), Some(200_000)));
        assert_eq!(of(4), (Some(250), Some(50_000)));
        assert_eq!(of(1_000_000), (Some(100), Some(20_000)));
        let none = Checks::UNLIMITED.for_costs(Costs::REFERENCE);
        assert_eq!(none.strangers.per_second(), None);
    }
}
