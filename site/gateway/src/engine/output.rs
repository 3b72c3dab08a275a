//! What the engine gives its caller: packets, journal entries and events.

use selo_link::{DeviceId, Reason};

use super::claim::Claim;
use super::packet::Outgoing;
use super::queue::{DownlinkOutcome, Ticket};
use super::window::{Window, WindowState};
use crate::journal::Batch;
use crate::peer::Peer;
use crate::reading::SessionName;

/// Results of engine calls. The caller writes `journal` before it acts on the rest.
#[derive(Debug, Default)]
pub struct Output {
    pub journal: Batch,
    pub send: Vec<Outgoing>,
    pub events: Vec<Event>,
    /// Joins that the registry has to grant. They depend on no journal entry.
    pub claims: Vec<Claim>,
}

impl Output {
    pub fn clear(&mut self) {
        self.journal.clear();
        self.send.clear();
        self.events.clear();
        self.claims.clear();
    }
}

/// Events for observers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A JOIN-REQUEST was answered. The registry row `row` should store the counter.
    Joined {
        device: DeviceId,
        row: u32,
        counter: u32,
        session: SessionName,
        from: Peer,
    },
    /// A node used its new session for the first time. Its previous session has ended.
    Live {
        device: DeviceId,
        session: SessionName,
    },
    /// A session ended without a successor.
    Ended {
        device: DeviceId,
        session: SessionName,
        why: &'static str,
    },
    /// Something happened in the pairing window.
    Pairing(Window, WindowState),
    /// What became of a message to a node.
    Downlink {
        ticket: Ticket,
        outcome: DownlinkOutcome,
    },
    /// The system has no random numbers; a packet was dropped for it.
    NoRandom(String),
}

/// A packet that is dropped.
pub(super) type Handled = Result<(), Reason>;
