//! The store: writes batches of messages into the database. One transaction holds a batch and all
//! its consequences (roll-ups, stations, alarms), so either everything is stored or nothing.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use crate::alarm::{Alarms, Change, Rule, Subject, check_rules};
use crate::db::{Database, Row, Value, transaction};
use crate::error::Result;
use crate::message::{Identity, Message, Values, data_of, data_text, parts_of};
use crate::plausible::is_plausible;
use crate::rollup::{Deltas, growth, is_total};
use crate::sql;

/// What the writer remembers of a station, as its row has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Station {
    pub name: Option<String>,
    pub gateway: Option<String>,
    pub codec: Option<String>,
    pub first_seen: i64,
    pub last_seen: Option<i64>,
    /// (session, counter) of the last reading with a plausible time.
    pub last: Option<(i64, i64)>,
    pub last_rssi: Option<i64>,
    pub last_values: Values,
    /// Last value of each total, with the (session, counter) of its reading.
    totals: BTreeMap<String, (i64, i64, f64)>,
    pub readings: i64,
    pub duplicates: i64,
    pub implausible: i64,
    units: HashMap<String, String>,
}

/// Result of storing a batch.
#[derive(Debug)]
pub struct Ingested {
    /// For each message, in order: true if it was new.
    pub fresh: Vec<bool>,
    /// Alarms that the batch raised or cleared.
    pub changes: Vec<Change>,
}

/// The writer's state: copies of the stations and of the alarms.
#[derive(Debug, Default)]
pub struct Store {
    stations: HashMap<Arc<str>, Station>,
    alarms: Alarms,
}

impl Store {
    /// Stores a batch. After an error, nothing of it is stored.
    pub fn ingest(
        &mut self,
        db: &mut dyn Database,
        messages: &[&Message],
        now: i64,
    ) -> Result<Ingested> {
        let mut stations = HashMap::new();
        let done = transaction(db, |db| self.write(db, messages, now, &mut stations));
        match &done {
            Ok(_) => self.stations.extend(stations),
            // Another collector may have written meanwhile.
            Err(_) => self.forget(),
        }
        done
    }

    /// Drops the in-memory copies, so that they are read again from the database.
    pub fn forget(&mut self) {
        self.stations.clear();
        self.alarms.forget();
    }

    /// Sets the notice targets.
    pub fn tell(&mut self, targets: Vec<String>) {
        self.alarms.targets = targets;
    }

    /// Replaces all rules, and evaluates every station by the new ones.
    pub fn set_rules(
        &mut self,
        db: &mut dyn Database,
        rules: &[Rule],
        now: i64,
    ) -> Result<Vec<Change>> {
        check_rules(rules)?;
        let done = transaction(db, |db| {
            let mut changes = self.alarms.set_rules(db, rules, now)?;
            for row in db.query(sql::STATION_IDS, &[])? {
                let rows = db.query(sql::GET_STATION, &[row.text(0).into()])?;
                let Some(station) = rows.first().map(Station::from_row) else {
                    continue;
                };
                changes.extend(self.judge(db, row.text(0), &station, now)?);
            }
            changes.extend(self.alarms.on_clock(db, now)?);
            Ok(changes)
        });
        if done.is_err() {
            self.forget();
        }
        done
    }

    fn judge(
        &mut self,
        db: &mut dyn Database,
        id: &str,
        station: &Station,
        now: i64,
    ) -> Result<Vec<Change>> {
        let subject = Subject {
            station: id,
            name: station.name.as_deref(),
        };
        let Some(seen) = station.last_seen else {
            return Ok(Vec::new());
        };
        let values = &station.last_values;
        let mut changes = self.alarms.on_reading(db, subject, values, seen, now)?;
        changes.extend(self.alarms.on_rain(db, subject, now)?);
        Ok(changes)
    }

    /// Applies the changes that time alone causes.
    pub fn on_clock(&mut self, db: &mut dyn Database, now: i64) -> Result<Vec<Change>> {
        let done = transaction(db, |db| self.alarms.on_clock(db, now));
        if done.is_err() {
            self.forget();
        }
        done
    }

