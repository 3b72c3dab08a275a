//! The state of the pairing window: its attempts, and the PAIR-COMMITs that wait.

use std::fmt;

use selo_link::frame::{PairResult, PairReveal};
use selo_link::hybrid::GatewayOpening;
use selo_link::pair::{Compared, GatewayPairing};
use selo_link::{DeviceId, DeviceKey, Kem, Suite};

use crate::clock::Now;
use crate::peer::Peer;

/// Maximum duration of a window, milliseconds. The operator may choose less.
pub const WINDOW_MAX_MS: u64 = 10 * 60 * 1000;

/// Maximum number of different wrong entries per window.
const ENTRIES: usize = 3;

/// Maximum parallel attempts.
const ATTEMPTS: usize = 8;
/// Maximum attempts whose devices are being stored. The oldest is forgotten first.
pub(super) const DECIDED_MAX: usize = 4;

/// Maximum parallel attempts per source.
const ATTEMPTS_OF_SOURCE: usize = 4;

/// Number of PAIR-KEYs available at once. After that, one per [`KEY_EACH_MS`].
const KEYS_AT_ONCE: u64 = 8;
const KEY_EACH_MS: u64 = 10 * 1000;

/// Maximum number of PAIR-COMMITs that wait for a PAIR-KEY (one per source), and the time they
/// wait. A node repeats its PAIR-COMMIT every 4 seconds.
const WAITING_MAX: usize = 32;
pub(super) const WAITING_MS: u64 = 15 * 1000;

/// Time limit from PAIR-KEY to PAIR-REVEAL. An Uno computes for seconds.
pub(super) const REVEAL_MS: u64 = 30 * 1000;

/// Time limits of the first part of a hybrid pairing: for the next step, and for all of it.
pub(super) const STEP_MS: u64 = 30 * 1000;
pub(super) const OPENING_MS: u64 = 2 * 60 * 1000;

/// Maximum number of PAIR-PIECEs of an attempt. It bounds what a forged address receives.
pub(super) const PIECES_MAX: u16 = 256;

/// Time limit for typing the digits of an attempt.
pub(super) const COMPARE_MS: u64 = 2 * 60 * 1000;

/// Time during which a PAIR-RESULT is repeated, and the maximum number stored.
pub(super) const RESULT_MS: u64 = 10 * 60 * 1000;
pub(super) const RESULTS_MAX: usize = 128;

/// Identifier of an attempt.
pub type Attempt = u64;

/// Identifier of a window. It separates events of this window from those of an earlier one.
pub type Window = u64;

/// State of the window, for display.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WindowState {
    /// The window has closed for the reason `why`.
    Closed { why: &'static str },
    /// The window accepts attempts. `entries_left` wrong entries remain.
    Open { entries_left: u8 },
    /// A hybrid attempt has started: the node exchanges a secret by ML-KEM.
    Opened {
        attempt: Attempt,
        device: DeviceId,
        suite: Suite,
        kem: Kem,
    },
    /// An attempt has started: the node has received a PAIR-KEY.
    Keyed {
        attempt: Attempt,
        device: DeviceId,
        suite: Suite,
    },
    /// The node shows its digits. The operator can type them.
    Comparing {
        attempt: Attempt,
        device: DeviceId,
        suite: Suite,
        /// A device with this id exists; its key would be replaced.
        replaces: bool,
    },
    /// The attempt has failed for the reason `why`.
    Failed {
        attempt: Attempt,
        device: DeviceId,
        why: &'static str,
    },
    /// The operator has typed the digits, and the node has been told.
    Paired {
        attempt: Attempt,
        device: DeviceId,
        /// The key encapsulation of a hybrid pairing.
        kem: Option<Kem>,
    },
}

/// The device of an attempt whose digits were typed.
#[derive(Debug, Clone)]
pub struct Matched {
    pub attempt: Attempt,
    pub device: DeviceId,
    pub suite: Suite,
    pub key: DeviceKey,
    /// The key encapsulation of a hybrid pairing.
    pub kem: Option<Kem>,
}

/// Reasons why a request of the operator has no effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PairError {
    #[error("a pairing window is already open")]
    Open,
    #[error("no pairing window is open")]
    Closed,
    #[error("a device with other digits is being stored: try again")]
    Storing,
    #[error("no node is waiting for its digits to be entered")]
    NotComparing,
    #[error(
        "no attempt at this gateway has these digits: a typing error, or a man in the middle; \
         do not confirm on the node (no long press). Entries left: {entries_left}"
    )]
    NoSuchDigits { entries_left: usize },
    #[error("two attempts have these digits, and both were rejected: restart pairing on the node")]
    Ambiguous,
}

#[derive(Default)]
pub(super) struct Pairing {
    pub(super) open: Option<Open>,
    /// Number of windows so far, which is the id of the last one.
    pub(super) windows: Window,
    pub(super) attempts: Attempt,
    /// The attempts whose digits were typed, while their devices are being stored. Nothing but
    /// that decides about them. At most one of each window, and [`DECIDED_MAX`] in all: who stores
    /// a device may have failed and never tell.
    pub(super) decided: Vec<Decided>,
    /// Decisions of the operator, kept for repetition. At most [`RESULTS_MAX`].
    pub(super) results: Vec<Given>,
}

/// An attempt whose digits were typed, and its window.
pub(super) struct Decided {
    pub(super) window: Window,
    pub(super) underway: Underway,
}

