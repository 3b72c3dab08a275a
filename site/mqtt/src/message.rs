//! Messages on the topics: one JSON object per message.

use std::collections::BTreeMap;
use std::io::Write;

use selo_codec::Codec;
use selo_gateway::reading::{Moments, Reading, rfc3339};
use serde::{Deserialize, Serialize};

/// Schema of a gateway's status.
pub const STATUS_SCHEMA: &str = "selo.status/1";
/// Schema of a collector's confirmation.
pub const STORED_SCHEMA: &str = "selo.stored/1";

/// Appends a reading's message: its members, and the decoded payload. Reading messages are built
/// only here.
pub fn write_reading(
    reading: &Reading,
    gateway: &str,
    codec: Result<&Codec, &str>,
    out: &mut Vec<u8>,
) {
    out.push(b'{');
    reading.write_members(&mut Moments::default(), out);
    // A gateway's name needs no escaping (topic::check_name).
    _ = write!(out, ",\"gateway\":\"{gateway}\",");
    match codec {
        Ok(codec) => write_values(codec, &reading.payload, out),
        Err(name) => {
            out.extend_from_slice(b"\"codec\":");
            string(name, out);
            undecodable("this gateway does not have the codec", out);
        }
    }
    out.push(b'}');
}

/// Appends the members `codec` and `values`, and `undecodable` with a reason if there are no
/// values.
pub fn write_values(codec: &Codec, payload: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(b"\"codec\":");
    string(&codec.name, out);
    let values = match codec.decode(payload) {
        Ok(values) => values,
        Err(error) => return undecodable(&error.to_string(), out),
    };
    out.extend_from_slice(b",\"values\":{");
    for (number, value) in values.iter().enumerate() {
        if number > 0 {
            out.push(b',');
        }
        string(&value.name, out);
        // The value is finite, and Rust's shortest decimal form is valid JSON.
        _ = write!(out, ":{{\"value\":{},\"unit\":", value.value);
        string(value.unit, out);
        out.push(b'}');
    }
    out.push(b'}');
}

fn undecodable(why: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b",\"values\":{},\"undecodable\":");
    string(why, out);
}

fn string(text: &str, out: &mut Vec<u8>) {
    // Writing to a `Vec` cannot fail, and every string can be a JSON string.
    _ = serde_json::to_writer(out, text);
}

/// A reading's message, for parsing.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ReadingMessage {
    pub schema: String,
    pub device: Option<String>,
    pub name: Option<String>,
    pub session: String,
    pub counter: u32,
    pub received: String,
    pub payload: String,
    pub source: Option<String>,
    pub rssi: Option<i16>,
    pub authenticated: bool,
    pub redelivered: bool,
    pub gateway: String,
    pub codec: String,
    pub values: BTreeMap<String, ValueMessage>,
    #[serde(default)]
    pub undecodable: Option<String>,
}

/// A value of a message.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ValueMessage {
    pub value: f64,
    pub unit: String,
}

/// Presence of a gateway. Retained, and also its last will.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    pub schema: String,
    pub gateway: String,
    pub online: bool,
    /// Start of the gateway's publishing session, RFC 3339.
    pub since: String,
    pub version: String,
}

impl Status {
    /// A status as of now; `since_ms` is in Unix milliseconds.
    pub fn new(gateway: &str, online: bool, since_ms: u64, version: &str) -> Status {
        Status {
            schema: STATUS_SCHEMA.into(),
            gateway: gateway.into(),
            online,
            since: rfc3339(since_ms).to_string(),
            version: version.into(),
        }
    }

    /// The message, a JSON object.
    pub fn to_json(&self) -> Vec<u8> {
        // Strings and a boolean always serialise.
        serde_json::to_vec(self).unwrap_or_default()
    }
}

/// A collector's confirmation of committed readings, by the publisher's sequence numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stored {
    pub schema: String,
    /// Run id of the publisher: 16 hexadecimal digits, its user property `run`.
    pub run: String,
    /// Inclusive ranges: first and last sequence number.
    pub sequences: Vec<(u64, u64)>,
    /// After how many seconds without a reading the collector calls each of the devices silent.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub silent_after: BTreeMap<String, u64>,
}

impl Stored {
    /// Builds a confirmation from sequence numbers in any order. Consecutive numbers become one
    /// range.
    pub fn new(run: &str, sequences: impl IntoIterator<Item = u64>) -> Stored {
        let mut all: Vec<u64> = sequences.into_iter().collect();
        all.sort_unstable();
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for sequence in all {
            match ranges.last_mut() {
                Some((_, last)) if sequence <= last.saturating_add(1) => *last = sequence,
                _ => ranges.push((sequence, sequence)),
            }
        }
        Stored {
            schema: STORED_SCHEMA.into(),
            run: run.into(),
            sequences: ranges,
            silent_after: BTreeMap::new(),
        }
    }

