//! Queries and their answers in the format of the API. Each answer is bounded.

use std::collections::{BTreeMap, HashMap};

use jiff::tz::TimeZone;
use serde_json::{Value as Json, json};

use crate::alarm;
use crate::days;
use crate::db::{Database, Row, Value};
use crate::error::{Error, Result};
use crate::message::{data_of, parts_of, session_text, time_text};
use crate::plausible::is_plausible;
use crate::rollup::{Level, round};
use crate::sql;

/// Maximum points of a series. A longer one must be requested in pieces or with a coarser step.
pub const POINTS_MAX: i64 = 100_000;
/// Maximum frames of one page.
pub const FRAMES_MAX: i64 = 1000;

/// The parameters of a statement about the stations: the times of their rain, then these ids.
pub fn rain_times(now: i64, chosen: Option<&[String]>) -> Vec<Value> {
    let hour = Level::Hour;
    let day_ago = now - Level::Day.ms();
    let mut parameters: Vec<Value> = vec![
        (now - hour.ms()).into(),
        day_ago.into(),
        now.into(),
        (hour.bucket(day_ago) + hour.ms()).into(),
        hour.bucket(now).into(),
    ];
    parameters.extend(chosen.into_iter().flatten().map(|id| id.as_str().into()));
    parameters
}

/// The active alarms by station: of all stations, or of those with these ids.
pub fn alarms_by_station(
    db: &mut dyn Database,
    chosen: Option<&[String]>,
) -> Result<HashMap<String, Vec<Json>>> {
    let ids: Vec<Value> = chosen
        .into_iter()
        .flatten()
        .map(|id| id.as_str().into())
        .collect();
    let active = match chosen {
        None => db.query(&sql::active_alarms(), &[])?,
        Some(_) => db.query(&sql::active_alarms_of(ids.len()), &ids)?,
    };
    let mut alarms: HashMap<String, Vec<Json>> = HashMap::new();
    for row in active {
        let alarm = alarm::row_json(&row);
        alarms.entry(row.text(2).into()).or_default().push(alarm);
    }
    Ok(alarms)
}

/// The state of a station that was last heard at a time and is silent after another.
pub fn state(last_seen: Option<i64>, silent_after: i64, now: i64) -> &'static str {
    match last_seen {
        None => "never",
        Some(seen) if now - seen >= silent_after => "silent",
        Some(_) => "online",
    }
}

/// All stations, or those with these ids.
pub fn stations(
    db: &mut dyn Database,
    chosen: Option<&[String]>,
    now: i64,
    silent_after: i64,
) -> Result<Vec<Json>> {
    if chosen.is_some_and(<[String]>::is_empty) {
        return Ok(Vec::new());
    }
    let rules = alarm::load_rules(db)?;
    let select = sql::stations(chosen.map(<[String]>::len));
    let rows = db.query(&select, &rain_times(now, chosen))?;
    let mut alarms = alarms_by_station(db, chosen)?;
    Ok(rows
        .iter()
        .map(|row| {
            let station = row.text(0);
            let silent_after = alarm::silent_after(&rules, station, silent_after);
            let state = state(row.opt_int(8), silent_after, now);
            station_json(row, state, alarms.remove(station).unwrap_or_default())
        })
        .collect())
}

fn station_json(row: &Row, state: &str, alarms: Vec<Json>) -> Json {
    let station = row.text(0);
    let values: Json = serde_json::from_str(row.text(12)).unwrap_or_else(|_| json!({}));
    json!({
        "station": station,
        "device": row.text(2),
        "name": row.opt_text(1),
        "site": parts_of(station).0,
        "gateway": row.opt_text(3),
        "codec": row.opt_text(4),
        "latitude": row.opt_real(5),
        "longitude": row.opt_real(6),
        "state": state,
        "first_seen": time_text(row.int(7)),
        "last_seen": row.opt_int(8).map(time_text),
        "rssi": row.opt_int(11),
        "session": row.opt_int(9).map(session_text),
        "counter": row.opt_int(10),
        "received": row.int(13),
        "lost": row.int(16),
        "duplicates": row.int(14),
        "implausible": row.int(15),
        "values": values,
        "rain": row.opt_real(18).map(|day| json!({
            "hour": round(row.real(17)),
            "day": round(day),
            "unit": "mm",
        })),
        "alarms": alarms,
    })
}

/// Resolves a station id: `site:device`, or a device id if only one site has that device.
pub fn find_station(db: &mut dyn Database, id: &str) -> Result<String> {
    let rows = db.query(sql::STATIONS_OF, &[id.into()])?;
    match &rows[..] {
        [] => Err(Error::Unknown {
            what: format!("station '{id}'"),
        }),
        [one] => Ok(one.text(0).into()),
        several => {
            let ids: Vec<&str> = several.iter().map(|row| row.text(0)).collect();
            Err(Error::Invalid(format!(
                "device '{id}' exists at several sites: use {}",
                ids.join(" or ")
            )))
        }
    }
}

