//! Messages to nodes: queued, sealed, and repeated until they are acknowledged.
//!
//! At most one message per device is in flight. A confirmed message is repeated on the node's
//! own schedule: the same packet after 2, 4 and 8 s; the gateway gives up 16 s after the fourth
//! transmission. A message to a sleeping node (`after_uplink`) is sent right after the node was
//! heard, and repeated each time it is heard again.

use std::collections::{HashMap, VecDeque};

use selo_link::DeviceId;
use selo_link::session::SealOptions;

use super::table::{NO_SLOT, Slot};
use super::{Engine, Event, Outgoing, Output};
use crate::clock::Now;
use crate::counters::{Count, Kind};
use crate::peer::Peer;
use crate::reading::Payload;

/// Identifier of a message.
pub type Ticket = u64;

/// Maximum queued messages per device.
const QUEUE_MAX: usize = 16;
/// Delay after the first, second, third and fourth transmission, milliseconds.
const WAITS_MS: [u64; 4] = [2_000, 4_000, 8_000, 16_000];
/// Maximum payload, bytes. It fits a DOWN-RESUMED of any session, with an acknowledgement
/// [docs/protocol.md, Data].
pub const PAYLOAD_MAX: usize = 29;

/// Size of the appended time, bytes.
const TIME_BYTES: usize = 4;

/// Appends the time to the payload. [`Engine::send`] has checked that both fit.
fn with_time(payload: &Payload, now: Now) -> Payload {
    let seconds = u32::try_from(now.unix_ms / 1000).unwrap_or(u32::MAX);
    let bytes = [&payload[..], &seconds.to_le_bytes()].concat();
    Payload::new(&bytes).unwrap_or(*payload)
}

/// A message to a node.
#[derive(Debug, Clone)]
pub struct Downlink {
    pub device: DeviceId,
    pub payload: Payload,
    /// Append the time of each sealing: Unix seconds (4 bytes, little-endian).
    pub timed: bool,
    /// Request an acknowledgement, and repeat until it arrives.
    pub confirmed: bool,
    /// Send only right after the node was heard.
    pub after_uplink: bool,
    /// Expiry, steady milliseconds.
    pub until_ms: u64,
}

/// State of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DownlinkOutcome {
    /// It was sent; nobody asked whether it arrived, or the answer is still awaited.
    Sent { counter: u64, to: Peer },
    /// The node has acknowledged it.
    Acknowledged { counter: u64 },
    /// Four transmissions were not acknowledged.
    Unacknowledged,
    /// It expired before it was sent or acknowledged.
    Expired,
    /// It was cancelled, or the device was removed.
    Cancelled,
}

/// Reasons for not queueing a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum QueueError {
    #[error("there is no such device")]
    UnknownDevice,
    #[error("the device is revoked")]
    Revoked,
    #[error("the message has {bytes} bytes; the maximum is {PAYLOAD_MAX}")]
    TooLong { bytes: usize },
    #[error("{QUEUE_MAX} messages are already queued for this device")]
    Full,
}

#[derive(Debug)]
struct Item {
    ticket: Ticket,
    downlink: Downlink,
    flight: Option<Flight>,
}

/// A confirmed message in flight.
#[derive(Debug)]
struct Flight {
    session: Slot,
    counter: u64,
    packet: Outgoing,
    transmissions: usize,
    next_ms: u64,
}

/// The action that is due for a message.
enum Due {
    Nothing,
    Repeat(Slot, Outgoing),
    GiveUp,
}

impl Item {
    fn due(&mut self, now: Now) -> Due {
        match &mut self.flight {
            Some(flight) if !self.downlink.after_uplink && flight.next_ms <= now.steady_ms => {
                let Some(wait) = WAITS_MS.get(flight.transmissions) else {
                    return Due::GiveUp;
                };
                flight.next_ms = now.steady_ms + wait;
                flight.transmissions += 1;
                Due::Repeat(flight.session, flight.packet)
            }
            _ => Due::Nothing,
        }
    }
}

/// The action for the first message of a queue.
enum Step {
    Wait,
    Repeat(Outgoing),
    /// Seal it, as the transmission with this number.
    Seal {
        transmissions: usize,
    },
}

impl Item {
    fn step(&mut self, heard: bool) -> Step {
        let mut transmissions = 1;
        if let Some(flight) = self.flight.take_if(|_| self.downlink.timed && heard) {
            // Not acknowledged yet: seal the message again with the current time.
            if flight.transmissions == WAITS_MS.len() {
                self.flight = Some(flight);
                return Step::Wait;
            }
            transmissions = flight.transmissions + 1;
        }
        let Some(flight) = &mut self.flight else {
            return Step::Seal { transmissions };
        };
        // Not acknowledged yet: repeat it now, because a sleeping node listens after its uplink.
        if self.downlink.after_uplink && heard && flight.transmissions < WAITS_MS.len() {
            flight.transmissions += 1;
            return Step::Repeat(flight.packet);
        }
        Step::Wait
    }

    /// The payload, with the time if the message has one.
    fn payload(&self, now: Now) -> Payload {
        if self.downlink.timed {
            with_time(&self.downlink.payload, now)
        } else {
            self.downlink.payload
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Queues {
    of: HashMap<Slot, VecDeque<Item>>,
    last: Ticket,
}

impl Queues {
    #[inline]
    pub(super) fn has(&self, device: Slot) -> bool {
        !self.of.is_empty() && self.of.contains_key(&device)
    }

    /// The first message of a device was sent. It stays while it is in flight.
    fn sent(&mut self, device: Slot, flight: Option<Flight>) {
        let Some(queue) = self.of.get_mut(&device) else {
            return;
        };
        match (flight, queue.front_mut()) {
            (Some(flight), Some(item)) => item.flight = Some(flight),
            _ => _ = queue.pop_front(),
        }
    }

    pub(super) fn deadline(&self) -> Option<u64> {
        let due = |item: &Item| {
            let repeat = item
                .flight
                .as_ref()
                .filter(|_| !item.downlink.after_uplink)
                .map_or(u64::MAX, |flight| flight.next_ms);
            repeat.min(item.downlink.until_ms)
        };
        self.of.values().flatten().map(due).min()
    }
}

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
            out.events.push(Event::Downlink {
                ticket,
                outcome: DownlinkOutcome::Sent {
                    counter,
                    to: packet.to,
                },
            });
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
