//! Counters. The engine counts in plain integers, because it counts every packet. After each
//! batch it copies them to atomics that other threads read.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use selo_link::Reason;
use selo_link::frame::Frame;

use crate::reading::Reading;

/// Packet types, as the metrics name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    PairCommit,
    PairKey,
    PairReveal,
    PairResult,
    PairOpen,
    PairStep,
    PairPiece,
    JoinRequest,
    JoinAccept,
    Up,
    Down,
    Hint,
    Cookie,
    CookieEcho,
    /// Of the published protocol, which is refused.
    Classic,
    /// What is not a frame.
    Other,
}

impl Kind {
    pub const ALL: [Kind; 16] = [
        Kind::PairCommit,
        Kind::PairKey,
        Kind::PairReveal,
        Kind::PairResult,
        Kind::PairOpen,
        Kind::PairStep,
        Kind::PairPiece,
        Kind::JoinRequest,
        Kind::JoinAccept,
        Kind::Up,
        Kind::Down,
        Kind::Hint,
        Kind::Cookie,
        Kind::CookieEcho,
        Kind::Classic,
        Kind::Other,
    ];

    /// The value of the metric's label `type`.
    pub const fn label(self) -> &'static str {
        match self {
            Kind::PairCommit => "pair-commit",
            Kind::PairKey => "pair-key",
            Kind::PairReveal => "pair-reveal",
            Kind::PairResult => "pair-result",
            Kind::PairOpen => "pair-open",
            Kind::PairStep => "pair-step",
            Kind::PairPiece => "pair-piece",
            Kind::JoinRequest => "join-request",
            Kind::JoinAccept => "join-accept",
            Kind::Up => "up",
            Kind::Down => "down",
            Kind::Hint => "hint",
            Kind::Cookie => "cookie",
            Kind::CookieEcho => "cookie-echo",
            Kind::Classic => "classic",
            Kind::Other => "other",
        }
    }

    /// The type of a parsed frame.
    pub fn of(frame: &Frame<'_>) -> Kind {
        match frame {
            Frame::PairCommit(_) | Frame::HybridCommit(_) => Kind::PairCommit,
            Frame::PairKey(_) => Kind::PairKey,
            Frame::PairReveal(_) => Kind::PairReveal,
            Frame::PairResult(_) => Kind::PairResult,
            Frame::PairOpen(_) => Kind::PairOpen,
            Frame::PairStep(_) => Kind::PairStep,
            Frame::PairPiece(_) => Kind::PairPiece,
            Frame::JoinRequest(_) => Kind::JoinRequest,
            Frame::JoinAccept(_) => Kind::JoinAccept,
            Frame::Up(_) => Kind::Up,
            Frame::Down(_) => Kind::Down,
            Frame::Hint(_) => Kind::Hint,
            Frame::Cookie(_) => Kind::Cookie,
            Frame::CookieEcho(_) => Kind::CookieEcho,
            Frame::Classic(_) => Kind::Classic,
        }
    }
}

/// Defines [`Count`] from a table of name, type, metric and help text.
macro_rules! counts {
    ($( $name:ident, $type:ident, $metric:literal, $help:literal; )*) => {
        /// Metrics without labels: counters, which only grow, and gauges.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Count { $( $name, )* }

        impl Count {
            pub const ALL: &'static [Count] = &[ $( Count::$name, )* ];

            /// Metric name, without the prefix and without the `_total` of counters.
            pub const fn metric(self) -> &'static str {
                match self { $( Count::$name => $metric, )* }
            }

            /// Help text of the metric, without the final full stop.
            pub const fn help(self) -> &'static str {
                match self { $( Count::$name => $help, )* }
            }

            pub const fn is_gauge(self) -> bool {
                match self { $( Count::$name => matches!(Type::$type, Type::Gauge), )* }
            }
        }
    };
}

enum Type {
    Counter,
    Gauge,
}