    fn write(
        &mut self,
        db: &mut dyn Database,
        messages: &[&Message],
        now: i64,
        stations: &mut HashMap<Arc<str>, Station>,
    ) -> Result<Ingested> {
        self.alarms.load(db)?;
        self.load_stations(db, messages, now, stations)?;
        let fresh = insert_readings(db, messages, now)?;
        let mut in_order: Vec<&Message> = Vec::with_capacity(messages.len());
        for (message, fresh) in messages.iter().zip(&fresh) {
            if *fresh {
                in_order.push(message);
            } else if let Some(station) = stations.get_mut(&message.identity.station) {
                station.duplicates += 1;
            }
        }
        in_order.sort_by(|one, other| one.identity.cmp(&other.identity));

        count_sessions(db, &in_order)?;
        let mut deltas = Deltas::default();
        let mut gaps = Gaps::new();
        let mut pending: HashSet<&Identity> = in_order.iter().map(|m| &m.identity).collect();
        let (mut units, mut changes) = (Vec::new(), Vec::new());
        for message in &in_order {
            pending.remove(&message.identity);
            let Some(station) = stations.get_mut(&message.identity.station) else {
                continue; // Unreachable: every station was loaded above.
            };
            add_values(db, station, message, &pending, &mut gaps, &mut deltas)?;
            note_units(station, message, &mut units);
            if !station.take(message, now) {
                continue;
            }
            let subject = Subject {
                station: &message.identity.station,
                name: station.name.as_deref(),
            };
            let (values, received) = (&message.values, message.received);
            changes.extend(self.alarms.on_reading(db, subject, values, received, now)?);
        }
        deltas.store(db)?;
        changes.extend(self.rain_alarms(db, &deltas, stations, now)?);
        let (head, tail) = sql::SET_QUANTITY;
        // Row by row, because a batch may set the same quantity twice.
        for row in units {
            db.put_rows(head, tail, &[row])?;
        }
        store_stations(db, stations)?;
        Ok(Ingested { fresh, changes })
    }

    /// Applies the rain of a batch to the alarms of its stations.
    fn rain_alarms(
        &mut self,
        db: &mut dyn Database,
        deltas: &Deltas,
        stations: &HashMap<Arc<str>, Station>,
        now: i64,
    ) -> Result<Vec<Change>> {
        let mut changes = Vec::new();
        for id in deltas.rained() {
            let Some(station) = stations.get(&id) else {
                continue;
            };
            let subject = Subject {
                station: &id,
                name: station.name.as_deref(),
            };
            changes.extend(self.alarms.on_rain(db, subject, now)?);
        }
        Ok(changes)
    }

    /// Adds the stations of the messages to `stations`.
    fn load_stations(
        &self,
        db: &mut dyn Database,
        messages: &[&Message],
        now: i64,
        stations: &mut HashMap<Arc<str>, Station>,
    ) -> Result<()> {
        for message in messages {
            let id = &message.identity.station;
            if !stations.contains_key(id) {
                let station = match self.stations.get(id) {
                    Some(station) => station.clone(),
                    None => load_station(db, message, now)?,
                };
                stations.insert(id.clone(), station);
            }
        }
        Ok(())
    }
}

fn store_stations(db: &mut dyn Database, stations: &HashMap<Arc<str>, Station>) -> Result<()> {
    let mut rows: Vec<_> = stations.iter().map(|(id, s)| s.row(id)).collect();
    // Sort the rows, so that two writers lock them in the same order.
    rows.sort_by(|one, other| match (&one[0], &other[0]) {
        (Value::Text(one), Value::Text(other)) => one.cmp(other),
        _ => std::cmp::Ordering::Equal,
    });
    let (head, tail) = sql::SET_STATION;
    db.put_rows(head, tail, &rows)
}

