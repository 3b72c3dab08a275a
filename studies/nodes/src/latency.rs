//! A histogram of many durations in a fixed amount of memory.

use std::time::Duration;

/// Buckets per power of two: a quantile is at most 1/16 too large.
const PER_DOUBLING: usize = 16;

/// Covered powers of two of microseconds: 2^40 us are twelve days.
const DOUBLINGS: usize = 40;

const BUCKETS: usize = PER_DOUBLING * DOUBLINGS;

/// A histogram of durations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Latency {
    buckets: Vec<u64>,
}

impl Default for Latency {
    fn default() -> Self {
        Latency {
            buckets: vec![0; BUCKETS],
        }
    }
}

/// Values below two times [`PER_DOUBLING`] have their own bucket. Above, the four bits after the
/// leading one select the bucket within the power of two.
fn bucket(microseconds: u64) -> usize {
    let per = PER_DOUBLING as u64;
    let shift = (microseconds / per).checked_ilog2().unwrap_or(0);
    let bucket = u64::from(shift) * per + (microseconds >> shift);
    usize::try_from(bucket).map_or(BUCKETS - 1, |bucket| bucket.min(BUCKETS - 1))
}

/// The largest value of a bucket.
fn most(bucket: usize) -> u64 {
    let shift = (bucket / PER_DOUBLING).saturating_sub(1);
    let first = (bucket - shift * PER_DOUBLING) as u64;
    ((first + 1) << shift) - 1
}

impl Latency {
    /// Records a duration.
    pub fn record(&mut self, took: Duration) {
        let microseconds = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.buckets[bucket(microseconds)] += 1;
    }

    /// Adds all durations of another histogram.
    pub fn add(&mut self, other: &Latency) {
        for (to, from) in self.buckets.iter_mut().zip(&other.buckets) {
            *to += from;
        }
    }

    /// Number of recorded durations.
    pub fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }

    /// The duration that the fraction `part` (0 to 1) of them does not exceed, accurate to 1/16.
    pub fn quantile(&self, part: f64) -> Option<Duration> {
        let count = self.count();
        let rank = ((part * count as f64).ceil() as u64).clamp(1, count.max(1));
        let mut below = 0;
        let bucket = self.buckets.iter().position(|number| {
            below += number;
            below >= rank
        })?;
        Some(Duration::from_micros(most(bucket)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_is_in_the_bucket_that_ends_with_it_or_just_after() {
        for bits in 0..40 {
            for number in [1u64 << bits, (1 << bits) + (1 << bits) / 3, (2 << bits) - 1] {
                let most = most(bucket(number));
                assert!(most >= number, "{number}");
                assert!(most - number <= number / 16, "{number} {most}");
                assert_eq!(bucket(most), bucket(number));
                assert_eq!(bucket(most + 1), bucket(number) + 1);
            }
        }
        assert_eq!(bucket(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn quantiles_are_those_of_what_was_recorded() {
        let mut latency = Latency::default();
        assert_eq!((latency.count(), latency.quantile(0.5)), (0, None));
        for ms in 1..=1000 {
            latency.record(Duration::from_millis(ms));
        }
        let mut twice = latency.clone();
        twice.add(&latency);
        assert_eq!(twice.count(), 2000);
        for (part, ms) in [(0.0, 1), (0.5, 500), (0.99, 990), (1.0, 1000)] {
            let (least, most) = (
                Duration::from_millis(ms),
                Duration::from_millis(ms + ms / 16 + 1),
            );
            let got = twice.quantile(part).expect("some");
            assert!((least..=most).contains(&got), "{part}: {got:?}");
        }
    }
}
