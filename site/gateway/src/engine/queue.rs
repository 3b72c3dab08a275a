//! Messages to nodes, and the queues in which they wait.

use std::collections::{HashMap, VecDeque};

use selo_link::DeviceId;

use super::packet::Outgoing;
use super::table::Slot;
use crate::clock::Now;
use crate::peer::Peer;
use crate::reading::Payload;

/// Identifier of a message.
pub type Ticket = u64;

/// Maximum queued messages per device.
pub(super) const QUEUE_MAX: usize = 16;

/// Delay after the first, second, third and fourth transmission, milliseconds.
pub(super) const WAITS_MS: [u64; 4] = [2_000, 4_000, 8_000, 16_000];

/// Maximum payload, bytes. It fits a DOWN-RESUMED of any session, with an acknowledgement
/// [docs/protocol.md, Data].
pub const PAYLOAD_MAX: usize = 29;

/// Size of the appended time, bytes.
pub(super) const TIME_BYTES: usize = 4;

/// Appends the time to the payload. [`Engine::send`](super::Engine::send) has checked that both fit.
pub(super) fn with_time(payload: &Payload, now: Now) -> Payload {
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
    #[error("another engine answers this device: give the message to that one")]
    NotOwner,
    #[error("the message has {bytes} bytes; the maximum is {PAYLOAD_MAX}")]
    TooLong { bytes: usize },
    #[error("{QUEUE_MAX} messages are already queued for this device")]
    Full,
}

#[derive(Debug)]
pub(super) struct Item {
    pub(super) ticket: Ticket,
    pub(super) downlink: Downlink,
    pub(super) flight: Option<Flight>,
}

/// A confirmed message in flight.
#[derive(Debug)]
pub(super) struct Flight {
    pub(super) session: Slot,
    pub(super) counter: u64,
    pub(super) packet: Outgoing,
    pub(super) transmissions: usize,
    pub(super) next_ms: u64,
}

/// The action that is due for a message.
pub(super) enum Due {
    Nothing,
    Repeat(Slot, Outgoing),
    GiveUp,
}

impl Item {
    pub(super) fn due(&mut self, now: Now) -> Due {
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
pub(super) enum Step {
    Wait,
    Repeat(Outgoing),
    /// Seal it, as the transmission with this number.
    Seal {
        transmissions: usize,
    },
}

impl Item {
    pub(super) fn step(&mut self, heard: bool) -> Step {
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
    pub(super) fn payload(&self, now: Now) -> Payload {
        if self.downlink.timed {
            with_time(&self.downlink.payload, now)
        } else {
            self.downlink.payload
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Queues {
    pub(super) of: HashMap<Slot, VecDeque<Item>>,
    pub(super) last: Ticket,
}

impl Queues {
    #[inline]
    pub(super) fn has(&self, device: Slot) -> bool {
        !self.of.is_empty() && self.of.contains_key(&device)
    }

    /// The first message of a device was sent. It stays while it is in flight.
    pub(super) fn sent(&mut self, device: Slot, flight: Option<Flight>) {
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