/// Inserts the readings that are not stored yet. Returns for each message whether it was new.
fn insert_readings(db: &mut dyn Database, messages: &[&Message], now: i64) -> Result<Vec<bool>> {
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

fn count_sessions(db: &mut dyn Database, in_order: &[&Message]) -> Result<()> {
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

/// The gap between two stored readings that contains late readings of a batch.
struct Gap {
    /// The last value that the batch put into the gap.
    last: f64,
    /// The stored reading at the end of the gap.
    after: Option<Neighbour>,
}

/// The gap of the batch's last late reading, by station and name. A batch is processed in order,
/// so each gap is looked up only once.
type Gaps<'a> = HashMap<(&'a str, &'a str), Gap>;

/// Adds a message's values to the roll-ups. `pending` are readings of this batch that are in the
/// database, but not yet in the roll-ups.
fn add_values<'a>(
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

fn note_units(station: &mut Station, message: &Message, rows: &mut Vec<Vec<Value>>) {
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

fn load_station(db: &mut dyn Database, message: &Message, now: i64) -> Result<Station> {
    let id: &str = &message.identity.station;
    let rows = db.query(sql::GET_STATION, &[id.into()])?;
    let Some(row) = rows.first() else {
        let plausible = is_plausible(message.received, now);
        return Ok(Station {
            name: message.name.clone(),
            gateway: message.gateway.clone(),
            codec: message.codec.clone(),
            first_seen: if plausible { message.received } else { now },
            last_seen: None,
            last: None,
            last_rssi: None,
            last_values: Values::new(),
            totals: BTreeMap::new(),
            readings: 0,
            duplicates: 0,
            implausible: 0,
            units: HashMap::new(),
        });
    };
    let units = db.query(sql::QUANTITIES_OF, &[id.into()])?;
    let mut station = Station::from_row(row);
    station.units = units
        .iter()
        .map(|row| (row.text(0).to_string(), row.text(1).to_string()))
        .collect();
    Ok(station)
}

impl Station {
    /// Converts a row of [`sql::GET_STATION`].
    fn from_row(row: &Row) -> Station {
        let text = |column| row.opt_text(column).map(str::to_string);
        Station {
            name: text(1),
            gateway: text(2),
            codec: text(3),
            first_seen: row.int(4),
            last_seen: row.opt_int(5),
            last: row.opt_int(6).zip(row.opt_int(7)),
            last_rssi: row.opt_int(8),
            last_values: serde_json::from_str(row.text(9)).unwrap_or_default(),
            totals: serde_json::from_str(row.text(10)).unwrap_or_default(),
            readings: row.int(11),
            duplicates: row.int(12),
            implausible: row.int(13),
            units: HashMap::new(),
        }
    }

    /// The parameters of [`sql::SET_STATION`].
    fn row(&self, id: &str) -> Vec<Value> {
        let (site, device) = parts_of(id);
        let json = |text: serde_json::Result<String>| text.unwrap_or_else(|_| "{}".into());
        vec![
            id.into(),
            site.into(),
            device.into(),
            self.name.clone().into(),
            self.gateway.clone().into(),
            self.codec.clone().into(),
            self.first_seen.into(),
            self.last_seen.into(),
            self.last.map(|(session, _)| session).into(),
            self.last.map(|(_, counter)| counter).into(),
            self.last_rssi.into(),
            json(serde_json::to_string(&self.last_values)).into(),
            json(serde_json::to_string(&self.totals)).into(),
            self.readings.into(),
            self.duplicates.into(),
            self.implausible.into(),
        ]
    }

    /// Records a new reading. Returns true if it is the newest.
    fn take(&mut self, message: &Message, now: i64) -> bool {
        let of = (message.identity.session, message.identity.counter);
        self.readings += 1;
        for (name, quantity) in &message.values {
            let known = self
                .totals
                .get(name)
                .map(|(session, counter, _)| (*session, *counter));
            if is_total(name) && Some(of) > known {
                self.totals
                    .insert(name.clone(), (of.0, of.1, quantity.value));
            }
        }
        if !is_plausible(message.received, now) {
            self.implausible += 1;
            return false;
        }
        self.first_seen = self.first_seen.min(message.received);
        // `None` sorts first, so any reading is newer than none.
        let newest = (self.last_seen, self.last);
        let is_newest = (Some(message.received), Some(of)) > newest;
        if is_newest {
            self.last_seen = Some(message.received);
            self.last = Some(of);
            self.last_rssi = message.rssi;
            self.last_values = message.values.clone();
            if message.names {
                self.name = message.name.clone();
                self.gateway = message.gateway.clone();
            }
            self.codec = message.codec.clone();
        }
        is_newest
    }
}
