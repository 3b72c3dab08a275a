//! Consequences of stored readings that wait for a later transaction.
//!
//! A row of a station or of a roll-up costs a database more than a reading does, and the next batch
//! changes the same rows again. So large batches write only their readings, and every few seconds
//! one transaction stores what followed from all of them. A crash loses nothing: the readings have
//! the number of their batch, and those above the number of the last settled batch are read again.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::values::{Sessions, Units};
use crate::rollup::Deltas;

/// A smaller batch has its consequences in its own transaction.
pub(super) const LARGE: usize = 256;
/// Time that consequences wait while large batches follow each other.
const WAIT: Duration = Duration::from_secs(4);
/// They wait longer if to store them takes long: those of many stations are on many pages. This many
/// times as long, but not longer than this.
const TIMES: u32 = 4;
const WAIT_MAX: Duration = Duration::from_secs(15);
/// Maximum readings whose consequences wait, which bounds the memory.
const READINGS_MAX: usize = 1_000_000;

/// See the [module](self).
#[derive(Debug, Default)]
pub(super) struct Pending {
    pub deltas: Deltas,
    pub sessions: Sessions,
    pub units: Units,
    /// Stations whose rows are not those of the database.
    pub changed: HashSet<Arc<str>>,
    pub readings: usize,
    since: Option<Instant>,
}

impl Pending {
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty()
    }

    /// Returns true if they have waited long enough, or are too many. `cost`: how long it took the last
    /// time.
    pub fn is_due(&mut self, cost: Duration) -> bool {
        let since = self.since.get_or_insert_with(Instant::now);
        let wait = (cost * TIMES).clamp(WAIT, WAIT_MAX);
        since.elapsed() >= wait || self.readings >= READINGS_MAX
    }
}
