//! Frames of the exchange: a head of twelve bytes, and a body. The head has the body's length.
//!
//! ```text
//! "SELX"  version  kind  code  0  length (4, most significant first)   body
//! ```
//!
//! The reader sets the maximum length of a body. Memory grows with the bytes received, not with the
//! announced length.

use std::io::{self, Read, Write};

use crate::cipher::Cipher;
use crate::error::{Error, Result};
use crate::key::ID;

/// The first bytes of a version-1 frame.
pub const MAGIC: [u8; 4] = *b"SELX";
pub const VERSION: u8 = 1;
pub const HEAD: usize = 12;

/// The largest payload that an end can be configured to accept.
pub const MAX_PAYLOAD: u32 = 256 << 20;

/// Maximum bytes of a body besides its payload: times, nonce, padding, tag.
pub const OVERHEAD: u32 = 128;

/// Maximum length of a machine's description in a greeting.
pub const MAX_MACHINE: usize = 200;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// The server's greeting: largest payload (4), name of its key (8), its machine as text.
    Hello = 0,
    /// The client's message: name of its key (8), then the sealed message. The code is the cipher.
    Request = 1,
    /// The server's reply: three durations in nanoseconds since the request arrived (8 each):
    /// opened, sealing begun, sealed; then the message, sealed again.
    Reply = 2,
    /// The server refuses and closes the connection. The code is the reason.
    Refusal = 3,
    /// The digest (SHA-256) of the client's message, sealed.
    Confirm = 4,
    /// Code 0 if that digest matches the message that the server opened, else 1.
    Verdict = 5,
}

const KINDS: [Kind; 6] = [
    Kind::Hello,
    Kind::Request,
    Kind::Reply,
    Kind::Refusal,
    Kind::Confirm,
    Kind::Verdict,
];

/// The server's reason for a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Refusal {
    Malformed = 1,
    TooLarge = 2,
    NoSuchCipher = 3,
    WrongKey = 4,
    DoesNotOpen = 5,
    Busy = 6,
}

impl Refusal {
    pub fn by_code(code: u8) -> Option<Refusal> {
        [
            Refusal::Malformed,
            Refusal::TooLarge,
            Refusal::NoSuchCipher,
            Refusal::WrongKey,
            Refusal::DoesNotOpen,
            Refusal::Busy,
        ]
        .into_iter()
        .find(|refusal| *refusal as u8 == code)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    pub kind: Kind,
    pub code: u8,
    pub body: Vec<u8>,
}

/// Parses and checks the head of a frame.
fn parse_head(head: [u8; HEAD], limit: u32) -> Result<(Kind, u8, u32)> {
    let [m0, m1, m2, m3, version, kind, code, zero, l0, l1, l2, l3] = head;
    if [m0, m1, m2, m3] != MAGIC {
        return Err(Error::Protocol(
            "it sent data that is not a frame of selo exchange".into(),
        ));
    }
    if version != VERSION {
        return Err(Error::Protocol(format!(
            "it speaks version {version} of the protocol"
        )));
    }
    let kind = KINDS
        .into_iter()
        .find(|known| *known as u8 == kind)
        .filter(|_| zero == 0)
        .ok_or_else(|| Error::Protocol("it sent a frame of an unknown kind".into()))?;
    let length = u32::from_be_bytes([l0, l1, l2, l3]);
    if length > limit {
        return Err(Error::Refused(format!(
            "a message of {length} bytes exceeds the limit of {limit}"
        )));
    }
    Ok((kind, code, length))
}

/// The data bound to a sealed message: kind and cipher, so that no frame passes for another.
pub fn bound(kind: Kind, cipher: Cipher) -> [u8; 7] {
    let [a, b, c, d] = MAGIC;
    [a, b, c, d, VERSION, kind as u8, cipher as u8]
}

impl Frame {
    pub fn new(kind: Kind, code: u8, body: Vec<u8>) -> Frame {
        Frame { kind, code, body }
    }

    /// Reads a frame whose body has at most `limit` bytes. Returns `None` at a clean end.
    pub fn read(
        from: &mut impl Read,
        limit: u32,
        doing: &'static str,
        seconds: u64,
    ) -> Result<Option<Frame>> {
        let failed = |source| Error::network(source, doing, seconds);
        let mut head = [0; HEAD];
        let mut have = 0;
        while have < HEAD {
            match from.read(&mut head[have..]) {
                Ok(0) if have == 0 => return Ok(None),
                Ok(0) => return Err(Error::Cut { doing }),
                Ok(size) => have += size,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(failed(error)),
            }
        }
        let (kind, code, length) = parse_head(head, limit)?;
        // Do not allocate the announced length before the bytes have arrived.
        let mut body = Vec::with_capacity(length.min(1 << 20) as usize);
        from.take(u64::from(length))
            .read_to_end(&mut body)
            .map_err(failed)?;
        if body.len() < length as usize {
            return Err(Error::Cut { doing });
        }
        Ok(Some(Frame { kind, code, body }))
    }

