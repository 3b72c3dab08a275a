//! The packets of pairing nodes, and the time limits of their attempts.

use selo_link::frame::{Frame, PairCommit, PairReveal};
use selo_link::pair::{Compared, GatewayPairing};
use selo_link::{EphemeralSecret, Reason, Refusal};

use super::core::Engine;
use super::limits::HANDSHAKE_COST;
use super::output::{Handled, Output};
use super::window::{Attempt, COMPARE_MS, REVEAL_MS, Stage, Underway, WAITING_MS, Waiting};
use crate::clock::Now;
use crate::counters::{Count, Kind};
use crate::peer::Peer;

impl Engine {
    pub(super) fn pair_commit(
        &mut self,
        now: Now,
        from: Peer,
        commit: &PairCommit<'_>,
        out: &mut Output,
    ) -> Handled {
        let open = self.pairing.open.as_ref().ok_or(Reason::NotPairing)?;
        if let Some(underway) = open.find(commit.bytes) {
            // A repetition: the answer was lost, unless the node has already gone on.
            let Stage::Keyed(pairing) = &underway.stage else {
                return Err(Reason::NotPairing);
            };
            let key = *pairing.key();
            return self.repeat_key(now, from, &key, out);
        }
        self.request_attempt(now, from, commit.bytes, out)
    }

    /// Answers a repeated commitment with its PAIR-KEY again.
    pub(super) fn repeat_key(
        &mut self,
        now: Now,
        from: Peer,
        key: &[u8],
        out: &mut Output,
    ) -> Handled {
        if !self.source_may(now, from, 1) {
            return Err(Reason::RateLimited);
        }
        self.charge(now, from, 1);
        self.answer(from, Kind::PairKey, key, out);
        Ok(())
    }

    /// Begins an attempt for a PAIR-COMMIT or PAIR-OPEN at once, or lets it wait for the lot.
    pub(super) fn request_attempt(
        &mut self,
        now: Now,
        from: Peer,
        request: &[u8],
        out: &mut Output,
    ) -> Handled {
        let open = self.pairing.open.as_ref().ok_or(Reason::NotPairing)?;
        let at_once = open.waiting.is_empty() && open.has_room(from);
        if at_once && open.next_key() <= now.steady_ms {
            if !self.source_may(now, from, HANDSHAKE_COST) {
                return Err(Reason::RateLimited);
            }
            self.charge(now, from, HANDSHAKE_COST);
            self.begin_attempt(now, from, request, out);
            return Ok(());
        }
        let waiting = Waiting {
            request: request.to_vec(),
            peer: from,
            until_ms: now.steady_ms + WAITING_MS,
        };
        if let Some(lot) = self.random::<4>(out).map(u32::from_le_bytes)
            && let Some(open) = &mut self.pairing.open
        {
            open.wait(waiting, lot);
        }
        Ok(())
    }

    /// Answers a PAIR-COMMIT with a fresh key, or a PAIR-OPEN with the hash of one. A commitment
    /// must not depend on a key shown in an earlier attempt, so each attempt has its own.
    fn begin_attempt(&mut self, now: Now, from: Peer, request: &[u8], out: &mut Output) {
        let begun = match Frame::parse(request) {
            Ok(Frame::PairCommit(commit)) => self.first_key(now, &commit, out),
            Ok(Frame::PairOpen(open)) => self.first_piece(now, &open, out),
            _ => None,
        };
        let Some((stage, until_ms, kind, answer)) = begun else {
            return;
        };
        self.pairing.attempts += 1;
        let underway = Underway {
            attempt: self.pairing.attempts,
            peer: from,
            request: request.to_vec(),
            stage,
            until_ms,
        };
        let news = self.state_of(&underway);
        if let Some(open) = &mut self.pairing.open {
            open.spend_key(now);
            open.attempts.push(underway);
        }
        self.answer(from, kind, &answer, out);
        self.pairing_news(news, out);
    }

    /// The stage of a new attempt, the end of the stage, and the answer. `None` if there are no
    /// random numbers.
    fn first_key(
        &mut self,
        now: Now,
        commit: &PairCommit<'_>,
        out: &mut Output,
    ) -> Option<(Stage, u64, Kind, Vec<u8>)> {
        let secret = self.secret::<32>(out)?;
        self.counters.add(Count::Multiplications, 1);
        let (pairing, key) = GatewayPairing::start(commit, EphemeralSecret::new(*secret));
        let stage = Stage::Keyed(Box::new(pairing));
        Some((
            stage,
            now.steady_ms + REVEAL_MS,
            Kind::PairKey,
            key.to_vec(),
        ))
    }

