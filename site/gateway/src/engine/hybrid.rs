//! The first part of a hybrid pairing: a secret by ML-KEM, in steps [docs/protocol.md, Hybrid
//! pairing]. A PAIR-OPEN takes the place of a PAIR-COMMIT: it spends one of the window's PAIR-KEYs
//! and is an attempt, so the number of guesses and the work of the gateway stay bounded.

use selo_link::frame::{HybridCommit, PairOpen, PairStep};
use selo_link::hybrid::{GatewayOpening, Stepped};
use selo_link::{EphemeralSecret, Reason};

use super::core::Engine;
use super::limits::HANDSHAKE_COST;
use super::output::{Handled, Output};
use super::window::{OPENING_MS, Open, PIECES_MAX, REVEAL_MS, STEP_MS, Stage, Underway};
use crate::clock::Now;
use crate::counters::{Count, Kind};
use crate::peer::Peer;

impl Engine {
    pub(super) fn pair_open(
        &mut self,
        now: Now,
        from: Peer,
        frame: &PairOpen<'_>,
        out: &mut Output,
    ) -> Handled {
        let open = self.pairing.open.as_ref().ok_or(Reason::NotPairing)?;
        let gone_on = |it: &Underway| !matches!(it.stage, Stage::Opened { .. });
        if open.find(frame.bytes).is_some_and(gone_on) {
            return Err(Reason::NotPairing);
        }
        match open.opened(frame.mark) {
            // A repetition: the answer was lost, unless the node has already gone on.
            Some(at) if open.attempts[at].request == frame.bytes => self.give_piece(
                now,
                from,
                at,
                |opening| opening.is_last(frame.bytes).then_some(Stepped::Again),
                out,
            ),
            Some(_) => Err(Reason::NotPairing),
            None => self.request_attempt(now, from, frame.bytes, out),
        }
    }

    /// Makes a key pair for a new attempt.
    pub(super) fn first_piece(
        &mut self,
        now: Now,
        open: &PairOpen<'_>,
        out: &mut Output,
    ) -> Option<(Stage, u64, Kind, Vec<u8>)> {
        let seed = self.secret::<64>(out)?;
        self.counters.add(Count::KemOperations, 1);
        let opening = Box::new(GatewayOpening::start(open, &seed));
        let answer = opening.answer().to_vec();
        let stage = Stage::Opened {
            opening,
            pieces: 1,
            last_ms: now.steady_ms + OPENING_MS,
        };
        Some((stage, now.steady_ms + STEP_MS, Kind::PairPiece, answer))
    }

    pub(super) fn pair_step(
        &mut self,
        now: Now,
        from: Peer,
        step: &PairStep<'_>,
        out: &mut Output,
    ) -> Handled {
        let open = self.pairing.open.as_ref().ok_or(Reason::NotPairing)?;
        let at = open.opened(step.0.mark).ok_or(Reason::NotPairing)?;
        self.give_piece(now, from, at, |opening| opening.step(step).ok(), out)
    }

    /// Processes a frame of an opened attempt, and answers it. Frames from another address than that
    /// of its PAIR-OPEN cannot spoil it.
    fn give_piece(
        &mut self,
        now: Now,
        from: Peer,
        at: usize,
        take: impl FnOnce(&mut GatewayOpening) -> Option<Stepped>,
        out: &mut Output,
    ) -> Handled {
        if !self.source_may(now, from, 1) {
            return Err(Reason::RateLimited);
        }
        let attempts = self.pairing.open.as_mut().map(|open| &mut open.attempts);
        let underway = attempts.and_then(|attempts| attempts.get_mut(at));
        let Some(Underway {
            peer,
            until_ms,
            stage:
                Stage::Opened {
                    opening,
                    pieces,
                    last_ms,
                },
            ..
        }) = underway
        else {
            return Err(Reason::NotPairing);
        };
        if *peer != from {
            return Err(Reason::NotPairing);
        }
        if *pieces == PIECES_MAX {
            return Err(Reason::RateLimited);
        }
        if take(opening).ok_or(Reason::NotPairing)? == Stepped::On {
            *until_ms = (now.steady_ms + STEP_MS).min(*last_ms);
        }
        *pieces += 1;
        let answer = opening.answer().to_vec();
        self.charge(now, from, 1);
        self.answer(from, Kind::PairPiece, &answer, out);
        Ok(())
    }

    pub(super) fn hybrid_commit(
        &mut self,
        now: Now,
        from: Peer,
        commit: &HybridCommit<'_>,
        out: &mut Output,
    ) -> Handled {
        let open = self.pairing.open.as_ref().ok_or(Reason::NotPairing)?;
        let mut refused = Reason::NotPairing;
        let mut found = None;
        for (at, underway) in open.attempts.iter().enumerate() {
            match &underway.stage {
                Stage::Keyed(pairing) if pairing.commit() == commit.bytes => {
                    let key = *pairing.key();
                    return self.repeat_key(now, from, &key, out);
                }
                Stage::Opened { opening, .. } if opening.device() == commit.device => {
                    match opening.check(commit) {
                        Ok(()) => found = Some(at),
                        Err(refusal) => refused = refusal.reason(),
                    }
                }
                _ => {}
            }
        }
        let at = found.ok_or(refused)?;
        if !self.source_may(now, from, HANDSHAKE_COST) {
            return Err(Reason::RateLimited);
        }
        self.charge(now, from, HANDSHAKE_COST);
        self.key_attempt(now, from, at, commit, out)
    }

    /// Decapsulates, and answers with the PAIR-KEY that the attempt has taken at its PAIR-OPEN.
    fn key_attempt(
        &mut self,
        now: Now,
        from: Peer,
        at: usize,
        commit: &HybridCommit<'_>,
        out: &mut Output,
    ) -> Handled {
        let Some(secret) = self.secret::<32>(out) else {
            return Ok(());
        };
        let attempts = self.pairing.open.as_mut().map(|open| &mut open.attempts);
        let Some(underway) = attempts.and_then(|attempts| attempts.get_mut(at)) else {
            return Err(Reason::NotPairing);
        };
        let Stage::Opened { opening, .. } = &underway.stage else {
            return Err(Reason::NotPairing);
        };
        self.counters.add(Count::KemOperations, 1);
        self.counters.add(Count::Multiplications, 1);
        let (pairing, key) = opening
            .commit(commit, EphemeralSecret::new(*secret))
            .map_err(|refusal| refusal.reason())?;
        underway.stage = Stage::Keyed(Box::new(pairing));
        underway.until_ms = now.steady_ms + REVEAL_MS;
        self.answer(from, Kind::PairKey, &key, out);
        Ok(())
    }
}

impl Open {
    /// The opened attempt with this mark.
    fn opened(&self, mark: [u8; 4]) -> Option<usize> {
        self.attempts.iter().position(|underway| {
            matches!(&underway.stage, Stage::Opened { opening, .. } if opening.mark() == mark)
        })
    }
}
