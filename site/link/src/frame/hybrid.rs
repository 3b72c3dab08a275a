//! The frames that only a hybrid pairing has: PAIR-OPEN, PAIR-STEP, PAIR-PIECE, and its
//! PAIR-COMMIT.

use super::fields::{Fields, concat, first};
use super::malformed::{FRAME_MAX, Malformed};
use crate::{DeviceId, Kem, Suite};

/// Bytes of PAIR-STEP and PAIR-PIECE before the piece.
const HEADER: usize = 6;

/// Maximum size of a piece, bytes.
pub const PIECE_MAX: usize = FRAME_MAX - HEADER;

/// PAIR-OPEN: `e0 || mark || id || suite || k`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairOpen<'a> {
    /// The whole frame, for the chain of hashes.
    pub bytes: &'a [u8; PairOpen::BYTES],
    /// The attempt's name in the next frames.
    pub mark: [u8; 4],
    /// The node's id.
    pub device: DeviceId,
    /// The node's suite.
    pub suite: Suite,
    /// The key encapsulation that the node is compiled with.
    pub kem: Kem,
}

impl<'a> PairOpen<'a> {
    /// Size of the frame, bytes.
    pub const BYTES: usize = 11;

    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut fields = Fields::of(bytes);
        let frame = Self {
            bytes: fields.whole()?,
            mark: *fields.array()?,
            device: fields.device()?,
            suite: fields.suite()?,
            kem: fields.kem()?,
        };
        fields.end().map(|()| frame)
    }

    /// Encodes the frame.
    pub fn encode(
        mark: [u8; 4],
        device: DeviceId,
        suite: Suite,
        kem: Kem,
    ) -> [u8; PairOpen::BYTES] {
        concat(&[
            &[first::PAIR_OPEN],
            &mark,
            &device.to_bytes(),
            &[suite.code(), kem.code()],
        ])
    }
}

/// A frame with a step's number, and a piece that may be empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Numbered<'a> {
    /// The whole frame, for the chain of hashes.
    pub bytes: &'a [u8],
    /// The attempt's name.
    pub mark: [u8; 4],
    /// The number of the step.
    pub step: u8,
    /// What is sent, at most [`PIECE_MAX`] bytes.
    pub piece: &'a [u8],
}

impl<'a> Numbered<'a> {
    fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut fields = Fields::of(bytes);
        let mark = *fields.array()?;
        let &[step] = fields.array()?;
        Ok(Numbered {
            bytes,
            mark,
            step,
            piece: fields.rest,
        })
    }
}

/// PAIR-STEP: `e1 || mark || n || piece`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairStep<'a>(pub Numbered<'a>);

/// PAIR-PIECE: `e2 || mark || n || piece`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairPiece<'a>(pub Numbered<'a>);

fn encode(first: u8, mark: [u8; 4], step: u8, piece: &[u8]) -> Vec<u8> {
    debug_assert!(piece.len() <= PIECE_MAX);
    [&[first], &mark[..], &[step], piece].concat()
}

impl<'a> PairStep<'a> {
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        Numbered::parse(bytes).map(PairStep)
    }

    /// Encodes the frame. A piece has at most [`PIECE_MAX`] bytes.
    pub fn encode(mark: [u8; 4], step: u8, piece: &[u8]) -> Vec<u8> {
        encode(first::PAIR_STEP, mark, step, piece)
    }
}

impl<'a> PairPiece<'a> {
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        Numbered::parse(bytes).map(PairPiece)
    }

    /// Encodes the frame. A piece has at most [`PIECE_MAX`] bytes.
    pub fn encode(mark: [u8; 4], step: u8, piece: &[u8]) -> Vec<u8> {
        encode(first::PAIR_PIECE, mark, step, piece)
    }
}

/// PAIR-COMMIT of a hybrid pairing: `1k || id || suite || commitment || check`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HybridCommit<'a> {
    /// The whole frame, for the transcript hash.
    pub bytes: &'a [u8; HybridCommit::BYTES],
    /// The key encapsulation.
    pub kem: Kem,
    /// The node's id.
    pub device: DeviceId,
    /// The node's suite.
    pub suite: Suite,
    /// HASH over the node's ephemeral key, `r` and h.
    pub commitment: &'a [u8; 32],
    /// The beginning of h.
    pub check: &'a [u8; 20],
}

impl<'a> HybridCommit<'a> {
    /// Size of the frame, bytes.
    pub const BYTES: usize = FRAME_MAX;

    /// The first byte, which the commitment also covers.
    pub(crate) const fn first(kem: Kem) -> u8 {
        first::PAIR_COMMIT | kem.code()
    }

    /// `bytes` begins with PAIR-COMMIT and a flag that is not 0.
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let first = bytes[0];
        let mut fields = Fields::of(bytes);
        let frame = Self {
            bytes: fields.whole()?,
            kem: Kem::from_code(first & 0x0f).ok_or(Malformed::Flags { first })?,
            device: fields.device()?,
            suite: fields.suite()?,
            commitment: fields.array()?,
            check: fields.array()?,
        };
        fields.end().map(|()| frame)
    }

    /// Encodes the frame.
    pub fn encode(
        kem: Kem,
        device: DeviceId,
        suite: Suite,
        commitment: &[u8; 32],
        check: &[u8; 20],
    ) -> [u8; HybridCommit::BYTES] {
        concat(&[
            &[Self::first(kem)],
            &device.to_bytes(),
            &[suite.code()],
            commitment,
            check,
        ])
    }
}
