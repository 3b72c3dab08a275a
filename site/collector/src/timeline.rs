//! What the axis of time shows beside the values: restarts of a station, and times without a set
//! clock. And the small charts of the overview.

use serde_json::{Map, Value as Json, json};

use crate::db::{Database, Row, Value};
use crate::error::Result;
use crate::rollup::{Level, round};
use crate::sql;

/// Maximum events of a kind in an answer; the newest are kept.
const EVENTS_MAX: i64 = 200;
/// Hours of a small chart.
pub const SPARK_HOURS: i64 = 24;

/// Flags of a status word that are events, as codecs name them.
const PROBLEMS: [&str; 2] = ["clock_lost", "radio_lost"];

/// Events of a station in a range, oldest first.
pub fn events(db: &mut dyn Database, station: &str, (from, to): (i64, i64)) -> Result<Json> {
    let range = |name: &str| -> Vec<Value> {
        let limit = EVENTS_MAX.into();
        match name {
            "" => vec![station.into(), from.into(), to.into(), limit],
            name => vec![station.into(), name.into(), from.into(), to.into(), limit],
        }
    };
    let mut events: Vec<(i64, &str)> = Vec::new();
    for row in db.query(sql::RESTARTS, &range(""))? {
        events.push((row.int(0), "restart"));
    }
    for name in PROBLEMS {
        let mut hours: Vec<i64> = db
            .query(sql::FLAGGED_HOURS, &range(name))?
            .iter()
            .map(|row| row.int(0))
            .collect();
        hours.sort_unstable();
        // An hour that follows another one is the same event.
        let mut last = i64::MIN;
        for at in hours {
            if last.checked_add(Level::Hour.ms()) != Some(at) {
                events.push((at.max(from), name));
            }
            last = at;
        }
    }
    events.sort_unstable();
    let json = |(at, event): &(i64, &str)| json!({"at": at, "event": event});
    Ok(json!({"events": events.iter().map(json).collect::<Vec<_>>()}))
}

/// The last hours of a value for each station, or for those with these ids: amounts of a total,
/// means of another value. Hours without readings are null.
pub fn sparklines(
    db: &mut dyn Database,
    name: &str,
    chosen: Option<&[String]>,
    now: i64,
) -> Result<Json> {
    let first = Level::Hour.bucket(now) - (SPARK_HOURS - 1) * Level::Hour.ms();
    let mut stations: Map<String, Json> = Map::new();
    let mut parameters: Vec<Value> = vec![name.into(), first.into()];
    parameters.extend(chosen.into_iter().flatten().map(|id| id.as_str().into()));
    let rows = match chosen {
        Some([]) => Vec::new(),
        chosen => db.query(&sql::sparklines(chosen.map(<[String]>::len)), &parameters)?,
    };
    for row in rows {
        let at = usize::try_from((row.int(1) - first) / Level::Hour.ms()).unwrap_or(usize::MAX);
        let empty = || json!(vec![Json::Null; SPARK_HOURS as usize]);
        let line = stations.entry(row.text(0)).or_insert_with(empty);
        // A reading from a gateway whose clock is ahead has no place.
        if let Some(place) = line.get_mut(at) {
            *place = json!(round(value(&row, name)));
        }
    }
    Ok(json!({"name": name, "from": first, "stations": stations}))
}

fn value(row: &Row, name: &str) -> f64 {
    if name.ends_with("_total") {
        return row.real(2);
    }
    row.real(3) / row.int(4).max(1) as f64
}
