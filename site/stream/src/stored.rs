//! A collector's confirmation that readings are committed. It names them by device, session and
//! counter, so that a restarted gateway understands it too.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::names::MessageId;

/// Schema of a confirmation.
pub const SCHEMA: &str = "selo.stored/2";

/// First and last counter of readings that follow each other.
type Range = (u32, u32);

/// A confirmation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stored {
    pub schema: String,
    /// Counters, by device and session.
    pub readings: BTreeMap<String, BTreeMap<String, Vec<Range>>>,
}

impl Default for Stored {
    fn default() -> Stored {
        Stored {
            schema: SCHEMA.into(),
            readings: BTreeMap::new(),
        }
    }
}

impl Stored {
    /// Adds a reading.
    pub fn add(&mut self, id: &MessageId) {
        let sessions = self.readings.entry(id.device.clone()).or_default();
        let ranges = sessions.entry(id.session.clone()).or_default();
        match ranges.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(id.counter) => *last = id.counter,
            _ => ranges.push((id.counter, id.counter)),
        }
    }

    /// The message, a JSON object.
    pub fn to_json(&self) -> Vec<u8> {
        // Strings and numbers always serialise.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Parses a message. `None` if it is not a confirmation.
    pub fn parse(bytes: &[u8]) -> Option<Stored> {
        let stored: Stored = serde_json::from_slice(bytes).ok()?;
        (stored.schema == SCHEMA).then_some(stored)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_that_follow_each_other_become_a_range() {
        let mut stored = Stored::default();
        for counter in [3, 4, 5, 9, u32::MAX] {
            let id = format!("site/3f9a01c2/0000000112ab34cd/{counter}");
            stored.add(&MessageId::parse(&id).expect("an id"));
        }
        let json = String::from_utf8(stored.to_json()).expect("text");
        assert_eq!(
            json,
            "{\"schema\":\"selo.stored/2\",\"readings\":{\"3f9a01c2\":{\"0000000112ab34cd\":\
             [[3,5],[9,9],[4294967295,4294967295]]}}}"
        );
        assert_eq!(Stored::parse(json.as_bytes()), Some(stored));
        assert_eq!(Stored::parse(b"{}"), None);
    }
}
