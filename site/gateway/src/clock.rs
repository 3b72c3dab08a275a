//! Reads the clocks. All other code gets the time as an argument.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// A point in time on two clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Now {
    /// Milliseconds on a monotonic clock with an arbitrary start.
    pub steady_ms: u64,
    /// Unix milliseconds. May jump in either direction.
    pub unix_ms: u64,
}

/// A pair of clocks; the monotonic one starts at creation.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    start: Instant,
}

impl Clock {
    pub fn start() -> Self {
        Clock {
            start: Instant::now(),
        }
    }

    pub fn now(&self) -> Now {
        Now {
            steady_ms: self.start.elapsed().as_millis() as u64,
            unix_ms: unix_ms(),
        }
    }
}

/// Current Unix time, milliseconds. 0 if the system clock is before 1970.
pub fn unix_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as u64)
}
