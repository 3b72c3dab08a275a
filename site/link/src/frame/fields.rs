//! The first bytes of frames, and the reading and writing of fixed fields.

use super::malformed::Malformed;
use crate::session_id::SessionId;
use crate::{DeviceId, Kem, Suite};

/// First bytes. UP, DOWN and DOWN-RESUMED also carry flags in the low four bits.
pub(super) mod first {
    pub const PAIR_COMMIT: u8 = 0x10;
    pub const PAIR_KEY: u8 = 0x20;
    pub const PAIR_REVEAL: u8 = 0x30;
    pub const PAIR_RESULT: u8 = 0x40;
    pub const JOIN_REQUEST: u8 = 0x50;
    pub const JOIN_ACCEPT: u8 = 0x60;
    pub const UP: u8 = 0x70;
    pub const DOWN: u8 = 0x80;
    pub const HINT: u8 = 0x90;
    pub const COOKIE: u8 = 0xa0;
    pub const COOKIE_ECHO: u8 = 0xb0;
    pub const CLASSIC: u8 = 0xc0;
    pub const DOWN_RESUMED: u8 = 0xd0;
    pub const PAIR_OPEN: u8 = 0xe0;
    pub const PAIR_STEP: u8 = 0xe1;
    pub const PAIR_PIECE: u8 = 0xe2;
}

/// Reads the fields of a packet in order, after its first byte.
pub(super) struct Fields<'a> {
    bytes: &'a [u8],
    pub(super) rest: &'a [u8],
}

impl<'a> Fields<'a> {
    /// `bytes` must not be empty.
    pub(super) fn of(bytes: &'a [u8]) -> Self {
        Fields {
            bytes,
            rest: &bytes[1..],
        }
    }

    pub(super) fn wrong_size(&self) -> Malformed {
        Malformed::Size {
            first: self.bytes[0],
            bytes: self.bytes.len(),
        }
    }

    pub(super) fn whole<const N: usize>(&self) -> Result<&'a [u8; N], Malformed> {
        self.bytes.try_into().map_err(|_| self.wrong_size())
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<&'a [u8; N], Malformed> {
        let (array, rest) = self.rest.split_first_chunk().ok_or(self.wrong_size())?;
        self.rest = rest;
        Ok(array)
    }

    pub(super) fn device(&mut self) -> Result<DeviceId, Malformed> {
        self.array().copied().map(DeviceId::from_bytes)
    }

    pub(super) fn suite(&mut self) -> Result<Suite, Malformed> {
        let &[code] = self.array()?;
        Suite::from_code(code).ok_or(Malformed::UnknownSuite { code })
    }

    pub(super) fn kem(&mut self) -> Result<Kem, Malformed> {
        let &[code] = self.array()?;
        Kem::from_code(code).ok_or(Malformed::UnknownKem { code })
    }

    pub(super) fn session(&mut self, wide: bool) -> Result<SessionId, Malformed> {
        if !wide {
            return Ok(SessionId(u16::from_le_bytes(*self.array()?).into()));
        }
        let session = SessionId(u32::from_le_bytes(*self.array()?));
        if session.is_wide() {
            Ok(session)
        } else {
            Err(Malformed::NotWide { session })
        }
    }

    pub(super) fn end(self) -> Result<(), Malformed> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(self.wrong_size())
        }
    }
}

/// Concatenates the parts, which must have `N` bytes in total.
pub(super) fn concat<const N: usize>(parts: &[&[u8]]) -> [u8; N] {
    let mut frame = [0; N];
    let mut at = 0;
    for part in parts {
        frame[at..at + part.len()].copy_from_slice(part);
        at += part.len();
    }
    debug_assert_eq!(at, N);
    frame
}
