//! A reading: the payload that a node sent, with its origin and its time of reception.

use std::fmt;
use std::sync::Arc;

use selo_link::DeviceId;

use crate::peer::Peer;

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

/// Fixed-size text buffer. Copies of constant size are several times faster than appending to a
/// vector.
struct Text {
    bytes: [u8; Text::ROOM],
    size: usize,
}

impl Text {
    /// All members except the name need at most 370 bytes: 223 for names, punctuation and
    /// numbers, 96 for the payload, 51 for an IPv6 address with scope and port.
    const ROOM: usize = 512;

    fn new() -> Text {
        Text {
            bytes: [0; Text::ROOM],
            size: 0,
        }
    }

    /// Drops bytes that do not fit. No reading reaches the limit; a test checks the longest
    /// one.
    #[inline]
    fn put<const N: usize>(&mut self, bytes: &[u8; N]) {
        if let Some(room) = self.rest().first_chunk_mut() {
            *room = *bytes;
            self.size += N;
        }
    }

    #[inline]
    fn put_all(&mut self, bytes: &[u8]) {
        if let Some(room) = self.rest().get_mut(..bytes.len()) {
            room.copy_from_slice(bytes);
            self.size += bytes.len();
        }
    }

    #[inline]
    fn rest(&mut self) -> &mut [u8] {
        &mut self.bytes[self.size..]
    }

    #[inline]
    fn put_hex(&mut self, bytes: &[u8]) {
        if let Some(room) = self.rest().get_mut(..2 * bytes.len()) {
            for (room, byte) in room.chunks_exact_mut(2).zip(bytes) {
                room.copy_from_slice(&HEX[usize::from(*byte)]);
            }
            self.size += 2 * bytes.len();
        }
    }

    #[inline]
    fn put_decimal(&mut self, mut number: u32) {
        let digits = 1 + number.checked_ilog10().unwrap_or(0) as usize;
        if let Some(room) = self.rest().get_mut(..digits) {
            for digit in room.iter_mut().rev() {
                *digit = b'0' + (number % 10) as u8;
                number /= 10;
            }
            self.size += digits;
        }
    }

    fn put_boolean(&mut self, value: bool) {
        if value {
            self.put(b"true");
        } else {
            self.put(b"false");
        }
    }

    #[inline]
    fn put_source(&mut self, peer: Peer) {
        match peer {
            Peer::Nowhere => self.put(b"null"),
            Peer::Udp(std::net::SocketAddr::V4(address)) => {
                self.put(b"\"");
                for (octet, end) in address.ip().octets().into_iter().zip(*b"...:") {
                    self.put_decimal(octet.into());
                    self.put(&[end]);
                }
                self.put_decimal(address.port().into());
                self.put(b"\"");
            }
            peer => self.put_all(format!("\"{peer}\"").as_bytes()),
        }
    }

    /// Appends the text to `out` and clears the buffer.
    #[inline]
    fn move_to(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.bytes[..self.size]);
        self.size = 0;
    }
}

/// The two hexadecimal digits of each byte.
const HEX: [[u8; 2]; 256] = {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut table = [[0; 2]; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = [DIGITS[byte >> 4], DIGITS[byte & 15]];
        byte += 1;
    }
    table
};

/// A time as text; see [`rfc3339`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Rfc3339([u8; 24]);

impl fmt::Display for Rfc3339 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|byte| fmt::Write::write_char(f, char::from(*byte)))
    }
}

impl fmt::Debug for Rfc3339 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Formats times and caches the last one. Readings of one batch share a time, and its text is a
/// fifth of the cost of a line.
#[derive(Debug, Clone, Copy)]
pub struct Moments {
    unix_ms: u64,
    text: Rfc3339,
}

impl Default for Moments {
    fn default() -> Self {
        Moments {
            unix_ms: 0,
            text: Rfc3339(*b"1970-01-01T00:00:00.000Z"),
        }
    }
}

impl Moments {
    #[inline]
    pub fn text(&mut self, unix_ms: u64) -> Rfc3339 {
        if self.unix_ms != unix_ms {
            *self = Moments {
                unix_ms,
                text: rfc3339(unix_ms),
            };
        }
        self.text
    }
}

/// Formats Unix milliseconds as `2026-11-21T23:19:07.042Z`. Later times than the year 9999 are
/// formatted as its last millisecond.
pub fn rfc3339(unix_ms: u64) -> Rfc3339 {
    const LAST_MS: u64 = 253_402_300_799_999;
    const DAY_MS: u64 = 86_400_000;
    let unix_ms = unix_ms.min(LAST_MS);
    // Both fit 32 bits: days before the year 10,000, and milliseconds of one day.
    let (day, ms) = ((unix_ms / DAY_MS) as u32, (unix_ms % DAY_MS) as u32);
    let (year, month, day) = date(day);
    let mut text = *b"0000-00-00T00:00:00.000Z";
    let mut put = |end: usize, digits: usize, mut number: u32| {
        for digit in text[end - digits..end].iter_mut().rev() {
            *digit = b'0' + (number % 10) as u8;
            number /= 10;
        }
    };
    put(4, 4, year);
    put(7, 2, month);
    put(10, 2, day);
    put(13, 2, ms / 3_600_000);
    put(16, 2, ms / 60_000 % 60);
    put(19, 2, ms / 1000 % 60);
    put(23, 3, ms % 1000);
    Rfc3339(text)
}

