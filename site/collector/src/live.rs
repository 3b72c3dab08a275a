//! Live events of changes that another collector of the same database has made.
//!
//! A collector with viewers says so in the database, and listens. Who has its turn to write sees that,
//! and its transaction carries one message more: the events of alarms, and the keys of the new
//! readings. The collectors that listen gather messages for a moment, and read those readings with one
//! statement. If nobody has viewers elsewhere, a batch takes no statement more, and nobody listens.
//!
//! A message is short, and so is what is gathered. If there is more, viewers are told to reload, at
//! most every few seconds: a site with thousands of readings a second is then shown in steps.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use tracing::warn;

use crate::alarm::Change;
use crate::db::{Database, Location, Row};
use crate::error::{Error, Result};
use crate::events::Events;
use crate::message::{Identity, SCHEMA, data_of, parts_of, session_text, time_text};
use crate::sql;

/// Longest message. PostgreSQL takes less than 8000 bytes.
const MESSAGE_MAX: usize = 7900;
/// Most readings of one message.
const KEYS_MAX: usize = 100;
/// Most readings and most events that are gathered.
const GATHERED_MAX: usize = 400;
/// Time for which messages are gathered.
const GATHER: Duration = Duration::from_millis(250);
/// Longest wait for a message, before a look whether there are still viewers.
const LOOK: Duration = Duration::from_secs(1);
/// Interval at which a collector says again that it listens, and the time for which that holds.
const RENEW: Duration = Duration::from_secs(3);
const WATCH_MS: i64 = 10_000;
/// Shortest time between two requests to reload.
const RELOAD: Duration = Duration::from_secs(5);
/// Time after which every turn that did not know of the viewers has ended, usually. They reload then.
const SETTLED: Duration = Duration::from_secs(1);

/// A message to other collectors.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Message {
    /// Kind and line of each event.
    events: Vec<(String, String)>,
    /// Station, session and counter of each reading.
    readings: Vec<(String, i64, i64)>,
    /// There was more than fits.
    more: bool,
}

impl Message {
    /// Adds as much as fits.
    fn of<'a>(
        events: impl Iterator<Item = (&'a str, &'a str)>,
        readings: impl Iterator<Item = &'a Identity>,
    ) -> Message {
        let mut message = Message::default();
        // Escaped as a string in JSON, which is what takes the most.
        let length = |text: &str| json!(text).to_string().len();
        let mut left = MESSAGE_MAX - 100;
        let mut fits = |size: usize| {
            let fits = size <= left;
            left -= if fits { size } else { 0 };
            fits
        };
        for (kind, line) in events {
            if fits(length(kind) + length(line) + 4) {
                message.events.push((kind.into(), line.into()));
            } else {
                message.more = true;
            }
        }
        for key in readings {
            // Two numbers of at most 20 digits.
            let is_few = message.readings.len() < KEYS_MAX;
            if is_few && fits(length(&key.station) + 46) {
                let station = key.station.to_string();
                message.readings.push((station, key.session, key.counter));
            } else {
                message.more = true;
                break;
            }
        }
        message
    }
}

/// Tells other collectors of the changes of this transaction, if one of them has viewers.
pub fn tell<'a>(
    db: &mut dyn Database,
    changes: &'a [Change],
    readings: impl Iterator<Item = &'a Identity>,
) -> Result<()> {
    let changes = changes
        .iter()
        .map(|change| (change.event, change.body.as_str()));
    send(db, changes, readings)
}

/// Tells other collectors of one event, in a transaction.
pub fn tell_event(db: &mut dyn Database, kind: &str, line: &str) -> Result<()> {
    send(db, std::iter::once((kind, line)), std::iter::empty())
}

fn send<'a>(
    db: &mut dyn Database,
    events: impl Iterator<Item = (&'a str, &'a str)>,
    readings: impl Iterator<Item = &'a Identity>,
) -> Result<()> {
    if !db.is_watched() {
        return Ok(());
    }
    let message = Message::of(events, readings);
    if message == Message::default() {
        return Ok(());
    }
    let text = serde_json::to_string(&message).unwrap_or_default();
    db.execute(sql::TELL, &[text.into()])?;
    Ok(())
}

