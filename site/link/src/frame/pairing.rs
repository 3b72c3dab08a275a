//! The frames of pairing: PAIR-COMMIT, PAIR-KEY, PAIR-REVEAL, PAIR-RESULT.

use super::fields::{Fields, concat, first};
use super::malformed::Malformed;
use crate::{DeviceId, Suite};

/// PAIR-COMMIT: `10 || id || suite || commitment`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairCommit<'a> {
    /// The whole frame, for the transcript hash.
    pub bytes: &'a [u8; PairCommit::BYTES],
    /// The node's id.
    pub device: DeviceId,
    /// The node's suite.
    pub suite: Suite,
    /// HASH over the node's ephemeral key and `r`.
    pub commitment: &'a [u8; 32],
}

impl<'a> PairCommit<'a> {
    /// Size of the frame, bytes.
    pub const BYTES: usize = 38;

    /// The first byte, which the commitment also covers.
    pub(crate) const FIRST: u8 = first::PAIR_COMMIT;

    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut fields = Fields::of(bytes);
        let frame = Self {
            bytes: fields.whole()?,
            device: fields.device()?,
            suite: fields.suite()?,
            commitment: fields.array()?,
        };
        fields.end().map(|()| frame)
    }

    /// Encodes the frame.
    pub fn encode(
        device: DeviceId,
        suite: Suite,
        commitment: &[u8; 32],
    ) -> [u8; PairCommit::BYTES] {
        concat(&[
            &[first::PAIR_COMMIT],
            &device.to_bytes(),
            &[suite.code()],
            commitment,
        ])
    }
}

/// PAIR-KEY: `20 || id || e_g`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairKey<'a> {
    /// The whole frame, for the transcript hash.
    pub bytes: &'a [u8; PairKey::BYTES],
    /// The node's id.
    pub device: DeviceId,
    /// The gateway's ephemeral public key.
    pub ephemeral: &'a [u8; 32],
}

impl<'a> PairKey<'a> {
    /// Size of the frame, bytes.
    pub const BYTES: usize = 37;

    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut fields = Fields::of(bytes);
        let frame = Self {
            bytes: fields.whole()?,
            device: fields.device()?,
            ephemeral: fields.array()?,
        };
        fields.end().map(|()| frame)
    }

    /// Encodes the frame.
    pub fn encode(device: DeviceId, ephemeral: &[u8; 32]) -> [u8; PairKey::BYTES] {
        concat(&[&[first::PAIR_KEY], &device.to_bytes(), ephemeral])
    }
}

/// PAIR-REVEAL: `30 || id || e_n || r`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairReveal<'a> {
    /// The whole frame, for the transcript hash.
    pub bytes: &'a [u8; PairReveal::BYTES],
    /// The node's id.
    pub device: DeviceId,
    /// The node's ephemeral public key.
    pub ephemeral: &'a [u8; 32],
    /// The blinding value of the commitment.
    pub r: &'a [u8; 16],
}

impl<'a> PairReveal<'a> {
    /// Size of the frame, bytes.
    pub const BYTES: usize = 53;

    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut fields = Fields::of(bytes);
        let frame = Self {
            bytes: fields.whole()?,
            device: fields.device()?,
            ephemeral: fields.array()?,
            r: fields.array()?,
        };
        fields.end().map(|()| frame)
    }

    /// Encodes the frame.
    pub fn encode(device: DeviceId, ephemeral: &[u8; 32], r: &[u8; 16]) -> [u8; PairReveal::BYTES] {
        concat(&[&[first::PAIR_REVEAL], &device.to_bytes(), ephemeral, r])
    }
}

/// PAIR-RESULT: `40 or 41 || id || tag`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairResult<'a> {
    /// The bytes that the tag covers: the first byte and the id.
    pub header: &'a [u8; 5],
    /// The node's id.
    pub device: DeviceId,
    /// The decision in the frame. Trust it only after verifying the tag.
    pub confirmed: bool,
    /// The tag under the result key.
    pub tag: &'a [u8; 16],
}

impl<'a> PairResult<'a> {
    /// Size of the frame, bytes.
    pub const BYTES: usize = 21;

    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut fields = Fields::of(bytes);
        let (header, _) = bytes.split_first_chunk().ok_or(fields.wrong_size())?;
        let frame = Self {
            header,
            device: fields.device()?,
            confirmed: bytes[0] == first::PAIR_RESULT,
            tag: fields.array()?,
        };
        fields.end().map(|()| frame)
    }

    /// The bytes that the tag of a PAIR-RESULT covers.
    pub fn header(device: DeviceId, confirmed: bool) -> [u8; 5] {
        concat(&[
            &[first::PAIR_RESULT | u8::from(!confirmed)],
            &device.to_bytes(),
        ])
    }

    /// Encodes the frame.
    pub fn encode(device: DeviceId, confirmed: bool, tag: &[u8; 16]) -> [u8; PairResult::BYTES] {
        concat(&[&Self::header(device, confirmed), tag])
    }
}
