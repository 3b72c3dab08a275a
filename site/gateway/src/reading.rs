//! A reading: the payload that a node sent, with its origin and its time of reception.

mod text;
mod time;

use std::fmt;
use std::sync::Arc;

use selo_link::DeviceId;

use crate::peer::Peer;

use text::Text;

pub use time::{Moments, Rfc3339, rfc3339};

/// Bytes of the longest payload: a sealed packet has at most 45, but journals of earlier releases may
/// hold 48.
pub const PAYLOAD_MAX: usize = 48;

/// Schema name in each JSON line.
pub const SCHEMA: &str = "selo.reading/1";

/// A reading. The triple (device, session, counter) identifies it permanently; storage drops a
/// second reading with the same triple.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    pub device: DeviceId,
    /// What the device was called when the reading was delivered.
    pub name: Option<Arc<str>>,
    /// Codec of its payload when it was delivered. `None`: the default codec.
    pub codec: Option<Arc<str>>,
    pub session: SessionName,
    pub counter: u32,
    /// Time of reception, Unix milliseconds.
    pub received_ms: u64,
    pub payload: Payload,
    pub source: Peer,
    /// Signal strength, dBm, if the carrier reports it.
    pub rssi: Option<i16>,
    /// True if it may have been delivered before.
    pub redelivered: bool,
}

/// Permanent name of a session: its join counter, and 32 random bits drawn at the join. Written
/// as 16 hexadecimal digits, because JSON numbers lose precision above 53 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionName(pub u64);

impl SessionName {
    /// Combines the join counter (high half) and the random tag (low half).
    pub fn new(join: u32, tag: u32) -> Self {
        SessionName(u64::from(join) << 32 | u64::from(tag))
    }
}

impl fmt::Display for SessionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// Payload bytes, stored inline.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Payload {
    size: u8,
    bytes: [u8; PAYLOAD_MAX],
}

impl Payload {
    /// Returns `None` for more than [`PAYLOAD_MAX`] bytes.
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

impl Reading {
    /// Appends the reading as one line of JSON.
    pub fn write_line(&self, moments: &mut Moments, out: &mut Vec<u8>) {
        out.push(b'{');
        self.write_members(moments, out);
        out.extend_from_slice(b"}\n");
    }

    /// Appends the members of the reading's JSON object, without its braces, so that the caller
    /// can add members. No other code builds these members. They are formatted by hand because
    /// formatting is most of the cost of a reading after its acceptance.
    pub fn write_members(&self, moments: &mut Moments, out: &mut Vec<u8>) {
        let mut text = Text::new();
        text.put(b"\"schema\":\"");
        text.put_all(SCHEMA.as_bytes());
        text.put(b"\",\"device\":\"");
        text.put_hex(&self.device.0.to_be_bytes());
        text.put(b"\"");
        text.put(b",\"name\":");
        match &self.name {
            Some(name) => {
                text.move_to(out);
                // Writing to a vector cannot fail, and every Rust string is a valid JSON
                // string.
                _ = serde_json::to_writer(&mut *out, &**name);
            }
            None => text.put(b"null"),
        }
        text.put(b",\"session\":\"");
        text.put_hex(&self.session.0.to_be_bytes());
        text.put(b"\",\"counter\":");
        text.put_decimal(self.counter);
        text.put(b",\"received\":\"");
        text.put(&moments.text(self.received_ms).0);
        text.put(b"\",\"payload\":\"");
        text.put_hex(&self.payload);
        text.put(b"\",\"source\":");
        text.put_source(self.source);
        text.put(b",\"rssi\":");
        match self.rssi {
            Some(rssi) => {
                if rssi < 0 {
                    text.put(b"-");
                }
                text.put_decimal(rssi.unsigned_abs().into());
            }
            None => text.put(b"null"),
        }
        // Every reading of a gateway is. The member is there for readers of the schema.
        text.put(b",\"authenticated\":true,\"redelivered\":");
        text.put_boolean(self.redelivered);
        text.move_to(out);
    }
}

#[cfg(test)]
mod tests;
