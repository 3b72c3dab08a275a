//! Entries as bytes.

use super::{
    ACCEPTED, Accepted, CLOSED, END, Entry, LIVE, PENDING, RESERVED, SESSION, Session,
    WITH_PAYLOAD, WITH_RSSI, WITH_SESSION,
};
use crate::peer::Peer;
use crate::reading::PAYLOAD_MAX;

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

pub(super) fn write_peer(peer: Peer, out: &mut Vec<u8>) {
    let packed = peer.pack();
    out.extend_from_slice(&packed[..Peer::packed_size(packed[0])]);
}
