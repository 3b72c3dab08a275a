//! Entries of journal records.
//!
//! Integers are little-endian. A reading is self-contained: its delivery needs no earlier
//! record.

mod read;
mod write;

use selo_link::frame::{JoinAccept, JoinRequest};
use selo_link::session::{KEY_BYTES, STATE_BYTES};

use crate::peer::Peer;

pub use read::{Entries, blank_old_keys};

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

#[cfg(test)]
mod tests;