pub(super) struct Open {
    pub(super) until_ms: u64,
    /// Wrong entries: digits that no attempt had.
    pub(super) wrong: Vec<u32>,
    /// At most [`ATTEMPTS`]. A new attempt never displaces an older one.
    pub(super) attempts: Vec<Underway>,
    /// At most [`WAITING_MAX`].
    pub(super) waiting: Vec<Waiting>,
    /// Time at which all [`KEYS_AT_ONCE`] PAIR-KEYs are available again, milliseconds.
    pub(super) keys_full_ms: u64,
}

pub(super) struct Underway {
    pub(super) attempt: Attempt,
    pub(super) peer: Peer,
    /// The frame that has started it: PAIR-COMMIT or PAIR-OPEN.
    pub(super) request: Vec<u8>,
    pub(super) stage: Stage,
    pub(super) until_ms: u64,
}

pub(super) enum Stage {
    Opened {
        opening: Box<GatewayOpening>,
        /// PAIR-PIECEs that were sent.
        pieces: u16,
        /// End of all steps, milliseconds.
        last_ms: u64,
    },
    Keyed(Box<GatewayPairing>),
    Comparing {
        compared: Box<Compared>,
        reveal: [u8; PairReveal::BYTES],
    },
}

/// A PAIR-COMMIT or PAIR-OPEN that waits for a PAIR-KEY.
pub(super) struct Waiting {
    pub(super) request: Vec<u8>,
    pub(super) peer: Peer,
    pub(super) until_ms: u64,
}

/// A PAIR-RESULT, kept for nodes that repeat their PAIR-REVEAL.
pub(super) struct Given {
    pub(super) reveal: [u8; PairReveal::BYTES],
    pub(super) result: [u8; PairResult::BYTES],
    pub(super) until_ms: u64,
}

impl fmt::Debug for Pairing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.open {
            None => "Pairing(closed)",
            Some(_) => "Pairing(open)",
        })
    }
}

impl Pairing {
    pub(super) fn deadline(&self) -> Option<u64> {
        let open = self.open.as_ref()?;
        let ends = open.attempts.iter().map(|underway| underway.until_ms);
        let waits = open.waiting.iter().map(|waiting| waiting.until_ms);
        let draw = open.next_draw();
        [open.until_ms]
            .into_iter()
            .chain(ends)
            .chain(waits)
            .chain(draw)
            .min()
    }
}

impl Open {
    /// Earliest time of the next PAIR-KEY.
    pub(super) fn next_key(&self) -> u64 {
        self.keys_full_ms
            .saturating_sub((KEYS_AT_ONCE - 1) * KEY_EACH_MS)
    }

    pub(super) fn spend_key(&mut self, now: Now) {
        self.keys_full_ms = self.keys_full_ms.max(now.steady_ms) + KEY_EACH_MS;
    }

    pub(super) fn has_room(&self, peer: Peer) -> bool {
        let source = peer.limit_key();
        let of_source = self.attempts.iter();
        let of_source = of_source.filter(|underway| underway.peer.limit_key() == source);
        self.attempts.len() < ATTEMPTS && of_source.count() < ATTEMPTS_OF_SOURCE
    }

    /// Time at which a waiting PAIR-COMMIT can get a PAIR-KEY. `None` if all must wait for the
    /// end of an attempt.
    pub(super) fn next_draw(&self) -> Option<u64> {
        let one_can = self
            .waiting
            .iter()
            .any(|waiting| self.has_room(waiting.peer));
        one_can.then(|| self.next_key())
    }

    pub(super) fn entries_left(&self) -> u8 {
        ENTRIES.saturating_sub(self.wrong.len()) as u8
    }

    pub(super) fn find(&self, request: &[u8]) -> Option<&Underway> {
        self.attempts
            .iter()
            .find(|underway| underway.request == request)
    }

    /// Adds a waiting PAIR-COMMIT. Each source has one place, so sending many packets gives no
    /// advantage.
    pub(super) fn wait(&mut self, new: Waiting, lot: u32) {
        let source = new.peer.limit_key();
        let same = |waiting: &Waiting| waiting.request == new.request;
        let at = self.waiting.iter().position(same).or_else(|| {
            let of_source = |waiting: &Waiting| waiting.peer.limit_key() == source;
            self.waiting.iter().position(of_source)
        });
        match at {
            Some(at) if same(&self.waiting[at]) => self.waiting[at] = new,
            // Nodes behind one address take turns.
            Some(at) if lot.is_multiple_of(2) => self.waiting[at] = new,
            Some(_) => {}
            None if self.waiting.len() < WAITING_MAX => self.waiting.push(new),
            None => self.waiting[lot as usize % WAITING_MAX] = new,
        }
    }
}

impl Underway {
    pub(super) fn device(&self) -> DeviceId {
        match &self.stage {
            Stage::Opened { opening, .. } => opening.device(),
            Stage::Keyed(pairing) => pairing.device(),
            Stage::Comparing { compared, .. } => compared.device(),
        }
    }

    pub(super) fn compared(&self) -> Option<&Compared> {
        match &self.stage {
            Stage::Opened { .. } | Stage::Keyed(_) => None,
            Stage::Comparing { compared, .. } => Some(compared),
        }
    }

    pub(super) fn is_late(&self, now: Now) -> Option<&'static str> {
        (self.until_ms <= now.steady_ms).then_some(match &self.stage {
            Stage::Opened { .. } | Stage::Keyed(_) => "the node stopped responding",
            Stage::Comparing { .. } => "its digits were not typed in time",
        })
    }
}
