//! Roll-ups: the contribution of new readings to the minutes, hours and days that they
//! touch. The sums do not depend on the order in which readings arrive.

use std::collections::HashMap;
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
    /// 0 if only a total grew: a late reading takes growth from the reading after it.
    pub count: i64,
    pub min: f64,
    pub max: f64,
    pub sum: f64,
    pub amount: f64,
    pub last: f64,
    /// (session, counter) of `last`.
    pub last_of: Place,
}

/// (session, counter)
type Place = (i64, i64);

const NOTHING: Bucket = Bucket {
    count: 0,
    min: 0.0,
    max: 0.0,
    sum: 0.0,
    amount: 0.0,
    last: 0.0,
    last_of: (i64::MIN, i64::MIN),
};

impl Bucket {
    fn add(&mut self, of: Place, value: f64) {
        if self.count == 0 {
            (self.min, self.max) = (value, value);
        }
        self.count += 1;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        self.sum += exact(value);
        if of >= self.last_of {
            self.last = value;
            self.last_of = of;
        }
    }
}

/// The item of a sorted list. Most are the last one, or come after it.
fn item<T>(list: &mut Vec<(i64, T)>, at: i64, new: impl FnOnce() -> T) -> &mut T {
    let place = match list.last() {
        Some((last, _)) if *last == at => list.len() - 1,
        Some((last, _)) if *last > at => match list.binary_search_by_key(&at, |(at, _)| *at) {
            Ok(place) => place,
            Err(place) => {
                list.insert(place, (at, new()));
                place
            }
        },
        _ => {
            list.push((at, new()));
            list.len() - 1
        }
    };
    &mut list[place].1
}

/// Contribution to the buckets of one value, by level and time.
#[derive(Debug)]
pub struct Series {
    name: String,
    levels: [Vec<(i64, Bucket)>; 3],
}

/// Contribution to a station.
#[derive(Debug, Default)]
pub struct Contribution {
    series: Vec<Series>,
    /// The first and the last reading of each day.
    days: Vec<(i64, (Place, Place))>,
    packed: bool,
}

impl Contribution {
    fn series(&mut self, name: &str) -> &mut Series {
        let known = self.series.iter().position(|series| series.name == name);
        let place = known.unwrap_or_else(|| {
            self.series.push(Series {
                name: name.into(),
                levels: Default::default(),
            });
            self.series.len() - 1
        });
        &mut self.series[place]
    }

    /// Adds the reading `of`, received at `at`, of which [`Contribution::add`] adds the values.
    pub fn place(&mut self, at: i64, of: Place) {
        if self.packed {
            let day = Level::Day.bucket(at);
            let (low, high) = item(&mut self.days, day, || (of, of));
            (*low, *high) = ((*low).min(of), (*high).max(of));
        }
    }

    /// Adds a value of the reading `of`, received at `at`.
    pub fn add(&mut self, name: &str, at: i64, of: Place, value: f64) {
        let packed = self.packed;
        let series = self.series(name);
        for (level, buckets) in Level::ALL.into_iter().zip(&mut series.levels) {
            // The minutes of packed readings are made of these.
            if level != Level::Minute || !packed {
                item(buckets, level.bucket(at), || NOTHING).add(of, value);
            }
        }
    }

    /// Adds the growth `by` of a total to the buckets at `at`. May be negative, to take growth
    /// back.
    pub fn grow(&mut self, name: &str, at: i64, by: f64) {
        if by == 0.0 {
            return;
        }
        let series = self.series(name);
        for (level, buckets) in Level::ALL.into_iter().zip(&mut series.levels) {
            item(buckets, level.bucket(at), || NOTHING).amount += by;
        }
    }

    /// Returns true if rain fell.
    fn rained(&self) -> bool {
        let rain = self.series.iter().find(|one| one.name == "rain_total");
        let minutes = rain.into_iter().flat_map(|one| &one.levels[0]);
        minutes.into_iter().any(|(_, bucket)| bucket.amount > 0.0)
    }
}

