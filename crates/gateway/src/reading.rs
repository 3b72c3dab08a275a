//! A reading: what a node said, and what the gateway knows of it.

use std::fmt;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use selo_link::DeviceId;

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

impl Reading {
    /// Appends the reading as one line of JSON.
    pub fn write_line(&self, out: &mut Vec<u8>) {
        out.push(b'{');
        self.write_members(out);
        out.extend_from_slice(b"}\n");
    }

    /// Appends the members of the reading's JSON object, without its braces, so that others
    /// may follow. This is the one place that builds them; by hand, because it is most of
    /// what a reading costs after it was accepted.
    pub fn write_members(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"\"schema\":\"");
        out.extend_from_slice(SCHEMA.as_bytes());
        out.extend_from_slice(b"\",\"device\":");
        match self.device {
            Some(device) => {
                out.push(b'"');
                hex(&device.0.to_be_bytes(), out);
                out.push(b'"');
            }
            None => out.extend_from_slice(b"null"),
        }
        out.extend_from_slice(b",\"name\":");
        match &self.name {
            // A vector takes every byte, and every string is a string of JSON.
            Some(name) => _ = serde_json::to_writer(&mut *out, &**name),
            None => out.extend_from_slice(b"null"),
        }
        out.extend_from_slice(b",\"session\":\"");
        hex(&self.session.0.to_be_bytes(), out);
        out.extend_from_slice(b"\",\"counter\":");
        decimal(self.counter, out);
        out.extend_from_slice(b",\"received\":\"");
        _ = write!(out, "{}", rfc3339(self.received_ms));
        out.extend_from_slice(b"\",\"payload\":\"");
        hex(&self.payload, out);
        out.extend_from_slice(b"\",\"source\":");
        source(self.source, out);
        out.extend_from_slice(b",\"rssi\":");
        match self.rssi {
            Some(rssi) => _ = write!(out, "{rssi}"),
            None => out.extend_from_slice(b"null"),
        }
        out.extend_from_slice(b",\"authenticated\":");
        boolean(self.authenticated, out);
        out.extend_from_slice(b",\"redelivered\":");
        boolean(self.redelivered, out);
    }
}

fn hex(bytes: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    out.extend(bytes.iter().flat_map(|byte| {
        [
            DIGITS[usize::from(byte >> 4)],
            DIGITS[usize::from(byte & 15)],
        ]
    }));
}

fn decimal(mut number: u32, out: &mut Vec<u8>) {
    let mut digits = [0; 10];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[start..]);
}

fn boolean(value: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(if value { b"true" } else { b"false" });
}

fn source(peer: Peer, out: &mut Vec<u8>) {
    match peer {
        Peer::Nowhere => out.extend_from_slice(b"null"),
        Peer::Udp(std::net::SocketAddr::V4(address)) => {
            out.push(b'"');
            for (octet, end) in address.ip().octets().into_iter().zip(*b"...:") {
                decimal(octet.into(), out);
                out.push(end);
            }
            decimal(address.port().into(), out);
            out.push(b'"');
        }
        peer => _ = write!(out, "\"{peer}\""),
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
    fn every_field_is_what_a_reader_of_json_finds() {
        for (number, source) in [
            (0, Peer::Nowhere),
            (9, Peer::Radio(3)),
            (
                10,
                Peer::Udp("255.1.0.10:65535".parse().expect("an address")),
            ),
            (
                u32::MAX,
                Peer::Udp("[2001:db8::1]:7".parse().expect("an address")),
            ),
        ] {
            let reading = Reading {
                device: (number != 9).then_some(DeviceId(number)),
                name: (number != 9).then(|| "\u{e9}\\\"\u{1f600}".into()),
                session: SessionName(u64::from(number)),
                counter: number,
                payload: Payload::new(&number.to_le_bytes()).expect("short"),
                source,
                rssi: (number > 9).then_some(-120),
                authenticated: number != 9,
                redelivered: number == 9,
                ..reading()
            };
            let mut out = Vec::new();
            reading.write_line(&mut out);
            let line: serde_json::Value = serde_json::from_slice(&out).expect("JSON");
            let none = serde_json::Value::Null;
            let or_none = |text: Option<String>| text.map_or(none.clone(), Into::into);
            assert_eq!(
                line["device"],
                or_none(reading.device.map(|id| id.to_string()))
            );
            assert_eq!(
                line["name"],
                or_none(reading.name.as_deref().map(Into::into))
            );
            assert_eq!(line["session"], reading.session.to_string());
            assert_eq!(line["counter"], number);
            assert_eq!(line["payload"], ::hex::encode(number.to_le_bytes()));
            let source = (source != Peer::Nowhere).then(|| source.to_string());
            assert_eq!(line["source"], or_none(source));
            assert_eq!(line["rssi"], reading.rssi.map_or(none.clone(), Into::into));
            assert_eq!(line["authenticated"], reading.authenticated);
            assert_eq!(line["redelivered"], reading.redelivered);
        }
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
