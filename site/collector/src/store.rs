//! The store: writes batches of messages into the database. One transaction holds a batch and all
//! its consequences (roll-ups, stations, alarms), so either everything is stored or nothing.
//!
//! A large batch of readings may leave roll-ups and stations for a later transaction, which
//! does it for several batches at once ([`pending`]). The readings know that they wait for it.

mod packed;
mod pending;
mod station;
mod values;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::alarm::target::Target;
use crate::alarm::{Acknowledgement, Alarms, Change, Rule, Subject, check_rules};
use crate::db::{Database, transaction};
use crate::error::{Error, Result};
use crate::message::{Identity, Message};
use crate::rollup::Deltas;
use crate::{live, sql};

use packed::Packer;
use pending::{LARGE, Pending};
use station::load_stations;
use values::{Late, add_values, count_sessions, note_units, store_sessions};

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
    /// Consequences of readings that are not stored yet.
    pending: Pending,
    packer: Packer,
    /// How long the last transaction took that stored consequences.
    cost: Duration,
    /// Readings of a batch that may leave something for later, if it is not [`LARGE`].
    large: Option<usize>,
}

impl Store {
    /// Stores a batch. After an error, nothing of it is stored.
    pub fn ingest(
        &mut self,
        db: &mut dyn Database,
        messages: &[&Message],
        now: i64,
    ) -> Result<Ingested> {
        let started = Instant::now();
        let done = transaction(db, |db| {
            let done = self.write(db, messages, now)?;
            let new = messages
                .iter()
                .zip(&done.fresh)
                .filter(|(_, fresh)| **fresh);
            let keys = new.map(|(message, _)| &message.identity);
            live::tell(db, &done.changes, keys)?;
            Ok(done)
        });
        match &done {
            Ok(_) => {
                self.packer.trusts = true;
                if self.pending.is_empty() {
                    self.cost = started.elapsed();
                }
            }
            Err(_) => {
                // Another collector may have written meanwhile, and the copies have what was not
                // stored.
                self.forget();
                self.packer.trusts = false;
            }
        }
        done
    }

    /// Lets batches of this many readings leave their consequences for later. For tests.
    pub fn leaving(large: usize) -> Store {
        Store {
            large: Some(large),
            packer: Packer::of(2),
            ..Store::default()
        }
    }

    /// Stores the consequences of readings that earlier batches left for later. Does nothing if
    /// there are none.
    pub fn settle_up(&mut self, db: &mut dyn Database, now: i64) -> Result<Vec<Change>> {
        if self.packer.recovered && self.pending.is_empty() {
            return Ok(Vec::new());
        }
        let done = transaction(db, |db| {
            self.catch_up(db);
            self.alarms.load(db)?;
            let mut changes = self.recover(db, now)?;
            changes.extend(self.settle(db, now)?);
            Ok(changes)
        });
        if done.is_err() {
            self.forget();
        }
        done
    }

    /// Drops the copies if another collector has written since they were read. To be called in a
    /// transaction, before they are used.
    fn catch_up(&mut self, db: &mut dyn Database) {
        if db.take_behind() {
            // Nothing is pending: collectors that share a database leave nothing for later.
            self.stations.clear();
            self.alarms.forget();
        }
    }

    /// Drops the in-memory copies, so that they are read again from the database.
    pub fn forget(&mut self) {
        self.stations.clear();
        self.alarms.forget();
        self.pending = Pending::default();
        self.packer.forget();
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
    ) -> Result<Ingested> {
        self.catch_up(db);
        self.alarms.load(db)?;
        let mut changes = self.recover(db, now)?;
        let mut urgent = self.load_stations(db, messages, now)?;
        let (fresh, late) = self.packer.sift(db, &mut self.stations, messages)?;
        // A late reading needs the readings beside it, which must not be apart, and does not wait.
        let is_hasty = late && db.keeps_apart();
        if is_hasty && self.packer.is_waiting() {
            changes.extend(self.settle(db, now)?);
        }
        let mut keyed: Vec<((i32, i64, i64), &Message)> = Vec::with_capacity(messages.len());
        for (message, fresh) in messages.iter().zip(&fresh) {
            let id = &message.identity;
            let Some(station) = self.stations.get_mut(&id.station) else {
                continue; // Unreachable: every station was loaded.
            };
            if *fresh {
                keyed.push(((station.number, id.session, id.counter), message));
            } else {
                station.duplicates += 1;
                self.pending.changed.insert(id.station.clone());
                // No reading tells of it.
                urgent = true;
            }
        }
        keyed.sort_unstable_by_key(|(key, _)| *key);
        let in_order: Vec<&Message> = keyed.into_iter().map(|(_, message)| message).collect();
        let is_large = messages.len() >= self.large.unwrap_or(LARGE);
        let may_wait = is_large && !is_hasty && db.may_defer();
        let stations = &mut self.stations;
        self.packer.put(db, stations, &in_order, now, may_wait)?;
        let judge = |_: &Message| (now, true);
        urgent |= self.take_in(db, &in_order, late, judge, &mut changes)?;
        if urgent || !may_wait || self.pending.is_due(self.cost) {
            changes.extend(self.settle(db, now)?);
        }
        Ok(Ingested { fresh, changes })
    }

