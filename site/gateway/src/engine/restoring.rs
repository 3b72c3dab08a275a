//! The progress of writing sessions to the journal, and of reading them back.

use selo_link::frame::START_BYTES;

use super::table::Slot;
use crate::keys::Stored;

/// Progress of a pass over all sessions. Sessions that begin during the pass are in the journal
/// anyway.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Checkpoint {
    pub(super) next: Slot,
}

/// State of the engine while it reads the journal.
#[derive(Debug)]
pub(super) struct Restoring {
    pub(super) keys: Stored,
    /// Nonce of this start; not zero.
    pub(super) start: [u8; START_BYTES],
}
