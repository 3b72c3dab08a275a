//! The store: writes batches of messages into the database. One transaction holds a batch and all
//! its consequences (roll-ups, stations, alarms), so either everything is stored or nothing.

mod station;
mod values;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::alarm::target::Target;
use crate::alarm::{Acknowledgement, Alarms, Change, Rule, Subject, check_rules};
use crate::db::{Database, Value, transaction};
use crate::error::{Error, Result};
use crate::message::Message;
use crate::rollup::Deltas;
use crate::{live, sql};

use station::load_stations;
use values::{Late, Units, add_values, count_sessions, insert_readings, note_units};

pub use station::Station;

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
    /// Targets of the command line.
    fixed: Vec<Target>,
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
        let done = transaction(db, |db| {
            let done = self.write(db, messages, now, &mut stations)?;
            let new = messages
                .iter()
                .zip(&done.fresh)
                .filter(|(_, fresh)| **fresh);
            let keys = new.map(|(message, _)| &message.identity);
            live::tell(db, &done.changes, keys)?;
            Ok(done)
        });
        match &done {
            Ok(_) => self.stations.extend(stations),
            // Another collector may have written meanwhile.
            Err(_) => self.forget(),
        }
        done
    }

    /// Drops the copies if another collector has written since they were read. To be called in a
    /// transaction, before they are used.
    fn catch_up(&mut self, db: &mut dyn Database) {
        if db.take_behind() {
            self.forget();
        }
    }

    /// Drops the in-memory copies, so that they are read again from the database.
    pub fn forget(&mut self) {
        self.stations.clear();
        self.alarms.forget();
    }

    /// Sets the targets that never change while the collector runs.
    pub fn tell(&mut self, targets: Vec<Target>) {
        self.fixed = targets;
        self.alarms.targets.clone_from(&self.fixed);
    }

    /// Sets the targets that are channels.
    pub fn aim(&mut self, channels: Vec<Target>) {
        self.alarms.targets.clone_from(&self.fixed);
        self.alarms.targets.extend(channels);
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
            self.catch_up(db);
            let mut changes = self.alarms.set_rules(db, rules, now)?;
            let rows = db.query(&sql::all_stations(), &[])?;
            let stations: Vec<(&str, Station)> = rows
                .iter()
                .map(|row| (row.text(0), Station::from_row(row)))
                .filter(|(_, station)| station.last_seen.is_some())
                .collect();
            let mut subjects = Vec::with_capacity(stations.len());
            for (id, station) in &stations {
                let subject = station.subject(id);
                let (values, seen) = (&station.last_values, station.last_seen.unwrap_or(now));
                changes.extend(self.alarms.on_reading(db, subject, values, seen, now)?);
                subjects.push(subject);
            }
            changes.extend(self.alarms.on_rain(db, &subjects, now)?);
            changes.extend(self.alarms.on_clock(db, now)?);
            live::tell(db, &changes, std::iter::empty())?;
            Ok(changes)
        });
        if done.is_err() {
            self.forget();
        }
        done
    }

    /// Acknowledges an active alarm.
    pub fn acknowledge(
        &mut self,
        db: &mut dyn Database,
        by: &Acknowledgement,
        now: i64,
    ) -> Result<Change> {
        let done = transaction(db, |db| {
            self.catch_up(db);
            let change = self.alarms.acknowledge(db, by, now)?;
            live::tell(db, std::slice::from_ref(&change), std::iter::empty())?;
            Ok(change)
        });
        // A refused acknowledgement has changed nothing, so the copies are still right. Reading
        // them again is work for the writer that anybody could cause.
        let is_refused = matches!(done, Err(Error::Unknown { .. } | Error::Invalid(_)));
        if done.is_err() && !is_refused {
            self.forget();
        }
        done
    }

    /// Applies the changes that time alone causes.
    pub fn on_clock(&mut self, db: &mut dyn Database, now: i64) -> Result<Vec<Change>> {
        let done = transaction(db, |db| {
            self.catch_up(db);
            let changes = self.alarms.on_clock(db, now)?;
            live::tell(db, &changes, std::iter::empty())?;
            Ok(changes)
        });
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
        self.catch_up(db);
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
        let mut late = Late::find(db, &in_order, stations)?;
        let (mut units, mut changes) = (Units::new(), Vec::new());
        for message in &in_order {
            late.begin(message);
            let Some(station) = stations.get_mut(&message.identity.station) else {
                continue; // Unreachable: every station was loaded above.
            };
            add_values(db, station, message, &mut late, &mut deltas)?;
            note_units(station, message, &mut units);
            if !station.take(message, now) {
                continue;
            }
            let subject = station.subject(&message.identity.station);
            let (values, received) = (&message.values, message.received);
            changes.extend(self.alarms.on_reading(db, subject, values, received, now)?);
        }
        deltas.store(db)?;
        changes.extend(self.rain_alarms(db, &deltas, stations, now)?);
        let (head, tail) = sql::SET_QUANTITY;
        let units = units
            .into_iter()
            .map(|((station, name), unit)| vec![(&**station).into(), name.into(), unit.into()]);
        db.put_rows(head, tail, &units.collect::<Vec<_>>())?;
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
        let rained = deltas.rained();
        let subjects: Vec<Subject<'_>> = rained
            .iter()
            .filter_map(|id| Some(stations.get(id)?.subject(id)))
            .collect();
        self.alarms.on_rain(db, &subjects, now)
    }

    /// Adds the stations of the messages to `stations`.
    fn load_stations(
        &self,
        db: &mut dyn Database,
        messages: &[&Message],
        now: i64,
        stations: &mut HashMap<Arc<str>, Station>,
    ) -> Result<()> {
        let mut asked = HashSet::new();
        let mut unknown = Vec::new();
        for &message in messages {
            let id = &message.identity.station;
            match self.stations.get(id) {
                Some(station) if !stations.contains_key(id) => {
                    stations.insert(id.clone(), station.clone());
                }
                None if asked.insert(id) => unknown.push(message),
                _ => {}
            }
        }
        for (message, station) in unknown.iter().zip(load_stations(db, &unknown, now)?) {
            stations.insert(message.identity.station.clone(), station);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::Location;

    #[test]
    fn a_refused_acknowledgement_costs_no_reload() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = Location::Sqlite(folder.path().join("readings.db"));
        let mut db = place.open_writer(None).expect("opens");
        crate::schema::migrate(&mut *db).expect("migrated");
        let mut store = Store::default();
        store.alarms.load(&mut *db).expect("loaded");
        let by = Acknowledgement {
            alarm: 7,
            person: "maria".into(),
            note: None,
        };
        let refused = store.acknowledge(&mut *db, &by, 0);
        assert!(matches!(refused, Err(Error::Unknown { .. })), "{refused:?}");
        assert!(store.alarms.is_loaded());
        // Any other failure leaves nothing to rely on.
        db.script("DROP TABLE alarm").expect("dropped");
        store.forget();
        assert!(store.acknowledge(&mut *db, &by, 0).is_err());
        assert!(!store.alarms.is_loaded());
    }
}