    /// The message, a JSON object.
    pub fn to_json(&self) -> Vec<u8> {
        // Strings and numbers always serialise.
        serde_json::to_vec(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selo_gateway::peer::Peer;
    use selo_gateway::reading::{Payload, SessionName};

    fn reading(payload: &[u8]) -> Reading {
        Reading {
            device: selo_link::DeviceId(0x3f9a_01c2),
            name: Some("garden".into()),
            codec: None,
            session: SessionName::new(1, 0x12ab_34cd),
            counter: 0,
            received_ms: 1_795_303_147_042,
            payload: Payload::new(payload).expect("short"),
            source: Peer::Udp("192.0.2.7:5000".parse().expect("an address")),
            rssi: None,
            redelivered: false,
        }
    }

    fn message(payload: &[u8], codec: &str) -> String {
        let codecs = selo_codec::Catalogue::built_in().expect("right");
        let codec = codecs.get(codec).map(|codec| &**codec).map_err(|_| codec);
        let mut out = Vec::new();
        write_reading(&reading(payload), "north", codec, &mut out);
        String::from_utf8(out).expect("text")
    }

    const HEAD: &str = "{\"schema\":\"selo.reading/1\",\"device\":\"3f9a01c2\",\"name\":\"garden\",\
        \"session\":\"0000000112ab34cd\",\"counter\":0,\"received\":\"2026-11-21T23:19:07.042Z\",";

    #[test]
    fn a_message_says_what_the_page_says() {
        let payload = [0, 0, 0, 0, 62, 0, 0, 0, 46, 9, 0, 0, 116, 14, 2, 0];
        let said = message(&payload, "rain-gauge");
        assert_eq!(
            said,
            format!(
                "{HEAD}\"payload\":\"000000003e0000002e090000740e0200\",\
                 \"source\":\"192.0.2.7:5000\",\"rssi\":null,\"authenticated\":true,\
                 \"redelivered\":false,\"gateway\":\"north\",\"codec\":\"rain-gauge\",\
                 \"values\":{{\"rain_total\":{{\"value\":12.4,\"unit\":\"mm\"}},\
                 \"temperature\":{{\"value\":23.5,\"unit\":\"Cel\"}},\
                 \"battery\":{{\"value\":3.7,\"unit\":\"V\"}},\
                 \"clock_lost\":{{\"value\":0,\"unit\":\"1\"}},\
                 \"restarted\":{{\"value\":1,\"unit\":\"1\"}},\
                 \"radio_lost\":{{\"value\":0,\"unit\":\"1\"}}}}}}"
            )
        );
        let read: ReadingMessage = serde_json::from_str(&said).expect("a message");
        assert_eq!(read.values["rain_total"].value, 12.4);
        assert_eq!(read.undecodable, None);
    }

    #[test]
    fn what_cannot_be_decoded_is_passed_on_and_says_why() {
        for (codec, words) in [
            ("rain-gauge", "16 bytes: it has 6 bytes"),
            ("gone", "does not have the codec"),
        ] {
            let said = message(b"23.5 C", codec);
            let read: ReadingMessage = serde_json::from_str(&said).expect("a message");
            assert_eq!(
                (read.payload.as_str(), read.codec.as_str()),
                ("32332e352043", codec)
            );
            assert!(read.values.is_empty());
            assert!(read.undecodable.expect("why").contains(words));
        }
        let read: ReadingMessage = serde_json::from_str(&message(b"", "raw")).expect("a message");
        assert_eq!((read.values.len(), read.undecodable), (0, None));
    }

    #[test]
    fn sequences_become_ranges() {
        let stored = Stored::new("00ff", [7, 1, 2, 3, 9, 8, 2]);
        assert_eq!(stored.sequences, [(1, 3), (7, 9)]);
        let json = String::from_utf8(stored.to_json()).expect("text");
        assert_eq!(
            json,
            "{\"schema\":\"selo.stored/1\",\"run\":\"00ff\",\"sequences\":[[1,3],[7,9]]}"
        );
        assert_eq!(serde_json::from_str::<Stored>(&json).expect("read"), stored);
        let ends = Stored::new("", [u64::MAX, u64::MAX - 1]);
        assert_eq!(ends.sequences, [(u64::MAX - 1, u64::MAX)]);
    }
}
