//! Writes sessions to the journal, a few at a time, and restores them after a start.

use selo_link::frame::START_BYTES;
use selo_link::session::Session;

use super::budgets::Forgeries;
use super::core::Engine;
use super::device::Held;
use super::output::Output;
use super::restoring::{Checkpoint, Restoring};
use super::table::{NO_SLOT, Row, Slot};
use crate::journal::entry::{Accepted, Entry, Session as SessionEntry};
use crate::journal::{Batch, Replay};
use crate::keys::{Change, Owner, Slots, Stored};
use crate::limit::Bucket;
use crate::peer::Peer;

impl Engine {
    /// Appends session states to `journal`, about `bytes` bytes of them. Returns true when the
    /// pass is complete.
    pub fn checkpoint(&self, pass: &mut Checkpoint, bytes: usize, journal: &mut Batch) -> bool {
        let full = journal.len() + bytes;
        while pass.next < self.sessions.slots() {
            if journal.len() >= full {
                return false;
            }
            if let Some(held) = self.sessions.get(pass.next) {
                let row = self
                    .devices
                    .get(held.device)
                    .map_or(0, |known| known.device.row);
                journal.push(&Entry::Session(SessionEntry {
                    id: held.id(),
                    row,
                    device: held.device_id.0,
                    join: held.join,
                    tag: held.tag,
                    state: &held.session.state(),
                    slot: held.key_slot,
                    below: held.below,
                    peer: Peer::unpack(&held.peer),
                    heard: held.heard,
                    handshake: self.handshakes.get(&pass.next).map(|boxed| &**boxed),
                }));
            }
            pass.next += 1;
        }
        true
    }

    /// Approximate size of a full pass, bytes.
    pub fn checkpoint_bytes(&self) -> u64 {
        self.sessions.len() as u64 * 192
    }

    /// Starts the restore: calls of [`Replay`] now describe the past. All devices must be set
    /// before. Restored sessions continue under keys derived for this start only.
    pub fn begin_restore(&mut self, keys: Stored) -> Result<(), String> {
        let mut start = [0; START_BYTES];
        while start == [0; START_BYTES] {
            self.random.fill(&mut start)?;
        }
        self.restoring = Some(Restoring { keys, start });
        Ok(())
    }

    /// Ends the restore. Returns (registry row, join counter) pairs that the registry may lack.
    pub fn end_restore(&mut self) -> Vec<(u32, u32)> {
        self.restoring = None;
        self.key_slots = Slots::of(&self.used_key_slots());
        self.count_rows();
        let device = |slot: Slot| self.devices.get(slot).map(|known| &known.device);
        let mut joined = Vec::new();
        for (_, held) in self.sessions.iter() {
            joined.extend(device(held.device).map(|device| (device.row, device.joined)));
        }
        joined.sort_unstable();
        joined.dedup();
        joined
    }

    /// Key slots in use, sorted.
    pub fn used_key_slots(&self) -> Vec<u32> {
        let mut used: Vec<u32> = self
            .sessions
            .iter()
            .map(|(_, held)| held.key_slot)
            .collect();
        used.sort_unstable();
        used.dedup();
        used
    }

    /// Changes of key slots since the last call ([`Slots::take`]).
    pub fn take_key_changes(&mut self) -> Vec<Change> {
        self.key_slots.take()
    }

    fn restore_session(&mut self, entry: &SessionEntry<'_>) {
        // A repeated id is a later state of the same session.
        if let Some(old) = self.sessions.find(entry.id) {
            self.drop_session(old);
        }
        let Some(device) = self.devices.find(entry.device) else {
            return;
        };
        let Some(known) = self.devices.get_mut(device) else {
            return;
        };
        // The device was revoked, or removed and added again, so its sessions have ended.
        if known.device.row != entry.row || known.device.revoked {
            return;
        }
        known.device.joined = known.device.joined.max(entry.join);
        let owner = Owner {
            id: entry.id,
            join: entry.join,
            tag: entry.tag,
        };
        let session = self.restoring.as_ref().and_then(|restoring| {
            let keys = restoring.keys.keys(entry.slot, owner)?;
            let mut session = Session::from_stored(entry.state, &keys)?;
            session.resume(restoring.start);
            Some(session)
        });
        // Without its keys the session has ended, even if the journal lacks the entry.
        let Some(mut session) = session else {
            return;
        };
        session.skip_sent(u64::from(entry.below));
        let slot = self.add_session(Held {
            session,
            device,
            device_id: known_id(entry),
            key_slot: entry.slot,
            join: entry.join,
            tag: entry.tag,
            below: entry.below,
            heard: entry.heard,
            packets: Bucket::default(),
            acks: Bucket::default(),
            asked: None,
            forgeries: Forgeries::default(),
            peer: entry.peer.pack(),
            pending: entry.handshake.is_some(),
        });
        if let Some(handshake) = entry.handshake {
            self.handshakes.insert(slot, Box::new(*handshake));
        }
    }

    fn restore_accepted(&mut self, entry: &Accepted<'_>, wall_ms: u64) {
        let slot = self.sessions.find(entry.session);
        let Some(slot) = slot else {
            return;
        };
        let Some(held) = self.sessions.get_mut(slot) else {
            return;
        };
        // An id is reused only after its session has ended. The journal records this in order,
        // but a damaged journal may lack the entry.
        if (held.join, held.tag) != (entry.join, entry.tag) {
            return;
        }
        let newest = u64::from(entry.counter) >= held.session.next_received();
        held.session.replay_accepted(u64::from(entry.counter));
        held.heard = (wall_ms / 1000) as u32;
        if newest {
            held.peer = entry.peer.pack();
        }
        if held.pending {
            self.promote(slot);
        }
    }
}

fn known_id(entry: &SessionEntry<'_>) -> selo_link::DeviceId {
    selo_link::DeviceId(entry.device)
}

impl Replay for Engine {
    fn entry(&mut self, entry: &Entry<'_>, wall_ms: u64) {
        match entry {
            Entry::Session(session) => self.restore_session(session),
            Entry::Accepted(accepted) => self.restore_accepted(accepted, wall_ms),
            Entry::Closed(id) => {
                let slot = self.sessions.find(*id).unwrap_or(NO_SLOT);
                self.drop_session(slot);
            }
            Entry::Reserved { session, below } => {
                let slot = self.sessions.find(*session).unwrap_or(NO_SLOT);
                if let Some(held) = self.sessions.get_mut(slot) {
                    held.below = held.below.max(*below);
                    held.session.skip_sent(u64::from(held.below));
                }
            }
            Entry::Old | Entry::Unauthenticated | Entry::End => {}
        }
    }

    fn all_closed(&mut self) {
        let mut out = Output::default();
        for slot in 0..self.sessions.slots() {
            self.end_session(slot, "the journal is incomplete", &mut out);
        }
    }
}
