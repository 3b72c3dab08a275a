//! The first part of a hybrid pairing, at the gateway: a secret by ML-KEM, in steps of one frame
//! each way [docs/protocol.md, Hybrid pairing].
//!
//! ```text
//! node                                     gateway
//!               -- PAIR-OPEN   ->          GatewayOpening::start
//!               <- PAIR-PIECE  --          GatewayOpening::answer
//!               -- PAIR-STEP   ->          GatewayOpening::step
//!               <- PAIR-PIECE  --          GatewayOpening::answer, until is_complete
//!               -- PAIR-COMMIT ->          GatewayOpening::commit
//! ```
//!
//! The rest is that of [`crate::pair`]. The node is written in C (`src/selo/link`).

use std::fmt;

use sha3::{Digest, Sha3_256};
use subtle::ConstantTimeEq;

use crate::frame::{HybridCommit, PIECE_MAX, PairKey, PairOpen, PairPiece, PairStep};
use crate::kem::{Kem, KeyPair};
use crate::pair::{GatewayPairing, Second};
use crate::{DeviceId, EphemeralSecret, Refusal, Suite, primitives};

/// The piece that one side sends in a step. The other side's frame carries none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Gateway: the hash of the encapsulation key.
    KeyHash,
    /// Gateway: the last 32 bytes of the key.
    Rho,
    /// Node: these bytes of the ciphertext.
    Ciphertext(std::ops::Range<usize>),
    /// Gateway: these bytes of the key.
    Key(std::ops::Range<usize>),
}

/// The piece of a step. `None` after the last one.
pub fn piece_of(kem: Kem, step: u8) -> Option<Piece> {
    let (u, t) = (kem.u_bytes(), kem.t_bytes());
    let of = |step: usize, bytes: usize| {
        let start = step * PIECE_MAX;
        start..bytes.min(start + PIECE_MAX)
    };
    let at_v = |range: std::ops::Range<usize>| u + range.start..u + range.end;
    let pieces = |bytes: usize| bytes.div_ceil(PIECE_MAX);
    let step = match step {
        0 => return Some(Piece::KeyHash),
        1 => return Some(Piece::Rho),
        step => usize::from(step) - 2,
    };
    let (t_begins, v_begins) = (pieces(u), pieces(u) + pieces(t));
    if step < t_begins {
        Some(Piece::Ciphertext(of(step, u)))
    } else if step < v_begins {
        Some(Piece::Key(of(step - t_begins, t)))
    } else if step < v_begins + pieces(Kem::V_BYTES) {
        Some(Piece::Ciphertext(at_v(of(step - v_begins, Kem::V_BYTES))))
    } else {
        None
    }
}

/// The number of steps.
pub fn steps(kem: Kem) -> u8 {
    (0..)
        .find(|step| piece_of(kem, *step).is_none())
        .unwrap_or(0)
}

/// The gateway's state from PAIR-OPEN to PAIR-COMMIT.
pub struct GatewayOpening {
    mark: [u8; 4],
    device: DeviceId,
    suite: Suite,
    kem: Kem,
    keys: KeyPair,
    encapsulation_key: Vec<u8>,
    ciphertext: Vec<u8>,
    /// The chain of hashes over the frames.
    h: [u8; 32],
    /// The last frame of the node, and the answer to it.
    last: Vec<u8>,
    answer: Vec<u8>,
    /// The step that comes next.
    next: u8,
}

/// The result of a PAIR-STEP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stepped {
    /// The step was new.
    On,
    /// It was answered before: the answer was lost.
    Again,
}

impl GatewayOpening {
    /// Answers a PAIR-OPEN. `seed` must be fresh and random. Costs one key pair of ML-KEM.
    pub fn start(open: &PairOpen<'_>, seed: &[u8; 64]) -> Self {
        let (keys, encapsulation_key) = KeyPair::new(open.kem, seed);
        let answer = PairPiece::encode(open.mark, 0, &Sha3_256::digest(&encapsulation_key));
        let h = chain(open.suite, &[0; 32], open.bytes);
        GatewayOpening {
            mark: open.mark,
            device: open.device,
            suite: open.suite,
            kem: open.kem,
            keys,
            encapsulation_key,
            ciphertext: vec![0; open.kem.u_bytes() + Kem::V_BYTES],
            h: chain(open.suite, &h, &answer),
            last: open.bytes.to_vec(),
            answer,
            next: 1,
        }
    }

