//! The engine: the protocol logic of the gateway, without sockets, clocks or files.
//!
//! The caller passes in the time and the randomness. The engine returns journal entries,
//! packets to send once those entries are written, and events. Equal calls give equal results,
//! whatever carries the packets.
//!
//! | file | contents |
//! |---|---|
//! | `mod.rs` | devices, sessions, dispatch of packets |
//! | `join.rs` | from JOIN-REQUEST to pending session |
//! | `admission.rs` | limits on tag checks: budgets, cookies, allowances of forgeries |
//! | `data.rs` | from UP to reading; acknowledgements, hints |
//! | `downlink.rs` | messages to nodes: queued, sealed, repeated |
//! | `pairing.rs` | the pairing window |
//! | `restore.rs` | sessions into the journal and back |

mod admission;
mod costs;
mod data;
mod downlink;
mod join;
mod pairing;
mod restore;
mod table;

use std::collections::HashMap;
use std::fmt;
use std::net::IpAddr;

use selo_link::frame::{FRAME_MAX, Frame, up_session};
use selo_link::session::Session;
use selo_link::{DeviceId, DeviceKey, Reason, Suite};

use crate::clock::Now;
use crate::counters::{Count, Counters, Kind};
use crate::journal::Batch;
use crate::journal::entry::{Entry, Handshake};
use crate::keys::Slots;
use crate::limit::{Bucket, Rate, Sources, Tick};
use crate::peer::{Packed, Peer};
use crate::reading::SessionName;

pub use admission::Checks;
pub use costs::Costs;
pub use downlink::{Downlink, DownlinkOutcome, PAYLOAD_MAX as MESSAGE_MAX, QueueError, Ticket};
pub use pairing::{Attempt, Matched, PairError, WINDOW_MAX_MS, Window, WindowState};
pub use restore::Checkpoint;
use table::{NO_SLOT, Row, Slot, Table};

/// Source of random bytes. `fill` returns an error if the system cannot supply them.
pub trait Random: Send {
    fn fill(&mut self, out: &mut [u8]) -> Result<(), String>;
}

/// The random number generator of the operating system.
#[derive(Debug, Default, Clone, Copy)]
pub struct SystemRandom;

impl Random for SystemRandom {
    fn fill(&mut self, out: &mut [u8]) -> Result<(), String> {
        for chunk in out.chunks_mut(32) {
            let bytes = selo_link::random_bytes::<32>().map_err(|error| error.to_string())?;
            chunk.copy_from_slice(&bytes[..chunk.len()]);
        }
        Ok(())
    }
}

/// Default limit per device: accepted packets per second, and the burst.
pub const PACKETS_PER_SECOND: u32 = 100;
pub const PACKETS_BURST: u32 = 200;

/// Rate limits.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Accepted packets per device.
    pub packets: Rate,
    /// Valid joins per device.
    pub joins: Rate,
    /// What nobody authenticates is limited by source: a handshake of a pairing
    /// costs [`HANDSHAKE_COST`], an answer again 1.
    pub faults: Rate,
    /// Tag checks of invalid or repeated packets.
    pub checks: Checks,
}

/// Cost of an unauthenticated handshake, charged to its source under [`Limits::faults`].
pub const HANDSHAKE_COST: u32 = 8;

impl Default for Limits {
    fn default() -> Self {
        Limits {
            packets: Rate::new(PACKETS_PER_SECOND, PACKETS_BURST),
            joins: Rate::new(1, 8),
            faults: Rate::new(100, 1000),
            checks: Checks::DEFAULT,
        }
    }
}

impl Limits {
    /// No limits, for measurements.
    pub const NONE: Limits = Limits {
        packets: Rate::UNLIMITED,
        joins: Rate::UNLIMITED,
        faults: Rate::UNLIMITED,
        checks: Checks::UNLIMITED,
    };
}

/// Repeated acknowledgements per session [docs/protocol.md, Data].
const ACKS_AGAIN: Rate = Rate::new(1, 1);

/// Number of DOWN counters reserved at a time. After a restart, the gateway skips the rest of
/// the block.
const RESERVED_BLOCK: u64 = 64;

