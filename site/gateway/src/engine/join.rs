//! Join: a JOIN-REQUEST becomes a pending session [docs/protocol.md, Join].

use selo_link::frame::JoinRequest;
use selo_link::join::JoinOpened;
use selo_link::session::SessionId;
use selo_link::{DeviceId, EphemeralSecret, Reason};

use super::budgets::Forgeries;
use super::core::Engine;
use super::device::Held;
use super::output::{Event, Handled, Output};
use super::packet::Outgoing;
use super::table::{Row, Slot};
use crate::clock::Now;
use crate::counters::{Count, Kind};
use crate::journal::entry::{Entry, Handshake, Session as SessionEntry};
use crate::keys::Owner;
use crate::limit::{Bucket, Tick};
use crate::peer::Peer;
use crate::reading::SessionName;
use crate::shards::{SHARDS, shard_of};

/// Short ids are used until half of them are taken, so that drawing a free one stays fast.
const NARROW_MAX: u32 = 1 << 15;
/// With shards, an eighth: they do not fill evenly.
const NARROW_MAX_SHARDED: u32 = 1 << 13;

/// The random part of a new session.
struct Drawn {
    secret: EphemeralSecret,
    tag: u32,
    id: SessionId,
}

/// Answers once the journal is on disk.
fn answer(from: Peer, accept: &[u8], out: &mut Output) {
    let mut outgoing = Outgoing::new(from, accept);
    outgoing.after_sync = true;
    out.send.push(outgoing);
}

/// A request and the answer to it.
fn handshake(request: &JoinRequest<'_>, accept: &[u8]) -> Box<Handshake> {
    let mut handshake: Box<Handshake> = Box::new([0; 116]);
    handshake[..JoinRequest::BYTES].copy_from_slice(request.bytes);
    handshake[JoinRequest::BYTES..].copy_from_slice(accept);
    handshake
}

/// Adds a session that has just begun to the journal.
fn journal_session(held: &Held, row: u32, from: Peer, handshake: &Handshake, out: &mut Output) {
    out.journal.push(&Entry::Session(SessionEntry {
        id: held.id(),
        row,
        device: held.device_id.0,
        join: held.join,
        tag: held.tag,
        state: &held.session.state(),
        slot: held.key_slot,
        below: held.below,
        peer: from,
        heard: held.heard,
        handshake: Some(handshake),
    }));
}

impl Engine {
    pub(super) fn join_request(
        &mut self,
        now: Now,
        from: Peer,
        request: &JoinRequest<'_>,
        out: &mut Output,
    ) -> Handled {
        let slot = self
            .devices
            .find(request.device.0)
            .ok_or(Reason::UnknownDevice)?;
        let known = self.devices.get(slot).ok_or(Reason::UnknownDevice)?;
        if known.device.revoked {
            return Err(Reason::Revoked);
        }
        let fence = self.fence(now, request.device)?;
        let pending = known.pending;
        let by = self.admit_join(now, from, slot, request, out)?;
        if self.is_pending(pending, request) {
            self.charge_join(now, from, slot, by);
            self.repeat_accept(from, pending, out);
            return Ok(());
        }
        let known = self.devices.get(slot).ok_or(Reason::UnknownDevice)?;
        // Only joins with the device's key are counted, so no stranger can exhaust this limit.
        let tick = Tick::from_ms(now.steady_ms);
        if !known.joins.has(self.settings.limits.joins, 1, tick) {
            return Err(Reason::RateLimited);
        }
        let opened = JoinOpened::open(known.device.suite, &known.device.key, request);
        let fresh = match opened {
            Ok(opened) if opened.counter() > known.device.joined => Ok(opened),
            Ok(_) => Err(Reason::ReplayedJoin),
            Err(refusal) => Err(refusal.reason()),
        };
        let opened = match fresh {
            Ok(opened) => opened,
            Err(reason) => {
                self.charge_join(now, from, slot, by);
                return Err(reason);
            }
        };
        if self.claims {
            let asks = (slot, opened.counter(), fence);
            if self.has_asked(slot) {
                // While the registry is away, a stranger can replay what it has not granted.
                self.charge_join(now, from, slot, by);
            }
            return self.ask_claim(now, from, asks, request, out);
        }
        self.accept_join(now, from, slot, opened, request, out)
    }

    /// True if this request was already answered and its session waits for the first packet.
    fn is_pending(&self, pending: Slot, request: &JoinRequest<'_>) -> bool {
        self.handshakes
            .get(&pending)
            .is_some_and(|handshake| handshake[..JoinRequest::BYTES] == request.bytes[..])
    }