/// What was heard and not yet told to the viewers.
#[derive(Debug, Default)]
struct Gathered {
    events: Vec<(&'static str, String)>,
    readings: BTreeSet<(String, i64, i64)>,
    more: bool,
}

impl Gathered {
    /// Takes a message. One that is none tells that there is something.
    fn take(&mut self, text: &str) {
        let Ok(message) = serde_json::from_str::<Message>(text) else {
            self.more = true;
            return;
        };
        self.more |= message.more;
        for (kind, line) in message.events {
            let kinds = ["alarm", "acknowledged", "station"];
            let kind = kinds.into_iter().find(|known| *known == kind);
            // A line break would begin another event.
            match kind.filter(|_| !line.contains(['\n', '\r'])) {
                Some(kind) if self.events.len() < GATHERED_MAX => self.events.push((kind, line)),
                _ => self.more = true,
            }
        }
        for key in message.readings {
            if self.readings.len() < GATHERED_MAX {
                self.readings.insert(key);
            } else {
                self.more = true;
            }
        }
    }
}

/// What hears of the changes of other collectors.
#[derive(Debug)]
pub struct Ears {
    pub database: Location,
    /// The collector's name among those that hear.
    pub name: String,
    pub events: Weak<Events>,
}

impl Ears {
    /// Starts a thread, which waits until there is a viewer. It ends with the events.
    pub fn start(self, woken: Receiver<()>) -> Result<()> {
        std::thread::Builder::new()
            .name("collector-live".into())
            .spawn(move || self.run(&woken))
            .map_err(Error::Thread)?;
        Ok(())
    }

    fn run(&self, woken: &Receiver<()>) {
        while woken.recv().is_ok() {
            let mut good = true;
            // A connection that is lost is made again as long as there are viewers.
            while let Err(error) = self.listen() {
                if good {
                    warn!("viewers here see readings of other collectors later: {error}");
                }
                good = false;
                std::thread::sleep(LOOK);
            }
        }
    }

    /// The events, if somebody wants to have them.
    fn wanted(&self) -> Option<Arc<Events>> {
        self.events
            .upgrade()
            .filter(|events| events.listeners() > 0)
    }

    /// Listens as long as there are viewers.
    fn listen(&self) -> Result<()> {
        if self.wanted().is_none() {
            return Ok(());
        }
        let mut db = self.database.open_brief()?;
        db.script(sql::HEAR)?;
        let mut renewed: Option<Instant> = None;
        let mut reload = Some(Instant::now() + SETTLED);
        let mut reloaded = Instant::now();
        while let Some(events) = self.wanted() {
            if renewed.is_none_or(|at| at.elapsed() >= RENEW) {
                let watch = [self.name.as_str().into(), WATCH_MS.into()];
                db.execute(sql::WATCH, &watch)?;
                renewed = Some(Instant::now());
            }
            let gathered = gather(&mut *db)?;
            if gathered.more && reload.is_none() {
                reload = Some(reloaded + RELOAD);
            }
            publish(&mut *db, &events, gathered)?;
            if reload.is_some_and(|at| Instant::now() >= at) {
                events.publish("resync", "{}".into());
                reload = None;
                reloaded = Instant::now();
            }
        }
        db.execute(sql::WATCH_NO_MORE, &[self.name.as_str().into()])?;
        Ok(())
    }
}

/// Waits for a message, and for those that follow it.
fn gather(db: &mut dyn Database) -> Result<Gathered> {
    let mut gathered = Gathered::default();
    let mut until = Instant::now() + LOOK;
    let mut is_first = true;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(gathered);
        }
        let heard = db.hear(left)?;
        gathered.more |= heard.lost;
        heard.messages.iter().for_each(|text| gathered.take(text));
        if is_first && !heard.messages.is_empty() {
            until = Instant::now() + GATHER;
            is_first = false;
        }
    }
}