/// A packet to send.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Outgoing {
    pub to: Peer,
    /// Local address that the request was sent to, if the carrier reports it.
    pub local: Option<IpAddr>,
    /// The packet depends on a journal entry that must survive a power failure. Synchronise the
    /// journal before sending.
    pub after_sync: bool,
    size: u8,
    bytes: [u8; FRAME_MAX],
}

impl Outgoing {
    fn new(to: Peer, frame: &[u8]) -> Outgoing {
        let mut bytes = [0; FRAME_MAX];
        let size = frame.len().min(FRAME_MAX);
        bytes[..size].copy_from_slice(&frame[..size]);
        Outgoing {
            to,
            local: None,
            after_sync: false,
            size: size as u8,
            bytes,
        }
    }

    #[cfg(test)]
    pub(crate) fn for_test(to: Peer, frame: &[u8]) -> Outgoing {
        Outgoing::new(to, frame)
    }

    pub fn frame(&self) -> &[u8] {
        &self.bytes[..usize::from(self.size)]
    }
}

impl fmt::Debug for Outgoing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Outgoing({} bytes to {})", self.size, self.to)
    }
}

/// Results of engine calls. The caller writes `journal` before it acts on the rest.
#[derive(Debug, Default)]
pub struct Output {
    pub journal: Batch,
    pub send: Vec<Outgoing>,
    pub events: Vec<Event>,
}

impl Output {
    pub fn clear(&mut self) {
        self.journal.clear();
        self.send.clear();
        self.events.clear();
    }
}

/// Events for observers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A JOIN-REQUEST was answered. The registry row `row` should store the counter.
    Joined {
        device: DeviceId,
        row: u32,
        counter: u32,
        session: SessionName,
        from: Peer,
    },
    /// A node used its new session for the first time. Its previous session has ended.
    Live {
        device: DeviceId,
        session: SessionName,
    },
    /// A session ended without a successor.
    Ended {
        device: DeviceId,
        session: SessionName,
        why: &'static str,
    },
    /// Something happened in the pairing window.
    Pairing(Window, WindowState),
    /// What became of a message to a node.
    Downlink {
        ticket: Ticket,
        outcome: DownlinkOutcome,
    },
    /// The system has no random numbers; a packet was dropped for it.
    NoRandom(String),
}

/// A device, as stored in the registry.
#[derive(Debug, Clone)]
pub struct Device {
    pub row: u32,
    pub id: DeviceId,
    pub key: DeviceKey,
    pub suite: Suite,
    pub revoked: bool,
    /// The highest join counter accepted.
    pub joined: u32,
}

/// A device in the engine's table.
#[derive(Debug)]
struct Known {
    device: Device,
    live: Slot,
    pending: Slot,
    joins: Bucket,
    /// Allowance for failed joins in this device's name from unproven addresses.
    strangers: Bucket,
}

impl Row for Known {
    fn id(&self) -> u32 {
        self.device.id.0
    }
}

/// A session in the engine's table.
#[derive(Debug)]
struct Held {
    session: Session,
    device: Slot,
    device_id: DeviceId,
    join: u32,
    tag: u32,
    /// DOWN counters below this value are reserved in the journal.
    below: u32,
    /// Time of the last accepted packet, Unix seconds.
    heard: u32,
    packets: Bucket,
    acks: Bucket,
    /// Counter of the last packet that requested an acknowledgement, since the start of the
    /// gateway.
    asked: Option<u64>,
    forgeries: admission::Forgeries,
    peer: Packed,
    pending: bool,
    /// Slot of its keys in the key file.
    key_slot: u32,
}

impl Row for Held {
    fn id(&self) -> u32 {
        self.session.id().0
    }
}

impl Held {
    fn name(&self) -> SessionName {
        SessionName::new(self.join, self.tag)
    }
}

/// Settings of the engine.
#[derive(Debug, Clone, Copy, Default)]
pub struct Settings {
    pub limits: Limits,
}

/// See the [module](self).
pub struct Engine {
    settings: Settings,
    random: Box<dyn Random>,
    devices: Table<Known>,
    sessions: Table<Held>,
    /// Number of sessions with ids below 65,536.
    narrow: u32,
    /// JOIN-REQUEST and JOIN-ACCEPT of each pending session, for repetition.
    handshakes: HashMap<Slot, Box<Handshake>>,
    downlinks: downlink::Queues,
    pairing: pairing::Pairing,
    sources: Sources,
    admission: admission::Admission,
    counters: Counters,
    /// Slots in the key file, and pending changes to it.
    key_slots: Slots,
    /// Set while the journal is read. No counts or events are produced then.
    restoring: Option<restore::Restoring>,
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Engine({} devices, {} sessions)",
            self.devices.len(),
            self.sessions.len()
        )
    }
}

