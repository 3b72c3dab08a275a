//! From UP to reading; acknowledgements and hints [docs/protocol.md, Data, A lost session].

use selo_link::Reason;
use selo_link::frame::{Data, FRAME_MAX, encode_hint};
use selo_link::session::{OpenError, SealOptions, SessionId};

use super::core::Engine;
use super::device::Held;
use super::limits::{ACKS_AGAIN, RESERVED_BLOCK};
use super::output::{Event, Handled, Output};
use super::packet::Outgoing;
use super::table::{Row, Slot};
use crate::clock::Now;
use crate::counters::{Count, Kind};
use crate::journal::entry::{Accepted, Entry};
use crate::limit::Tick;
use crate::peer::Peer;
use crate::shards::shard_of_session;

/// The journal's entry of an accepted packet.
#[inline]
fn accepted<'a>(
    held: &Held,
    peer: Peer,
    rssi: Option<i16>,
    counter: u64,
    payload: Option<&'a [u8]>,
) -> Accepted<'a> {
    Accepted {
        session: held.id(),
        device: held.device_id.0,
        join: held.join,
        tag: held.tag,
        // Session counters are below 2^32.
        counter: counter as u32,
        peer,
        rssi,
        payload,
    }
}

impl Engine {
    #[inline]
    pub(super) fn up(
        &mut self,
        now: Now,
        from: Peer,
        rssi: Option<i16>,
        data: &Data<'_>,
        out: &mut Output,
    ) -> Handled {
        let (slot, at_home) = self.admit_up(now, from, data, out)?;
        let tick = Tick::from_ms(now.steady_ms);
        let limits = self.settings.limits;
        let held = self.sessions.get_mut(slot).ok_or(Reason::UnknownSession)?;
        if !held.packets.has(limits.packets, 1, tick) {
            return Err(Reason::RateLimited);
        }
        let mut packet = [0; FRAME_MAX];
        let opened = match held.session.open(data, &mut packet) {
            Ok(opened) => opened,
            Err(error) => return Err(self.not_opened(now, slot, at_home, &error, out)),
        };
        held.packets.charge(limits.packets, 1, tick);
        held.heard = (now.unix_ms / 1000) as u32;
        let moved = opened.newest && !at_home;
        if moved {
            held.peer = from.pack();
        }
        // A packet that only acknowledges is not a reading.
        let only_acknowledges = opened.ack.is_some() && opened.payload.is_empty();
        let payload = (!only_acknowledges).then_some(opened.payload);
        let accepted = accepted(held, from, rssi, opened.counter, payload);
        out.journal.push(&Entry::Accepted(accepted));
        self.counters.add(Count::Accepted, 1);
        if !only_acknowledges {
            self.counters.add(Count::Readings, 1);
        }
        let acknowledged = opened.ack.and_then(|low| held.session.acknowledged(low));
        let ack_request = opened.ack_request && !only_acknowledges;
        let (counter, device, pending) = (opened.counter, held.device, held.pending);
        if ack_request {
            held.asked = Some(counter);
        }
        if moved && !pending {
            self.counters.add(Count::Roamed, 1);
        }
        if pending && let Some(event) = self.go_live(slot) {
            out.events.push(event);
        }
        if let Some(counter) = acknowledged {
            self.downlink_acknowledged(device, slot, counter, out);
        }
        if self.downlinks.has(device) {
            self.downlink_after_uplink(now, device, ack_request.then_some(counter as u16), out);
        } else if ack_request {
            self.acknowledge(now, slot, counter as u16, out);
        }
        Ok(())
    }

    /// Finds the session of a packet. Returns it and whether the packet comes from the node's
    /// last known address. Such packets have an allowance of their own, so that other addresses
    /// cannot exhaust it and silence the node.
    #[inline]
    fn admit_up(
        &mut self,
        now: Now,
        from: Peer,
        data: &Data<'_>,
        out: &mut Output,
    ) -> Result<(Slot, bool), Reason> {
        let Some(slot) = self.sessions.find(data.session.0) else {
            // Another engine may well know the session.
            if !self.owns(now, shard_of_session(data.session.0)) {
                return Err(Reason::NotOwner);
            }
            self.hint(now, from, data.session, out);
            return Err(Reason::UnknownSession);
        };
        let held = self.sessions.get(slot).ok_or(Reason::UnknownSession)?;
        self.fence(now, held.device_id)?;
        let at_home = held.peer == from.pack();
        if !self.may_open(now, held, at_home) {
            // A hint makes the node rejoin. The new session has a new key and full allowances.
            self.hint(now, from, data.session, out);
            return Err(Reason::RateLimited);
        }
        Ok((slot, at_home))
    }

