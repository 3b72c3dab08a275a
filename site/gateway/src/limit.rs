//! Rate limits in bounded memory.
//!
//! A bucket is one number: the time at which it is full again (generic cell rate algorithm,
//! virtual scheduling form). Sources share a table of fixed size through a keyed hash. A flood
//! from forged addresses therefore needs no extra memory, and nobody can choose an address that
//! shares a bucket with a given other one.
//!
//! No source is charged for a packet whose tag was not checked, because addresses can be forged
//! and hosts behind one NAT share an address. Sources are charged for computations and answers
//! on their behalf. All strangers together share a [`Budget`].

use std::hash::{BuildHasher, Hash, RandomState};

/// A rate and a burst size, in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Ticks per token; 0 means no limit.
    token: u32,
    /// Ticks until an empty bucket is full.
    full: u32,
}

impl Rate {
    pub const UNLIMITED: Rate = Rate { token: 0, full: 0 };

    /// One token per tick, with a burst of `burst` tokens. For [`Tick::from_seconds`].
    pub const fn each_tick(burst: u32) -> Rate {
        Rate {
            token: 1,
            full: burst,
        }
    }

    /// `per_second` tokens a second, with a burst of `burst` tokens. A rate of 0, or one above
    /// 16,000 a second, means no limit.
    pub const fn new(per_second: u32, burst: u32) -> Rate {
        if per_second == 0 || per_second > TICKS_PER_SECOND {
            return Rate::UNLIMITED;
        }
        // Rounded up, so that a bucket never exceeds its rate.
        let token = TICKS_PER_SECOND.div_ceil(per_second);
        Rate {
            token,
            full: token.saturating_mul(burst),
        }
    }
}

/// Resolution of times: 1/16 ms since the start of the gateway, modulo 2^32 (74 hours).
const TICKS_PER_MS: u64 = 16;
const TICKS_PER_SECOND: u32 = 16_000;

/// A time for buckets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tick(u32);

impl Tick {
    /// The time `ms` milliseconds after the start.
    pub fn from_ms(ms: u64) -> Tick {
        Tick((ms * TICKS_PER_MS) as u32)
    }

    /// The time in seconds, for buckets that fill over years. Use only one of the two units for
    /// a bucket.
    pub fn from_seconds(now_ms: u64) -> Tick {
        Tick((now_ms / 1000) as u32)
    }
}

/// A token bucket, initially full.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bucket {
    /// Time at which it is full again; 0 if it was never charged.
    full_at: u32,
}

impl Bucket {
    /// Ticks until the bucket is full. A distance above `rate.full` means that the clock has
    /// wrapped since the last charge, so the bucket is full.
    fn behind(self, rate: Rate, now: Tick) -> u32 {
        match self.full_at.wrapping_sub(now.0) {
            ahead if ahead <= rate.full && self.full_at != 0 => ahead,
            _ => 0,
        }
    }

    /// True if the bucket holds `cost` tokens.
    #[inline]
    pub fn has(self, rate: Rate, cost: u32, now: Tick) -> bool {
        u64::from(self.behind(rate, now)) + u64::from(rate.token) * u64::from(cost)
            <= u64::from(rate.full)
    }

    /// Takes `cost` tokens, or all that are left.
    #[inline]
    pub fn charge(&mut self, rate: Rate, cost: u32, now: Tick) {
        let behind = self
            .behind(rate, now)
            .saturating_add(rate.token.saturating_mul(cost));
        self.full_at = now.0.wrapping_add(behind.min(rate.full)).max(1);
    }

    /// Takes `cost` tokens if they are available. Returns false otherwise.
    pub fn take(&mut self, rate: Rate, cost: u32, now: Tick) -> bool {
        let there = self.has(rate, cost, now);
        if there {
            self.charge(rate, cost, now);
        }
        there
    }
}

/// A rate for a shared [`Budget`], which may be higher than a [`Rate`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// Nanoseconds per token; 0 means no limit.
    token_ns: u64,
    full_ns: u64,
}

impl Pace {
    pub const UNLIMITED: Pace = Pace {
        token_ns: 0,
        full_ns: 0,
    };

    /// `per_second` tokens a second (at least one), with a burst of `burst` tokens.
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
    /// The same pace, slower by the factor `times`.
    pub fn slower(self, times: f64) -> Pace {
        // The cast saturates.
        let of = |ns: u64| (ns as f64 * times) as u64;
        Pace {
            token_ns: of(self.token_ns),
            full_ns: of(self.full_ns),
        }
    }

    /// Tokens per second; `None` if unlimited.
    pub fn per_second(self) -> Option<u64> {
        1_000_000_000u64.checked_div(self.token_ns)
    }
}

/// A bucket shared by all senders. When it is empty, the next token goes to the first packet
/// that arrives after it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Budget {
    full_at_ns: u64,
}

impl Budget {
    fn behind(self, now_ms: u64) -> u64 {
        self.full_at_ns.saturating_sub(now_ms * 1_000_000)
    }

    /// True if a token is available.
    #[inline]
    pub fn has(self, pace: Pace, now_ms: u64) -> bool {
        self.behind(now_ms) + pace.token_ns <= pace.full_ns
    }

    /// Takes a token, or what is left of it.
    #[inline]
    pub fn charge(&mut self, pace: Pace, now_ms: u64) {
        let behind = (self.behind(now_ms) + pace.token_ns).min(pace.full_ns);
        self.full_at_ns = now_ms * 1_000_000 + behind;
    }

    /// Takes a token if one is available. Returns false otherwise.
    pub fn take(&mut self, pace: Pace, now_ms: u64) -> bool {
        let there = self.has(pace, now_ms);
        if there {
            self.charge(pace, now_ms);
        }
        there
    }
}

/// Buckets of all sources, in two rows. A source has one bucket per row and is limited only if
/// both are empty, so sharing one bucket with a flood does no harm.
#[derive(Debug)]
pub struct Sources {
    rows: [Vec<Bucket>; 2],
    hash: RandomState,
}

/// Buckets per row, a power of two: 512 KB in total.
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

    /// True if the source `key` has `cost` tokens left.
    pub fn has(&self, key: impl Hash, rate: Rate, cost: u32, now: Tick) -> bool {
        let [a, b] = self.places(key);
        self.rows[0][a].has(rate, cost, now) || self.rows[1][b].has(rate, cost, now)
    }

    /// Takes `cost` tokens from the source `key`, or all that are left.
    pub fn charge(&mut self, key: impl Hash, rate: Rate, cost: u32, now: Tick) {
        let [a, b] = self.places(key);
        self.rows[0][a].charge(rate, cost, now);
        self.rows[1][b].charge(rate, cost, now);
    }

    /// Takes `cost` tokens from the source `key` if available. Returns false otherwise.
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
    #[ignore = "takes long: make test-all runs it"]
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
        // One noisy source does not limit the many quiet ones.
        while sources.take(1, RATE, 1, now) {}
        assert!(!sources.has(1, RATE, 1, now));
        let limited = (2..20_002u64).filter(|key| !sources.has(*key, RATE, 1, now));
        assert_eq!(limited.count(), 0);
        // With a thousand noisy sources, about one in (65,536 / 1,000)^2 of the others is
        // limited.
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