counts! {
    Accepted, Counter, "accepted", "Packets of nodes that were accepted";
    Readings, Counter, "readings", "Readings that were accepted";
    Joins, Counter, "joins", "JOIN-REQUESTs that were answered for the first time";
    Sessions, Gauge, "sessions", "Live sessions";
    Pending, Gauge, "pending_sessions", "Sessions whose node has not yet sent a packet";
    Devices, Gauge, "devices", "Devices in the registry";
    Shards, Gauge, "shards", "Shards that this engine owns";
    SessionsEnded, Counter, "sessions_ended", "Sessions ended by forgeries, revocation or journal damage";
    Pairings, Counter, "pairings", "Pairings confirmed by the operator";
    PairingsRejected, Counter, "pairings_rejected", "Pairings that the operator rejected or did not answer";
    Multiplications, Counter, "scalar_multiplications", "X25519 scalar multiplications";
    KemOperations, Counter, "kem_operations", "Key pairs and decapsulations of ML-KEM";
    Acknowledged, Counter, "downlinks_acknowledged", "Messages to nodes that were acknowledged";
    Unacknowledged, Counter, "downlinks_failed", "Messages to nodes that were never acknowledged";
    Roamed, Counter, "roamed", "Address changes of nodes";
    HintsWithheld, Counter, "hints_withheld", "Hints suppressed by rate limits";
    CookiesWithheld, Counter, "cookies_withheld", "Cookies suppressed by the rate limit";
    Proven, Counter, "addresses_proven", "COOKIE-ECHOs that proved an address";
    Delivered, Counter, "delivered", "Readings accepted by the sink";
    Redelivered, Counter, "redelivered", "Delivered readings that the sink may have received before";
    Batches, Counter, "batches", "Journal records written";
    JournalBytes, Counter, "journal_bytes", "Bytes written to the journal";
    JournalSegments, Gauge, "journal_segments", "Journal files";
    Syncs, Counter, "journal_syncs", "Journal synchronisations to disk";
    SendErrors, Counter, "send_errors", "Packets that the system refused to send";
    Heads, Gauge, "heads", "Radio heads that are connected";
    HeadFrames, Counter, "head_frames", "Frames that radio heads heard";
    HeadCopies, Counter, "head_copies", "Frames of these that another head had heard before";
    HeadFramesLimited, Counter, "head_frames_limited", "Frames of radio heads that were too many for one head, or for the gateway";
}

const COUNTS: usize = Count::ALL.len();
const KINDS: usize = Kind::ALL.len();
const REASONS: usize = Reason::ALL.len();

/// A snapshot of all counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counters {
    counts: [u64; COUNTS],
    received: [u64; KINDS],
    sent: [u64; KINDS],
    dropped: [u64; REASONS],
}

impl Default for Counters {
    fn default() -> Self {
        Counters {
            counts: [0; COUNTS],
            received: [0; KINDS],
            sent: [0; KINDS],
            dropped: [0; REASONS],
        }
    }
}

impl Counters {
    #[inline]
    pub fn add(&mut self, count: Count, by: u64) {
        self.counts[count as usize] += by;
    }

    pub fn set(&mut self, count: Count, to: u64) {
        self.counts[count as usize] = to;
    }

    #[inline]
    pub fn received(&mut self, kind: Kind) {
        self.received[kind as usize] += 1;
    }

    pub fn sent(&mut self, kind: Kind) {
        self.sent[kind as usize] += 1;
    }

    pub fn dropped(&mut self, reason: Reason) {
        self.dropped[reason as usize] += 1;
    }

    pub fn get(&self, count: Count) -> u64 {
        self.counts[count as usize]
    }

    pub fn get_received(&self, kind: Kind) -> u64 {
        self.received[kind as usize]
    }

    pub fn get_sent(&self, kind: Kind) -> u64 {
        self.sent[kind as usize]
    }

    pub fn get_dropped(&self, reason: Reason) -> u64 {
        self.dropped[reason as usize]
    }

    /// Total of all dropped packets.
    pub fn all_dropped(&self) -> u64 {
        self.dropped.iter().sum()
    }
}

/// Upper bounds of the buckets of a [`Histogram`], seconds.
pub const BOUNDS: [f64; 14] = [
    10e-6, 20e-6, 50e-6, 100e-6, 200e-6, 500e-6, 1e-3, 2e-3, 5e-3, 10e-3, 50e-3, 200e-3, 1.0, 10.0,
];

/// Histogram of durations.
#[derive(Debug, Default)]
pub struct Histogram {
    buckets: [AtomicU64; BOUNDS.len() + 1],
    nanoseconds: AtomicU64,
}

impl Histogram {
    /// Records the same duration `times` times.
    pub fn record(&self, nanoseconds: u64, times: u64) {
        let seconds = nanoseconds as f64 / 1e9;
        let bucket = BOUNDS.partition_point(|bound| *bound < seconds);
        self.buckets[bucket].fetch_add(times, Relaxed);
        self.nanoseconds
            .fetch_add(nanoseconds.saturating_mul(times), Relaxed);
    }

    /// Counts per bucket, not cumulative. The last bucket is above all bounds.
    pub fn buckets(&self) -> [u64; BOUNDS.len() + 1] {
        std::array::from_fn(|bucket| self.buckets[bucket].load(Relaxed))
    }

    /// Sum of all durations, seconds.
    pub fn sum(&self) -> f64 {
        self.nanoseconds.load(Relaxed) as f64 / 1e9
    }
}

