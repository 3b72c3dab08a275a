//! The journal: a log of accepted packets, written before the gateway answers or delivers.
//!
//! The journal is a sequence of append-only files, the segments ([`segment`]). A segment holds
//! records, and a record holds the changes of one batch of packets ([`entry`]). The gateway
//! writes a record with one system call. Only then does it deliver the record's readings and
//! answer its packets. A gateway that was killed has therefore journalled everything that it
//! answered, and [`open`] restores it.
//!
//! The journal is also the queue between the gateway and the sink. Delivery
//! ([`crate::delivery`]) reads it at its own pace.
//!
//! Compaction never stops the gateway: each batch also writes a few session states. Once all
//! states are in newer segments, older ones are needed only for undelivered readings.
//!
//! **Ending all sessions.** A session may continue only with its newest counters. With older
//! ones, the gateway would accept packets twice or reuse a nonce. A killed gateway finds the
//! newest counters, because the system keeps what it wrote. In these cases all sessions end
//! ([`Closed`] gives the reason), and the nodes rejoin:
//!
//! - The machine has rebooted.
//! - The journal does not match its [`anchor`] or is older, as after restoring a backup.
//! - The journal ends before the position of delivery.
//! - A record in the middle is damaged.
//!
//! Intact readings are kept in every case.

pub mod anchor;
mod blank;
pub mod entry;
mod open;
mod recovery;
pub mod segment;
mod sync;
mod writer;

use std::path::PathBuf;

use entry::{Entries, Entry};
use segment::RECORD_HEADER_BYTES;

pub use open::open;
pub use sync::Sync;
pub use writer::Writer;

/// A position in the journal: the end of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Position {
    pub segment: u64,
    pub offset: u64,
}

/// Entries of the next record.
#[derive(Debug)]
pub struct Batch {
    /// Space for the record header, then the body.
    bytes: Vec<u8>,
}

impl Default for Batch {
    fn default() -> Self {
        Batch {
            bytes: vec![0; RECORD_HEADER_BYTES],
        }
    }
}

impl Batch {
    #[inline]
    pub fn push(&mut self, entry: &Entry<'_>) {
        entry.write(&mut self.bytes);
    }

    /// Bytes of the body so far.
    pub fn len(&self) -> usize {
        self.bytes.len() - RECORD_HEADER_BYTES
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn entries(&self) -> Entries<'_> {
        Entries::new(&self.bytes[RECORD_HEADER_BYTES..])
    }

    pub fn clear(&mut self) {
        self.bytes.truncate(RECORD_HEADER_BYTES);
    }
}

/// Receives the entries of the journal, in order.
pub trait Replay {
    /// Handles an entry. Its record was written at `wall_ms`, Unix milliseconds.
    fn entry(&mut self, entry: &Entry<'_>, wall_ms: u64);

    /// All sessions so far have ended.
    fn all_closed(&mut self);
}

/// A damaged byte range of a segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    pub path: PathBuf,
    pub from: u64,
    pub to: u64,
}

/// Results of [`open`].
#[derive(Debug, Default)]
pub struct Summary {
    pub segments: usize,
    pub records: u64,
    /// Accepted packets in all segments.
    pub accepted: u64,
    /// Damage that makes the state of sessions uncertain.
    pub damage: Vec<Damage>,
    /// The last record is incomplete: the gateway or the machine stopped while writing it.
    /// Nothing depended on it.
    pub torn: bool,
    /// The reason why all sessions ended, if they did.
    pub closed: Option<Closed>,
}

/// Reasons why all sessions have ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closed {
    /// Some records are damaged.
    Damage,
    /// The machine has rebooted. The anchor is lost, and so may be the end of the journal.
    Machine,
    /// No directory in memory can hold an anchor.
    NoAnchor,
    /// This journal has no anchor: it is a copy, or the anchor was removed.
    Unknown,
    /// The journal is older than the anchor.
    Old,
    /// The journal ends before the position of delivery.
    Cut,
}

impl Closed {
    /// The reason, for the log.
    pub fn why(self) -> &'static str {
        match self {
            Closed::Damage => "the journal is damaged",
            Closed::Machine => "the machine has rebooted",
            Closed::NoAnchor => "no directory in memory can hold a record of the newest journal",
            Closed::Unknown => {
                "cannot confirm that the journal is the newest: it was copied or moved here, or /run was emptied"
            }
            Closed::Old => "the journal is older than the last write: it was restored from a copy",
            Closed::Cut => "the journal ends before the position of delivery",
        }
    }
}

/// Settings of the journal.
#[derive(Debug, Clone)]
pub struct Settings {
    pub sync: Sync,
    /// Size at which a new segment is started, bytes.
    pub segment_bytes: u64,
    /// Identifier of this boot ([`crate::state::boot_id`]). Tests set their own.
    pub boot: Option<[u8; 16]>,
    /// Path of the anchor ([`anchor::path`]). Without one, sessions end at every start.
    pub anchor: Option<PathBuf>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            sync: Sync::default(),
            segment_bytes: 64 << 20,
            boot: crate::state::boot_id(),
            anchor: None,
        }
    }
}
