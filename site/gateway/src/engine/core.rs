//! The engine itself: devices, dispatch of packets, and what all its parts use.

use std::collections::HashMap;
use std::fmt;

use selo_link::frame::{Frame, up_session};
use selo_link::{DeviceId, Reason};
use zeroize::Zeroizing;

use super::budgets::Admission;
use super::claim::Asked;
use super::device::{Device, Heard, Held, Known};
use super::limits::Limits;
use super::output::{Event, Handled, Output};
use super::packet::Outgoing;
use super::queue::Queues;
use super::random::Random;
use super::restoring::Restoring;
use super::table::{NO_SLOT, Slot, Table};
use super::window::Pairing;
use crate::clock::Now;
use crate::counters::{Counters, Kind};
use crate::journal::entry::Handshake;
use crate::keys::Slots;
use crate::limit::{Bucket, Sources, Tick};
use crate::peer::Peer;
use crate::shards::Ownership;

/// Settings of the engine.
#[derive(Debug, Clone, Copy, Default)]
pub struct Settings {
    pub limits: Limits,
}

/// See the [module](super).
pub struct Engine {
    pub(super) settings: Settings,
    pub(super) random: Box<dyn Random>,
    pub(super) devices: Table<Known>,
    pub(super) sessions: Table<Held>,
    /// Number of sessions with ids below 65,536.
    pub(super) narrow: u32,
    /// JOIN-REQUEST and JOIN-ACCEPT of each pending session, for repetition.
    pub(super) handshakes: HashMap<Slot, Box<Handshake>>,
    /// Several gateways share the registry, which has to grant each join ([`super::Claim`]).
    pub(super) claims: bool,
    /// The shards of this engine; `None` if it answers all devices.
    pub(super) ownership: Option<Box<Ownership>>,
    /// Claims that wait for the registry, by device.
    pub(super) asked: HashMap<Slot, Asked>,
    pub(super) downlinks: Queues,
    pub(super) pairing: Pairing,
    pub(super) sources: Sources,
    pub(super) admission: Admission,
    pub(super) counters: Counters,
    /// Slots in the key file, and pending changes to it.
    pub(super) key_slots: Slots,
    /// Set while the journal is read. No counts or events are produced then.
    pub(super) restoring: Option<Restoring>,
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
            claims: false,
            ownership: None,
            asked: HashMap::new(),
            downlinks: Queues::default(),
            pairing: Pairing::default(),
            sources: Sources::default(),
            admission: Admission::default(),
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
            Ok(Frame::HybridCommit(commit)) => self.hybrid_commit(now, from, commit, out),
            Ok(Frame::PairOpen(open)) => self.pair_open(now, from, open, out),
            Ok(Frame::PairStep(step)) => self.pair_step(now, from, step, out),
            Ok(Frame::PairReveal(reveal)) => self.pair_reveal(now, from, reveal, out),
            Ok(Frame::Classic(_)) => Err(Reason::ClassicRefused),
            // What only gateways say.
            Ok(Frame::PairKey(_) | Frame::PairResult(_) | Frame::PairPiece(_)) => {
                Err(Reason::NotPairing)
            }
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
            self.asked.remove(&slot);
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
    pub(super) fn random<const N: usize>(&mut self, out: &mut Output) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        match self.random.fill(&mut bytes) {
            Ok(()) => Some(bytes),
            Err(error) => {
                out.events.push(Event::NoRandom(error));
                None
            }
        }
    }

    /// Draws random bytes that are wiped after use.
    pub(super) fn secret<const N: usize>(
        &mut self,
        out: &mut Output,
    ) -> Option<Zeroizing<[u8; N]>> {
        self.random(out).map(Zeroizing::new)
    }

    /// True if the source has enough allowance for an unauthenticated request of this cost.
    pub(super) fn source_may(&self, now: Now, from: Peer, cost: u32) -> bool {
        let tick = Tick::from_ms(now.steady_ms);
        self.sources
            .has(from.limit_key(), self.settings.limits.faults, cost, tick)
    }

    pub(super) fn charge(&mut self, now: Now, from: Peer, cost: u32) {
        let tick = Tick::from_ms(now.steady_ms);
        self.sources
            .charge(from.limit_key(), self.settings.limits.faults, cost, tick);
    }

    /// Sends an answer to the packet that is being handled.
    pub(super) fn answer(&mut self, to: Peer, kind: Kind, frame: &[u8], out: &mut Output) {
        self.counters.sent(kind);
        out.send.push(Outgoing::new(to, frame));
    }
}
