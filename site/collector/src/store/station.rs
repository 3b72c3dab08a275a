//! What the writer keeps in memory of a station.

use std::collections::BTreeMap;

use crate::alarm::Subject;
use crate::db::{Database, Row, Value};
use crate::error::Result;
use crate::message::{Message, Values, parts_of};
use crate::plausible::is_plausible;
use crate::rollup::is_total;
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
    pub(super) totals: BTreeMap<String, (i64, i64, f64)>,
    pub readings: i64,
    pub duplicates: i64,
    pub implausible: i64,
    pub(super) units: BTreeMap<String, String>,
    /// (session, counter) of its last reading, by session and counter.
    pub(super) newest: Option<(i64, i64)>,
    /// Those of its readings that a database keeps apart until their consequences are stored, in order.
    pub(super) waiting: Vec<(i64, i64)>,
    pub(super) number: i32,
    /// The quantities of its last reading, and their number.
    pub(super) layout: (Vec<String>, i32),
}

/// The effect of a reading on its station.
pub(super) struct Taken {
    pub is_newest: bool,
    /// The name or the codec changed, or the gateway left: no reading keeps that.
    pub is_renamed: bool,
}

impl Station {
    /// Converts a row of [`sql::GET_STATION`].
    pub(super) fn from_row(row: &Row) -> Station {
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
            units: BTreeMap::new(),
            newest: None,
            waiting: Vec::new(),
            number: 0,
            layout: (Vec::new(), 0),
        }
    }

    /// The station `id`, for the rules of alarms.
    pub(super) fn subject<'a>(&'a self, id: &'a str) -> Subject<'a> {
        Subject {
            station: id,
            name: self.name.as_deref(),
        }
    }

    /// The parameters of [`sql::SET_STATION`].
    pub(super) fn row(&self, id: &str) -> Vec<Value> {
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

    /// Records a new reading.
    pub(super) fn take(&mut self, message: &Message, now: i64) -> Taken {
        let of = (message.identity.session, message.identity.counter);
        self.readings += 1;
        self.newest = self.newest.max(Some(of));
        for (name, quantity) in &message.values {
            if !is_total(name) {
                continue;
            }
            match self.totals.get_mut(name) {
                None => {
                    self.totals
                        .insert(name.clone(), (of.0, of.1, quantity.value));
                }
                Some(known) if of > (known.0, known.1) => *known = (of.0, of.1, quantity.value),
                Some(_) => {}
            }
        }
        let mut taken = Taken {
            is_newest: false,
            is_renamed: false,
        };
        if !is_plausible(message.received, now) {
            self.implausible += 1;
            return taken;
        }
        self.first_seen = self.first_seen.min(message.received);
        // `None` sorts first, so any reading is newer than none.
        let newest = (self.last_seen, self.last);
        taken.is_newest = (Some(message.received), Some(of)) > newest;
        if taken.is_newest {
            self.last_seen = Some(message.received);
            self.last = Some(of);
            self.last_rssi = message.rssi;
            self.take_values(&message.values);
            if message.names {
                taken.is_renamed |= set(&mut self.name, &message.name);
                let is_other = set(&mut self.gateway, &message.gateway);
                taken.is_renamed |= is_other && message.gateway.is_none();
            }
            taken.is_renamed |= set(&mut self.codec, &message.codec);
        }
        taken
    }

    /// Sets the last values. Most readings have the same quantities as the one before.
    fn take_values(&mut self, values: &Values) {
        let mut same = self.last_values.len() == values.len();
        for ((known_name, known), (name, quantity)) in self.last_values.iter_mut().zip(values) {
            same &= known_name == name;
            known.value = quantity.value;
            if known.unit != quantity.unit {
                known.unit.clone_from(&quantity.unit);
            }
        }
        if !same {
            self.last_values.clone_from(values);
        }
    }
}

/// Sets a text. Returns true if it is another one.
fn set(known: &mut Option<String>, text: &Option<String>) -> bool {
    let is_other = known != text;
    if is_other {
        known.clone_from(text);
    }
    is_other
}

/// The stations of these messages, which have one each. A station that is new begins with its message.
pub(super) fn load_stations(
    db: &mut dyn Database,
    messages: &[&Message],
    now: i64,
) -> Result<Vec<Station>> {
    let keys: Vec<Vec<Value>> = messages
        .iter()
        .map(|message| vec![(&*message.identity.station).into()])
        .collect();
    let known = db.query_each(sql::GET_STATION, &keys)?;
    let units = db.query_each(sql::QUANTITIES_OF, &keys)?;
    let rows = known.iter().zip(&units);
    let stations = messages.iter().zip(rows).map(|(message, (known, units))| {
        let Some(row) = known.first() else {
            return first(message, now);
        };
        let mut station = Station::from_row(row);
        station.units = units
            .iter()
            .map(|row| (row.text(0).to_string(), row.text(1).to_string()))
            .collect();
        station
    });
    Ok(stations.collect())
}

/// A station before its first message is counted.
fn first(message: &Message, now: i64) -> Station {
    let plausible = is_plausible(message.received, now);
    Station {
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
        units: BTreeMap::new(),
        newest: None,
        waiting: Vec::new(),
        number: 0,
        layout: (Vec::new(), 0),
    }
}
