//! Bounds of times that can be true.

/// A gateway's clock may be ahead of the collector's by this; more is a clock gone wrong.
pub const AHEAD_MAX_MS: i64 = 300_000;
/// 2020-01-01: no gateway is older, so its clock was not set.
pub const EARLIEST_MS: i64 = 1_577_836_800_000;

/// 2026-01-01: no collector of this version is older, so its clock was not set.
pub const RELEASED_MS: i64 = 1_767_225_600_000;

/// True if a gateway can have received something at this time, in Unix milliseconds.
pub fn is_plausible(received: i64, now: i64) -> bool {
    (EARLIEST_MS..=now.saturating_add(AHEAD_MAX_MS)).contains(&received)
}
