//! The life of sessions: from pending to live, and their end.

use super::core::Engine;
use super::device::Held;
use super::output::{Event, Output};
use super::table::{NO_SLOT, Row as _, Slot};
use crate::counters::Count;
use crate::journal::entry::Entry;

impl Engine {
    /// Ends all sessions of a device.
    pub(super) fn end_sessions(&mut self, device: Slot, why: &'static str, out: &mut Output) {
        let Some(known) = self.devices.get(device) else {
            return;
        };
        for slot in [known.live, known.pending] {
            self.end_session(slot, why, out);
        }
    }

    /// Ends a session that no newer session replaces.
    pub(super) fn end_session(&mut self, slot: Slot, why: &'static str, out: &mut Output) {
        if let Some(held) = self.drop_session(slot) {
            if self.restoring.is_none() {
                out.journal.push(&Entry::Closed(held.id()));
                out.events.push(Event::Ended {
                    device: held.device_id,
                    session: held.name(),
                    why,
                });
                self.counters.add(Count::SessionsEnded, 1);
            }
            self.restart_downlink(held.device);
        }
    }

    /// Removes a session from all tables.
    pub(super) fn drop_session(&mut self, slot: Slot) -> Option<Held> {
        let held = self.sessions.remove(slot)?;
        if !held.session.id().is_wide() {
            self.narrow -= 1;
        }
        self.handshakes.remove(&slot);
        self.key_slots.forget(held.key_slot);
        if let Some(known) = self.devices.get_mut(held.device) {
            if known.live == slot {
                known.live = NO_SLOT;
            }
            if known.pending == slot {
                known.pending = NO_SLOT;
            }
        }
        self.count_rows();
        Some(held)
    }

    /// Adds a session. It replaces only a session of the same kind (pending or live) of its
    /// device.
    pub(super) fn add_session(&mut self, held: Held) -> Slot {
        let device = held.device;
        let pending = held.pending;
        if let Some(known) = self.devices.get(device) {
            let old = if pending { known.pending } else { known.live };
            self.drop_session(old);
        }
        if !held.session.id().is_wide() {
            self.narrow += 1;
        }
        let slot = self.sessions.insert(held);
        if let Some(known) = self.devices.get_mut(device) {
            if pending {
                known.pending = slot;
            } else {
                known.live = slot;
            }
        }
        self.count_rows();
        slot
    }

    /// Makes a pending session live after its first UP, and drops the previous live one.
    pub(super) fn promote(&mut self, slot: Slot) {
        let Some(held) = self.sessions.get_mut(slot) else {
            return;
        };
        held.pending = false;
        let device = held.device;
        self.handshakes.remove(&slot);
        if let Some(known) = self.devices.get_mut(device) {
            let old = std::mem::replace(&mut known.live, slot);
            known.pending = NO_SLOT;
            self.drop_session(old);
        }
        self.restart_downlink(device);
        self.count_rows();
    }

    pub(super) fn count_rows(&mut self) {
        let pending = self.handshakes.len() as u64;
        let sessions = self.sessions.len() as u64;
        self.counters.set(Count::Pending, pending);
        self.counters
            .set(Count::Sessions, sessions.saturating_sub(pending));
        self.counters.set(Count::Devices, self.devices.len() as u64);
    }
}