/// Tells the viewers. Reads the readings with one statement, and the units of their values with another.
fn publish(db: &mut dyn Database, events: &Events, gathered: Gathered) -> Result<()> {
    for (kind, line) in gathered.events {
        events.publish(kind, line.into());
    }
    if gathered.readings.is_empty() {
        return Ok(());
    }
    let stations: BTreeSet<&str> = gathered.readings.iter().map(|key| key.0.as_str()).collect();
    let of: Vec<_> = stations
        .iter()
        .map(|station| vec![(*station).into()])
        .collect();
    let units = db.query_each(sql::QUANTITIES_OF, &of)?;
    let units: BTreeMap<&str, &Vec<Row>> = stations.into_iter().zip(&units).collect();
    let keys = gathered.readings.iter();
    let keys: Vec<_> = keys
        .map(|(station, session, counter)| {
            vec![
                station.as_str().into(),
                (*session).into(),
                (*counter).into(),
            ]
        })
        .collect();
    for row in db.query_each(sql::READING_OF, &keys)?.iter().flatten() {
        let units = units.get(row.text(0)).map_or(&[][..], |rows| rows);
        events.publish("reading", line(row, units).into());
    }
    Ok(())
}

/// The line of a reading, as its gateway's message would be.
fn line(row: &Row, units: &[Row]) -> String {
    let station = row.text(0);
    let unit = |name: &str| {
        let found = units.iter().find(|row| row.text(0) == name);
        found.map_or("", |row| row.text(1))
    };
    let values = data_of(row.text(8));
    let values: BTreeMap<&str, Json> = values
        .iter()
        .map(|(name, value)| (name.as_str(), json!({"value": value, "unit": unit(name)})))
        .collect();
    json!({
        "schema": SCHEMA, "device": parts_of(station).1, "name": row.opt_text(9),
        "session": session_text(row.int(1)), "counter": row.int(2),
        "received": time_text(row.int(3)), "payload": hex::encode(row.blob(7)),
        "rssi": row.opt_int(6), "authenticated": row.int(5) == 1, "gateway": row.opt_text(4),
        "codec": row.opt_text(10), "values": values, "station": station,
    })
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(count: i64) -> Vec<Identity> {
        let key = |counter| Identity {
            station: format!("{}:{}", "s".repeat(32), "d".repeat(32)).into(),
            session: i64::MIN,
            counter,
        };
        (0..count).map(key).collect()
    }

    #[test]
    fn a_message_fits_and_says_if_there_was_more() {
        let line = "\"".repeat(300);
        for (events, readings) in [(0, 5), (3, 100), (100, 1000), (0, 100_000)] {
            let all = keys(readings);
            let events = (0..events).map(|_| ("alarm", line.as_str()));
            let message = Message::of(events.clone(), all.iter());
            let text = serde_json::to_string(&message).expect("JSON");
            assert!(text.len() <= MESSAGE_MAX, "{}", text.len());
            let whole = message.readings.len() == all.len() && message.events.len() == events.len();
            assert_eq!(message.more, !whole);
            let mut gathered = Gathered::default();
            gathered.take(&text);
            assert_eq!(gathered.readings.len(), message.readings.len());
            assert_eq!(gathered.events.len(), message.events.len());
        }
    }

    #[test]
    fn what_is_gathered_has_an_end() {
        let mut gathered = Gathered::default();
        for round in 0..100 {
            let message = Message {
                events: vec![("alarm".into(), "{}".into()); 50],
                readings: (0..100).map(|n| ("a:b".into(), round, n)).collect(),
                more: false,
            };
            gathered.take(&serde_json::to_string(&message).expect("JSON"));
        }
        assert!(gathered.more);
        assert_eq!(gathered.readings.len(), GATHERED_MAX);
        assert_eq!(gathered.events.len(), GATHERED_MAX);
    }

    #[test]
    fn what_is_no_message_makes_viewers_reload() {
        for text in [
            "",
            "{",
            "[]",
            r#"{"events":[["alarm","a\nb"]],"readings":[],"more":false}"#,
            r#"{"events":[["evil","{}"]],"readings":[],"more":false}"#,
            r#"{"events":[],"readings":[["a",1e99,0]],"more":false}"#,
        ] {
            let mut gathered = Gathered::default();
            gathered.take(text);
            assert!(gathered.more, "{text}");
            assert!(gathered.events.is_empty() && gathered.readings.is_empty());
        }
    }
}