    fn go_live(&mut self, slot: Slot) -> Option<Event> {
        self.promote(slot);
        let held = self.sessions.get(slot)?;
        Some(Event::Live {
            device: held.device_id,
            session: held.name(),
        })
    }

    /// Handles a packet that its session could not open. Returns the reason for dropping it.
    #[cold]
    fn not_opened(
        &mut self,
        now: Now,
        slot: Slot,
        at_home: bool,
        error: &OpenError,
        out: &mut Output,
    ) -> Reason {
        let tick = Tick::from_ms(now.steady_ms);
        match error {
            OpenError::Forged => self.charge_packet(now, slot, at_home, true),
            OpenError::Again { .. } => self.charge_packet(now, slot, at_home, false),
            _ => {}
        }
        match *error {
            // Our acknowledgement was lost. A node repeats only the last packet that requested
            // one. Any other repetition is a replay and must not use up the allowance of
            // acknowledgements.
            OpenError::Again {
                counter,
                ack_request: true,
            } => {
                let again = self.sessions.get_mut(slot).is_some_and(|held| {
                    held.asked.is_none_or(|asked| asked == counter)
                        && held.acks.has(ACKS_AGAIN, 1, tick)
                });
                if again {
                    self.acknowledge(now, slot, counter as u16, out);
                }
            }
            OpenError::Forged
                if self
                    .sessions
                    .get(slot)
                    .is_some_and(|held| held.session.has_ended()) =>
            {
                self.end_session(slot, "too many forged packets", out);
            }
            _ => {}
        }
        error.reason()
    }

    /// Sends an empty DOWN that acknowledges the packet with these low counter bits.
    pub(super) fn acknowledge(&mut self, now: Now, slot: Slot, low: u16, out: &mut Output) {
        let options = SealOptions {
            ack_request: false,
            ack: Some(low),
        };
        self.send_down(now, slot, &[], options, out);
    }

    /// Seals a DOWN under the next counter, which is first reserved in the journal, and sends
    /// it to the node's last address. Returns the counter and the packet.
    pub(super) fn send_down(
        &mut self,
        now: Now,
        slot: Slot,
        payload: &[u8],
        options: SealOptions,
        out: &mut Output,
    ) -> Option<(u64, Outgoing)> {
        let held = self.sessions.get_mut(slot)?;
        let to = Peer::unpack(&held.peer);
        if held.session.next_sent() >= u64::from(held.below) {
            // Session counters are below 2^32, so the last block may be shorter.
            let below = held.session.next_sent().saturating_add(RESERVED_BLOCK);
            held.below = u32::try_from(below).unwrap_or(u32::MAX);
            out.journal.push(&Entry::Reserved {
                session: held.id(),
                below: held.below,
            });
        }
        if options.ack.is_some() {
            held.acks
                .charge(ACKS_AGAIN, 1, Tick::from_ms(now.steady_ms));
        }
        let mut packet = [0; FRAME_MAX];
        match held.session.seal(payload, options, &mut packet) {
            Ok(sealed) => {
                let outgoing = Outgoing::new(to, sealed.frame);
                let counter = sealed.counter;
                self.counters.sent(Kind::Down);
                out.send.push(outgoing);
                Some((counter, outgoing))
            }
            // Overlong messages are refused when they are queued. The remaining error is a
            // session that has used all 2^32 counters.
            Err(_) => None,
        }
    }

    /// Sends a hint that the session is unusable here, if the limits allow it.
    #[cold]
    fn hint(&mut self, now: Now, from: Peer, session: SessionId, out: &mut Output) {
        if !self.may_hint(now, from, session) {
            return;
        }
        let mut buffer = [0; 5];
        let frame = encode_hint(session, &mut buffer);
        self.answer(from, Kind::Hint, frame, out);
    }
}
