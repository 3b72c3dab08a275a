//! The journal of alarms: who was told, who acknowledged, and when.

use serde_json::{Value as Json, json};

use crate::db::{Database, Row, Value};
use crate::error::Result;
use crate::message::{parts_of, time_text};
use crate::rollup::round;
use crate::sql;

/// Maximum events of one page.
pub const PAGE_MAX: i64 = 1000;

/// An event of an alarm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    Raised,
    Cleared,
    Acknowledged,
    /// A channel delivered a notice.
    Sent,
    /// A channel gave a notice up.
    Failed,
}

impl Event {
    fn name(self) -> &'static str {
        match self {
            Event::Raised => "raised",
            Event::Cleared => "cleared",
            Event::Acknowledged => "acknowledged",
            Event::Sent => "sent",
            Event::Failed => "failed",
        }
    }
}

/// Writes an event down.
pub fn note(
    db: &mut dyn Database,
    at: At,
    event: Event,
    person: Option<&str>,
    note: Option<&str>,
) -> Result<()> {
    insert(db, at, event, [person, note, None])
}

/// Writes down that a target was told of an alarm, or was not.
pub fn told(
    db: &mut dyn Database,
    at: At,
    event: Event,
    (target, label): (&str, &str),
) -> Result<()> {
    insert(db, at, event, [Some(label), None, Some(target)])
}

/// Time and number of an alarm.
type At = (i64, i64);

fn insert(
    db: &mut dyn Database,
    (at, alarm): At,
    event: Event,
    texts: [Option<&str>; 3],
) -> Result<()> {
    let [person, note, target] = texts;
    let parameters: [Value; 6] = [
        at.into(),
        alarm.into(),
        event.name().into(),
        person.into(),
        note.into(),
        target.into(),
    ];
    db.execute(sql::INSERT_EVENT, &parameters)?;
    Ok(())
}

/// Position in the journal: events before it are listed.
pub type Before = (i64, i64);

/// Events before a position and since a time, newest first.
pub fn events(
    db: &mut dyn Database,
    before: Before,
    since: i64,
    station: &str,
    limit: i64,
) -> Result<Vec<Row>> {
    let parameters: [Value; 5] = [
        before.0.into(),
        before.1.into(),
        since.into(),
        station.into(),
        limit.into(),
    ];
    db.query(sql::EVENTS, &parameters)
}

/// The position of an event, from which the next page starts.
pub fn position(row: &Row) -> Before {
    (row.int(1), row.int(0))
}

/// An event as the API returns it.
pub fn json_of(row: &Row) -> Json {
    let station = row.text(6);
    json!({
        "at": time_text(row.int(1)),
        "event": row.text(2),
        "person": row.opt_text(3),
        "note": row.opt_text(4),
        "alarm": row.text(5),
        "id": row.int(12),
        "station": station,
        "device": parts_of(station).1,
        "name": row.opt_text(13),
        "severity": row.text(7),
        "value": row.opt_real(8).map(round),
        "limit": row.real(9),
        "unit": row.text(10),
        "text": row.text(11),
    })
}
