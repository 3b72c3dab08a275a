//! Limits in bounded memory.
//!
//! A bucket is one number: the time at which it is full again (the generic cell rate
//! algorithm, in its virtual scheduling form). Sources share a table of fixed size by a
//! keyed hash, so a flood from invented addresses costs no memory, and nobody can choose
//! an address that shares a bucket with another's.
//!
//! No source is punished for a packet whose tag was not looked at: an address can be invented,
//! and a neighbour behind the same translator has it too. What sources are charged for is what
//! was computed or sent for them; all strangers together share a [`Budget`].

use std::hash::{BuildHasher, Hash, RandomState};

/// A rate and how much may come at once, in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// In how many ticks a bucket gains a token; 0 means no limit.
    token: u32,
    /// In how many ticks an empty bucket is full.
    full: u32,
}

impl Rate {
    pub const UNLIMITED: Rate = Rate { token: 0, full: 0 };

    /// A token each tick, up to `burst` at once: for [`Tick::from_seconds`].
    pub const fn each_tick(burst: u32) -> Rate {
        Rate {
            token: 1,
            full: burst,
        }
    }

    /// So many tokens a second, up to `burst` at once. No rate, or one above
    /// 16,000 a second, is no limit.
    pub const fn new(per_second: u32, burst: u32) -> Rate {
        if per_second == 0 || per_second > TICKS_PER_SECOND {
            return Rate::UNLIMITED;
        }
        // Rounded up: a bucket is never more generous than its rate.
        let token = TICKS_PER_SECOND.div_ceil(per_second);
        Rate {
            token,
            full: token.saturating_mul(burst),
        }
    }
}

/// Times are counted in 1/16 ms from the start of the gateway, modulo 2^32 (74 hours).
const TICKS_PER_MS: u64 = 16;
const TICKS_PER_SECOND: u32 = 16_000;

/// A moment, for buckets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tick(u32);

impl Tick {
    /// `ms` milliseconds after the start.
    pub fn from_ms(ms: u64) -> Tick {
        Tick((ms * TICKS_PER_MS) as u32)
    }

    /// The same moment in seconds, for buckets that fill over years. A bucket keeps to one of
    /// the two.
    pub fn from_seconds(now_ms: u64) -> Tick {
        Tick((now_ms / 1000) as u32)
    }
}

/// One bucket; starts full.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bucket {
    /// When it is full again; 0 if it was never charged.
    full_at: u32,
}

impl Bucket {
    /// In how many ticks the bucket is full. A time further ahead than any charge puts
    /// it is a time long past: the clock has gone round.
    fn behind(self, rate: Rate, now: Tick) -> u32 {
        match self.full_at.wrapping_sub(now.0) {
            ahead if ahead <= rate.full && self.full_at != 0 => ahead,
            _ => 0,
        }
    }

    /// True if `cost` tokens are in it.
    #[inline]
    pub fn has(self, rate: Rate, cost: u32, now: Tick) -> bool {
        u64::from(self.behind(rate, now)) + u64::from(rate.token) * u64::from(cost)
            <= u64::from(rate.full)
    }

    /// Takes `cost` tokens, or what is left.
    #[inline]
    pub fn charge(&mut self, rate: Rate, cost: u32, now: Tick) {
        let behind = self
            .behind(rate, now)
            .saturating_add(rate.token.saturating_mul(cost));
        self.full_at = now.0.wrapping_add(behind.min(rate.full)).max(1);
    }

    /// Takes `cost` tokens if they are there.
    pub fn take(&mut self, rate: Rate, cost: u32, now: Tick) -> bool {
        let there = self.has(rate, cost, now);
        if there {
            self.charge(rate, cost, now);
        }
        there
    }
}

/// A rate of something that there is one of, which may be higher than a [`Rate`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// In how many nanoseconds a token comes; 0 means no limit.
    token_ns: u64,
    full_ns: u64,
}

impl Pace {
    pub const UNLIMITED: Pace = Pace {
        token_ns: 0,
        full_ns: 0,
    };

