//! Readings as a database keeps them: their numbers, the ones that are new, and what an earlier run has
//! left for later.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::station::Station;
use crate::db::{Database, Packed, Value};
use crate::error::Result;
use crate::message::{Identity, Message, Quantity, data_of};
use crate::sql::packed;

/// The numbers of these texts. Adds those that have none.
fn numbers(
    db: &mut dyn Database,
    select: &str,
    (head, tail): (&str, &str),
    texts: &[&str],
) -> Result<Vec<i32>> {
    let keys: Vec<Vec<Value>> = texts.iter().map(|text| vec![(*text).into()]).collect();
    let mut found = db.query_each(select, &keys)?;
    let missing = keys.iter().zip(&found).filter(|(_, rows)| rows.is_empty());
    let missing: Vec<Vec<Value>> = missing.map(|(key, _)| key.clone()).collect();
    if !missing.is_empty() {
        db.put_rows(head, tail, &missing)?;
        found = db.query_each(select, &keys)?;
    }
    let number = |row: &crate::db::Row| i32::try_from(row.int(0)).unwrap_or(0);
    Ok(found
        .iter()
        .map(|rows| rows.first().map_or(0, number))
        .collect())
}

/// Gives stations their numbers, and finds the last reading of each.
pub(super) fn number(
    db: &mut dyn Database,
    messages: &[&Message],
    stations: &mut [Station],
) -> Result<()> {
    let texts: Vec<&str> = messages.iter().map(|one| &*one.identity.station).collect();
    let numbers = numbers(db, packed::STATION_NUMBER, packed::NEW_STATION, &texts)?;
    let keys: Vec<Vec<Value>> = texts.iter().map(|text| vec![(*text).into()]).collect();
    let newest = db.query_each(packed::NEWEST_OF, &keys)?;
    for ((station, number), newest) in stations.iter_mut().zip(numbers).zip(newest) {
        station.number = number;
        station.newest = newest.first().map(|row| (row.int(0), row.int(1)));
    }
    Ok(())
}

/// The stations by id.
type Stations = HashMap<Arc<str>, Station>;

/// What the writer knows of packed readings.
#[derive(Debug, Default)]
pub(super) struct Packer {
    /// Numbers of lists of quantities, and of quantities.
    layouts: HashMap<String, i32>,
    quantities: HashMap<String, i32>,
    /// The last batch that left its consequences for later, and the last one whose are stored.
    batch: i64,
    settled: i64,
    /// Readings of a station that are not apart, if they are not [`MANY`].
    many: Option<usize>,
    /// Readings are apart.
    apart: bool,
    /// What an earlier run left for later was looked for.
    pub recovered: bool,
    /// The last batch was stored. After a failure, each reading is looked for in the database.
    pub trusts: bool,
}

/// Readings that wait for their consequences, with the times when they were stored.
pub(super) type Waiting = Vec<(Message, i64)>;

impl Packer {
    /// As many readings of a station are not apart.
    pub fn of(many: usize) -> Packer {
        Packer {
            many: Some(many),
            ..Packer::default()
        }
    }

    /// Drops what the database may not have.
    pub fn forget(&mut self) {
        self.layouts.clear();
        self.quantities.clear();
        self.recovered = false;
    }

    /// Returns for each message whether it is new, and whether a new one comes before the last one of
    /// its station. Most come after it, and are new without a look into the database.
    pub fn sift(
        &self,
        db: &mut dyn Database,
        stations: &mut Stations,
        messages: &[&Message],
    ) -> Result<(Vec<bool>, bool)> {
        let mut fresh = Vec::with_capacity(messages.len());
        for message in messages {
            let of = Some((message.identity.session, message.identity.counter));
            let station = stations.get_mut(&message.identity.station);
            let station = station.filter(|station| self.trusts && of > station.newest);
            fresh.push(station.is_some());
            if let Some(station) = station {
                station.newest = of;
            }
        }
        let mut seen: HashSet<&Identity> = HashSet::new();
        if fresh.contains(&false) {
            let known = messages.iter().zip(&fresh).filter(|(_, fresh)| **fresh);
            seen.extend(known.map(|(message, _)| &message.identity));
        }
        let (mut places, mut keys) = (Vec::new(), Vec::<Vec<Value>>::new());
        for (place, message) in messages.iter().enumerate() {
            let identity = &message.identity;
            if fresh[place] || !seen.insert(identity) {
                continue;
            }
            let of = (identity.session, identity.counter);
            let station = stations.get(&identity.station);
            let waits = |one: &&Station| one.waiting.binary_search(&of).is_ok();
            if let Some(station) = station.filter(|one| !waits(one)) {
                places.push(place);
                keys.push(vec![
                    i64::from(station.number).into(),
                    identity.session.into(),
                    identity.counter.into(),
                ]);
            }
        }
        let found = db.query_each(packed::IS_STORED, &keys)?;
        let mut late = false;
        for (place, rows) in places.into_iter().zip(found) {
            fresh[place] = rows.is_empty();
            late |= rows.is_empty();
        }
        Ok((fresh, late))
    }

