//! Reasons for dropping packets [docs/protocol.md, Errors].

use std::fmt;

use crate::frame::Malformed;

/// Reason for dropping a packet, as the gateway counts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// Empty, too long, unknown type, wrong size, or forbidden flags.
    Malformed,
    /// No device has this id.
    UnknownDevice,
    /// The device has been revoked.
    Revoked,
    /// A pairing message outside of any pairing.
    NotPairing,
    /// PAIR-REVEAL does not open the commitment.
    Commitment,
    /// The shared secret is all-zero.
    Key,
    /// The tag of a join is wrong.
    ForgedJoin,
    /// The join counter is not above the highest accepted one.
    ReplayedJoin,
    /// The check of a JOIN-ACCEPT is wrong. Only nodes use this reason.
    WrongCheck,
    /// No session has this id.
    UnknownSession,
    /// The tag of a data packet, or of a PAIR-RESULT, is wrong.
    Forged,
    /// The counter was accepted before, or is below the window.
    Replayed,
    /// A join that must prove its address first (under load), or an invalid COOKIE-ECHO.
    Unproven,
    /// Too many packets from one source or device.
    RateLimited,
    /// A join that another gateway with the same registry has answered.
    Elsewhere,
    /// A join that a shared registry did not grant in time.
    Unclaimed,
    /// A packet of a device that another engine answers.
    NotOwner,
    /// A classic packet while classic is disabled.
    ClassicRefused,
}

impl Reason {
    /// All reasons, in the order of docs/protocol.md.
    pub const ALL: [Reason; 18] = [
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
        Reason::Elsewhere,
        Reason::Unclaimed,
        Reason::NotOwner,
        Reason::ClassicRefused,
    ];

    /// The label in the gateway's metrics.
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
            Reason::Elsewhere => "elsewhere",
            Reason::Unclaimed => "unclaimed",
            Reason::NotOwner => "not-owner",
            Reason::ClassicRefused => "classic-refused",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.label())
    }
}

/// Reason for not accepting a handshake message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The frame or its decrypted content does not follow the protocol.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// The message belongs to another device or another pairing.
    #[error("a pairing message of another device")]
    NotPairing,
    /// PAIR-REVEAL does not open the commitment: the peer has changed its key or nonce, or
    /// there are two peers.
    #[error("PAIR-REVEAL does not open the commitment of PAIR-COMMIT")]
    Commitment,
    /// The peer's public key gives an all-zero secret [RFC7748, 6.1].
    #[error("the peer's public key gives an all-zero shared secret")]
    Key,
    /// The tag of a JOIN message is wrong: it was made without the device's key, or was
    /// altered.
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
    /// The reason under which the gateway counts this refusal.
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
