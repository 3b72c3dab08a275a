//! The time, read in one place and handed to everything else.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// A moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Now {
    /// Milliseconds since some start; never goes back.
    pub steady_ms: u64,
    /// Unix milliseconds; may jump.
    pub unix_ms: u64,
}

/// Tells the time since it was made.
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

/// Unix milliseconds; 0 if the clock stands before 1970.
pub fn unix_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as u64)
}
