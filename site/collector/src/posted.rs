//! Data that stations post about themselves over TLS 1.3: their position, and the duration of
//! their handshakes and exchanges [ferreira2021]. It is stored raw and summarised on request.

use std::collections::BTreeMap;

use selo_base::stats::{Summary, summarise};
use selo_tls::station::{Phase, Post};
use selo_tls::{Group, Suite};
use serde_json::{Value as Json, json};

use crate::db::{Database, Row, Value, transaction};
use crate::error::Result;
use crate::message::time_text;
use crate::sql;

/// Maximum rows of each table. The oldest rows are deleted when there are more.
pub const ROWS_MAX: i64 = 1_000_000;
/// Maximum samples of one summary; the newest are used.
pub const SAMPLES_MAX: i64 = 100_000;
/// Maximum positions of one answer; the newest are returned.
pub const TRACK_MAX: i64 = 500;
/// Maximum stations of one answer.
const STATIONS_MAX: i64 = 1000;

/// Stores a post of `station`, received at `now`.
pub fn store(db: &mut dyn Database, station: &str, post: &Post, now: i64) -> Result<()> {
    let (insert, bound, row): (_, _, Vec<Value>) = match post {
        Post::Reading(reading) => (
            sql::INSERT_FIX,
            sql::BOUND_FIXES,
            vec![
                now.into(),
                station.into(),
                reading.latitude.into(),
                reading.longitude.into(),
                reading.speed.into(),
            ],
        ),
        Post::Time(phase, time) => (
            sql::INSERT_TLS_TIME,
            sql::BOUND_TLS_TIMES,
            vec![
                now.into(),
                station.into(),
                phase.name().into(),
                time.suite.name().into(),
                time.group.name().into(),
                time.resumed.into(),
                time.seconds.into(),
            ],
        ),
    };
    transaction(db, |db| {
        db.execute(insert, &row)?;
        db.execute(bound, &[ROWS_MAX.into()])
    })?;
    Ok(())
}

/// Summarises the data from `from` (inclusive) to `to` (exclusive), of one station or of all.
pub fn summary(
    db: &mut dyn Database,
    station: Option<&str>,
    (from, to): (i64, i64),
) -> Result<Json> {
    let of = |limit: i64| -> [Value; 4] {
        let station = station.unwrap_or("");
        [from.into(), to.into(), station.into(), limit.into()]
    };
    let times = db.query(sql::TLS_TIMES, &of(SAMPLES_MAX))?;
    let track = db.query(sql::TRACK, &of(TRACK_MAX))?;
    let stations = db.query(sql::LAST_FIXES, &of(STATIONS_MAX))?;
    Ok(json!({
        "from": time_text(from),
        "to": time_text(to),
        "times": by_suite(&times),
        // False if there were more samples than the summary uses.
        "all": (times.len() as i64) < SAMPLES_MAX,
        "stations": stations.iter().map(|row| {
            let mut fix = fix(row);
            fix["readings"] = row.int(5).into();
            fix
        }).collect::<Vec<_>>(),
        "track": track.iter().map(fix).collect::<Vec<_>>(),
    }))
}

/// Converts a row that begins with station, time, latitude, longitude, speed.
pub fn fix(row: &Row) -> Json {
    json!({
        "station": row.text(0),
        "at": time_text(row.int(1)),
        "latitude": row.real(2),
        "longitude": row.real(3),
        "speed": row.real(4),
    })
}

/// Groups rows of (phase, suite, key exchange, resumed, seconds). Returns one entry per
/// combination, ordered by suite.
fn by_suite(rows: &[Row]) -> Vec<Json> {
    let place = |name: &str, names: &[&str]| names.iter().position(|known| *known == name);
    let suites = Suite::ALL.map(Suite::name);
    let groups = Group::ALL.map(Group::name);
    let mut units: BTreeMap<_, BTreeMap<&str, Vec<f64>>> = BTreeMap::new();
    for row in rows {
        let (suite, group) = (row.text(1), row.text(2));
        let unit = (
            place(suite, &suites),
            place(group, &groups),
            row.int(3) == 1,
            suite,
            group,
        );
        let samples = units.entry(unit).or_default().entry(row.text(0));
        samples.or_default().push(row.real(4));
    }
    units
        .into_iter()
        .map(|((.., resumed, suite, group), phases)| {
            let mut unit = json!({"suite": suite, "group": group, "resumed": resumed});
            for phase in Phase::ALL {
                let samples = phases.get(phase.name());
                let summary = samples.and_then(|samples| summarise(samples));
                unit[phase.name()] = summary.map_or(Json::Null, seconds);
            }
            unit
        })
        .collect()
}

/// Converts a summary in seconds. The interval is that of the mean, by Student's t.
fn seconds(summary: Summary) -> Json {
    json!({
        "count": summary.count,
        "mean": summary.mean,
        "low": summary.ci95.map(|half| summary.mean - half),
        "high": summary.ci95.map(|half| summary.mean + half),
        "median": summary.median,
        "min": summary.min,
        "max": summary.max,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(phase: &str, suite: &str, resumed: i64, seconds: f64) -> Row {
        Row(vec![
            phase.into(),
            suite.into(),
            "x25519".into(),
            resumed.into(),
            seconds.into(),
        ])
    }

    #[test]
    fn each_suite_has_its_means_in_the_order_of_the_suites() {
        let [aes, _, chacha] = Suite::ALL.map(Suite::name);
        let units = by_suite(&[
            time("handshake", chacha, 0, 0.5),
            time("handshake", aes, 0, 1.0),
            time("handshake", aes, 0, 2.0),
            time("handshake", aes, 0, 3.0),
            time("exchange", aes, 0, 4.0),
            time("handshake", aes, 1, 9.0),
        ]);
        let of = |unit: usize, name: &str| units[unit][name].clone();
        assert_eq!(units.len(), 3);
        assert_eq!(
            (of(0, "suite"), of(0, "resumed")),
            (aes.into(), false.into())
        );
        assert_eq!(
            (of(1, "suite"), of(1, "resumed")),
            (aes.into(), true.into())
        );
        assert_eq!(of(2, "suite"), chacha);
        let handshake = of(0, "handshake");
        assert_eq!(
            (&handshake["count"], &handshake["mean"]),
            (&json!(3), &json!(2.0))
        );
        // Student's t with 2 degrees of freedom is 4.303; the standard deviation is 1.
        let half = handshake["high"].as_f64().expect("a number") - 2.0;
        assert!((half - 4.302_653 / 3_f64.sqrt()).abs() < 1e-5, "{half}");
        assert!(
            of(0, "exchange")["low"].is_null(),
            "one sample has no interval"
        );
        assert!(of(2, "exchange").is_null());
    }
}