    /// Writes new readings. `later`: their consequences may wait.
    pub fn put(
        &mut self,
        db: &mut dyn Database,
        stations: &mut Stations,
        in_order: &[&Message],
        now: i64,
        later: bool,
    ) -> Result<()> {
        let is_first = later && !self.is_waiting();
        if later {
            self.batch += 1;
        }
        if is_first && db.keeps_apart() {
            db.execute(packed::SET_BEGUN, &[self.batch.into()])?;
        }
        let apart = later && db.keeps_apart() && is_scattered(in_order, self.many.unwrap_or(MANY));
        self.apart |= apart;
        let batch = if later { self.batch } else { 0 };
        let mut rows = Vec::with_capacity(in_order.len());
        for &message in in_order {
            let Some(station) = stations.get_mut(&message.identity.station) else {
                continue; // Unreachable: every station was loaded.
            };
            if station.layout.1 == 0 || !station.layout.0.iter().eq(message.values.keys()) {
                let names: Vec<String> = message.values.keys().cloned().collect();
                let number = layout(db, &mut self.layouts, &names.join(","))?;
                station.layout = (names, number);
            }
            if apart {
                let of = (message.identity.session, message.identity.counter);
                station.waiting.push(of);
            }
            rows.push(Packed {
                message,
                station: station.number,
                layout: station.layout.1,
                stored: now,
                batch,
                apart,
            });
        }
        db.put_packed(&rows)
    }

    /// The numbers of quantities, at least of these.
    pub fn quantities(
        &mut self,
        db: &mut dyn Database,
        names: &BTreeSet<&str>,
    ) -> Result<&HashMap<String, i32>> {
        let unknown = names
            .iter()
            .filter(|name| !self.quantities.contains_key(**name));
        let unknown: Vec<&str> = unknown.copied().collect();
        if !unknown.is_empty() {
            let found = numbers(db, packed::QUANTITY_NUMBER, packed::NEW_QUANTITY, &unknown)?;
            let named = unknown.iter().map(|name| (*name).to_owned());
            self.quantities.extend(named.zip(found));
        }
        Ok(&self.quantities)
    }

    /// Returns true if consequences of readings are not stored yet.
    pub fn is_waiting(&self) -> bool {
        self.settled < self.batch
    }

    /// Notes that the consequences of all batches are stored.
    pub fn note_settled(&mut self, db: &mut dyn Database) -> Result<()> {
        if std::mem::take(&mut self.apart) {
            db.gather()?;
        }
        if self.is_waiting() {
            db.execute(packed::SET_SETTLED, &[self.batch.into()])?;
            self.settled = self.batch;
        }
        Ok(())
    }

    /// Reads what an earlier run, or one before a failure, has left for later.
    pub fn waiting(&mut self, db: &mut dyn Database) -> Result<Waiting> {
        if self.recovered {
            return Ok(Vec::new());
        }
        db.gather()?;
        self.apart = false;
        let settled = db.query(packed::SETTLED, &[])?;
        self.settled = settled.first().map_or(0, |row| row.int(0));
        self.batch = self.settled;
        self.recovered = true;
        let rows = db.query(packed::UNSETTLED, &[self.settled.into()])?;
        if let Some(last) = rows.last() {
            self.batch = last.int(5);
        }
        Ok(rows.iter().map(|row| (message(row), row.int(4))).collect())
    }
}

/// Readings of a station from which on they fill pages of their own.
const MANY: usize = 8;

/// Returns true if most readings are of stations that have few of them.
fn is_scattered(in_order: &[&Message], many: usize) -> bool {
    let same = |one: &&Message, other: &&Message| one.identity.station == other.identity.station;
    in_order.len() < many * in_order.chunk_by(same).count()
}

/// The number of a list of quantities.
fn layout(db: &mut dyn Database, known: &mut HashMap<String, i32>, names: &str) -> Result<i32> {
    if let Some(number) = known.get(names) {
        return Ok(*number);
    }
    let found = numbers(db, packed::LAYOUT_NUMBER, packed::NEW_LAYOUT, &[names])?;
    let number = found.first().copied().unwrap_or(0);
    known.insert(names.into(), number);
    Ok(number)
}

/// The message of a row of [`packed::UNSETTLED`], as far as the row has it.
fn message(row: &crate::db::Row) -> Message {
    let quantity = |value| Quantity {
        value,
        unit: String::new(),
    };
    let gateway = row.opt_text(6).map(str::to_owned);
    Message {
        identity: Identity {
            station: row.text(0).into(),
            session: row.int(1),
            counter: row.int(2),
        },
        name: None,
        // Who may not name a station names no gateway either.
        names: gateway.is_some(),
        gateway,
        codec: None,
        received: row.int(3),
        payload: Vec::new(),
        rssi: row.opt_int(7),
        authenticated: false,
        values: data_of(row.text(8))
            .into_iter()
            .map(|(name, value)| (name, quantity(value)))
            .collect(),
        line: "".into(),
    }
}

/// Adds what only the station has. A batch that changes it leaves nothing for later.
pub(super) fn complete(message: &mut Message, station: &Station) {
    message.name.clone_from(&station.name);
    message.codec.clone_from(&station.codec);
    for (name, quantity) in &mut message.values {
        if let Some(unit) = station.units.get(name) {
            quantity.unit.clone_from(unit);
        }
    }
}