/// A packet that is dropped.
type Handled = Result<(), Reason>;

impl Engine {
    /// Makes an engine without devices. Fails if `random` cannot supply a seed.
    pub fn new(settings: Settings, mut random: Box<dyn Random>) -> Result<Engine, String> {
        let mut seed = [0; 8];
        random.fill(&mut seed)?;
        let seed = u64::from_le_bytes(seed);
        Ok(Engine {
            settings,
            random,
            devices: Table::new(seed),
            sessions: Table::new(seed.rotate_left(32)),
            narrow: 0,
            handshakes: HashMap::new(),
            downlinks: downlink::Queues::default(),
            pairing: pairing::Pairing::default(),
            sources: Sources::default(),
            admission: admission::Admission::default(),
            counters: Counters::default(),
            key_slots: Slots::default(),
            restoring: None,
        })
    }

    /// Handles one packet. An error gives the reason why it was dropped.
    #[inline]
    pub fn handle(
        &mut self,
        now: Now,
        from: Peer,
        rssi: Option<i16>,
        bytes: &[u8],
        out: &mut Output,
    ) -> Handled {
        let parsed = Frame::parse(bytes);
        let kind = parsed.as_ref().map_or(Kind::Other, Kind::of);
        self.counters.received(kind);
        let verdict = match &parsed {
            Ok(Frame::Up(data)) => self.up(now, from, rssi, data, out),
            Ok(Frame::JoinRequest(request)) => self.join_request(now, from, request, out),
            Ok(Frame::CookieEcho(echo)) => self.cookie_echo(now, from, echo, out),
            Ok(Frame::PairCommit(commit)) => self.pair_commit(now, from, commit, out),
            Ok(Frame::PairReveal(reveal)) => self.pair_reveal(now, from, reveal, out),
            Ok(Frame::Classic(_)) => Err(Reason::ClassicRefused),
            // What only gateways say.
            Ok(Frame::PairKey(_) | Frame::PairResult(_)) => Err(Reason::NotPairing),
            Ok(Frame::JoinAccept(_) | Frame::Down(_) | Frame::Hint(_) | Frame::Cookie(_)) => {
                Err(Reason::UnknownSession)
            }
            Err(_) => Err(Reason::Malformed),
        };
        if let Err(reason) = verdict {
            self.counters.dropped(reason);
        }
        verdict
    }

    /// Prefetches the session data that [`Engine::handle`] will need for a packet. Has no other
    /// effect. Calling it for all packets of a batch first lets the memory accesses overlap.
    /// With a million sessions, these accesses are most of the cost of finding one.
    #[inline]
    pub fn foresee(&self, bytes: &[u8]) {
        let held = up_session(bytes)
            .and_then(|id| self.sessions.find(id.0))
            .and_then(|slot| self.sessions.get(slot));
        if let Some(held) = held {
            held.session.foresee();
            std::hint::black_box((held.heard, held.device, held.peer[0]));
        }
    }

    /// Performs due repetitions and time-outs. Call it at [`Engine::deadline`].
    pub fn tick(&mut self, now: Now, out: &mut Output) {
        self.downlink_tick(now, out);
        self.pairing_tick(now, out);
    }

    /// Time of the next due action of [`Engine::tick`], steady milliseconds.
    pub fn deadline(&self) -> Option<u64> {
        [self.downlinks.deadline(), self.pairing.deadline()]
            .into_iter()
            .flatten()
            .min()
    }

    /// Adds a device, or replaces the device with the same id. A changed key or a revocation
    /// ends its sessions.
    pub fn set_device(&mut self, device: Device, out: &mut Output) {
        let id = device.id;
        if let Some(slot) = self.devices.find(id.0) {
            if let Some(known) = self.devices.get_mut(slot) {
                let old = &known.device;
                let same_key = old.row == device.row
                    && old.suite == device.suite
                    && old.key.expose() == device.key.expose();
                let keep = same_key && !device.revoked;
                let joined = if same_key {
                    device.joined.max(old.joined)
                } else {
                    device.joined
                };
                let why = if device.revoked {
                    "the device was revoked"
                } else {
                    "the device has a new key"
                };
                known.device = Device { joined, ..device };
                if !keep {
                    self.end_sessions(slot, why, out);
                }
            }
        } else {
            self.devices.insert(Known {
                device,
                live: NO_SLOT,
                pending: NO_SLOT,
                joins: Bucket::default(),
                strangers: Bucket::default(),
            });
        }
        self.count_rows();
    }

