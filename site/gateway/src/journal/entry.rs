//! Entries of journal records.
//!
//! Integers are little-endian. A reading is self-contained: its delivery needs no earlier
//! record.

use selo_link::frame::{JoinAccept, JoinRequest};
use selo_link::session::{KEY_BYTES, STATE_BYTES};

use crate::peer::{PACKED_BYTES, Peer};
use crate::reading::PAYLOAD_MAX;

/// One entry, borrowed from its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry<'a> {
    /// The full state of a session, pending or live. It replaces earlier states of that id.
    Session(Session<'a>),
    /// A packet was accepted.
    Accepted(Accepted<'a>),
    /// The session with this id has ended.
    Closed(u32),
    /// DOWN counters below `below` may have been used.
    Reserved { session: u32, below: u32 },
    /// The gateway stopped cleanly. No entry of this run follows.
    End,
    /// A session of journal version 1, which stored its keys. It counts as ended.
    Old,
    /// A packet of the published protocol, which earlier releases took on demand. It is ignored.
    Unauthenticated,
}

/// The state of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Session<'a> {
    pub id: u32,
    /// Registry row of the device. A device that was removed and added again has a new row.
    pub row: u32,
    pub device: u32,
    /// The join counter of the JOIN-REQUEST.
    pub join: u32,
    /// Random value; (join, tag) identifies the session permanently.
    pub tag: u32,
    /// Counters and replay window, in the link's format.
    pub state: &'a [u8; STATE_BYTES],
    /// The slot of its keys ([`crate::keys`]).
    pub slot: u32,
    /// No DOWN counter from `below` on has been used.
    pub below: u32,
    pub peer: Peer,
    /// Time of the last accepted packet, Unix seconds.
    pub heard: u32,
    /// JOIN-REQUEST and JOIN-ACCEPT of a pending session, for repetition.
    pub handshake: Option<&'a Handshake>,
}

/// JOIN-REQUEST || JOIN-ACCEPT.
pub type Handshake = [u8; JoinRequest::BYTES + JoinAccept::BYTES];

/// An accepted packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accepted<'a> {
    /// The id of its session.
    pub session: u32,
    pub device: u32,
    pub join: u32,
    pub tag: u32,
    pub counter: u32,
    pub peer: Peer,
    /// Signal strength, dBm.
    pub rssi: Option<i16>,
    /// Payload; `None` if the packet only acknowledged.
    pub payload: Option<&'a [u8]>,
}

/// Journal version 1: a session with its keys.
const OLD_SESSION: u8 = 1;
const ACCEPTED: u8 = 2;
const CLOSED: u8 = 3;
const RESERVED: u8 = 4;
const END: u8 = 5;
const SESSION: u8 = 6;

/// Size of the link state in an [`OLD_SESSION`], and its offset in the entry.
const OLD_STATE_BYTES: usize = STATE_BYTES + KEY_BYTES;
const OLD_STATE_AT: usize = 1 + 5 * 4;

const LIVE: u8 = 0;
const PENDING: u8 = 1;

const WITH_SESSION: u8 = 1;
const WITH_RSSI: u8 = 2;
const WITH_PAYLOAD: u8 = 4;

impl Entry<'_> {
    /// Appends the entry to a record's body.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Entry::Session(session) => session.write(out),
            Entry::Accepted(accepted) => accepted.write(out),
            Entry::Closed(session) => {
                out.push(CLOSED);
                out.extend(session.to_le_bytes());
            }
            Entry::Reserved { session, below } => {
                out.push(RESERVED);
                out.extend(session.to_le_bytes());
                out.extend(below.to_le_bytes());
            }
            Entry::End => out.push(END),
            Entry::Old | Entry::Unauthenticated => {
                debug_assert!(false, "nobody writes old entries");
            }
        }
    }
}

impl Session<'_> {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(SESSION);
        for word in [self.id, self.row, self.device, self.join, self.tag] {
            out.extend(word.to_le_bytes());
        }
        out.extend(self.state);
        out.extend(self.slot.to_le_bytes());
        out.extend(self.below.to_le_bytes());
        out.extend(self.heard.to_le_bytes());
        write_peer(self.peer, out);
        match self.handshake {
            None => out.push(LIVE),
            Some(handshake) => {
                out.push(PENDING);
                out.extend(handshake);
            }
        }
    }
}

impl Accepted<'_> {
    #[inline]
    fn write(&self, out: &mut Vec<u8>) {
        let flag = |set, bit| if set { bit } else { 0 };
        // Extend the vector once per entry, because this runs for every reading.
        let mut fixed = [0u8; 22];
        fixed[0] = ACCEPTED;
        fixed[1] = WITH_SESSION
            | flag(self.rssi.is_some(), WITH_RSSI)
            | flag(self.payload.is_some(), WITH_PAYLOAD);
        fixed[2..6].copy_from_slice(&self.session.to_le_bytes());
        fixed[6..10].copy_from_slice(&self.device.to_le_bytes());
        fixed[10..14].copy_from_slice(&self.join.to_le_bytes());
        fixed[14..18].copy_from_slice(&self.tag.to_le_bytes());
        fixed[18..22].copy_from_slice(&self.counter.to_le_bytes());
        out.extend_from_slice(&fixed);
        write_peer(self.peer, out);
        if let Some(rssi) = self.rssi {
            out.extend_from_slice(&rssi.to_le_bytes());
        }
        if let Some(payload) = self.payload {
            debug_assert!(payload.len() <= PAYLOAD_MAX);
            out.push(payload.len() as u8);
            out.extend_from_slice(payload);
        }
    }
}

