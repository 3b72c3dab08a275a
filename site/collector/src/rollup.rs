//! Roll-ups: the contribution of new readings to the minutes, hours and days that they
//! touch. The sums do not depend on the order in which readings arrive.

use std::collections::{BTreeSet, HashMap};
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

    /// The view that shows the level by name.
    pub fn table(self) -> &'static str {
        match self {
            Level::Minute => "rollup_minute",
            Level::Hour => "rollup_hour",
            Level::Day => "rollup_day",
        }
    }

    /// The level's table. Minutes have none.
    pub fn packed(self) -> &'static str {
        match self {
            Level::Day => "packed_day",
            Level::Minute | Level::Hour => "packed_hour",
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

/// 2^30
const PARTS: f64 = 1_073_741_824.0;

/// `value` cut to a multiple of 2^-30, or to 37 significant bits if it is large. Sums of
/// such numbers are exact (up to 65,000 in a bucket), so they are the same in any order.
pub fn exact(value: f64) -> f64 {
    // Most are small, and need no logarithm.
    if value.abs() < 128.0 {
        return (value * PARTS).round() / PARTS;
    }
    if !value.is_finite() {
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
    /// Adds a value, and what it adds to the sum.
    fn add(&mut self, of: Place, value: f64, exact: f64) {
        if self.count == 0 {
            (self.min, self.max) = (value, value);
        }
        self.count += 1;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        self.sum += exact;
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
    /// Growth of a total by minute. Minutes are made of readings, which do not tell it.
    minutes: Vec<(i64, f64)>,
    hours: Vec<(i64, Bucket)>,
    days: Vec<(i64, Bucket)>,
}

/// Contribution to a station.
#[derive(Debug)]
pub struct Contribution {
    /// The station's number.
    station: i32,
    series: Vec<Series>,
    /// The first and the last reading of each span.
    spans: Vec<(i64, (Place, Place))>,
    /// Their length in milliseconds.
    span: i64,
}

impl Contribution {
    fn series(&mut self, name: &str) -> &mut Series {
        let known = self.series.iter().position(|series| series.name == name);
        let place = known.unwrap_or_else(|| {
            self.series.push(Series {
                name: name.into(),
                minutes: Vec::new(),
                hours: Vec::new(),
                days: Vec::new(),
            });
            self.series.len() - 1
        });
        &mut self.series[place]
    }

    /// Adds the reading `of`, received at `at`, of which [`Contribution::add`] adds the values.
    pub fn place(&mut self, at: i64, of: Place) {
        let begin = at.div_euclid(self.span) * self.span;
        let (low, high) = item(&mut self.spans, begin, || (of, of));
        (*low, *high) = ((*low).min(of), (*high).max(of));
    }

    /// Adds a value of the reading `of`, received at `at`.
    pub fn add(&mut self, name: &str, at: i64, of: Place, value: f64) {
        let (series, exact) = (self.series(name), exact(value));
        item(&mut series.hours, Level::Hour.bucket(at), || NOTHING).add(of, value, exact);
        item(&mut series.days, Level::Day.bucket(at), || NOTHING).add(of, value, exact);
    }

    /// Adds the growth `by` of a total to the buckets at `at`. May be negative, to take growth
    /// back.
    pub fn grow(&mut self, name: &str, at: i64, by: f64) {
        if by == 0.0 {
            return;
        }
        let series = self.series(name);
        *item(&mut series.minutes, Level::Minute.bucket(at), || 0.0) += by;
        item(&mut series.hours, Level::Hour.bucket(at), || NOTHING).amount += by;
        item(&mut series.days, Level::Day.bucket(at), || NOTHING).amount += by;
    }

    /// Returns true if rain fell.
    fn rained(&self) -> bool {
        let rain = self.series.iter().find(|one| one.name == "rain_total");
        let minutes = rain.into_iter().flat_map(|one| &one.minutes);
        minutes.into_iter().any(|(_, amount)| *amount > 0.0)
    }
}

/// Contribution of new readings, by station.
#[derive(Debug, Default)]
pub struct Deltas {
    stations: HashMap<Arc<str>, Contribution>,
}

impl Deltas {
    /// The contribution to a station with this number, whose readings are in spans of this length.
    pub fn of(&mut self, station: &Arc<str>, number: i32, span: i64) -> &mut Contribution {
        let new = || Contribution {
            station: number,
            series: Vec::new(),
            spans: Vec::new(),
            span,
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

    /// The names of all quantities.
    pub fn names(&self) -> BTreeSet<&str> {
        let series = self.stations.values().flat_map(|one| &one.series);
        series.map(|series| series.name.as_str()).collect()
    }

    /// Adds the contribution to the database. `numbers` are those of the quantities.
    pub fn store(&self, db: &mut dyn Database, numbers: &HashMap<String, i32>) -> Result<()> {
        // Sorted, so that two writers lock rows in the same order.
        let mut stations: Vec<&Contribution> = self.stations.values().collect();
        stations.sort_by_key(|one| one.station);
        let mut series: Vec<(i32, i32, &Series)> = Vec::new();
        for one in &stations {
            let start = series.len();
            let of = one.series.iter();
            series.extend(of.filter_map(|of| Some((one.station, *numbers.get(&of.name)?, of))));
            series[start..].sort_by_key(|(_, name, _)| *name);
        }
        store_level(db, Level::Hour, &series, |series| &series.hours)?;
        store_level(db, Level::Day, &series, |series| &series.days)?;
        grow_minutes(db, &series)?;
        widen_spans(db, &stations)
    }
}

/// The number of a station and of a quantity, and its contribution.
type Numbered<'a> = (i32, i32, &'a Series);

fn store_level(
    db: &mut dyn Database,
    level: Level,
    series: &[Numbered<'_>],
    buckets: impl Fn(&Series) -> &[(i64, Bucket)],
) -> Result<()> {
    let (mut rows, mut grown): (Vec<Vec<Value>>, Vec<Vec<Value>>) = Default::default();
    for &(station, name, series) in series {
        for (at, bucket) in buckets(series) {
            if bucket.count == 0 {
                let amount = bucket.amount.into();
                grown.push(vec![amount, station.into(), name.into(), (*at).into()]);
                continue;
            }
            rows.push(vec![
                station.into(),
                name.into(),
                (*at).into(),
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
    }
    let (head, tail) = sql::add_to_rollup(level.packed());
    db.put_rows(&head, &tail, &rows)?;
    let (change, place) = sql::grow_rollup(level.packed());
    db.change_each(&change, place, &grown)
}

fn grow_minutes(db: &mut dyn Database, series: &[Numbered<'_>]) -> Result<()> {
    let mut rows: Vec<Vec<Value>> = Vec::new();
    for &(station, name, series) in series {
        let grown = series.minutes.iter().filter(|(_, amount)| *amount != 0.0);
        rows.extend(
            grown.map(|(at, amount)| {
                vec![station.into(), name.into(), (*at).into(), (*amount).into()]
            }),
        );
    }
    let (head, tail) = sql::packed::GROW_MINUTE;
    db.put_rows(head, tail, &rows)
}

fn widen_spans(db: &mut dyn Database, stations: &[&Contribution]) -> Result<()> {
    let spans = stations.iter().flat_map(|one| {
        let spans = one.spans.iter();
        spans.map(|(begin, (low, high))| -> Vec<Value> {
            let (low, high) = sql::packed::rounded(*low, *high);
            vec![
                one.station.into(),
                (*begin).into(),
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