    /// Writes the frame with one call.
    pub fn write(&self, to: &mut impl Write, doing: &'static str, seconds: u64) -> Result<()> {
        let length = u32::try_from(self.body.len())
            .map_err(|_| Error::Protocol("the body exceeds 4 GB".into()))?;
        let mut bytes = Vec::with_capacity(HEAD + self.body.len());
        bytes.extend(MAGIC);
        bytes.extend([VERSION, self.kind as u8, self.code, 0]);
        bytes.extend(length.to_be_bytes());
        bytes.extend(&self.body);
        to.write_all(&bytes)
            .and_then(|()| to.flush())
            .map_err(|source| Error::network(source, doing, seconds))
    }

    pub fn wire_size(&self) -> u64 {
        (HEAD + self.body.len()) as u64
    }
}

/// The body of [`Kind::Hello`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    pub max_payload: u32,
    pub key: [u8; ID],
    /// Description of the server's machine and implementation.
    pub machine: String,
}

impl Hello {
    pub fn encode(&self) -> Vec<u8> {
        let mut body = self.max_payload.to_be_bytes().to_vec();
        body.extend(self.key);
        let mut end = self.machine.len().min(MAX_MACHINE);
        while !self.machine.is_char_boundary(end) {
            end -= 1;
        }
        body.extend(&self.machine.as_bytes()[..end]);
        body
    }

    pub fn decode(body: &[u8]) -> Result<Hello> {
        let bad = || Error::Protocol("it sent an invalid greeting".into());
        let (max_payload, rest) = body.split_first_chunk().ok_or_else(bad)?;
        let (key, machine) = rest.split_first_chunk().ok_or_else(bad)?;
        let machine = std::str::from_utf8(machine).map_err(|_| bad())?;
        if machine.len() > MAX_MACHINE || machine.chars().any(char::is_control) {
            return Err(bad());
        }
        Ok(Hello {
            max_payload: u32::from_be_bytes(*max_payload),
            key: *key,
            machine: machine.to_owned(),
        })
    }
}

/// The server's stamps as a reply carries them: nanoseconds since the whole request arrived (t2).
/// Only durations cross the wire, so the two clocks need not agree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServerTimes {
    /// t3 - t2: opened.
    pub opened: u64,
    /// t4 - t2: sealing begins.
    pub began: u64,
    /// t5 - t2: sealed.
    pub sealed: u64,
}

impl ServerTimes {
    pub const SIZE: usize = 24;

    pub fn encode(self) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        for (slot, time) in bytes
            .chunks_exact_mut(8)
            .zip([self.opened, self.began, self.sealed])
        {
            slot.copy_from_slice(&time.to_be_bytes());
        }
        bytes
    }

    /// Decodes the stamps. Refuses times that are out of order.
    pub fn decode(bytes: &[u8; Self::SIZE]) -> Result<ServerTimes> {
        let mut times = bytes
            .chunks_exact(8)
            .map(|chunk| u64::from_be_bytes(chunk.try_into().expect("chunks of eight")));
        let mut next = || times.next().expect("three of them");
        let times = ServerTimes {
            opened: next(),
            began: next(),
            sealed: next(),
        };
        if times.opened > times.began || times.began > times.sealed {
            return Err(Error::Protocol(
                "its times are not in ascending order".into(),
            ));
        }
        Ok(times)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(bytes: &[u8]) -> Result<Option<Frame>> {
        Frame::read(&mut &bytes[..], 1000, "reading", 1)
    }

    proptest! {
        #[test]
        fn whatever_comes_nothing_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&bytes);
            let mut framed = MAGIC.to_vec();
            framed.extend([VERSION]);
            framed.extend(&bytes);
            let _ = read(&framed);
            let _ = Hello::decode(&bytes);
        }

        #[test]
        fn a_frame_comes_back(kind in 0..6usize, code: u8, body in prop::collection::vec(any::<u8>(), 0..1001)) {
            let frame = Frame::new(KINDS[kind], code, body);
            let mut bytes = Vec::new();
            frame.write(&mut bytes, "writing", 1).expect("to memory");
            prop_assert_eq!(bytes.len() as u64, frame.wire_size());
            prop_assert_eq!(read(&bytes).ok().flatten(), Some(frame));
            for end in 1..bytes.len().min(40) {
                let cut = matches!(read(&bytes[..end]), Err(Error::Cut { .. }));
                prop_assert!(cut, "after {} bytes", end);
            }
            bytes[7] = 1;
            prop_assert!(matches!(read(&bytes), Err(Error::Protocol(_))));
        }

        #[test]
        fn times_come_back(opened: u32, between: u32, sealing: u32) {
            let began = u64::from(opened) + u64::from(between);
            let times = ServerTimes { opened: opened.into(), began, sealed: began + u64::from(sealing) };
            prop_assert_eq!(ServerTimes::decode(&times.encode()).ok(), Some(times));
        }
    }

    #[test]
    fn what_is_announced_is_not_allocated_and_not_too_long() {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([VERSION, 1, 1, 0, 0xff, 0xff, 0xff, 0xff]);
        assert!(matches!(read(&bytes), Err(Error::Refused(_))));
        assert!(read(b"").expect("a clean end").is_none());
        let late = ServerTimes {
            opened: 5,
            began: 4,
            sealed: 9,
        };
        assert!(ServerTimes::decode(&late.encode()).is_err());
        let hello = Hello {
            max_payload: 7,
            key: [1; ID],
            machine: "é".repeat(150),
        };
        let told = Hello::decode(&hello.encode()).expect("cut at a character");
        assert_eq!(told.machine, "é".repeat(100));
    }
}