fn write_peer(peer: Peer, out: &mut Vec<u8>) {
    let packed = peer.pack();
    out.extend_from_slice(&packed[..Peer::packed_size(packed[0])]);
}

/// Iterates over the entries of a record body. Stops at the first invalid entry;
/// [`Entries::malformed`] then returns true.
#[derive(Debug, Clone)]
pub struct Entries<'a> {
    rest: &'a [u8],
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn peers() -> impl Strategy<Value = Peer> {
        prop_oneof![
            Just(Peer::Nowhere),
            any::<u8>().prop_map(Peer::Radio),
            any::<(std::net::Ipv4Addr, u16)>().prop_map(|a| Peer::Udp(a.into())),
            any::<(std::net::Ipv6Addr, u16)>().prop_map(|a| Peer::Udp(a.into())),
        ]
    }

    proptest! {
        #[test]
        fn accepted_packets_come_back(
            words: [u32; 5],
            peer in peers(),
            rssi: Option<i16>,
            payload in prop::option::of(prop::collection::vec(any::<u8>(), 0..=PAYLOAD_MAX)),
        ) {
            let [session, device, join, tag, counter] = words;
            let entry = Entry::Accepted(Accepted {
                session, device, join, tag, counter, peer, rssi, payload: payload.as_deref(),
            });
            let mut body = Vec::new();
            entry.write(&mut body);
            Entry::Closed(7).write(&mut body);
            let mut entries = Entries::new(&body);
            prop_assert_eq!(entries.next(), Some(entry));
            prop_assert_eq!(entries.next(), Some(Entry::Closed(7)));
            prop_assert_eq!(entries.next(), None);
            prop_assert!(!entries.malformed());
        }

        #[test]
        fn sessions_come_back(
            words: [u32; 7], state_byte: u8, pending: bool, peer in peers(), byte: u8,
        ) {
            let handshake = [byte; 116];
            let entry = Entry::Session(Session {
                id: words[0], row: words[1], device: words[2], join: words[3], tag: words[4],
                state: &[state_byte; STATE_BYTES], slot: words[0], below: words[5], heard: words[6],
                peer, handshake: pending.then_some(&handshake),
            });
            let mut body = Vec::new();
            entry.write(&mut body);
            Entry::Reserved { session: 1, below: 2 }.write(&mut body);
            Entry::End.write(&mut body);
            let mut entries = Entries::new(&body);
            prop_assert_eq!(entries.next(), Some(entry));
            prop_assert_eq!(entries.next(), Some(Entry::Reserved { session: 1, below: 2 }));
            prop_assert_eq!(entries.next(), Some(Entry::End));
            prop_assert_eq!(entries.next(), None);
        }

        #[test]
        fn old_keys_are_blanked_and_nothing_else(
            state: [u8; 32], peer in peers(), pending: bool, payload in prop::collection::vec(any::<u8>(), 0..20),
        ) {
            let mut old = vec![OLD_SESSION];
            old.extend([9; 20]);
            old.extend(state.iter().cycle().take(OLD_STATE_BYTES));
            old.extend([9; 8]);
            write_peer(peer, &mut old);
            old.push(if pending { PENDING } else { LIVE });
            old.extend(vec![9; if pending { size_of::<Handshake>() } else { 0 }]);
            let reading = Entry::Accepted(Accepted {
                session: 1, device: 2, join: 3, tag: 4, counter: 5, peer, rssi: None,
                payload: Some(&payload),
            });
            let mut body = Vec::new();
            reading.write(&mut body);
            let at = body.len() + OLD_STATE_AT;
            body.extend(&old);
            reading.write(&mut body);
            let before = body.clone();
            prop_assert!(blank_old_keys(&mut body));
            prop_assert!(body[at..at + OLD_STATE_BYTES].iter().all(|byte| *byte == 0));
            prop_assert_eq!(&body[..at], &before[..at]);
            prop_assert_eq!(&body[at + OLD_STATE_BYTES..], &before[at + OLD_STATE_BYTES..]);
            let told: Vec<_> = Entries::new(&body).collect();
            prop_assert_eq!(told, [reading, Entry::Old, reading]);
        }

        /// Releases up to 0.1 journaled packets of the published protocol without a session.
        #[test]
        fn unauthenticated_packets_are_read_over(peer in peers(), payload in prop::collection::vec(any::<u8>(), 0..20)) {
            let reading = Entry::Accepted(Accepted {
                session: 1, device: 2, join: 3, tag: 4, counter: 5, peer, rssi: Some(-90),
                payload: Some(&payload),
            });
            let mut body = Vec::new();
            reading.write(&mut body);
            let at = body.len();
            reading.write(&mut body);
            body[at + 1] &= !WITH_SESSION;
            reading.write(&mut body);
            let mut entries = Entries::new(&body);
            let told: Vec<_> = entries.by_ref().collect();
            prop_assert_eq!(told, [reading, Entry::Unauthenticated, reading]);
            prop_assert!(!entries.malformed());
        }

        #[test]
        fn any_bytes_end(body in prop::collection::vec(any::<u8>(), 0..300)) {
            let mut entries = Entries::new(&body);
            for _ in &mut entries {}
            prop_assert!(entries.rest.is_empty());
        }

        #[test]
        fn a_cut_entry_is_malformed(cut in 1usize..30) {
            let mut body = Vec::new();
            Entry::Accepted(Accepted {
                session: 1, device: 2, join: 3, tag: 4, counter: 5,
                peer: Peer::Radio(1), rssi: None, payload: Some(b"12345"),
            }).write(&mut body);
            body.truncate(body.len() - cut.min(body.len() - 1));
            let mut entries = Entries::new(&body);
            prop_assert_eq!(entries.next(), None);
            prop_assert!(entries.malformed());
        }
    }
}
