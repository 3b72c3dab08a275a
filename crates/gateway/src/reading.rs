//! A reading: what a node said, and what the gateway knows of it.

use std::fmt;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use selo_link::DeviceId;
use serde::{Serialize, Serializer};

use crate::peer::Peer;

/// Bytes of the longest payload: three classic blocks; a sealed packet has at most 45.
pub const PAYLOAD_MAX: usize = 48;

/// The schema that a line names.
pub const SCHEMA: &str = "selo.reading/1";

/// A reading. (device, session, counter) names it for ever: whoever stores readings
/// drops the second with the same three.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// `None` if it came by classic, which does not say who sends.
    pub device: Option<DeviceId>,
    /// What the device was called when the reading was delivered.
    pub name: Option<Arc<str>>,
    pub session: SessionName,
    pub counter: u32,
    /// When the gateway received it, Unix milliseconds.
    pub received_ms: u64,
    pub payload: Payload,
    pub source: Peer,
    /// Signal strength, dBm, if the carrier tells.
    pub rssi: Option<i16>,
    /// False if it came by classic: anyone may have made it.
    pub authenticated: bool,
    /// True if it may have been delivered before.
    pub redelivered: bool,
}

/// Names a session of a device for ever: the join counter of its join, and 32 bits
/// drawn at random then. Written as 16 hexadecimal digits, so that no reader loses bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionName(pub u64);

impl SessionName {
    pub fn new(join: u32, tag: u32) -> Self {
        SessionName(u64::from(join) << 32 | u64::from(tag))
    }
}

impl fmt::Display for SessionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Serialize for SessionName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The bytes of a payload, in place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Payload {
    size: u8,
    bytes: [u8; PAYLOAD_MAX],
}

impl Payload {
    /// `None` if there are more than [`PAYLOAD_MAX`] bytes.
    pub fn new(bytes: &[u8]) -> Option<Payload> {
        let mut payload = Payload {
            size: bytes.len() as u8,
            bytes: [0; PAYLOAD_MAX],
        };
        payload.bytes.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(payload)
    }
}

impl std::ops::Deref for Payload {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[..usize::from(self.size)]
    }
}

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Payload({} bytes)", self.size)
    }
}

impl Serialize for Payload {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut digits = [0; 2 * PAYLOAD_MAX];
        let digits = &mut digits[..2 * usize::from(self.size)];
        match hex::encode_to_slice(&self[..], digits) {
            Ok(()) => serializer.serialize_str(&String::from_utf8_lossy(digits)),
            Err(error) => Err(serde::ser::Error::custom(error)),
        }
    }
}

/// The line of a reading, in the order in which it is printed.
#[derive(Serialize)]
struct Line<'a> {
    schema: &'static str,
    device: Option<Text<DeviceId>>,
    name: Option<&'a str>,
    session: SessionName,
    counter: u32,
    received: Text<humantime::Rfc3339Timestamp>,
    payload: Payload,
    source: Peer,
    rssi: Option<i16>,
    authenticated: bool,
    redelivered: bool,
}

/// What is written as it is displayed.
struct Text<T>(T);

impl<T: fmt::Display> Serialize for Text<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl Reading {
    /// Appends the reading as one line of JSON. This is the one place that builds it.
    pub fn write_line(&self, out: &mut Vec<u8>) {
        let line = Line {
            schema: SCHEMA,
            device: self.device.map(Text),
            name: self.name.as_deref(),
            session: self.session,
            counter: self.counter,
            received: Text(rfc3339(self.received_ms)),
            payload: self.payload,
            source: self.source,
            rssi: self.rssi,
            authenticated: self.authenticated,
            redelivered: self.redelivered,
        };
        // A vector takes every byte, and a line holds nothing that JSON cannot.
        let written = serde_json::to_writer(&mut *out, &line);
        debug_assert!(written.is_ok());
        let _ = out.write_all(b"\n");
    }
}

/// A moment of Unix milliseconds as `2026-11-21T23:19:07.042Z`. The last one that the
/// format can say stands for all later ones.
pub fn rfc3339(unix_ms: u64) -> humantime::Rfc3339Timestamp {
    const LAST_MS: u64 = 253_402_300_799_999;
    humantime::format_rfc3339_millis(UNIX_EPOCH + Duration::from_millis(unix_ms.min(LAST_MS)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading() -> Reading {
        Reading {
            device: Some(DeviceId(0x3f9a_01c2)),
            name: Some("a \"quoted\"\u{1} name".into()),
            session: SessionName::new(42, 0x0099_aabb),
            counter: 7,
            received_ms: 1_795_303_147_042,
            payload: Payload::new(b"23.5 C").expect("short"),
            source: Peer::Udp("192.0.2.7:5000".parse().expect("an address")),
            rssi: None,
            authenticated: true,
            redelivered: false,
        }
    }

    #[test]
    fn a_line_says_what_the_reference_says() {
        let mut out = Vec::new();
        reading().write_line(&mut out);
        assert_eq!(
            String::from_utf8_lossy(&out),
            "{\"schema\":\"selo.reading/1\",\"device\":\"3f9a01c2\",\
             \"name\":\"a \\\"quoted\\\"\\u0001 name\",\"session\":\"0000002a0099aabb\",\
             \"counter\":7,\"received\":\"2026-11-21T23:19:07.042Z\",\
             \"payload\":\"32332e352043\",\"source\":\"192.0.2.7:5000\",\"rssi\":null,\
             \"authenticated\":true,\"redelivered\":false}\n"
        );
    }

    #[test]
    fn any_time_can_be_written() {
        for ms in [0, u64::MAX] {
            let _ = rfc3339(ms).to_string();
        }
    }

    #[test]
    fn payloads_have_a_bound() {
        assert_eq!(
            &*Payload::new(&[7; PAYLOAD_MAX]).expect("fits"),
            &[7; PAYLOAD_MAX]
        );
        assert!(Payload::new(&[7; PAYLOAD_MAX + 1]).is_none());
        assert!(Payload::new(&[0; 300]).is_none());
        assert!(!format!("{:?}", reading()).contains("23.5"));
    }
}