    /// So many tokens a second, at least one, up to `burst` at once.
    pub const fn new(per_second: u32, burst: u32) -> Pace {
        let rate = if per_second == 0 { 1 } else { per_second };
        let token_ns = 1_000_000_000u64.div_ceil(rate as u64);
        Pace {
            token_ns,
            full_ns: token_ns * burst as u64,
        }
    }
}

impl Pace {
    /// A pace that many times slower.
    pub fn slower(self, times: f64) -> Pace {
        // A float that is too large becomes the largest number.
        let of = |ns: u64| (ns as f64 * times) as u64;
        Pace {
            token_ns: of(self.token_ns),
            full_ns: of(self.full_ns),
        }
    }

    /// Tokens a second; `None` if there is no limit.
    pub fn per_second(self) -> Option<u64> {
        1_000_000_000u64.checked_div(self.token_ns)
    }
}

/// A bucket that all share. Who takes the next token of an empty one is chance: whoever comes
/// first after it has come in.
#[derive(Debug, Clone, Copy, Default)]
pub struct Budget {
    full_at_ns: u64,
}

impl Budget {
    fn behind(self, now_ms: u64) -> u64 {
        self.full_at_ns.saturating_sub(now_ms * 1_000_000)
    }

    /// True if a token is in it.
    #[inline]
    pub fn has(self, pace: Pace, now_ms: u64) -> bool {
        self.behind(now_ms) + pace.token_ns <= pace.full_ns
    }

    /// Takes a token, or what is left.
    #[inline]
    pub fn charge(&mut self, pace: Pace, now_ms: u64) {
        let behind = (self.behind(now_ms) + pace.token_ns).min(pace.full_ns);
        self.full_at_ns = now_ms * 1_000_000 + behind;
    }

    /// Takes a token if it is there.
    pub fn take(&mut self, pace: Pace, now_ms: u64) -> bool {
        let there = self.has(pace, now_ms);
        if there {
            self.charge(pace, now_ms);
        }
        there
    }
}

/// Buckets of all sources: two rows, and a source has a bucket in each. It is limited
/// only if both are empty, so that sharing one bucket with a flood harms nobody.
#[derive(Debug)]
pub struct Sources {
    rows: [Vec<Bucket>; 2],
    hash: RandomState,
}

/// Buckets a row, a power of two: 512 KB in all.
const ROW: usize = 1 << 16;

impl Default for Sources {
    fn default() -> Self {
        Sources {
            rows: [vec![Bucket::default(); ROW], vec![Bucket::default(); ROW]],
            hash: RandomState::new(),
        }
    }
}

impl Sources {
    fn places(&self, key: impl Hash) -> [usize; 2] {
        let hash = self.hash.hash_one(key);
        [hash as usize % ROW, (hash >> 32) as usize % ROW]
    }

    pub fn has(&self, key: impl Hash, rate: Rate, cost: u32, now: Tick) -> bool {
        let [a, b] = self.places(key);
        self.rows[0][a].has(rate, cost, now) || self.rows[1][b].has(rate, cost, now)
    }

    pub fn charge(&mut self, key: impl Hash, rate: Rate, cost: u32, now: Tick) {
        let [a, b] = self.places(key);
        self.rows[0][a].charge(rate, cost, now);
        self.rows[1][b].charge(rate, cost, now);
    }