    /// Stores the consequences of readings that an earlier run, or one before a failure, has left
    /// for later.
    fn recover(&mut self, db: &mut dyn Database, now: i64) -> Result<Vec<Change>> {
        let mut waiting = self.packer.waiting(db)?;
        if waiting.is_empty() {
            return Ok(Vec::new());
        }
        let all: Vec<&Message> = waiting.iter().map(|(message, _)| message).collect();
        self.load_stations(db, &all, now)?;
        for (message, _) in &mut waiting {
            if let Some(station) = self.stations.get(&message.identity.station) {
                packed::complete(message, station);
            }
        }
        waiting.sort_by(|(one, _), (other, _)| one.identity.cmp(&other.identity));
        let stored: HashMap<&Identity, i64> = waiting
            .iter()
            .map(|(message, stored)| (&message.identity, *stored))
            .collect();
        let in_order: Vec<&Message> = waiting.iter().map(|(message, _)| message).collect();
        // They have changed alarms already, in their own transaction.
        let judge = |message: &Message| {
            let stored = stored.get(&message.identity);
            (stored.copied().unwrap_or(now), false)
        };
        let mut changes = Vec::new();
        self.take_in(db, &in_order, true, judge, &mut changes)?;
        changes.extend(self.settle(db, now)?);
        Ok(changes)
    }

    /// Adds new readings to the copies of stations, to the contribution to roll-ups, and to the
    /// alarms. `judge` returns the time when a reading was stored, and whether it may change alarms.
    /// Returns true if something changed that could not be found again in the readings.
    fn take_in(
        &mut self,
        db: &mut dyn Database,
        in_order: &[&Message],
        may_be_late: bool,
        judge: impl Fn(&Message) -> (i64, bool),
        changes: &mut Vec<Change>,
    ) -> Result<bool> {
        let span = db.span();
        let mut urgent = false;
        let mut late = match may_be_late {
            true => Late::find(db, in_order, &self.stations)?,
            false => Late::default(),
        };
        let same =
            |one: &&Message, other: &&Message| one.identity.station == other.identity.station;
        for group in in_order.chunk_by(same) {
            let Some(id) = group.first().map(|first| &first.identity.station) else {
                continue;
            };
            let Some(station) = self.stations.get_mut(id) else {
                continue; // Unreachable: every station was loaded.
            };
            count_sessions(&mut self.pending.sessions, group);
            self.pending.changed.insert(id.clone());
            self.pending.readings += group.len();
            let deltas = self.pending.deltas.of(id, station.number, span);
            for &message in group {
                late.begin(message);
                add_values(db, station, message, &mut late, deltas)?;
                urgent |= note_units(station, message, &mut self.pending.units);
                let (now, may_alarm) = judge(message);
                let taken = station.take(message, now);
                urgent |= taken.is_renamed;
                if taken.is_newest && may_alarm {
                    let (values, received) = (&message.values, message.received);
                    let subject = station.subject(id);
                    changes.extend(self.alarms.on_reading(db, subject, values, received, now)?);
                }
            }
        }
        Ok(urgent)
    }

    /// Stores the consequences of the readings since this was last done. To be called in a
    /// transaction.
    fn settle(&mut self, db: &mut dyn Database, now: i64) -> Result<Vec<Change>> {
        let pending = std::mem::take(&mut self.pending);
        store_sessions(db, &pending.sessions)?;
        let names = pending.deltas.names();
        let numbers = self.packer.quantities(db, &names)?;
        pending.deltas.store(db, numbers)?;
        let changes = self.rain_alarms(db, &pending.deltas, now)?;
        let (head, tail) = sql::SET_QUANTITY;
        let units = pending
            .units
            .into_iter()
            .map(|((station, name), unit)| vec![(&*station).into(), name.into(), unit.into()]);
        db.put_rows(head, tail, &units.collect::<Vec<_>>())?;
        let stations = pending.changed.iter();
        let stations = stations.filter_map(|id| self.stations.get_key_value(id));
        store_stations(db, stations)?;
        for id in &pending.changed {
            if let Some(station) = self.stations.get_mut(id) {
                station.waiting.clear();
            }
        }
        self.packer.note_settled(db)?;
        Ok(changes)
    }

    /// Applies the rain of readings to the alarms of their stations.
    fn rain_alarms(
        &mut self,
        db: &mut dyn Database,
        deltas: &Deltas,
        now: i64,
    ) -> Result<Vec<Change>> {
        let rained = deltas.rained();
        let subjects: Vec<Subject<'_>> = rained
            .iter()
            .filter_map(|id| Some(self.stations.get(id)?.subject(id)))
            .collect();
        self.alarms.on_rain(db, &subjects, now)
    }

    /// Loads the stations of the messages that are not known yet. Returns true if there are any.
    fn load_stations(
        &mut self,
        db: &mut dyn Database,
        messages: &[&Message],
        now: i64,
    ) -> Result<bool> {
        let mut asked = HashSet::new();
        let mut unknown = Vec::new();
        for &message in messages {
            let id = &message.identity.station;
            if !self.stations.contains_key(id) && asked.insert(id) {
                unknown.push(message);
            }
        }
        let mut loaded = load_stations(db, &unknown, now)?;
        packed::number(db, &unknown, &mut loaded)?;
        for (message, station) in unknown.iter().zip(loaded) {
            let id = message.identity.station.clone();
            self.stations.insert(id, station);
        }
        Ok(!unknown.is_empty())
    }
}

fn store_stations<'a>(
    db: &mut dyn Database,
    stations: impl Iterator<Item = (&'a Arc<str>, &'a Station)>,
) -> Result<()> {
    // Sort the rows, so that two writers lock them in the same order.
    let mut stations: Vec<_> = stations.collect();
    stations.sort_by_key(|(id, _)| *id);
    let rows: Vec<_> = stations.iter().map(|(id, s)| s.row(id)).collect();
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