    pub(super) fn pair_reveal(
        &mut self,
        now: Now,
        from: Peer,
        reveal: &PairReveal<'_>,
        out: &mut Output,
    ) -> Handled {
        let given = self
            .pairing
            .results
            .iter()
            .find(|given| given.reveal == *reveal.bytes && given.until_ms > now.steady_ms);
        if let Some(given) = given {
            let result = given.result;
            if !self.source_may(now, from, 1) {
                return Err(Reason::RateLimited);
            }
            self.charge(now, from, 1);
            self.answer(from, Kind::PairResult, &result, out);
            return Ok(());
        }
        let open = self.pairing.open.as_ref().ok_or(Reason::NotPairing)?;
        let of_device = |it: &&Underway| it.device() == reveal.device;
        let mut refused = Reason::NotPairing;
        let mut opened = None;
        for underway in open.attempts.iter().filter(of_device) {
            match &underway.stage {
                // Do not answer until the operator has decided.
                Stage::Comparing { reveal: taken, .. } if taken == reveal.bytes => return Ok(()),
                Stage::Comparing { .. } | Stage::Opened { .. } => {}
                Stage::Keyed(pairing) => match pairing.reveal(reveal) {
                    Ok(compared) => opened = Some((underway.attempt, Ok(compared))),
                    // The opened commitment proves that this attempt sent the bad key.
                    Err(Refusal::Key) => opened = Some((underway.attempt, Err(Reason::Key))),
                    // The reveal may belong to another attempt of this id; this attempt keeps
                    // waiting.
                    Err(refusal) => refused = refusal.reason(),
                },
            }
        }
        let Some((attempt, compared)) = opened else {
            return Err(refused);
        };
        match compared {
            Ok(compared) => self.compare(now, from, attempt, compared, *reveal.bytes, out),
            Err(reason) => {
                let why = |underway: &Underway| {
                    (underway.attempt == attempt).then_some("the node's public key is invalid")
                };
                self.fail_attempts(now, why, out);
                return Err(reason);
            }
        }
        Ok(())
    }

    /// The commitment is opened: the digits of this attempt can be typed from now on.
    fn compare(
        &mut self,
        now: Now,
        from: Peer,
        attempt: Attempt,
        compared: Compared,
        reveal: [u8; PairReveal::BYTES],
        out: &mut Output,
    ) {
        self.counters.add(Count::Multiplications, 1);
        let Some(open) = &mut self.pairing.open else {
            return;
        };
        let Some(underway) = open.attempts.iter_mut().find(|it| it.attempt == attempt) else {
            return;
        };
        underway.peer = from;
        underway.until_ms = now.steady_ms + COMPARE_MS;
        let compared = Box::new(compared);
        underway.stage = Stage::Comparing { compared, reveal };
        let news = self
            .pairing
            .open
            .iter()
            .flat_map(|open| &open.attempts)
            .find(|it| it.attempt == attempt)
            .map(|underway| self.state_of(underway));
        if let Some(news) = news {
            self.pairing_news(news, out);
        }
    }

    pub(super) fn pairing_tick(&mut self, now: Now, out: &mut Output) {
        self.pairing
            .results
            .retain(|given| given.until_ms > now.steady_ms);
        let Some(open) = &mut self.pairing.open else {
            return;
        };
        open.waiting
            .retain(|waiting| waiting.until_ms > now.steady_ms);
        if open.until_ms <= now.steady_ms {
            self.pairing_close(now, "it timed out", out);
            return;
        }
        self.fail_attempts(now, |underway| underway.is_late(now), out);
        self.draw_waiting(now, out);
    }

    /// Gives available PAIR-KEYs to waiting sources by lot. Each source has the same chance,
    /// however many packets it sends.
    fn draw_waiting(&mut self, now: Now, out: &mut Output) {
        loop {
            let Some(open) = &self.pairing.open else {
                return;
            };
            if open.next_draw().is_none_or(|due| due > now.steady_ms) {
                return;
            }
            let Some(lot) = self.random::<4>(out).map(u32::from_le_bytes) else {
                return;
            };
            let Some(open) = &mut self.pairing.open else {
                return;
            };
            let can: Vec<usize> = (0..open.waiting.len())
                .filter(|at| open.has_room(open.waiting[*at].peer))
                .collect();
            // `next_draw` guarantees a candidate.
            let Some(at) = can.get(lot as usize % can.len().max(1)) else {
                return;
            };
            let drawn = open.waiting.swap_remove(*at);
            self.begin_attempt(now, drawn.peer, &drawn.request, out);
            let has_begun = self.pairing.open.as_ref();
            if has_begun.is_none_or(|open| open.find(&drawn.request).is_none()) {
                // No random numbers were available; retry later.
                return;
            }
        }
    }
}
