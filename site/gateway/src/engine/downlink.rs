//! Messages to nodes: queued, sealed, and repeated until they are acknowledged.
//!
//! At most one message per device is in flight. A confirmed message is repeated on the node's
//! own schedule: the same packet after 2, 4 and 8 s; the gateway gives up 16 s after the fourth
//! transmission. A message to a sleeping node (`after_uplink`) is sent right after the node was
//! heard, and repeated each time it is heard again.

use std::collections::VecDeque;

use selo_link::session::SealOptions;

use super::core::Engine;
use super::output::{Event, Output};
use super::queue::{
    Downlink, DownlinkOutcome, Due, Flight, Item, PAYLOAD_MAX, QUEUE_MAX, QueueError, Step,
    TIME_BYTES, Ticket, WAITS_MS,
};
use super::table::{NO_SLOT, Slot};
use crate::clock::Now;
use crate::counters::{Count, Kind};
use crate::peer::Peer;

impl Engine {
    /// Queues a message, and sends it at once if possible.
    pub fn send(
        &mut self,
        now: Now,
        downlink: Downlink,
        out: &mut Output,
    ) -> Result<Ticket, QueueError> {
        let slot = self
            .devices
            .find(downlink.device.0)
            .ok_or(QueueError::UnknownDevice)?;
        let known = self.devices.get(slot).ok_or(QueueError::UnknownDevice)?;
        if known.device.revoked {
            return Err(QueueError::Revoked);
        }
        if !self.serves(now, slot) {
            return Err(QueueError::NotOwner);
        }
        let bytes = downlink.payload.len() + if downlink.timed { TIME_BYTES } else { 0 };
        if bytes > PAYLOAD_MAX {
            return Err(QueueError::TooLong { bytes });
        }
        let queue = self.downlinks.of.entry(slot).or_default();
        if queue.len() >= QUEUE_MAX {
            return Err(QueueError::Full);
        }
        self.downlinks.last += 1;
        let ticket = self.downlinks.last;
        queue.push_back(Item {
            ticket,
            downlink,
            flight: None,
        });
        self.pump(now, slot, None, false, out);
        Ok(ticket)
    }

    /// Cancels a message.
    pub fn cancel(&mut self, now: Now, ticket: Ticket, out: &mut Output) {
        let found = self.downlinks.of.iter().find_map(|(device, queue)| {
            let place = queue.iter().position(|item| item.ticket == ticket)?;
            Some((*device, place))
        });
        if let Some((device, place)) = found {
            if let Some(queue) = self.downlinks.of.get_mut(&device) {
                queue.remove(place);
            }
            self.finish(ticket, DownlinkOutcome::Cancelled, out);
            self.pump(now, device, None, false, out);
        }
    }

    /// Handles the node's acknowledgement of one of our packets.
    pub(super) fn downlink_acknowledged(
        &mut self,
        device: Slot,
        session: Slot,
        counter: u64,
        out: &mut Output,
    ) {
        let Some(queue) = self.downlinks.of.get_mut(&device) else {
            return;
        };
        let arrived = queue
            .front()
            .and_then(|item| item.flight.as_ref())
            .is_some_and(|flight| flight.session == session && flight.counter == counter);
        if arrived && let Some(item) = queue.pop_front() {
            self.finish(item.ticket, DownlinkOutcome::Acknowledged { counter }, out);
        }
    }

    /// Sends queued messages after an uplink. The first packet also acknowledges the uplink
    /// whose low counter bits are `ack`; an empty DOWN does so if nothing else is sent.
    pub(super) fn downlink_after_uplink(
        &mut self,
        now: Now,
        device: Slot,
        ack: Option<u16>,
        out: &mut Output,
    ) {
        let acknowledged = self.pump(now, device, ack, true, out);
        if let (Some(low), false) = (ack, acknowledged) {
            let live = self.devices.get(device).map_or(NO_SLOT, |known| known.live);
            self.acknowledge(now, live, low, out);
        }
    }