/// What a series is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Raw,
    Rollup(Level),
}

impl Step {
    /// Parses `raw`, `minute`, `hour` or `day`.
    pub fn parse(text: &str) -> Result<Step> {
        if text == "raw" {
            return Ok(Step::Raw);
        }
        Level::ALL
            .into_iter()
            .find(|level| level.name() == text)
            .map(Step::Rollup)
            .ok_or_else(|| Error::Invalid("step must be raw, minute, hour or day".into()))
    }
}

fn known(db: &mut dyn Database, station: &str, name: &str) -> Result<String> {
    let rows = db.query(sql::UNIT_OF, &[station.into(), name.into()])?;
    match rows.first() {
        Some(row) => Ok(row.text(0).into()),
        None => Err(Error::Unknown {
            what: format!("value '{name}' of station '{station}'"),
        }),
    }
}

fn bounded(rows: Vec<Row>) -> Result<Vec<Row>> {
    if rows.len() as i64 > POINTS_MAX {
        return Err(Error::Invalid(format!(
            "more than {POINTS_MAX} points: request a shorter range or a coarser step"
        )));
    }
    Ok(rows)
}

/// A value of a station over time: `{"unit", "step", "t", ...}` with one column per figure.
pub fn series(
    db: &mut dyn Database,
    station: &str,
    name: &str,
    (from, to): (i64, i64),
    step: Step,
    zone: &TimeZone,
) -> Result<Json> {
    let unit = known(db, station, name)?;
    let Step::Rollup(level) = step else {
        let rows = bounded(db.query(
            sql::RAW_SERIES,
            &[
                station.into(),
                from.into(),
                to.into(),
                (POINTS_MAX + 1).into(),
            ],
        )?)?;
        let (mut t, mut last) = (Vec::new(), Vec::new());
        for row in &rows {
            if let Some(value) = data_of(row.text(1)).get(name) {
                t.push(row.int(0));
                last.push(*value);
            }
        }
        return Ok(json!({"name": name, "unit": unit, "step": "raw", "t": t, "last": last}));
    };
    let rows = rollups(db, station, name, (from, to), level, zone)?;
    let real = |column: usize| rows.iter().map(|r| r.real(column)).collect::<Vec<f64>>();
    let int = |column: usize| rows.iter().map(|r| r.int(column)).collect::<Vec<i64>>();
    let mean: Vec<f64> = rows
        .iter()
        .map(|row| row.real(4) / row.int(1).max(1) as f64)
        .map(round)
        .collect();
    Ok(json!({
        "name": name, "unit": unit, "step": level.name(), "t": int(0), "min": real(2),
        "max": real(3), "mean": mean, "last": real(5), "count": int(1),
    }))
}

/// Roll-ups of a range, from the start of its first step. Days are those of the zone.
fn rollups(
    db: &mut dyn Database,
    station: &str,
    name: &str,
    (from, to): (i64, i64),
    level: Level,
    zone: &TimeZone,
) -> Result<Vec<Row>> {
    let local = level == Level::Day && !days::is_utc(zone);
    let (level, (from, to)) = match local {
        true => (Level::Hour, days::whole(from, to - 1, zone)),
        false => (level, (level.bucket(from), to)),
    };
    let rows = bounded(db.query(
        &sql::rollup_series(level.table()),
        &[
            station.into(),
            name.into(),
            from.into(),
            to.into(),
            (POINTS_MAX + 1).into(),
        ],
    )?)?;
    Ok(if local {
        days::by_day(&rows, zone)
    } else {
        rows
    })
}

/// Rain per step: the growth of the rain total. Steps without readings are absent.
pub fn rain(
    db: &mut dyn Database,
    station: &str,
    (from, to): (i64, i64),
    level: Level,
    zone: &TimeZone,
) -> Result<Json> {
    let unit = known(db, station, "rain_total")?;
    let rows = rollups(db, station, "rain_total", (from, to), level, zone)?;
    let t: Vec<i64> = rows.iter().map(|row| row.int(0)).collect();
    let mm: Vec<f64> = rows.iter().map(|row| round(row.real(6))).collect();
    let total: f64 = rows.iter().map(|row| row.real(6)).sum();
    Ok(json!({"unit": unit, "step": level.name(), "t": t, "mm": mm, "total": round(total)}))
}

/// Units by (station, name).
pub type Units = HashMap<(String, String), String>;

/// Reads the units of all values.
pub fn units(db: &mut dyn Database) -> Result<Units> {
    let rows = db.query(sql::QUANTITIES, &[])?;
    let named = |row: &Row| (row.text(0).to_string(), row.text(1).to_string());
    Ok(rows
        .iter()
        .map(|row| (named(row), row.text(2).to_string()))
        .collect())
}

