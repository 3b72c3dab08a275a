//! What stations post of themselves over TLS 1.3: where they are, and how long their
//! handshakes and exchanges took [ferreira2021]. Stored as it comes, and summed up when
//! somebody looks.

use std::collections::BTreeMap;

use selo_base::stats::{Summary, summarise};
use selo_tls::station::{Phase, Post};
use selo_tls::{Group, Suite};
use serde_json::{Value as Json, json};

use crate::db::{Database, Row, Value, transaction};
use crate::error::Result;
use crate::message::time_text;
use crate::sql;

/// Rows of each table, at most: the oldest go when there are more.
pub const ROWS_MAX: i64 = 1_000_000;
/// Times that one summary is made of, the newest.
pub const SAMPLES_MAX: i64 = 100_000;
/// Places of one answer, the newest.
pub const TRACK_MAX: i64 = 500;
/// Stations of one answer.
const STATIONS_MAX: i64 = 1000;

/// Stores what `station` posted at `now`.
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

/// All that came from `from` until before `to`, of one station or of all.
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
        // More were there than were summed up.
        "all": (times.len() as i64) < SAMPLES_MAX,
        "stations": stations.iter().map(|row| {
            let mut fix = fix(row);
            fix["readings"] = row.int(5).into();
            fix
        }).collect::<Vec<_>>(),
        "track": track.iter().map(fix).collect::<Vec<_>>(),
    }))
}

/// A row that begins with station, time, latitude, longitude, speed.
pub fn fix(row: &Row) -> Json {
    json!({
        "station": row.text(0),
        "at": time_text(row.int(1)),
        "latitude": row.real(2),
        "longitude": row.real(3),
        "speed": row.real(4),
    })
}

/// Rows of phase, suite, key exchange, resumed, seconds: one entry for each combination, in
/// the order of the suites.
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

/// Seconds; the interval is that of the mean, by Student's t.
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
        // t of 2 degrees of freedom is 4.303, the deviation 1.
        let half = handshake["high"].as_f64().expect("a number") - 2.0;
        assert!((half - 4.302_653 / 3_f64.sqrt()).abs() < 1e-5, "{half}");
        assert!(
            of(0, "exchange")["low"].is_null(),
            "one sample has no interval"
        );
        assert!(of(2, "exchange").is_null());
    }
}