    /// The attempt's name in frames.
    pub const fn mark(&self) -> [u8; 4] {
        self.mark
    }

    /// The node's id.
    pub const fn device(&self) -> DeviceId {
        self.device
    }

    /// The node's suite.
    pub const fn suite(&self) -> Suite {
        self.suite
    }

    /// The key encapsulation.
    pub const fn kem(&self) -> Kem {
        self.kem
    }

    /// The answer to the last frame of the node. The same frame gets the same answer.
    pub fn answer(&self) -> &[u8] {
        &self.answer
    }

    /// True if the frame is the last one of the node, whose answer was lost.
    pub fn is_last(&self, frame: &[u8]) -> bool {
        self.last == frame
    }

    /// Processes a PAIR-STEP. Then send [`GatewayOpening::answer`].
    ///
    /// # Errors
    /// [`Refusal::NotPairing`] if it belongs to another attempt or is not the next step; the attempt
    /// continues.
    pub fn step(&mut self, step: &PairStep<'_>) -> Result<Stepped, Refusal> {
        let frame = &step.0;
        if frame.mark != self.mark {
            return Err(Refusal::NotPairing);
        }
        if self.is_last(frame.bytes) {
            return Ok(Stepped::Again);
        }
        let piece = piece_of(self.kem, frame.step).filter(|_| frame.step == self.next);
        let given: &[u8] = match piece.ok_or(Refusal::NotPairing)? {
            Piece::Ciphertext(range) if range.len() == frame.piece.len() => {
                self.ciphertext[range].copy_from_slice(frame.piece);
                self.h = chain(self.suite, &self.h, frame.bytes);
                &[]
            }
            Piece::Rho if frame.piece.is_empty() => &self.encapsulation_key[self.kem.t_bytes()..],
            Piece::Key(range) if frame.piece.is_empty() => &self.encapsulation_key[range],
            _ => return Err(Refusal::NotPairing),
        };
        self.answer = PairPiece::encode(self.mark, frame.step, given);
        self.last = frame.bytes.to_vec();
        self.next += 1;
        Ok(Stepped::On)
    }

    /// True if all steps are done.
    pub fn is_complete(&self) -> bool {
        piece_of(self.kem, self.next).is_none()
    }

    /// Checks that a PAIR-COMMIT is that of this attempt.
    ///
    /// # Errors
    /// [`Refusal::NotPairing`] if the steps are not complete or it belongs to another node,
    /// [`Refusal::Commitment`] if the frames of this attempt are not those that the node has seen.
    /// The attempt continues.
    pub fn check(&self, commit: &HybridCommit<'_>) -> Result<(), Refusal> {
        let of_this = (commit.device, commit.suite, commit.kem);
        if !self.is_complete() || of_this != (self.device, self.suite, self.kem) {
            return Err(Refusal::NotPairing);
        }
        if !bool::from(commit.check[..].ct_eq(&self.h[..commit.check.len()])) {
            return Err(Refusal::Commitment);
        }
        Ok(())
    }

    /// Answers the PAIR-COMMIT of this attempt: returns the pairing and the PAIR-KEY. Costs one
    /// decapsulation and one scalar multiplication.
    ///
    /// # Errors
    /// Those of [`GatewayOpening::check`].
    pub fn commit(
        &self,
        commit: &HybridCommit<'_>,
        ephemeral: EphemeralSecret,
    ) -> Result<(GatewayPairing, [u8; PairKey::BYTES]), Refusal> {
        self.check(commit)?;
        let secret = self.keys.decapsulate(&self.ciphertext);
        let second = Second {
            kem: self.kem,
            h: self.h,
            secret: secret.ok_or(Refusal::NotPairing)?,
        };
        Ok(GatewayPairing::start_hybrid(commit, ephemeral, second))
    }
}

impl fmt::Debug for GatewayOpening {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let GatewayOpening {
            device, kem, next, ..
        } = self;
        write!(formatter, "GatewayOpening({device}, {kem}, {next}, ..)")
    }
}

/// HASH(h || frame).
fn chain(suite: Suite, h: &[u8; 32], frame: &[u8]) -> [u8; 32] {
    primitives::hash(suite, &[h, frame])
}
