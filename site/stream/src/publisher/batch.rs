//! The readings that the gateway has delivered and that are not confirmed yet.

use std::collections::HashMap;

use selo_gateway::reading::{Reading, SessionName};
use selo_mqtt::publisher::{Identity, identity};

use crate::stored::Stored;

/// Maximum readings that are published but not yet confirmed as stored.
const WINDOW: usize = 1024;

/// Where a reading is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Only in the journal.
    Here,
    /// Published, without an answer yet.
    UnderWay,
    /// In the stream, at this sequence number, when the server acknowledged it.
    At(u64),
    /// Stored.
    Stored,
}

/// The current batch.
#[derive(Debug)]
pub struct Batch {
    pub id: u64,
    pub readings: Vec<Reading>,
    places: Vec<Place>,
    /// How often each reading has been published again because it was not in the stream.
    attempts: Vec<u32>,
    of: HashMap<Identity, usize>,
    left: usize,
    out: usize,
    /// No reading before this index is [`Place::Here`].
    cursor: usize,
}

impl Batch {
    pub fn new(id: u64, readings: Vec<Reading>) -> Batch {
        let of = readings.iter().map(identity).zip(0..).collect();
        Batch {
            id,
            places: vec![Place::Here; readings.len()],
            attempts: vec![0; readings.len()],
            of,
            left: readings.len(),
            out: 0,
            cursor: 0,
            readings,
        }
    }

    /// Number of readings that are not confirmed.
    pub fn left(&self) -> usize {
        self.left
    }

    /// True if readings are published and not confirmed.
    pub fn waits(&self) -> bool {
        self.out > 0
    }

    pub fn attempt(&self, index: usize) -> u32 {
        self.attempts.get(index).copied().unwrap_or(0)
    }

    /// The next reading to publish. It is under way from now on.
    pub fn next(&mut self) -> Option<usize> {
        if self.out >= WINDOW {
            return None;
        }
        while *self.places.get(self.cursor)? != Place::Here {
            self.cursor += 1;
        }
        let index = self.cursor;
        self.set(index, Place::UnderWay);
        Some(index)
    }

    fn set(&mut self, index: usize, place: Place) {
        let Some(old) = self.places.get_mut(index) else {
            return;
        };
        let out = |place| matches!(place, Place::UnderWay | Place::At(_));
        match (*old, place) {
            (Place::Stored, _) => return,
            (_, Place::Stored) => self.left -= 1,
            (_, Place::Here) => self.cursor = self.cursor.min(index),
            _ => {}
        }
        if out(*old) {
            self.out -= 1;
        }
        if out(place) {
            self.out += 1;
        }
        *old = place;
    }

    /// The server has acknowledged a reading.
    pub fn acknowledged(&mut self, index: usize, sequence: u64) {
        if self.places.get(index) == Some(&Place::UnderWay) {
            self.set(index, Place::At(sequence));
        }
    }

    /// A reading is not in the stream: it is published again, as another attempt.
    pub fn lost(&mut self, index: usize) {
        if let Some(attempts) = self.attempts.get_mut(index) {
            *attempts += 1;
        }
        if let Some(reading) = self.readings.get_mut(index) {
            reading.redelivered = true;
        }
        self.set(index, Place::Here);
    }

    /// The connection is lost, and with it answers. A reading without one is published again under
    /// its name, which the stream knows if it has it.
    pub fn restart(&mut self) {
        for index in 0..self.places.len() {
            if self.places.get(index) == Some(&Place::UnderWay) {
                self.set(index, Place::Here);
            }
        }
    }

    /// The readings that the server has acknowledged and no collector has confirmed, with their
    /// sequence numbers.
    pub fn unconfirmed(&self) -> Vec<(usize, u64)> {
        let at = |(index, place): (usize, &Place)| match place {
            Place::At(sequence) => Some((index, *sequence)),
            _ => None,
        };
        self.places.iter().enumerate().filter_map(at).collect()
    }

    /// Applies a confirmation. Returns true if it confirmed a reading of this batch.
    pub fn confirm(&mut self, stored: &Stored) -> bool {
        let before = self.left;
        for (device, sessions) in &stored.readings {
            let Ok(device) = device.parse() else { continue };
            for (session, ranges) in sessions {
                let Ok(session) = u64::from_str_radix(session, 16) else {
                    continue;
                };
                let session = SessionName(session);
                for &(first, last) in ranges {
                    self.confirm_range((device, session, first), last);
                }
            }
        }
        self.left < before
    }

    fn confirm_range(&mut self, (device, session, first): Identity, last: u32) {
        // A false range may be long, so walk through whichever is shorter.
        if u64::from(last.saturating_sub(first)) > self.readings.len() as u64 {
            for index in 0..self.readings.len() {
                let (at, of, counter) = identity(&self.readings[index]);
                if (at, of) == (device, session) && (first..=last).contains(&counter) {
                    self.set(index, Place::Stored);
                }
            }
            return;
        }
        for counter in first..=last {
            if let Some(&index) = self.of.get(&(device, session, counter)) {
                self.set(index, Place::Stored);
            }
        }
    }
}
