//! Bytes as entries.

use super::{
    ACCEPTED, Accepted, CLOSED, END, Entry, Handshake, LIVE, OLD_SESSION, OLD_STATE_AT,
    OLD_STATE_BYTES, PENDING, RESERVED, SESSION, Session, WITH_PAYLOAD, WITH_RSSI, WITH_SESSION,
};
use crate::peer::{PACKED_BYTES, Peer};
use crate::reading::PAYLOAD_MAX;

/// Iterates over the entries of a record body. Stops at the first invalid entry;
/// [`Entries::malformed`] then returns true.
#[derive(Debug, Clone)]
pub struct Entries<'a> {
    pub(super) rest: &'a [u8],
    malformed: bool,
}

impl<'a> Entries<'a> {
    pub fn new(body: &'a [u8]) -> Self {
        Entries {
            rest: body,
            malformed: false,
        }
    }

    /// True if iteration stopped at an invalid entry.
    pub fn malformed(&self) -> bool {
        self.malformed
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = Entry<'a>;

    fn next(&mut self) -> Option<Entry<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let entry = read(&mut self.rest);
        if entry.is_none() {
            self.malformed = true;
            self.rest = &[];
        }
        entry
    }
}

/// Overwrites the keys in entries of journal version 1. Returns true if there were any.
pub fn blank_old_keys(body: &mut [u8]) -> bool {
    let mut found = Vec::new();
    let mut entries = Entries::new(body);
    let mut at = 0;
    while let Some(entry) = entries.next() {
        if entry == Entry::Old {
            found.push(at + OLD_STATE_AT);
        }
        at = body.len() - entries.rest.len();
    }
    for at in &found {
        body[*at..*at + OLD_STATE_BYTES].fill(0);
    }
    !found.is_empty()
}

fn read<'a>(rest: &mut &'a [u8]) -> Option<Entry<'a>> {
    match byte(rest)? {
        SESSION => Some(Entry::Session(Session {
            id: word(rest)?,
            row: word(rest)?,
            device: word(rest)?,
            join: word(rest)?,
            tag: word(rest)?,
            state: array(rest)?,
            slot: word(rest)?,
            below: word(rest)?,
            heard: word(rest)?,
            peer: read_peer(rest)?,
            handshake: match byte(rest)? {
                LIVE => None,
                PENDING => Some(array(rest)?),
                _ => return None,
            },
        })),
        OLD_SESSION => {
            slice(rest, OLD_STATE_AT - 1 + OLD_STATE_BYTES + 2 * 4)?;
            read_peer(rest)?;
            match byte(rest)? {
                LIVE => {}
                PENDING => drop(array::<{ size_of::<Handshake>() }>(rest)?),
                _ => return None,
            }
            Some(Entry::Old)
        }
        ACCEPTED => read_accepted(rest),
        CLOSED => Some(Entry::Closed(word(rest)?)),
        RESERVED => Some(Entry::Reserved {
            session: word(rest)?,
            below: word(rest)?,
        }),
        END => Some(Entry::End),
        _ => None,
    }
}

/// An accepted packet; one without a session was of the published protocol.
fn read_accepted<'a>(rest: &mut &'a [u8]) -> Option<Entry<'a>> {
    let flags = byte(rest)?;
    let session = word(rest)?;
    let accepted = Accepted {
        session,
        device: word(rest)?,
        join: word(rest)?,
        tag: word(rest)?,
        counter: word(rest)?,
        peer: read_peer(rest)?,
        rssi: if flags & WITH_RSSI != 0 {
            Some(i16::from_le_bytes(*array(rest)?))
        } else {
            None
        },
        payload: if flags & WITH_PAYLOAD != 0 {
            let size = usize::from(byte(rest)?);
            if size > PAYLOAD_MAX {
                return None;
            }
            Some(slice(rest, size)?)
        } else {
            None
        },
    };
    Some(if flags & WITH_SESSION != 0 {
        Entry::Accepted(accepted)
    } else {
        Entry::Unauthenticated
    })
}

fn slice<'a>(rest: &mut &'a [u8], size: usize) -> Option<&'a [u8]> {
    let (front, back) = rest.split_at_checked(size)?;
    *rest = back;
    Some(front)
}

fn array<'a, const N: usize>(rest: &mut &'a [u8]) -> Option<&'a [u8; N]> {
    let (front, back) = rest.split_first_chunk()?;
    *rest = back;
    Some(front)
}

fn byte(rest: &mut &[u8]) -> Option<u8> {
    array::<1>(rest).map(|bytes| bytes[0])
}

fn word(rest: &mut &[u8]) -> Option<u32> {
    array(rest).map(|bytes| u32::from_le_bytes(*bytes))
}

fn read_peer(rest: &mut &[u8]) -> Option<Peer> {
    let kind = *rest.first()?;
    let mut packed = [0; PACKED_BYTES];
    let bytes = slice(rest, Peer::packed_size(kind))?;
    packed[..bytes.len()].copy_from_slice(bytes);
    Some(Peer::unpack(&packed))
}
