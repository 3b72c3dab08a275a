//! The reasons why bytes are not a frame.

use crate::session_id::SessionId;

/// Maximum frame size, bytes: the payload of one packet of an E32 LoRa module.
pub const FRAME_MAX: usize = 58;

/// Reason why a packet is not a frame, or its decrypted content does not follow the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Malformed {
    /// The packet has no bytes.
    #[error("the packet is empty")]
    Empty,
    /// The packet is longer than any frame.
    #[error("the packet has {bytes} bytes; the longest frame has {FRAME_MAX}")]
    TooLong {
        /// Size of the packet, bytes.
        bytes: usize,
    },
    /// The first byte belongs to no frame type.
    #[error("no frame begins with {first:02x}")]
    UnknownType {
        /// The packet's first byte.
        first: u8,
    },
    /// Flags that this frame type does not allow.
    #[error("a frame that begins with {first:02x} has forbidden flags")]
    Flags {
        /// The packet's first byte.
        first: u8,
    },
    /// A size that this frame type does not allow.
    #[error("a frame that begins with {first:02x} cannot have {bytes} bytes")]
    Size {
        /// The packet's first byte.
        first: u8,
        /// Size of the packet, bytes.
        bytes: usize,
    },
    /// The flag WIDE with a session id below 65,536.
    #[error("session id {session} is encoded in four bytes but fits two")]
    NotWide {
        /// The session id in the frame.
        session: SessionId,
    },
    /// An unknown suite code in PAIR-COMMIT.
    #[error("there is no suite with code {code}")]
    UnknownSuite {
        /// The code.
        code: u8,
    },
    /// An unknown code of a KEM in PAIR-OPEN.
    #[error("there is no key encapsulation with code {code}")]
    UnknownKem {
        /// The code.
        code: u8,
    },
    /// Unknown option bits in a join.
    #[error("the join has unknown options {options:02x}")]
    Options {
        /// The decrypted option byte.
        options: u8,
    },
}