/// Counters that all threads can read.
#[derive(Debug)]
pub struct Shared {
    counts: [AtomicU64; COUNTS],
    received: [AtomicU64; KINDS],
    sent: [AtomicU64; KINDS],
    dropped: [AtomicU64; REASONS],
    /// From the reception of a packet until its record is in the journal.
    pub accepting: Histogram,
    /// From the reception of a reading until the sink has accepted it.
    pub delivering: Histogram,
    /// Duration of one journal synchronisation.
    pub syncing: Histogram,
}

impl Default for Shared {
    fn default() -> Self {
        Shared {
            counts: std::array::from_fn(|_| AtomicU64::new(0)),
            received: std::array::from_fn(|_| AtomicU64::new(0)),
            sent: std::array::from_fn(|_| AtomicU64::new(0)),
            dropped: std::array::from_fn(|_| AtomicU64::new(0)),
            accepting: Histogram::default(),
            delivering: Histogram::default(),
            syncing: Histogram::default(),
        }
    }
}

/// Counters written by threads other than the engine's.
const ELSEWHERE: [Count; 8] = [
    Count::Delivered,
    Count::Redelivered,
    Count::Syncs,
    Count::SendErrors,
    Count::Heads,
    Count::HeadFrames,
    Count::HeadCopies,
    Count::HeadFramesLimited,
];

impl Shared {
    /// Copies the engine's numbers.
    pub fn publish(&self, counters: &Counters) {
        for count in Count::ALL {
            if !ELSEWHERE.contains(count) {
                self.counts[*count as usize].store(counters.get(*count), Relaxed);
            }
        }
        let copy = |to: &[AtomicU64], from: &[u64]| {
            for (to, from) in to.iter().zip(from) {
                to.store(*from, Relaxed);
            }
        };
        copy(&self.received, &counters.received);
        copy(&self.sent, &counters.sent);
        copy(&self.dropped, &counters.dropped);
    }

    /// Adds to a counter that is not the engine's.
    pub fn add(&self, count: Count, by: u64) {
        debug_assert!(ELSEWHERE.contains(&count));
        self.counts[count as usize].fetch_add(by, Relaxed);
    }

    /// Sets a gauge that is not the engine's.
    pub fn set(&self, count: Count, to: u64) {
        debug_assert!(ELSEWHERE.contains(&count));
        self.counts[count as usize].store(to, Relaxed);
    }

    /// Counts readings that the sink has accepted, and records their delay.
    pub fn delivered(&self, readings: &[Reading]) {
        let again = readings.iter().filter(|reading| reading.redelivered);
        self.add(Count::Delivered, readings.len() as u64);
        self.add(Count::Redelivered, again.count() as u64);
        let now = crate::clock::unix_ms();
        // Readings of one journal record share a time of reception.
        for readings in readings.chunk_by(|a, b| a.received_ms == b.received_ms) {
            let first = readings
                .iter()
                .filter(|reading| !reading.redelivered)
                .count();
            let ms = readings
                .first()
                .map_or(0, |reading| now.saturating_sub(reading.received_ms));
            self.delivering
                .record(ms.saturating_mul(1_000_000), first as u64);
        }
    }

    /// A snapshot of all counters. Counters of one packet batch are consistent; others may
    /// differ slightly in time.
    pub fn snapshot(&self) -> Counters {
        let read = |from: &[AtomicU64], to: &mut [u64]| {
            for (to, from) in to.iter_mut().zip(from) {
                *to = from.load(Relaxed);
            }
        };
        let mut counters = Counters::default();
        read(&self.counts, &mut counters.counts);
        read(&self.received, &mut counters.received);
        read(&self.sent, &mut counters.sent);
        read(&self.dropped, &mut counters.dropped);
        counters
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_its_own_place() {
        let mut counters = Counters::default();
        for (place, count) in Count::ALL.iter().enumerate() {
            assert_eq!(*count as usize, place);
            counters.set(*count, 1 + place as u64);
        }
        for (place, kind) in Kind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, place);
            counters.received(kind);
        }
        for (place, reason) in Reason::ALL.into_iter().enumerate() {
            assert_eq!(reason as usize, place);
            counters.dropped(reason);
        }
        let shared = Shared::default();
        shared.publish(&counters);
        for count in ELSEWHERE {
            counters.set(count, 0);
        }
        assert_eq!(shared.snapshot(), counters);
    }

    #[test]
    fn a_histogram_counts_into_the_first_bound_that_is_not_smaller() {
        let histogram = Histogram::default();
        histogram.record(10_000, 1);
        histogram.record(10_001, 2);
        histogram.record(u64::MAX, 1);
        let buckets = histogram.buckets();
        assert_eq!((buckets[0], buckets[1], buckets[BOUNDS.len()]), (1, 2, 1));
    }
}
