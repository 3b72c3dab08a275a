//! The rain that tips a board's gauge.

use std::time::Duration;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Simulated rain: tips at random times, with a given mean rate per hour.
#[derive(Debug)]
pub struct Rain {
    random: ChaCha8Rng,
    an_hour: f64,
    left: u64,
    next: Option<Duration>,
}

impl Rain {
    /// The same seed gives the same rain. It ends after `tips` tips.
    pub fn new(seed: u64, tips_an_hour: f64, tips: u64) -> Rain {
        Rain {
            random: ChaCha8Rng::seed_from_u64(seed),
            an_hour: tips_an_hour,
            left: tips,
            next: None,
        }
    }

    /// Returns true if a tip is due at `now`. The rain starts at the first call.
    pub(super) fn tips(&mut self, now: Duration) -> bool {
        if self.an_hour <= 0.0 || self.left == 0 {
            return false;
        }
        let due = self.next.is_some_and(|next| now >= next);
        if due || self.next.is_none() {
            let waited: f64 = self.random.random_range(f64::MIN_POSITIVE..1.0);
            let seconds = -waited.ln() * 3600.0 / self.an_hour;
            // A bucket cannot tip faster.
            self.next = Some(now + Duration::from_secs_f64(seconds.clamp(0.5, 1e6)));
        }
        self.left -= u64::from(due);
        due
    }
}
