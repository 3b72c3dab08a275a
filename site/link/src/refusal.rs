//! Why a packet was dropped: the table of [docs/protocol.md, Errors], once.

use std::fmt;

use crate::frame::Malformed;

/// Why a packet is dropped, as the gateway counts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// Empty, too long, of unknown type, of wrong size, with forbidden flags.
    Malformed,
    /// No such device.
    UnknownDevice,
    /// The device has been revoked.
    Revoked,
    /// A pairing message outside of a pairing.
    NotPairing,
    /// PAIR-REVEAL does not open the commitment.
    Commitment,
    /// The shared secret is all-zero.
    Key,
    /// The tag of a join is wrong.
    ForgedJoin,
    /// The join counter is not above the highest accepted.
    ReplayedJoin,
    /// The check of a JOIN-ACCEPT is wrong; nodes only.
    WrongCheck,
    /// No such session.
    UnknownSession,
    /// The tag of a data packet, or of a PAIR-RESULT, is wrong.
    Forged,
    /// The counter has been seen, or is below the window.
    Replayed,
    /// A join under load that has to prove its address first, or a COOKIE-ECHO that proves nothing.
    Unproven,
    /// Too many from one source or device.
    RateLimited,
    /// Classic, while it is not allowed.
    ClassicRefused,
}

impl Reason {
    /// Every reason, in the order of the page.
    pub const ALL: [Reason; 15] = [
        Reason::Malformed,
        Reason::UnknownDevice,
        Reason::Revoked,
        Reason::NotPairing,
        Reason::Commitment,
        Reason::Key,
        Reason::ForgedJoin,
        Reason::ReplayedJoin,
        Reason::WrongCheck,
        Reason::UnknownSession,
        Reason::Forged,
        Reason::Replayed,
        Reason::Unproven,
        Reason::RateLimited,
        Reason::ClassicRefused,
    ];

    /// The label of the gateway's metric.
    pub const fn label(self) -> &'static str {
        match self {
            Reason::Malformed => "malformed",
            Reason::UnknownDevice => "unknown-device",
            Reason::Revoked => "revoked",
            Reason::NotPairing => "not-pairing",
            Reason::Commitment => "commitment",
            Reason::Key => "key",
            Reason::ForgedJoin => "forged-join",
            Reason::ReplayedJoin => "replayed-join",
            Reason::WrongCheck => "wrong-check",
            Reason::UnknownSession => "unknown-session",
            Reason::Forged => "forged",
            Reason::Replayed => "replayed",
            Reason::Unproven => "unproven",
            Reason::RateLimited => "rate-limited",
            Reason::ClassicRefused => "classic-refused",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.label())
    }
}

/// A handshake message that is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The frame, or what was sealed in it, is not of this protocol.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// The message is for another device, or of another pairing.
    #[error("a pairing message of another device")]
    NotPairing,
    /// PAIR-REVEAL does not open the commitment: the peer has changed its mind, or is two peers.
    #[error("PAIR-REVEAL does not open the commitment of PAIR-COMMIT")]
    Commitment,
    /// The peer's public key gives an all-zero secret [RFC7748, 6.1].
    #[error("the peer's public key gives an all-zero shared secret")]
    Key,
    /// The tag of a JOIN message is wrong: it was not made with the device's key, or was changed.
    #[error("the tag of a join message is wrong")]
    ForgedJoin,
    /// JOIN-ACCEPT was not made for this JOIN-REQUEST with the device's key.
    #[error("the check of a JOIN-ACCEPT is wrong")]
    WrongCheck,
    /// The tag of a PAIR-RESULT is wrong.
    #[error("the tag of a PAIR-RESULT is wrong")]
    Forged,
}

impl Refusal {
    /// What the refusal is counted under.
    pub const fn reason(&self) -> Reason {
        match self {
            Refusal::Malformed(_) => Reason::Malformed,
            Refusal::NotPairing => Reason::NotPairing,
            Refusal::Commitment => Reason::Commitment,
            Refusal::Key => Reason::Key,
            Refusal::ForgedJoin => Reason::ForgedJoin,
            Refusal::WrongCheck => Reason::WrongCheck,
            Refusal::Forged => Reason::Forged,
        }
    }
}
