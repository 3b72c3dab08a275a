//! Sign of life of the writer: when it last sent a statement to the database.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The writer works as long as it beats, or rests. One that waits for one answer does not beat.
#[derive(Debug)]
pub struct Pulse {
    begun: Instant,
    /// Milliseconds from `begun` to the last beat; [`REST`] without work.
    beat: AtomicU64,
}

const REST: u64 = u64::MAX;

impl Default for Pulse {
    fn default() -> Self {
        Pulse {
            begun: Instant::now(),
            beat: AtomicU64::new(REST),
        }
    }
}

impl Pulse {
    fn now(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(REST - 1)
    }

    /// The writer goes on with its work.
    pub fn beat(&self) {
        self.beat.store(self.now(), Relaxed);
    }

    /// The writer has no work.
    pub fn rest(&self) {
        self.beat.store(REST, Relaxed);
    }

    /// Time since the last beat; zero if the writer rests.
    pub fn still(&self) -> Duration {
        match self.beat.load(Relaxed) {
            REST => Duration::ZERO,
            beat => Duration::from_millis(self.now().saturating_sub(beat)),
        }
    }
}
