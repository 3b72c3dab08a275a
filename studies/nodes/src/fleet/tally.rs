//! The counts of a fleet.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use crate::impairment::Strikes;
use crate::latency::Latency;

/// Counters of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// Nodes that have a session now.
    pub joined_now: u64,
    /// Nodes that have ever had a session.
    pub joined: u64,
    /// Sessions after a node's first.
    pub rejoins: u64,
    /// Sessions that nodes considered lost.
    pub sessions_lost: u64,
    /// Readings passed to nodes' sessions.
    pub sent: u64,
    /// Confirmed readings that the gateway has acknowledged.
    pub acknowledged: u64,
    /// Confirmed readings that nodes gave up.
    pub lost: u64,
    /// Payloads from the gateway.
    pub received: u64,
    /// Frames sent by and to the nodes, before any impairment.
    pub frames_out: u64,
    /// See `frames_out`.
    pub frames_in: u64,
    /// Frames that the system could not send, or that were refused because nobody listens.
    pub send_errors: u64,
    /// Readings that were skipped because the previous one was still waiting.
    pub skipped: u64,
    /// Actions of the impairment in both directions. Known at the end.
    pub network: Strikes,
    /// Time from a confirmed reading to its acknowledgement. Known at the end.
    pub latency: Latency,
}

impl Tally {
    /// Confirmed readings that are neither acknowledged nor given up.
    pub fn unsettled(&self) -> u64 {
        self.sent.saturating_sub(self.acknowledged + self.lost)
    }
}

macro_rules! tally {
    ($($name:ident),+) => {
        #[derive(Default)]
        pub(super) struct Shared { $(pub(super) $name: AtomicU64),+ }

        impl Shared {
            pub(super) fn tally(&self) -> Tally {
                Tally { $($name: self.$name.load(Relaxed),)+ ..Tally::default() }
            }
        }
    };
}

tally!(
    joined_now,
    joined,
    rejoins,
    sessions_lost,
    sent,
    acknowledged,
    lost,
    received,
    frames_out,
    frames_in,
    send_errors,
    skipped
);

pub(super) fn count(number: &AtomicU64) {
    number.fetch_add(1, Relaxed);
}