    pub fn take(&mut self, key: impl Hash + Copy, rate: Rate, cost: u32, now: Tick) -> bool {
        let there = self.has(key, rate, cost, now);
        if there {
            self.charge(key, rate, cost, now);
        }
        there
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RATE: Rate = Rate::new(10, 5);

    #[test]
    fn a_burst_then_the_rate() {
        let mut bucket = Bucket::default();
        let taken = |bucket: &mut Bucket, ms| {
            (0..100)
                .take_while(|_| bucket.take(RATE, 1, Tick::from_ms(ms)))
                .count()
        };
        assert_eq!(taken(&mut bucket, 0), 5);
        assert_eq!(taken(&mut bucket, 99), 0);
        assert_eq!(taken(&mut bucket, 100), 1);
        assert_eq!(taken(&mut bucket, 350), 2);
        assert_eq!(taken(&mut bucket, 60_000), 5);
    }

    #[test]
    fn no_rate_means_no_limit() {
        let mut bucket = Bucket::default();
        assert!((0..1000).all(|_| bucket.take(Rate::UNLIMITED, 1, Tick::from_ms(0))));
    }

    #[test]
    fn the_clock_may_wrap() {
        let wrap_ms = (1u64 << 32) / TICKS_PER_MS;
        for start in [wrap_ms - 1, wrap_ms - 50, wrap_ms, wrap_ms * 3 + 7] {
            let mut bucket = Bucket::default();
            let taken = (0..100)
                .take_while(|i| bucket.take(RATE, 1, Tick::from_ms(start + u64::from(*i >= 3))));
            assert_eq!(taken.count(), 5);
        }
    }

    #[test]
    fn a_budget_gives_a_burst_and_then_its_pace() {
        let pace = Pace::new(50_000, 1000);
        let mut budget = Budget::default();
        let mut taken = |ms| (0..5000).take_while(|_| budget.take(pace, ms)).count();
        assert_eq!(taken(0), 1000);
        assert_eq!(taken(0), 0);
        assert_eq!(taken(1), 50);
        assert_eq!(taken(11), 500);
        assert_eq!(taken(100_000), 1000);
        let mut budget = Budget::default();
        assert!((0..5000).all(|_| budget.take(Pace::UNLIMITED, 0)));
    }

    #[test]
    fn an_allowance_of_seconds_lasts_for_years() {
        let rate = Rate::each_tick(1 << 28);
        let mut bucket = Bucket::default();
        let second = |second: u64| Tick::from_seconds(second * 1000);
        for _ in 0..1 << 28 {
            bucket.charge(rate, 1, second(5));
        }
        assert!(!bucket.has(rate, 1, second(5)));
        assert!(bucket.take(rate, 1, second(6)));
        assert!(!bucket.has(rate, 1, second(6)));
        assert!(bucket.has(rate, 1 << 27, second(6 + (1 << 27))));
    }

    #[test]
    fn a_flood_of_sources_limits_itself_and_few_others() {
        let mut sources = Sources::default();
        let now = Tick::from_ms(1000);
        // One noisy source, many quiet ones: the quiet ones stay free.
        while sources.take(1, RATE, 1, now) {}
        assert!(!sources.has(1, RATE, 1, now));
        let limited = (2..20_002u64).filter(|key| !sources.has(*key, RATE, 1, now));
        assert_eq!(limited.count(), 0);
        // A thousand noisy ones: one in (65,536 / 1,000)^2 of the others suffers.
        for key in 0..1000 {
            sources.charge(key, RATE, 5, now);
        }
        let limited = (10_000..30_000u64).filter(|key| !sources.has(*key, RATE, 1, now));
        assert!(limited.count() < 60);
    }

    #[test]
    fn a_bucket_that_nobody_asked_for_is_full() {
        let mut bucket = Bucket::default();
        while bucket.take(RATE, 1, Tick::from_ms(1_000_000)) {}
        for hours in [1u64, 36, 38, 50, 73] {
            let then = Tick::from_ms(1_000_000 + hours * 3_600_000);
            assert!(bucket.has(RATE, 5, then), "{hours} h");
        }
    }

    proptest! {
        #[test]
        fn never_more_than_burst_and_rate(
            steps in prop::collection::vec((0u64..400, 1u32..4), 1..200),
        ) {
            let mut bucket = Bucket::default();
            let (mut ms, mut taken) = (0, 0.0);
            for (pause, cost) in steps {
                ms += pause;
                if bucket.take(RATE, cost, Tick::from_ms(ms)) {
                    taken += f64::from(cost);
                }
                prop_assert!(taken <= 5.0 + 10.0 * ms as f64 / 1000.0 + 1e-6);
            }
        }
    }
}
