//! The values of readings, and their sums by minute, hour and day.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::station::Station;
use crate::db::{Database, Row, Value};
use crate::error::Result;
use crate::message::{Identity, Message, data_of};
use crate::rollup::{Contribution, growth, is_total};
use crate::sql;

/// The gap between two stored readings that contains late readings of a batch.
pub(super) struct Gap {
    /// The last value that the batch put into the gap.
    last: f64,
    /// The stored reading at the end of the gap.
    after: Option<Neighbour>,
}

/// What is known of the late readings of a batch.
#[derive(Default)]
pub(super) struct Late<'a> {
    /// Readings of this batch that are in the database, but not yet in the roll-ups.
    pending: HashSet<&'a Identity>,
    /// The gap of the last late reading, by station and name. A batch is processed in order, so each
    /// gap is looked up only once.
    gaps: HashMap<(&'a str, &'a str), Gap>,
    /// The stored readings before and after a late one, nearest first: of the first late reading of
    /// each station and name. Those of all stations were asked for at once.
    near: HashMap<&'a Identity, [Vec<Row>; 2]>,
}

impl<'a> Late<'a> {
    /// Reads what the batch needs of the database. `stations` are as before the batch.
    pub fn find(
        db: &mut dyn Database,
        in_order: &[&'a Message],
        stations: &HashMap<Arc<str>, Station>,
    ) -> Result<Late<'a>> {
        let mut series = HashSet::new();
        let mut first: Vec<&'a Identity> = Vec::new();
        let mut of_station: Option<(&Arc<str>, &Station)> = None;
        for message in in_order {
            let id = &message.identity.station;
            if of_station.is_none_or(|(last, _)| last != id) {
                of_station = stations.get_key_value(id);
            }
            let Some((_, station)) = of_station else {
                continue;
            };
            let of = (message.identity.session, message.identity.counter);
            for name in message.values.keys().filter(|name| is_total(name)) {
                let last = station.totals.get(name);
                let is_late = last.is_some_and(|(session, counter, _)| of <= (*session, *counter));
                let is_first = is_late && series.insert((&*message.identity.station, name));
                if is_first && first.last() != Some(&&message.identity) {
                    first.push(&message.identity);
                }
            }
        }
        let keys: Vec<Vec<Value>> = first.iter().map(|identity| key(identity)).collect();
        let mut before = db.query_each(sql::BEFORE, &keys)?;
        let mut after = db.query_each(sql::AFTER, &keys)?;
        let place = |row: &Row| (row.int(0), row.int(1));
        for rows in &mut before {
            rows.sort_by_key(|row| Reverse(place(row)));
        }
        for rows in &mut after {
            rows.sort_by_key(place);
        }
        let near = before.into_iter().zip(after).map(Into::into);
        // Nobody asks for them without a late reading.
        let asked = if first.is_empty() { &[] } else { in_order };
        Ok(Late {
            pending: asked.iter().map(|message| &message.identity).collect(),
            gaps: HashMap::new(),
            near: first.into_iter().zip(near).collect(),
        })
    }

    /// The roll-ups get this message next.
    pub fn begin(&mut self, message: &Message) {
        if !self.pending.is_empty() {
            self.pending.remove(&message.identity);
        }
    }

    /// The stored readings before and after a late one that have the value `name`.
    fn neighbours(
        &self,
        db: &mut dyn Database,
        message: &Message,
        name: &str,
    ) -> Result<[Option<Neighbour>; 2]> {
        let mut near = self.near.get(&message.identity).cloned();
        let mut find = |side: usize, sql| {
            let rows = near.as_mut().map(|near| std::mem::take(&mut near[side]));
            neighbour(db, sql, message, (name, rows), &self.pending)
        };
        Ok([find(0, sql::BEFORE)?, find(1, sql::AFTER)?])
    }
}

fn key(identity: &Identity) -> Vec<Value> {
    vec![
        (&*identity.station).into(),
        identity.session.into(),
        identity.counter.into(),
    ]
}

