//! The engine: what the gateway does with a packet, without sockets, clocks or files.
//!
//! Time and randomness are handed in; out come entries for the journal, packets to send
//! once those entries are written, and events. Equal calls give equal results, whatever
//! carries the packets.
//!
//! | file | is |
//! |---|---|
//! | `mod.rs` | devices, sessions, and which way a packet takes |
//! | `join.rs` | JOIN-REQUEST to pending session |
//! | `admission.rs` | for whom tags are checked: budgets, cookies, allowances of forgeries |
//! | `data.rs` | UP to reading; acknowledgements, hints |
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

/// Fills bytes with random ones; an error if the system has none.
pub trait Random: Send {
    fn fill(&mut self, out: &mut [u8]) -> Result<(), String>;
}

/// The operating system's randomness.
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

/// Packets of one device that are accepted in each second, unless told otherwise, and how many
/// at once.
pub const PACKETS_PER_SECOND: u32 = 100;
pub const PACKETS_BURST: u32 = 200;

/// How much may come from whom.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Packets that one device may have accepted.
    pub packets: Rate,
    /// Joins of one device.
    pub joins: Rate,
    /// What nobody authenticates is limited by source: a handshake of a pairing
    /// costs [`HANDSHAKE_COST`], an answer again 1.
    pub faults: Rate,
    /// Tags that are checked for nothing.
    pub checks: Checks,
}

/// What a handshake that nobody authenticates costs its source, in faults.
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
    /// None: for measuring.
    pub const NONE: Limits = Limits {
        packets: Rate::UNLIMITED,
        joins: Rate::UNLIMITED,
        faults: Rate::UNLIMITED,
        checks: Checks::UNLIMITED,
    };
}

/// Acknowledgements again, of one session [docs/protocol.md, Data].
const ACKS_AGAIN: Rate = Rate::new(1, 1);

/// DOWN counters that are reserved at a time. A restarted gateway skips what is left.
const RESERVED_BLOCK: u64 = 64;

/// A packet to send.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Outgoing {
    pub to: Peer,
    /// The address of ours that the packet it answers was sent to, if the carrier said.
    pub local: Option<IpAddr>,
    /// It promises what a power failure must not take back: first bring the journal to
    /// the disk.
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

/// What calls of the engine leave behind. Write `journal` first, then do the rest.
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

/// What others than the sender want to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A JOIN-REQUEST was answered; the registry's row learns the counter.
    Joined {
        device: DeviceId,
        row: u32,
        counter: u32,
        session: SessionName,
        from: Peer,
    },
    /// A node has used its new session; an old one has ended.
    Live {
        device: DeviceId,
        session: SessionName,
    },
    /// A session was given up.
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

/// A device, as the registry knows it.
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
    /// Joins in its name that strangers may still have checked for nothing.
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
    /// DOWN counters below this are reserved in the journal.
    below: u32,
    /// When a packet was last accepted, Unix seconds.
    heard: u32,
    packets: Bucket,
    acks: Bucket,
    /// The counter of the last packet that asked for an acknowledgement, in this run.
    asked: Option<u64>,
    forgeries: admission::Forgeries,
    peer: Packed,
    pending: bool,
    /// Where its keys are stored.
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

/// What may change while the engine runs.
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
    /// Sessions with ids below 65,536.
    narrow: u32,
    /// Of pending sessions: what to repeat.
    handshakes: HashMap<Slot, Box<Handshake>>,
    downlinks: downlink::Queues,
    pairing: pairing::Pairing,
    sources: Sources,
    admission: admission::Admission,
    counters: Counters,
    /// Which sessions' keys are stored where.
    key_slots: Slots,
    /// While the journal is read: nothing is counted or reported.
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

    /// Takes one packet.
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

    /// Fetches from memory what [`Engine::handle`] will need of a packet's session, and does
    /// nothing else. Called for all packets of a batch before the first one is handled, it
    /// makes the processor wait once for many fetches, not for each in turn: among a million
    /// sessions that is most of what finding one costs.
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

    /// Does what time brings: repetitions, time-outs. Call it at [`Engine::deadline`].
    pub fn tick(&mut self, now: Now, out: &mut Output) {
        self.downlink_tick(now, out);
        self.pairing_tick(now, out);
    }

    /// When [`Engine::tick`] has something to do, steady milliseconds.
    pub fn deadline(&self) -> Option<u64> {
        [self.downlinks.deadline(), self.pairing.deadline()]
            .into_iter()
            .flatten()
            .min()
    }

    /// Adds a device, or replaces the one with its id. Sessions of an old key, and all of
    /// a revoked device, end.
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
                    "the device has another key"
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

    /// Forgets a device and ends its sessions.
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

    /// Makes room for so many devices with a session each.
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

    /// When devices with slots in `slots` were last heard, and where: for the registry.
    /// Only those heard at or after `since`, Unix seconds.
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

    /// The end of all slots that [`Engine::heard`] takes.
    pub fn slots(&self) -> u32 {
        self.sessions.slots()
    }

    /// Draws random bytes, or says that there are none.
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

    /// True if the source may make the gateway do something that costs, and that no tag vouches
    /// for.
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

    /// Ends a session for a reason that is not a newer session.
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

    /// Takes a session out of all tables.
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

    /// Adds a session beside the live one of its device; an earlier pending one goes.
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

    /// The first UP has come: the pending session replaces the live one.
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

/// When a device was last heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heard {
    /// The registry's row.
    pub row: u32,
    /// Unix seconds.
    pub at: u32,
    pub peer: Peer,
}
