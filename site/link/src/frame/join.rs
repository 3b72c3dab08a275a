//! The frames of a join: JOIN-REQUEST, JOIN-ACCEPT, COOKIE, COOKIE-ECHO.

use super::fields::{Fields, concat, first};
use super::malformed::Malformed;
use crate::DeviceId;

/// JOIN-REQUEST: `50 || id || e || sealed payload`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JoinRequest<'a> {
    /// The whole frame, to recognise repetitions.
    pub bytes: &'a [u8; JoinRequest::BYTES],
    /// The node's id.
    pub device: DeviceId,
    /// The node's ephemeral public key.
    pub ephemeral: &'a [u8; 32],
    /// Join counter and options, sealed under the device key, and the tag.
    pub sealed: &'a [u8; 21],
}

impl<'a> JoinRequest<'a> {
    /// Size of the frame, bytes.
    pub const BYTES: usize = 58;

    /// The first byte, which the prologue also covers.
    pub(crate) const FIRST: u8 = first::JOIN_REQUEST;

    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut fields = Fields::of(bytes);
        let frame = Self {
            bytes: fields.whole()?,
            device: fields.device()?,
            ephemeral: fields.array()?,
            sealed: fields.array()?,
        };
        fields.end().map(|()| frame)
    }

    /// Encodes the frame.
    pub fn encode(
        device: DeviceId,
        ephemeral: &[u8; 32],
        sealed: &[u8; 21],
    ) -> [u8; JoinRequest::BYTES] {
        concat(&[
            &[first::JOIN_REQUEST],
            &device.to_bytes(),
            ephemeral,
            sealed,
        ])
    }
}

impl JoinRequest<'_> {
    /// The last four bytes of the frame, a part of its tag. A COOKIE refers to its request by
    /// them. They cannot be guessed without seeing the request.
    pub fn mark(&self) -> [u8; 4] {
        let [.., a, b, c, d] = *self.bytes;
        [a, b, c, d]
    }
}

/// JOIN-ACCEPT: `60 || check || e || sealed payload`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JoinAccept<'a> {
    /// Four bytes that only the holder of the device key can compute.
    pub check: &'a [u8; 4],
    /// The gateway's ephemeral public key.
    pub ephemeral: &'a [u8; 32],
    /// Session id and options, sealed, and the tag.
    pub sealed: &'a [u8; 21],
}

impl<'a> JoinAccept<'a> {
    /// Size of the frame, bytes.
    pub const BYTES: usize = 58;

    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut fields = Fields::of(bytes);
        let frame = Self {
            check: fields.array()?,
            ephemeral: fields.array()?,
            sealed: fields.array()?,
        };
        fields.end().map(|()| frame)
    }

    /// Encodes the frame.
    pub fn encode(
        check: &[u8; 4],
        ephemeral: &[u8; 32],
        sealed: &[u8; 21],
    ) -> [u8; JoinAccept::BYTES] {
        concat(&[&[first::JOIN_ACCEPT], check, ephemeral, sealed])
    }
}

/// COOKIE: `a0 || mark || cookie`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cookie<'a> {
    /// The [mark](JoinRequest::mark) of the JOIN-REQUEST that this frame answers.
    pub mark: &'a [u8; 4],
    /// The cookie for the address that the request came from.
    pub cookie: &'a [u8; 8],
}

impl<'a> Cookie<'a> {
    /// Size of the frame, bytes. Smaller than the JOIN-REQUEST that it answers, so it cannot
    /// amplify.
    pub const BYTES: usize = 13;

    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut fields = Fields::of(bytes);
        let frame = Self {
            mark: fields.array()?,
            cookie: fields.array()?,
        };
        fields.end().map(|()| frame)
    }

    /// Encodes the frame.
    pub fn encode(mark: &[u8; 4], cookie: &[u8; 8]) -> [u8; Cookie::BYTES] {
        concat(&[&[first::COOKIE], mark, cookie])
    }
}

/// COOKIE-ECHO: `b0 || id || cookie`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CookieEcho<'a> {
    /// The node's id.
    pub device: DeviceId,
    /// The cookie from the gateway, unchanged.
    pub cookie: &'a [u8; 8],
}

impl<'a> CookieEcho<'a> {
    /// Size of the frame, bytes.
    pub const BYTES: usize = 13;

    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut fields = Fields::of(bytes);
        let frame = Self {
            device: fields.device()?,
            cookie: fields.array()?,
        };
        fields.end().map(|()| frame)
    }

    /// Encodes the frame.
    pub fn encode(device: DeviceId, cookie: &[u8; 8]) -> [u8; CookieEcho::BYTES] {
        concat(&[&[first::COOKIE_ECHO], &device.to_bytes(), cookie])
    }
}
