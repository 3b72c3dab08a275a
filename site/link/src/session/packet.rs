//! What sealing and opening take and return.

use crate::Reason;

/// Options of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SealOptions {
    /// Request an acknowledgement of this packet.
    pub ack_request: bool,
    /// Acknowledge the packet whose counter has these low 16 bits.
    pub ack: Option<u16>,
}

/// A sealed packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sealed<'o> {
    /// Its counter.
    pub counter: u64,
    /// Its bytes.
    pub frame: &'o [u8],
}

/// Reason why a payload cannot be sealed. The session is unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SealError {
    /// The payload does not fit one frame.
    #[error("the payload has {bytes} bytes; a packet of this session carries at most {max}")]
    TooLong {
        /// Size of the payload, bytes.
        bytes: usize,
        /// Maximum size, bytes.
        max: usize,
    },
    /// The session has used all counters, or has received too many forgeries.
    #[error("the session has ended\nhint: the node must join again")]
    Ended,
}

/// The content of an authenticated packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opened<'o> {
    /// Its full counter. (device, session, counter) identifies a reading.
    pub counter: u64,
    /// The payload, without the acknowledgement.
    pub payload: &'o [u8],
    /// True if the sender requests an acknowledgement; see
    /// [`Session::seal`](super::Session::seal).
    pub ack_request: bool,
    /// The acknowledgement in the packet.
    /// [`Session::acknowledged`](super::Session::acknowledged) completes its counter.
    pub ack: Option<u16>,
    /// True if its counter is the highest so far. Only such a packet updates the peer's
    /// address.
    pub newest: bool,
}

impl Opened<'_> {
    /// True for an acknowledgement without a payload, which is not delivered.
    pub const fn only_acknowledges(&self) -> bool {
        self.ack.is_some() && self.payload.is_empty()
    }
}

/// Reason why a packet is not delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// It belongs to another session, or has the wrong direction.
    #[error("the packet belongs to another session")]
    UnknownSession,
    /// Its tag length differs from the session's.
    #[error("the packet's tag length differs from its session's")]
    TagLength,
    /// Its tag is wrong.
    #[error("the packet's tag is wrong")]
    Forged,
    /// Its tag is right, but its counter was accepted before. If it requests an
    /// acknowledgement, the first one was lost: acknowledge it again, at most once a second per
    /// session.
    #[error("packet {counter} was received before")]
    Again {
        /// Its counter.
        counter: u64,
        /// True if it requests an acknowledgement.
        ack_request: bool,
    },
    /// Its counter is below the window or above the counter limit. The tag was not checked.
    #[error("the packet's counter is outside of the window")]
    OutsideWindow,
    /// The session has received too many forgeries.
    #[error("the session has ended\nhint: the node must join again")]
    Ended,
}

impl OpenError {
    /// The reason under which the gateway counts the packet.
    pub const fn reason(&self) -> Reason {
        match self {
            OpenError::UnknownSession | OpenError::Ended => Reason::UnknownSession,
            OpenError::TagLength => Reason::Malformed,
            OpenError::Forged => Reason::Forged,
            OpenError::Again { .. } | OpenError::OutsideWindow => Reason::Replayed,
        }
    }
}
