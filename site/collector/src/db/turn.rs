//! Several collectors that write to one PostgreSQL database, one at a time.
//!
//! Each transaction that writes first increments a number. The row stays locked until the
//! transaction ends, so the next collector waits for its turn, and the number tells it whether
//! somebody else has written since its own last turn. If so, it reads its copies of stations and
//! alarms again. What one writer alone does, several do in this way too.
//!
//! A second number does the same for the leases of partitions, so that they do not wait for a turn
//! that writes many readings.

use super::{Database, Value};
use crate::error::Result;

/// Tables of collectors that share a database. Created under a lock, because two collectors may
/// start at the same time.
pub const TABLES: &str = "BEGIN;
SELECT pg_advisory_xact_lock(1936026736);
CREATE TABLE IF NOT EXISTS meta(name TEXT PRIMARY KEY, value BIGINT NOT NULL);
CREATE TABLE IF NOT EXISTS stream_turn(id INT PRIMARY KEY, number BIGINT NOT NULL);
INSERT INTO stream_turn VALUES (1, 0), (2, 0) ON CONFLICT DO NOTHING;
CREATE TABLE IF NOT EXISTS stream_collector(
    name TEXT PRIMARY KEY, site TEXT NOT NULL, until BIGINT NOT NULL);
CREATE TABLE IF NOT EXISTS stream_part(
    site TEXT NOT NULL, part BIGINT NOT NULL, owner TEXT NOT NULL, epoch BIGINT NOT NULL,
    PRIMARY KEY (site, part));
CREATE TABLE IF NOT EXISTS stream_watch(name TEXT PRIMARY KEY, until BIGINT NOT NULL);
COMMIT";

/// PostgreSQL ends the transaction of a collector that is paused in it, so that it holds up the
/// others for at most this time.
pub const PAUSED: &str = "SET idle_in_transaction_session_timeout = '5s'";

/// The number of the turn, and whether another collector has viewers who want to hear of its changes.
const TAKE: &str = "UPDATE stream_turn SET number = number + 1 WHERE id = ?1 RETURNING number,
    EXISTS (SELECT 1 FROM stream_watch WHERE name <> ?2
        AND until > (extract(epoch FROM clock_timestamp()) * 1000)::BIGINT)";

/// The purpose of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    Writes = 1,
    Agrees = 2,
}

/// The turns of one collector.
#[derive(Debug, Default)]
pub struct Turns {
    /// Number of its last turn whose transaction is committed, and of the present one.
    last: i64,
    now: i64,
    behind: bool,
    /// The collector's name among those that have viewers.
    pub name: String,
    watched: bool,
}

impl Turns {
    /// The statement that waits for a turn.
    pub fn take(db: &mut dyn Database, turn: Turn, name: &str) -> Result<(i64, bool)> {
        let rows = db.query(TAKE, &[Value::Int(turn as i64), name.into()])?;
        let row = rows.first();
        Ok(row.map_or((0, false), |row| (row.int(0), row.int(1) == 1)))
    }

    /// It is this collector's turn.
    pub fn begin(&mut self, number: i64, watched: bool) {
        self.watched = watched;
        self.now = number;
        if number != self.last.saturating_add(1) {
            self.behind = true;
        }
    }

    /// Returns true if another collector wants to hear of the changes of this turn.
    pub fn is_watched(&self) -> bool {
        self.watched
    }

    /// The transaction of this turn is committed.
    pub fn commit(&mut self) {
        self.last = self.now;
    }

    /// Returns true if another collector has written since this was last asked.
    pub fn take_behind(&mut self) -> bool {
        std::mem::take(&mut self.behind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_of_another_collector_is_noticed_until_it_is_asked_for() {
        let mut turns = Turns::default();
        turns.begin(7, false);
        assert!(turns.take_behind());
        turns.commit();
        turns.begin(8, false);
        assert!(!turns.take_behind());
        // It was rolled back, so its number comes again.
        turns.begin(8, false);
        turns.commit();
        turns.begin(10, false);
        turns.commit();
        turns.begin(11, false);
        assert!(
            turns.take_behind(),
            "nobody has asked since 9 was another's"
        );
        assert!(!turns.take_behind());
    }
}