    /// Sends all messages to a device that can be sent now. Returns true if a packet carried
    /// the acknowledgement.
    fn pump(
        &mut self,
        now: Now,
        device: Slot,
        mut ack: Option<u16>,
        heard: bool,
        out: &mut Output,
    ) -> bool {
        if !self.serves(now, device) {
            return false;
        }
        let asked = ack.is_some();
        loop {
            let live = self.devices.get(device).map_or(NO_SLOT, |known| known.live);
            let queue = self.downlinks.of.get_mut(&device);
            let Some(item) = queue.and_then(VecDeque::front_mut) else {
                self.downlinks.of.remove(&device);
                break;
            };
            if live == NO_SLOT || (item.downlink.after_uplink && !heard) {
                break;
            }
            let transmissions = match item.step(heard) {
                Step::Wait => break,
                Step::Repeat(mut packet) => {
                    if let Some(held) = self.sessions.get(live) {
                        packet.to = Peer::unpack(&held.peer);
                    }
                    self.counters.sent(Kind::Down);
                    out.send.push(packet);
                    break;
                }
                Step::Seal { transmissions } => transmissions,
            };
            let (ticket, confirmed) = (item.ticket, item.downlink.confirmed);
            let payload = item.payload(now);
            let options = SealOptions {
                ack_request: confirmed,
                ack: ack.take(),
            };
            let Some((counter, packet)) = self.send_down(now, live, &payload, options, out) else {
                break;
            };
            let to = packet.to;
            let outcome = DownlinkOutcome::Sent { counter, to };
            out.events.push(Event::Downlink { ticket, outcome });
            let flight = Flight {
                session: live,
                counter,
                packet,
                transmissions,
                next_ms: now.steady_ms + WAITS_MS[0],
            };
            self.downlinks.sent(device, confirmed.then_some(flight));
            if confirmed {
                break;
            }
        }
        asked && ack.is_none()
    }

    /// Repeats messages that are due, and drops those that failed or expired.
    pub(super) fn downlink_tick(&mut self, now: Now, out: &mut Output) {
        if self.downlinks.of.is_empty() {
            return;
        }
        let mut finished = Vec::new();
        let mut due = Vec::new();
        for queue in self.downlinks.of.values_mut() {
            queue.retain(|item| {
                let expired = item.downlink.until_ms <= now.steady_ms;
                if expired {
                    finished.push((item.ticket, DownlinkOutcome::Expired));
                }
                !expired
            });
            match queue.front_mut().map(|item| item.due(now)) {
                Some(Due::Repeat(session, packet)) => due.push((session, packet)),
                Some(Due::GiveUp) => {
                    let item = queue.pop_front();
                    finished
                        .extend(item.map(|item| (item.ticket, DownlinkOutcome::Unacknowledged)));
                }
                Some(Due::Nothing) | None => {}
            }
        }
        for (session, mut packet) in due {
            if let Some(held) = self.sessions.get(session) {
                if self.fence(now, held.device_id).is_err() {
                    continue;
                }
                packet.to = Peer::unpack(&held.peer);
            }
            self.counters.sent(Kind::Down);
            out.send.push(packet);
        }
        if !finished.is_empty() {
            for (ticket, outcome) in finished {
                self.finish(ticket, outcome, out);
            }
            let devices: Vec<Slot> = self.downlinks.of.keys().copied().collect();
            for device in devices {
                self.pump(now, device, None, false, out);
            }
        }
    }

    /// The session of a message in flight has ended. Seals the message again under the next
    /// session.
    pub(super) fn restart_downlink(&mut self, device: Slot) {
        if let Some(queue) = self.downlinks.of.get_mut(&device) {
            for item in queue {
                item.flight = None;
            }
        }
    }

    /// Cancels all messages to a removed device.
    pub(super) fn forget_downlinks(&mut self, device: Slot, out: &mut Output) {
        for item in self.downlinks.of.remove(&device).into_iter().flatten() {
            self.finish(item.ticket, DownlinkOutcome::Cancelled, out);
        }
    }

    fn finish(&mut self, ticket: Ticket, outcome: DownlinkOutcome, out: &mut Output) {
        match outcome {
            DownlinkOutcome::Acknowledged { .. } => self.counters.add(Count::Acknowledged, 1),
            DownlinkOutcome::Unacknowledged | DownlinkOutcome::Expired => {
                self.counters.add(Count::Unacknowledged, 1);
            }
            DownlinkOutcome::Sent { .. } | DownlinkOutcome::Cancelled => {}
        }
        out.events.push(Event::Downlink { ticket, outcome });
    }
}