    /// Removes a device and ends its sessions.
    pub fn remove_device(&mut self, id: DeviceId, out: &mut Output) {
        if let Some(slot) = self.devices.find(id.0) {
            self.end_sessions(slot, "the device was removed", out);
            self.forget_downlinks(slot, out);
            self.devices.remove(slot);
        }
        self.count_rows();
    }

    /// Ids of all devices.
    pub fn device_ids(&self) -> impl Iterator<Item = DeviceId> {
        self.devices.iter().map(|(_, known)| known.device.id)
    }

    /// Reserves memory for this number of devices with one session each.
    pub fn reserve(&mut self, devices: usize) {
        self.devices.reserve(devices);
        self.sessions.reserve(devices);
    }

    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    pub fn counters_mut(&mut self) -> &mut Counters {
        &mut self.counters
    }

    /// Last contact of the devices whose sessions have slots in `slots`, for the registry.
    /// Includes only those heard at or after `since`, Unix seconds.
    pub fn heard(&self, slots: std::ops::Range<u32>, since: u32) -> impl Iterator<Item = Heard> {
        slots.filter_map(move |slot| {
            let held = self.sessions.get(slot)?;
            let row = self.devices.get(held.device)?.device.row;
            (held.heard >= since && !held.pending).then(|| Heard {
                row,
                at: held.heard,
                peer: Peer::unpack(&held.peer),
            })
        })
    }

    /// One more than the highest slot, as a bound for [`Engine::heard`].
    pub fn slots(&self) -> u32 {
        self.sessions.slots()
    }

    /// Draws random bytes. Emits [`Event::NoRandom`] and returns `None` on failure.
    fn random<const N: usize>(&mut self, out: &mut Output) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        match self.random.fill(&mut bytes) {
            Ok(()) => Some(bytes),
            Err(error) => {
                out.events.push(Event::NoRandom(error));
                None
            }
        }
    }

    /// True if the source has enough allowance for an unauthenticated request of this cost.
    fn source_may(&self, now: Now, from: Peer, cost: u32) -> bool {
        let tick = Tick::from_ms(now.steady_ms);
        self.sources
            .has(from.limit_key(), self.settings.limits.faults, cost, tick)
    }

    fn charge(&mut self, now: Now, from: Peer, cost: u32) {
        let tick = Tick::from_ms(now.steady_ms);
        self.sources
            .charge(from.limit_key(), self.settings.limits.faults, cost, tick);
    }

    /// Sends an answer to the packet that is being handled.
    fn answer(&mut self, to: Peer, kind: Kind, frame: &[u8], out: &mut Output) {
        self.counters.sent(kind);
        out.send.push(Outgoing::new(to, frame));
    }

    /// Ends all sessions of a device.
    fn end_sessions(&mut self, device: Slot, why: &'static str, out: &mut Output) {
        let Some(known) = self.devices.get(device) else {
            return;
        };
        for slot in [known.live, known.pending] {
            self.end_session(slot, why, out);
        }
    }

    /// Ends a session that no newer session replaces.
    fn end_session(&mut self, slot: Slot, why: &'static str, out: &mut Output) {
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
    fn drop_session(&mut self, slot: Slot) -> Option<Held> {
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
    fn add_session(&mut self, held: Held) -> Slot {
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
    fn promote(&mut self, slot: Slot) {
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

    fn count_rows(&mut self) {
        let pending = self.handshakes.len() as u64;
        let sessions = self.sessions.len() as u64;
        self.counters.set(Count::Pending, pending);
        self.counters
            .set(Count::Sessions, sessions.saturating_sub(pending));
        self.counters.set(Count::Devices, self.devices.len() as u64);
    }
}

/// Last contact of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heard {
    /// Row in the registry.
    pub row: u32,
    /// Unix seconds.
    pub at: u32,
    pub peer: Peer,
}
