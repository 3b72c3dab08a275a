//! The values of readings, and their sums by minute, hour and day.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::station::Station;
use crate::db::{Database, Value};
use crate::error::Result;
use crate::message::{Identity, Message, data_of, data_text};
use crate::rollup::{Deltas, growth, is_total};
use crate::sql;

/// The gap between two stored readings that contains late readings of a batch.
pub(super) struct Gap {
    /// The last value that the batch put into the gap.
    last: f64,
    /// The stored reading at the end of the gap.
    after: Option<Neighbour>,
}

/// The gap of the batch's last late reading, by station and name. A batch is processed in order,
/// so each gap is looked up only once.
pub(super) type Gaps<'a> = HashMap<(&'a str, &'a str), Gap>;

/// Adds a message's values to the roll-ups. `pending` are readings of this batch that are in the
/// database, but not yet in the roll-ups.
pub(super) fn add_values<'a>(
    db: &mut dyn Database,
    station: &Station,
    message: &'a Message,
    pending: &HashSet<&Identity>,
    gaps: &mut Gaps<'a>,
    deltas: &mut Deltas,
) -> Result<()> {
    let Identity {
        station: id,
        session,
        counter,
    } = &message.identity;
    let of = (*session, *counter);
    for (name, quantity) in &message.values {
        deltas.add(id, name, message.received, of, quantity.value);
        if !is_total(name) {
            continue;
        }
        let total = quantity.value;
        match station.totals.get(name) {
            None => continue,
            Some((session, counter, before)) if of > (*session, *counter) => {
                deltas.grow(id, name, message.received, growth(*before, total));
                continue;
            }
            Some(_) => {}
        }
        // The reading is late: it and the next reading share the growth that was credited to the
        // next one.
        let key = (&**id, name.as_str());
        let same = gaps
            .remove(&key)
            .filter(|gap| gap.after.is_none_or(|after| after.of > of));
        let (before, after) = match same {
            Some(gap) => (Some(gap.last), gap.after),
            None => {
                let before = neighbour(db, sql::BEFORE, message, name, pending)?;
                let after = neighbour(db, sql::AFTER, message, name, pending)?;
                (before.map(|before| before.value), after)
            }
        };
        if let Some(before) = before {
            deltas.grow(id, name, message.received, growth(before, total));
        }
        if let Some(after) = after {
            let credited = before.map_or(0.0, |before| growth(before, after.value));
            let by = growth(total, after.value) - credited;
            deltas.grow(id, name, after.received, by);
        }
        gaps.insert(key, Gap { last: total, after });
    }
    Ok(())
}

/// A stored reading next to a late one.
#[derive(Clone, Copy)]
struct Neighbour {
    /// (session, counter)
    of: (i64, i64),
    received: i64,
    value: f64,
}

/// Finds the nearest reading before or after `message` that has the value `name`.
fn neighbour(
    db: &mut dyn Database,
    sql: &str,
    message: &Message,
    name: &str,
    pending: &HashSet<&Identity>,
) -> Result<Option<Neighbour>> {
    let mut place = message.identity.clone();
    loop {
        let parameters = [
            (&*place.station).into(),
            place.session.into(),
            place.counter.into(),
        ];
        let rows = db.query(sql, &parameters)?;
        for row in &rows {
            place.session = row.int(0);
            place.counter = row.int(1);
            if pending.contains(&place) {
                continue;
            }
            if let Some(value) = data_of(row.text(3)).get(name) {
                return Ok(Some(Neighbour {
                    of: (place.session, place.counter),
                    received: row.int(2),
                    value: *value,
                }));
            }
        }
        if rows.is_empty() {
            return Ok(None);
        }
    }
}

pub(super) fn note_units(station: &mut Station, message: &Message, rows: &mut Vec<Vec<Value>>) {
    for (name, quantity) in &message.values {
        if station.units.get(name) != Some(&quantity.unit) {
            station.units.insert(name.clone(), quantity.unit.clone());
            rows.push(vec![
                (&*message.identity.station).into(),
                name.as_str().into(),
                quantity.unit.as_str().into(),
            ]);
        }
    }
}

/// Inserts the readings that are not stored yet. Returns for each message whether it was new.
pub(super) fn insert_readings(
    db: &mut dyn Database,
    messages: &[&Message],
    now: i64,
) -> Result<Vec<bool>> {
    let mut seen = HashSet::with_capacity(messages.len());
    let rows: Vec<Vec<Value>> = messages
        .iter()
        .filter(|message| seen.insert(&message.identity))
        .map(|message| {
            vec![
                (&*message.identity.station).into(),
                message.identity.session.into(),
                message.identity.counter.into(),
                message.received.into(),
                now.into(),
                message.gateway.clone().into(),
                message.identity.site().into(),
                message.authenticated.into(),
                message.rssi.into(),
                message.payload.clone().into(),
                data_text(&message.values).into(),
            ]
        })
        .collect();
    let new = db.insert_new(sql::INSERT_READING, &sql::KEY_OF_READING, &rows)?;
    // Of several messages with one identity, the first counts as the new one.
    let mut new = new.into_iter();
    let mut seen = HashSet::with_capacity(messages.len());
    Ok(messages
        .iter()
        .map(|message| seen.insert(&message.identity) && new.next().unwrap_or(false))
        .collect())
}

pub(super) fn count_sessions(db: &mut dyn Database, in_order: &[&Message]) -> Result<()> {
    let mut sessions: BTreeMap<(&str, i64), (i64, i64, i64)> = BTreeMap::new();
    for message in in_order {
        let Identity {
            station,
            session,
            counter,
        } = &message.identity;
        let entry = sessions
            .entry((station, *session))
            .or_insert((*counter, *counter, 0));
        entry.1 = *counter;
        entry.2 += 1;
    }
    let rows: Vec<Vec<Value>> = sessions
        .into_iter()
        .map(|((station, session), (first, last, stored))| {
            vec![
                station.into(),
                session.into(),
                first.into(),
                last.into(),
                stored.into(),
            ]
        })
        .collect();
    let (head, tail) = sql::ADD_TO_SESSION;
    db.put_rows(head, tail, &rows)?;
    Ok(())
}