/// Adds a message's values to the roll-ups.
pub(super) fn add_values<'a>(
    db: &mut dyn Database,
    station: &Station,
    message: &'a Message,
    late: &mut Late<'a>,
    deltas: &mut Contribution,
) -> Result<()> {
    let Identity {
        station: id,
        session,
        counter,
    } = &message.identity;
    let of = (*session, *counter);
    deltas.place(message.received, of);
    for (name, quantity) in &message.values {
        deltas.add(name, message.received, of, quantity.value);
        if !is_total(name) {
            continue;
        }
        let total = quantity.value;
        match station.totals.get(name) {
            None => continue,
            Some((session, counter, before)) if of > (*session, *counter) => {
                deltas.grow(name, message.received, growth(*before, total));
                continue;
            }
            Some(_) => {}
        }
        // The reading is late: it and the next reading share the growth that was credited to the
        // next one.
        let key = (&**id, name.as_str());
        let same = late
            .gaps
            .remove(&key)
            .filter(|gap| gap.after.is_none_or(|after| after.of > of));
        let (before, after) = match same {
            Some(gap) => (Some(gap.last), gap.after),
            None => {
                let [before, after] = late.neighbours(db, message, name)?;
                (before.map(|before| before.value), after)
            }
        };
        if let Some(before) = before {
            deltas.grow(name, message.received, growth(before, total));
        }
        if let Some(after) = after {
            let credited = before.map_or(0.0, |before| growth(before, after.value));
            let by = growth(total, after.value) - credited;
            deltas.grow(name, after.received, by);
        }
        late.gaps.insert(key, Gap { last: total, after });
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

/// Finds the nearest reading before or after `message` that has the value `name`. The first rows of
/// `sql` may be known.
fn neighbour(
    db: &mut dyn Database,
    sql: &str,
    message: &Message,
    (name, mut known): (&str, Option<Vec<Row>>),
    pending: &HashSet<&Identity>,
) -> Result<Option<Neighbour>> {
    let mut place = message.identity.clone();
    loop {
        let rows = match known.take() {
            Some(rows) => rows,
            None => db.query(sql, &key(&place))?,
        };
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

/// Units that changed, by station and name.
pub(super) type Units = BTreeMap<(Arc<str>, String), String>;

/// Notes the units of a message that are not those of its station, for both. Returns true if there
/// are any.
pub(super) fn note_units(station: &mut Station, message: &Message, units: &mut Units) -> bool {
    let mut noted = false;
    for (name, quantity) in &message.values {
        if station.units.get(name) != Some(&quantity.unit) {
            station.units.insert(name.clone(), quantity.unit.clone());
            let of = (message.identity.station.clone(), name.clone());
            units.insert(of, quantity.unit.clone());
            noted = true;
        }
    }
    noted
}

/// First and last counter, and the number of readings, by station and session.
pub(super) type Sessions = HashMap<(Arc<str>, i64), (i64, i64, i64)>;

/// Counts the readings of one station, which are in order.
pub(super) fn count_sessions(sessions: &mut Sessions, of_station: &[&Message]) {
    let same = |one: &&Message, other: &&Message| one.identity.session == other.identity.session;
    for group in of_station.chunk_by(same) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else {
            continue;
        };
        let (low, high) = (first.identity.counter, last.identity.counter);
        let key = (first.identity.station.clone(), first.identity.session);
        let entry = sessions.entry(key).or_insert((low, high, 0));
        entry.0 = entry.0.min(low);
        entry.1 = entry.1.max(high);
        entry.2 += group.len() as i64;
    }
}

/// Adds the counts to the database.
pub(super) fn store_sessions(db: &mut dyn Database, sessions: &Sessions) -> Result<()> {
    // Sorted, so that two writers lock rows in the same order.
    let mut sessions: Vec<_> = sessions.iter().collect();
    sessions.sort_unstable();
    let rows: Vec<Vec<Value>> = sessions
        .into_iter()
        .map(|((station, session), (first, last, stored))| {
            vec![
                (&**station).into(),
                (*session).into(),
                (*first).into(),
                (*last).into(),
                (*stored).into(),
            ]
        })
        .collect();
    let (head, tail) = sql::ADD_TO_SESSION;
    db.put_rows(head, tail, &rows)
}
