//! Sealed packets: UP, DOWN, DOWN-RESUMED, and their flags.

use super::fields::{Fields, first};
use super::malformed::{FRAME_MAX, Malformed};
use crate::session_id::SessionId;

/// Direction of a sealed packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the node.
    Up,
    /// From the gateway.
    Down,
}

impl Direction {
    /// The first byte of UP or DOWN, without flags.
    pub(crate) const fn first(self) -> u8 {
        match self {
            Direction::Up => first::UP,
            Direction::Down => first::DOWN,
        }
    }

    /// The first byte of DOWN-RESUMED, without flags. Only the gateway resumes sessions.
    pub(crate) const RESUMED: u8 = first::DOWN_RESUMED;
}

/// The flags of UP and DOWN [docs/protocol.md, Data].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flags {
    /// The session id has four bytes.
    pub wide: bool,
    /// The tag has 16 bytes.
    pub long_tag: bool,
    /// The receiver must acknowledge the packet.
    pub ack_request: bool,
    /// The plaintext begins with the counter of an acknowledged packet.
    pub ack: bool,
}

impl Flags {
    pub(super) const WIDE: u8 = 1;
    const LONG_TAG: u8 = 2;
    const ACK_REQUEST: u8 = 4;
    const ACK: u8 = 8;

    /// Decodes the low four bits of a first byte.
    pub const fn from_bits(first: u8) -> Self {
        Flags {
            wide: first & Flags::WIDE != 0,
            long_tag: first & Flags::LONG_TAG != 0,
            ack_request: first & Flags::ACK_REQUEST != 0,
            ack: first & Flags::ACK != 0,
        }
    }

    /// Encodes the flags as the low four bits of the first byte.
    pub const fn bits(self) -> u8 {
        (if self.wide { Flags::WIDE } else { 0 })
            | (if self.long_tag { Flags::LONG_TAG } else { 0 })
            | (if self.ack_request {
                Flags::ACK_REQUEST
            } else {
                0
            })
            | (if self.ack { Flags::ACK } else { 0 })
    }

    /// Size of the header of UP and DOWN, bytes.
    pub const fn header_bytes(self) -> usize {
        if self.wide { 7 } else { 5 }
    }

    /// Size of the tag, bytes.
    pub const fn tag_bytes(self) -> usize {
        if self.long_tag { 16 } else { 8 }
    }

    /// Maximum payload of an UP or DOWN with these flags, bytes.
    pub const fn payload_max(self) -> usize {
        FRAME_MAX - self.header_bytes() - self.tag_bytes() - self.ack_bytes()
    }

    /// Bytes before the payload in the plaintext: the acknowledged counter.
    pub(crate) const fn ack_bytes(self) -> usize {
        if self.ack { 2 } else { 0 }
    }
}

/// Size of a start nonce, bytes.
pub const START_BYTES: usize = 4;

/// UP or DOWN: `type and flags || session id || counter || ciphertext || tag`. DOWN-RESUMED has
/// the start nonce before the counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Data<'a> {
    /// The direction.
    pub direction: Direction,
    /// The flags.
    pub flags: Flags,
    /// The session.
    pub session: SessionId,
    /// The start nonce of DOWN-RESUMED.
    pub start: Option<&'a [u8; START_BYTES]>,
    /// The low 16 bits of the packet's counter.
    pub counter: u16,
    /// The associated data: all bytes before the ciphertext, 5 to 11 bytes.
    pub header: &'a [u8],
    /// As long as the plaintext. At least 2 bytes with [`Flags::ack`].
    pub ciphertext: &'a [u8],
    /// 8 bytes, or 16 with [`Flags::long_tag`].
    pub tag: &'a [u8],
}

impl<'a> Data<'a> {
    pub(super) fn parse(
        bytes: &'a [u8],
        direction: Direction,
        resumed: bool,
    ) -> Result<Self, Malformed> {
        let mut fields = Fields::of(bytes);
        let flags = Flags::from_bits(bytes[0]);
        let session = fields.session(flags.wide)?;
        let start = if resumed { Some(fields.array()?) } else { None };
        let counter = u16::from_le_bytes(*fields.array()?);
        let sealed = fields.rest;
        let ciphertext_bytes = sealed
            .len()
            .checked_sub(flags.tag_bytes())
            .filter(|&bytes| bytes >= flags.ack_bytes())
            .ok_or(fields.wrong_size())?;
        let (ciphertext, tag) = sealed.split_at(ciphertext_bytes);
        let header = &bytes[..bytes.len() - sealed.len()];
        Ok(Self {
            direction,
            flags,
            session,
            start,
            counter,
            header,
            ciphertext,
            tag,
        })
    }
}
