//! Roll-ups: the contribution of a batch of new readings to the minutes, hours and days that it
//! touches. The sums do not depend on the order in which readings arrive.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::db::{Database, Value};
use crate::error::Result;
use crate::sql;

/// The levels, finest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Minute,
    Hour,
    Day,
}

impl Level {
    /// All levels, finest first.
    pub const ALL: [Level; 3] = [Level::Minute, Level::Hour, Level::Day];

    /// The level's table.
    pub fn table(self) -> &'static str {
        match self {
            Level::Minute => "rollup_minute",
            Level::Hour => "rollup_hour",
            Level::Day => "rollup_day",
        }
    }

    /// The level's name in the API.
    pub fn name(self) -> &'static str {
        match self {
            Level::Minute => "minute",
            Level::Hour => "hour",
            Level::Day => "day",
        }
    }

    /// Length of a bucket in ms.
    pub fn ms(self) -> i64 {
        match self {
            Level::Minute => 60_000,
            Level::Hour => 3_600_000,
            Level::Day => 86_400_000,
        }
    }

    /// Start of the bucket that contains `at`. Days are UTC days.
    pub fn bucket(self, at: i64) -> i64 {
        at.div_euclid(self.ms()) * self.ms()
    }
}

/// Returns true for a total, which only grows until its board is replaced: `rain_total`.
pub fn is_total(name: &str) -> bool {
    name.ends_with("_total")
}

/// Growth of a total from one reading to the next. If the total fell, it restarted at 0.
pub fn growth(before: f64, after: f64) -> f64 {
    let grown = if after >= before {
        after - before
    } else {
        after
    };
    exact(grown.max(0.0))
}

/// Rounds a sum of multiples of 2^-30 to six decimals, as people write it.
pub fn round(value: f64) -> f64 {
    // Nothing is 0, not -0.
    (value * 1e6).round() / 1e6 + 0.0
}

/// `value` cut to a multiple of 2^-30, or to 37 significant bits if it is large. Sums of
/// such numbers are exact (up to 65,000 in a bucket), so they are the same in any order.
pub fn exact(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let exponent = (value.abs().log2().floor() as i32 - 36).max(-30);
    let quantum = f64::from(exponent).exp2();
    (value / quantum).round() * quantum
}

/// Contribution to one bucket.
#[derive(Debug, Clone, PartialEq)]
pub struct Bucket {
    pub count: i64,
    pub min: f64,
    pub max: f64,
    pub sum: f64,
    pub amount: f64,
    pub last: f64,
    /// (session, counter) of `last`.
    pub last_of: (i64, i64),
}

type Key = (Level, Arc<str>, String, i64);

/// Contribution of a batch, by level, station, name and time.
#[derive(Debug, Default)]
pub struct Deltas {
    buckets: BTreeMap<Key, Bucket>,
    /// Growth of totals in buckets to which the batch adds no value: a late reading takes growth
    /// from the reading after it.
    growth: BTreeMap<Key, f64>,
}

impl Deltas {
    /// Adds a value of the reading `of` = (session, counter), received at `at`.
    pub fn add(&mut self, station: &Arc<str>, name: &str, at: i64, of: (i64, i64), value: f64) {
        for level in Level::ALL {
            let key = (level, station.clone(), name.to_string(), level.bucket(at));
            let bucket = self.buckets.entry(key).or_insert(Bucket {
                count: 0,
                min: value,
                max: value,
                sum: 0.0,
                amount: 0.0,
                last: value,
                last_of: of,
            });
            bucket.count += 1;
            bucket.min = bucket.min.min(value);
            bucket.max = bucket.max.max(value);
            bucket.sum += exact(value);
            if of >= bucket.last_of {
                bucket.last = value;
                bucket.last_of = of;
            }
        }
    }

    /// Adds the growth `by` of a total to the buckets at `at`. May be negative, to take growth
    /// back.
    pub fn grow(&mut self, station: &Arc<str>, name: &str, at: i64, by: f64) {
        for level in Level::ALL {
            let key = (level, station.clone(), name.to_string(), level.bucket(at));
            match self.buckets.get_mut(&key) {
                Some(bucket) => bucket.amount += by,
                None => *self.growth.entry(key).or_insert(0.0) += by,
            }
        }
    }

    /// The stations where rain fell.
    pub fn rained(&self) -> Vec<Arc<str>> {
        let fallen = self
            .buckets
            .iter()
            .filter(|((level, _, name, _), bucket)| {
                *level == Level::Minute && name == "rain_total" && bucket.amount > 0.0
            })
            .map(|((_, station, ..), _)| station.clone());
        let mut stations: Vec<Arc<str>> = fallen.collect();
        stations.dedup();
        stations
    }

    /// Adds the contribution to the database, in the transaction that stores the readings.
    pub fn store(&self, db: &mut dyn Database) -> Result<()> {
        for level in Level::ALL {
            let rows: Vec<Vec<Value>> = self
                .buckets
                .iter()
                .filter(|((of, ..), _)| *of == level)
                .map(|((_, station, name, at), bucket)| {
                    vec![
                        (&**station).into(),
                        name.as_str().into(),
                        (*at).into(),
                        bucket.count.into(),
                        bucket.min.into(),
                        bucket.max.into(),
                        bucket.sum.into(),
                        bucket.amount.into(),
                        bucket.last.into(),
                        bucket.last_of.0.into(),
                        bucket.last_of.1.into(),
                    ]
                })
                .collect();
            let (head, tail) = sql::add_to_rollup(level.table());
            db.put_rows(&head, &tail, &rows)?;
            let grown: Vec<Vec<Value>> = self
                .growth
                .iter()
                .filter(|((of, ..), _)| *of == level)
                .map(|((_, station, name, at), by)| {
                    vec![
                        (*by).into(),
                        (&**station).into(),
                        name.as_str().into(),
                        (*at).into(),
                    ]
                })
                .collect();
            let (change, place) = sql::grow_rollup(level.table());
            db.change_each(&change, place, &grown)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_before_1970_have_beginnings_too() {
        assert_eq!(Level::Day.bucket(-1), -86_400_000);
        assert_eq!(Level::Minute.bucket(119_999), 60_000);
    }

    #[test]
    fn a_total_that_fell_began_anew() {
        assert_eq!(growth(10.0, 12.5), 2.5);
        assert_eq!(growth(10.0, 3.0), 3.0);
        assert_eq!(growth(10.0, -3.0), 0.0);
    }

    #[test]
    fn sums_do_not_depend_on_the_order() {
        let values: Vec<f64> = (0..5000_u32)
            .map(|n| exact(f64::from(n.wrapping_mul(2_654_435_761)) * 1e-7 - 200.0))
            .collect();
        let forward: f64 = values.iter().sum();
        let backward: f64 = values.iter().rev().sum();
        assert_eq!(forward.to_bits(), backward.to_bits());
        assert!((exact(0.2) - 0.2).abs() < 1e-9);
    }
}