/// Year, month and day of a day number after 1970-01-01 (Gregorian calendar). The calculation
/// counts years from March, so that 29 February is the last day of a year.
fn date(day: u32) -> (u32, u32, u32) {
    const DAYS_OF_400_YEARS: u32 = 146_097;
    // Day 0 is 0000-03-01.
    let day = day + 719_468;
    let (centuries, day) = (day / DAYS_OF_400_YEARS, day % DAYS_OF_400_YEARS);
    // Removes the leap days before this year; every 400th year has one more.
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // From March on, each group of five months has 153 days.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let next_year = month >= 10;
    let month = if next_year { month - 9 } else { month + 3 };
    (400 * centuries + year + u32::from(next_year), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading() -> Reading {
        Reading {
            device: DeviceId(0x3f9a_01c2),
            name: Some("a \"quoted\"\u{1} name".into()),
            session: SessionName::new(42, 0x0099_aabb),
            counter: 7,
            received_ms: 1_795_303_147_042,
            payload: Payload::new(b"23.5 C").expect("short"),
            source: Peer::Udp("192.0.2.7:5000".parse().expect("an address")),
            rssi: None,
            redelivered: false,
        }
    }

    #[test]
    fn a_line_says_what_the_reference_says() {
        let mut out = Vec::new();
        reading().write_line(&mut Moments::default(), &mut out);
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
                device: DeviceId(number),
                name: (number != 9).then(|| "\u{e9}\\\"\u{1f600}".into()),
                session: SessionName(u64::from(number)),
                counter: number,
                payload: Payload::new(&number.to_le_bytes()).expect("short"),
                source,
                rssi: (number > 9).then_some(-120),
                redelivered: number == 9,
                ..reading()
            };
            let mut out = Vec::new();
            reading.write_line(&mut Moments::default(), &mut out);
            let line: serde_json::Value = serde_json::from_slice(&out).expect("JSON");
            let none = serde_json::Value::Null;
            let or_none = |text: Option<String>| text.map_or(none.clone(), Into::into);
            assert_eq!(line["device"], reading.device.to_string());
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
            assert_eq!(line["authenticated"], true);
            assert_eq!(line["redelivered"], reading.redelivered);
        }
    }

    /// The same time as formatted by the `humantime` crate.
    fn expected(unix_ms: u64) -> String {
        let since = std::time::Duration::from_millis(unix_ms);
        humantime::format_rfc3339_millis(std::time::UNIX_EPOCH + since).to_string()
    }

    #[test]
    fn every_day_has_its_date() {
        const DAY_MS: u64 = 86_400_000;
        // Up to the end of the year 9999.
        for day in 0..2_932_897 {
            let ms = day * DAY_MS + (day * 7_919) % DAY_MS;
            assert_eq!(rfc3339(ms).to_string(), expected(ms), "day {day}");
        }
    }

    #[test]
    fn any_time_can_be_written() {
        const LAST: u64 = 253_402_300_799_999;
        for ms in [0, 1, 999, 86_399_999, LAST] {
            assert_eq!(rfc3339(ms).to_string(), expected(ms));
        }
        assert_eq!(rfc3339(u64::MAX), rfc3339(LAST));
    }

    #[test]
    fn the_longest_reading_fits_its_line() {
        let longest = Reading {
            device: DeviceId(u32::MAX),
            name: None,
            session: SessionName(u64::MAX),
            counter: u32::MAX,
            received_ms: u64::MAX,
            payload: Payload::new(&[0xff; PAYLOAD_MAX]).expect("fits"),
            source: Peer::Udp(std::net::SocketAddr::V6(std::net::SocketAddrV6::new(
                [0xffff; 8].into(),
                u16::MAX,
                0,
                u32::MAX,
            ))),
            rssi: Some(i16::MIN),
            redelivered: false,
        };
        let mut out = Vec::new();
        longest.write_line(&mut Moments::default(), &mut out);
        assert!(out.len() <= Text::ROOM, "{} bytes", out.len());
        let line: serde_json::Value = serde_json::from_slice(&out).expect("JSON");
        assert_eq!(line["payload"], "ff".repeat(PAYLOAD_MAX));
        assert_eq!(line["source"], longest.source.to_string());
        assert_eq!(line["rssi"], i16::MIN);
        assert_eq!(line["redelivered"], false);
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
