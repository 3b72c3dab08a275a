//! Where the readings are that are not stored: in the stream, in the journal of an engine, or nowhere.
//! It tells a reading that is late from one that is lost.

use std::collections::HashSet;
use std::fmt;
use std::path::Path;

use selo_gateway::delivery::Mark;
use selo_gateway::journal::Position;
use selo_gateway::journal::entry::{Entries, Entry};
use selo_gateway::journal::segment::{self, Item, Reader};

use super::part::Part;
use super::whole::Whole;
use crate::stream::server::Nats;

/// Payloads in hexadecimal digits.
type Payloads = HashSet<String>;

/// Where a reading is, by the number of the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    Stream,
    /// An engine waits for the collectors to say that it is stored.
    Waits(usize),
    /// An engine was told that it is stored.
    Told(usize),
    Nowhere,
}

impl Place {
    /// True if it will still be stored.
    pub fn is_late(self) -> bool {
        matches!(self, Place::Stream | Place::Waits(_))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Stream => f.write_str("in the stream"),
            Place::Waits(engine) => write!(f, "in the journal of engine {engine}"),
            Place::Told(engine) => {
                write!(f, "nowhere, and engine {engine} was told that it is stored")
            }
            Place::Nowhere => f.write_str("nowhere"),
        }
    }
}

/// The readings of a journal.
#[derive(Debug, Default)]
pub struct Journal {
    told: Payloads,
    waits: Payloads,
}

#[derive(Debug, Default)]
pub struct Whereabouts {
    stream: Payloads,
    journals: Vec<Journal>,
}

impl Whereabouts {
    /// Looks into the journals, and then into the stream: a reading goes from there to here. Who asks
    /// for the stored ones afterwards misses none.
    pub fn look(whole: &Whole) -> Whereabouts {
        let state = |part: &Part| part.home.state();
        let journals = whole.engines.iter().map(state);
        let journals = journals.map(|state| Journal::read(&state)).collect();
        Whereabouts {
            stream: in_stream(&whole.nats[0]),
            journals,
        }
    }

    /// The best place of a reading.
    pub fn of(&self, payload: &str) -> Place {
        let journals = || (1..).zip(&self.journals);
        let mut waits = journals().filter(|(_, it)| it.waits.contains(payload));
        let mut told = journals().filter(|(_, it)| it.told.contains(payload));
        match (waits.next(), told.next()) {
            _ if self.stream.contains(payload) => Place::Stream,
            (Some((engine, _)), _) => Place::Waits(engine),
            (None, Some((engine, _))) => Place::Told(engine),
            (None, None) => Place::Nowhere,
        }
    }
}

impl Journal {
    /// Reads the journal of an engine, also of one that runs.
    fn read(state: &Path) -> Journal {
        let (_, delivered) = Mark::open(&state.join("delivered")).expect("a position");
        let mut journal = Journal::default();
        let folder = state.join("journal");
        for number in segment::list(&folder).expect("a journal") {
            // Its engine may remove a segment of which all is stored.
            let Ok(mut reader) = Reader::open(&segment::path(&folder, number), 0) else {
                continue;
            };
            let end = reader.length().expect("a length");
            while let Some(item) = reader.next(end).expect("reads") {
                let Item::Record(record) = item else { continue };
                let at = Position {
                    segment: number,
                    offset: record.end,
                };
                journal.take(record.body, at <= delivered);
            }
        }
        journal
    }

    fn take(&mut self, body: &[u8], is_told: bool) {
        let payloads = match is_told {
            true => &mut self.told,
            false => &mut self.waits,
        };
        payloads.extend(Entries::new(body).filter_map(|entry| match entry {
            Entry::Accepted(accepted) => Some(hex::encode(accepted.payload?)),
            _ => None,
        }));
    }
}

/// The payloads of all messages of the stream.
fn in_stream(nats: &Nats) -> Payloads {
    let messages = nats.contents();
    let payload = |message: &Vec<u8>| {
        let reading: serde_json::Value = serde_json::from_slice(message).ok()?;
        Some(reading["payload"].as_str()?.to_owned())
    };
    messages.iter().filter_map(payload).collect()
}

#[test]
fn a_reading_is_late_as_long_as_somebody_has_it() {
    let payloads = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect();
    let found = Whereabouts {
        stream: payloads(&["a", "b"]),
        journals: vec![
            Journal {
                told: payloads(&["a", "c", "d"]),
                waits: payloads(&["b"]),
            },
            Journal {
                told: Payloads::new(),
                waits: payloads(&["c"]),
            },
        ],
    };
    for (payload, place, is_late) in [
        ("a", Place::Stream, true),
        ("b", Place::Stream, true),
        ("c", Place::Waits(2), true),
        ("d", Place::Told(1), false),
        ("e", Place::Nowhere, false),
    ] {
        let found = found.of(payload);
        assert_eq!((found, found.is_late()), (place, is_late), "{payload}");
    }
}