    /// Repeats the answer to a repeated request. The caller charges it like an invalid request,
    /// because a stranger can replay a recorded one.
    fn repeat_accept(&mut self, from: Peer, slot: Slot, out: &mut Output) {
        // The journal holds the record, but it may not be on disk yet.
        if let Some(handshake) = self.handshakes.get(&slot) {
            answer(from, &handshake[JoinRequest::BYTES..], out);
            self.counters.sent(Kind::JoinAccept);
        }
    }

    /// Accepts an authenticated join with a fresh counter. Costs two scalar multiplications.
    pub(super) fn accept_join(
        &mut self,
        now: Now,
        from: Peer,
        slot: Slot,
        opened: JoinOpened,
        request: &JoinRequest<'_>,
        out: &mut Output,
    ) -> Handled {
        let Some(Drawn { secret, tag, id }) = self.draw(slot, out)? else {
            return Ok(());
        };
        let counter = opened.counter();
        let long_tags = opened.wishes_long_tags();

        let (row, device) = self.note_join(now, slot, counter)?;
        self.counters.add(Count::Multiplications, 2);
        let accepted = opened.accept(&secret, id, long_tags);
        let (accept, keys) = accepted.map_err(|refusal| refusal.reason())?;
        let handshake = handshake(request, &accept);
        let owner = Owner {
            id: id.0,
            join: counter,
            tag,
        };
        let session = keys.gateway_session();
        // A session that has just begun always has its keys.
        let stored = session.keys().ok_or(Reason::Key)?;
        let held = Held {
            key_slot: self.key_slots.keep(owner, &stored),
            session,
            device: slot,
            device_id: device,
            join: counter,
            tag,
            below: 0,
            heard: (now.unix_ms / 1000) as u32,
            packets: Bucket::default(),
            acks: Bucket::default(),
            asked: None,
            forgeries: Forgeries::default(),
            peer: from.pack(),
            pending: true,
        };
        journal_session(&held, row, from, &handshake, out);
        let pending = self.add_session(held);
        self.handshakes.insert(pending, handshake);
        self.count_rows();
        self.counters.add(Count::Joins, 1);
        self.counters.sent(Kind::JoinAccept);
        answer(from, &accept, out);
        out.events.push(Event::Joined {
            device,
            row,
            counter,
            session: SessionName::new(counter, tag),
            from,
        });
        Ok(())
    }

    /// Stores the counter of a join with its device, and charges it. Returns the registry row and the
    /// id of the device.
    fn note_join(&mut self, now: Now, slot: Slot, counter: u32) -> Result<(u32, DeviceId), Reason> {
        let limits = self.settings.limits;
        let known = self.devices.get_mut(slot).ok_or(Reason::UnknownDevice)?;
        known.device.joined = counter;
        known
            .joins
            .charge(limits.joins, 1, Tick::from_ms(now.steady_ms));
        Ok((known.device.row, known.device.id))
    }

    /// Draws what a new session needs. `None` if the generator of random numbers fails.
    fn draw(&mut self, device: Slot, out: &mut Output) -> Result<Option<Drawn>, Reason> {
        let Some(random) = self.secret::<36>(out) else {
            return Ok(None);
        };
        let Some(id) = self.free_session_id(device, out) else {
            return Ok(None);
        };
        let (secret, tag) = random.split_at(32);
        Ok(Some(Drawn {
            secret: EphemeralSecret::new(secret.try_into().map_err(|_| Reason::Key)?),
            tag: u32::from_le_bytes(tag.try_into().map_err(|_| Reason::Key)?),
            id,
        }))
    }

    /// Draws an unused session id: a short one (2 bytes) while enough of them are free. With
    /// shards, the id tells the shard of the device ([`crate::shards::shard_of_session`]).
    fn free_session_id(&mut self, device: Slot, out: &mut Output) -> Option<SessionId> {
        let shard = match (&self.ownership, self.devices.get(device)) {
            (Some(_), Some(known)) => Some(u32::from(shard_of(known.device.id))),
            _ => None,
        };
        let narrow_max = if shard.is_some() {
            NARROW_MAX_SHARDED
        } else {
            NARROW_MAX
        };
        // At least half of the drawn range is free, so 1000 draws fail only with a broken
        // generator. The short ids of one shard may all be taken.
        for draw in 0..1000 {
            let wide = self.narrow >= narrow_max || (shard.is_some() && draw >= 100);
            let mut drawn = u32::from_le_bytes(self.random::<4>(out)?);
            if let Some(shard) = shard {
                drawn = drawn - drawn % u32::from(SHARDS) + shard;
            }
            let id = SessionId(if wide { drawn } else { drawn & 0xffff });
            let right_size = id.is_wide() == wide;
            if right_size && self.sessions.find(id.0).is_none() {
                return Some(id);
            }
        }
        out.events.push(Event::NoRandom(
            "1000 random draws gave no free session id".into(),
        ));
        None
    }
}