/// Adds the units to stored values.
pub fn with_units(units: &Units, station: &str, data: &str) -> BTreeMap<String, Json> {
    data_of(data)
        .into_iter()
        .map(|(name, value)| {
            let unit = units.get(&(station.to_string(), name.clone()));
            let unit = unit.map_or("", String::as_str);
            let quantity = json!({"value": value, "unit": unit});
            (name, quantity)
        })
        .collect()
}

/// A position in the frame log. Older frames come before it.
#[derive(Debug, Clone)]
pub struct Before {
    received: i64,
    station: String,
    session: i64,
    counter: i64,
}

impl Before {
    /// The position after all frames.
    pub const END: Before = Before {
        received: i64::MAX,
        station: String::new(),
        session: i64::MIN,
        counter: i64::MIN,
    };

    /// Parses `next` of an earlier answer, or Unix milliseconds.
    pub fn parse(text: &str) -> Result<Before> {
        let wrong = || {
            Error::Invalid(
                "before must be `next` of an earlier answer, or Unix milliseconds".into(),
            )
        };
        let mut parts = text.split('~');
        let received = parts.next().and_then(|part| part.parse().ok());
        let mut before = Before {
            received: received.ok_or_else(wrong)?,
            ..Before::END
        };
        if let Some(station) = parts.next() {
            let mut number = || parts.next().and_then(|part| part.parse().ok());
            before.station = station.into();
            before.session = number().ok_or_else(wrong)?;
            before.counter = number().ok_or_else(wrong)?;
        }
        Ok(before)
    }
}

/// A page of frames before a position, newest first, of one station or of all. `next` is the
/// position of the following page, or null.
pub fn frames(
    db: &mut dyn Database,
    station: Option<&str>,
    before: &Before,
    limit: i64,
) -> Result<Json> {
    let rows = match station {
        Some(station) => frames_of(db, station, before, limit)?,
        None => frames_of_all(db, before, limit)?,
    };
    let units = units(db)?;
    let frames: Vec<Json> = rows.iter().map(|row| frame(&units, row)).collect();
    let next = rows
        .last()
        .filter(|_| rows.len() as i64 == limit)
        .map(|row| {
            format!(
                "{}~{}~{}~{}",
                row.int(3),
                row.text(0),
                row.int(1),
                row.int(2)
            )
        });
    Ok(json!({"frames": frames, "next": next}))
}

fn frames_of(
    db: &mut dyn Database,
    station: &str,
    before: &Before,
    limit: i64,
) -> Result<Vec<Row>> {
    let parameters = [
        station.into(),
        before.received.into(),
        before.session.into(),
        before.counter.into(),
        limit.into(),
    ];
    let (select, rest) = sql::FRAMES_OF;
    db.query(&format!("{select} {rest}"), &parameters)
}

/// Reads a minute before the position, and longer times until the page is full: PostgreSQL has no
/// index that is sorted by time.
fn frames_of_all(db: &mut dyn Database, before: &Before, limit: i64) -> Result<Vec<Row>> {
    let newest = db.query(sql::LAST_SEEN, &[])?;
    let newest = newest.first().map_or(0, |row| row.int(0));
    let end = before.received.min(newest);
    let (select, rest) = sql::FRAMES;
    let select = format!("{select} {rest}");
    let mut long = Level::Minute.ms();
    loop {
        let from = end.saturating_sub(long);
        let is_all = from <= 0;
        let parameters: [Value; 6] = [
            before.received.into(),
            before.station.as_str().into(),
            before.session.into(),
            before.counter.into(),
            limit.into(),
            if is_all { i64::MIN } else { from }.into(),
        ];
        let rows = db.query(&select, &parameters)?;
        if is_all || rows.len() as i64 >= limit {
            return Ok(rows);
        }
        long = long.saturating_mul(16);
    }
}

fn frame(units: &Units, row: &Row) -> Json {
    let lost_before = row.opt_int(11).map_or(0, |before| row.int(2) - before - 1);
    let mut frame = exported(units, row);
    frame["lost_before"] = lost_before.into();
    frame
}

/// A reading as in the frame log and in an export.
pub fn exported(units: &Units, row: &Row) -> Json {
    json!({
        "station": row.text(0),
        "device": parts_of(row.text(0)).1,
        "session": session_text(row.int(1)),
        "counter": row.int(2),
        "received": time_text(row.int(3)),
        "gateway": row.opt_text(4),
        "rssi": row.opt_int(5),
        "payload": hex::encode(row.blob(6)),
        "values": with_units(units, row.text(0), row.text(7)),
        "authenticated": row.int(8) == 1,
        "stored": time_text(row.int(9)),
        // False if the gateway's clock was wrong by more than the tolerance.
        "plausible": is_plausible(row.int(3), row.int(9)),
        "site": row.text(10),
    })
}