/// Contribution of new readings, by station.
#[derive(Debug, Default)]
pub struct Deltas {
    stations: HashMap<Arc<str>, Contribution>,
}

impl Deltas {
    /// The contribution to a station, of packed readings or others.
    pub fn of(&mut self, station: &Arc<str>, packed: bool) -> &mut Contribution {
        let new = || Contribution {
            packed,
            ..Contribution::default()
        };
        self.stations.entry(station.clone()).or_insert_with(new)
    }

    /// The stations where rain fell, in order.
    pub fn rained(&self) -> Vec<Arc<str>> {
        let rained = self.stations.iter().filter(|(_, one)| one.rained());
        let mut stations: Vec<Arc<str>> = rained.map(|(station, _)| station.clone()).collect();
        stations.sort();
        stations
    }

    /// Adds the contribution to the database.
    pub fn store(&self, db: &mut dyn Database) -> Result<()> {
        let packed = db.is_packed();
        // Sorted, so that two writers lock rows in the same order.
        let mut stations: Vec<(&Arc<str>, &Contribution)> = self.stations.iter().collect();
        stations.sort_by_key(|(station, _)| *station);
        let mut series: Vec<(&str, &Series)> = stations
            .iter()
            .flat_map(|(station, one)| one.series.iter().map(|series| (&***station, series)))
            .collect();
        series.sort_by_key(|(station, series)| (*station, series.name.as_str()));
        for (place, level) in Level::ALL.into_iter().enumerate() {
            let buckets = series.iter().flat_map(|(station, series)| {
                let buckets = series.levels[place].iter();
                buckets.map(|(at, bucket)| (*station, series.name.as_str(), *at, bucket))
            });
            if packed && level == Level::Minute {
                grow_minutes(db, buckets)?;
            } else {
                store_level(db, level, buckets)?;
            }
        }
        let spans = stations.iter().flat_map(|(station, one)| {
            let days = one.days.iter();
            days.map(|(day, (low, high))| -> Vec<Value> {
                vec![
                    (&***station).into(),
                    (*day).into(),
                    low.0.into(),
                    low.1.into(),
                    high.0.into(),
                    high.1.into(),
                ]
            })
        });
        let (head, tail) = sql::packed::WIDEN_SPAN;
        db.put_rows(head, tail, &spans.collect::<Vec<_>>())
    }
}

/// A bucket with its station, name and time.
type Placed<'a> = (&'a str, &'a str, i64, &'a Bucket);

fn store_level<'a>(
    db: &mut dyn Database,
    level: Level,
    buckets: impl Iterator<Item = Placed<'a>>,
) -> Result<()> {
    let (mut rows, mut grown): (Vec<Vec<Value>>, Vec<Vec<Value>>) = Default::default();
    for (station, name, at, bucket) in buckets {
        if bucket.count == 0 {
            grown.push(vec![
                bucket.amount.into(),
                station.into(),
                name.into(),
                at.into(),
            ]);
            continue;
        }
        rows.push(vec![
            station.into(),
            name.into(),
            at.into(),
            bucket.count.into(),
            bucket.min.into(),
            bucket.max.into(),
            bucket.sum.into(),
            bucket.amount.into(),
            bucket.last.into(),
            bucket.last_of.0.into(),
            bucket.last_of.1.into(),
        ]);
    }
    let (head, tail) = sql::add_to_rollup(level.table());
    db.put_rows(&head, &tail, &rows)?;
    let (change, place) = sql::grow_rollup(level.table());
    db.change_each(&change, place, &grown)
}

fn grow_minutes<'a>(
    db: &mut dyn Database,
    buckets: impl Iterator<Item = Placed<'a>>,
) -> Result<()> {
    let grown = buckets.filter(|(.., bucket)| bucket.amount != 0.0);
    let rows: Vec<Vec<Value>> = grown
        .map(|(station, name, at, bucket)| {
            vec![station.into(), name.into(), at.into(), bucket.amount.into()]
        })
        .collect();
    let (head, tail) = sql::packed::GROW_MINUTE;
    db.put_rows(head, tail, &rows)
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
