//! Joins under a registry that several gateways share. Two gateways may hear one JOIN-REQUEST.
//! The engine opens it, which costs hashes only, and asks for its counter. The registry grants
//! a counter once, and only then the engine answers. No multiplication and no session key exists
//! before that.

use selo_link::Reason;
use selo_link::frame::{Frame, JoinRequest};
use selo_link::join::JoinOpened;

use super::claim::{Asked, Claim};
use super::core::Engine;
use super::output::{Handled, Output};
use super::table::Slot;
use crate::clock::Now;
use crate::peer::Peer;
use crate::registry::Verdict;
use crate::shards::Fence;

/// Time for which a repeated request asks the registry no second time, milliseconds.
const PATIENCE_MS: u64 = 5_000;

impl Engine {
    /// Makes each join wait for the grant of a shared registry from now on.
    pub fn claim_joins(&mut self) {
        self.claims = true;
    }

    /// True if a claim of the device waits for the registry, or the registry did not answer it.
    pub(super) fn has_asked(&self, device: Slot) -> bool {
        self.asked.contains_key(&device)
    }

    /// Asks the registry for the counter of a join: device, counter, and fence.
    pub(super) fn ask_claim(
        &mut self,
        now: Now,
        from: Peer,
        (slot, counter, fence): (Slot, u32, Option<Fence>),
        request: &JoinRequest<'_>,
        out: &mut Output,
    ) -> Handled {
        let known = self.devices.get(slot).ok_or(Reason::UnknownDevice)?;
        let (device, row) = (known.device.id, known.device.row);
        let waits = |asked: &Asked| asked.counter == counter && now.steady_ms < asked.until_ms;
        if self.asked.get(&slot).is_some_and(waits) {
            return Ok(());
        }
        let until_ms = now.steady_ms + PATIENCE_MS;
        self.asked.insert(slot, Asked { counter, until_ms });
        out.claims.push(Claim {
            device,
            row,
            counter,
            fence,
            from,
            local: None,
            request: *request.bytes,
        });
        Ok(())
    }

    /// Answers the join if the registry has granted it. Counts it as dropped otherwise.
    pub fn claimed(&mut self, now: Now, claim: &Claim, verdict: Verdict, out: &mut Output) {
        let before = out.send.len();
        if let Err(reason) = self.settle(now, claim, verdict, out) {
            self.counters.dropped(reason);
        }
        for answer in &mut out.send[before..] {
            answer.local = claim.local;
        }
    }

    fn settle(&mut self, now: Now, claim: &Claim, verdict: Verdict, out: &mut Output) -> Handled {
        let slot = self.devices.find(claim.device.0);
        let slot = slot.ok_or(Reason::UnknownDevice)?;
        let known = self.devices.get_mut(slot).ok_or(Reason::UnknownDevice)?;
        // Meanwhile the device got another key, or the node gave up and joins again.
        let asked = self.asked.get(&slot);
        if known.device.row != claim.row || asked.is_none_or(|it| it.counter != claim.counter) {
            return Err(Reason::Unclaimed);
        }
        match verdict {
            Verdict::Granted => {}
            Verdict::Late => {
                known.device.joined = known.device.joined.max(claim.counter);
                self.asked.remove(&slot);
                return Err(Reason::Elsewhere);
            }
            Verdict::Fenced => {
                self.asked.remove(&slot);
                return Err(Reason::NotOwner);
            }
            // Keep what was asked, so that repetitions do not ask a server that is away.
            Verdict::Unknown => return Err(Reason::Unclaimed),
        }
        self.asked.remove(&slot);
        if known.device.revoked {
            return Err(Reason::Revoked);
        }
        // The lease may have ended while the registry decided.
        if self.fence(now, claim.device)? != claim.fence {
            return Err(Reason::NotOwner);
        }
        let known = self.devices.get(slot).ok_or(Reason::UnknownDevice)?;
        let Ok(Frame::JoinRequest(request)) = Frame::parse(&claim.request) else {
            return Err(Reason::Malformed);
        };
        let opened = JoinOpened::open(known.device.suite, &known.device.key, &request)
            .map_err(|refusal| refusal.reason())?;
        if opened.counter() <= known.device.joined {
            return Err(Reason::ReplayedJoin);
        }
        self.accept_join(now, claim.from, slot, opened, &request, out)
    }
}
