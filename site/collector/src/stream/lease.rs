//! Which collector owns which partitions. Collectors that share a database agree on it there.
//!
//! A collector is alive as long as it renews its lease. It owns partitions until another one takes
//! them: from a dead owner, or because the owner has given some up for a collector that is new. Each
//! owner of a partition has another epoch, a number that only grows, and with it another consumer.
//!
//! A thread renews the lease on a connection of its own, beside the turns to write: a turn may last
//! longer than a lease, also that of another collector. It renews it only while the writer works. A
//! writer that hangs loses its partitions.
//!
//! Ownership keeps the readings of a device in order, and saves work. It is not what keeps the
//! database right: a collector that was paused past its lease may still write what it had received.
//! It writes in its turn, and what another has stored meanwhile is a duplicate.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use selo_stream::names::PARTITIONS;
use tokio::sync::watch;
use tracing::{info, warn};

use crate::db::{Database, Location, transaction};
use crate::error::{Error, Result};
use crate::ingest::Pulse;

/// Times of a lease.
#[derive(Debug, Clone, Copy)]
pub struct Times {
    /// Time after which others take the partitions of a collector that is gone.
    pub lease: Duration,
    /// Interval at which the lease is renewed.
    pub renew: Duration,
    /// Time without a sign of life of the writer after which it hangs. An answer of the database takes
    /// at most a minute, also one that waits for the turn of another collector or for the standby.
    pub hangs: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Times {
            lease: Duration::from_secs(10),
            renew: Duration::from_secs(2),
            hangs: Duration::from_secs(75),
        }
    }
}

const NOW: &str = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::BIGINT";
const RENEWED: &str = "INSERT INTO stream_collector(name, site, until) VALUES (?1, ?2, ?3)
    ON CONFLICT (name) DO UPDATE SET until = excluded.until";
const UNTIL: &str = "SELECT until FROM stream_collector WHERE name = ?1";
const FORGET_DEAD: &str = "DELETE FROM stream_collector WHERE until < ?1";
const END: &str = "DELETE FROM stream_collector WHERE name = ?1";
const COLLECTORS: &str = "SELECT count(*) FROM stream_collector WHERE site = ?1";
const PARTS: &str = "SELECT part, owner, epoch, (owner IN (SELECT name FROM stream_collector))
    FROM stream_part WHERE site = ?1 ORDER BY part";
const GIVE_UP: &str = "UPDATE stream_part SET owner = '' WHERE site = ?1 AND part = ?2";
const TAKE: &str = "INSERT INTO stream_part(site, part, owner, epoch) VALUES (?1, ?2, ?3, ?4)
    ON CONFLICT (site, part) DO UPDATE SET owner = excluded.owner, epoch = excluded.epoch";

/// The partitions that a collector owns, each with its epoch. Without an epoch it is the only
/// collector.
pub type Owned = BTreeMap<u16, Option<i64>>;

/// The duties that one collector of a database has, whatever the sites: notices, silence, and the
/// deletion of old rows. No site has an empty name.
const DUTIES: &str = "";

/// A collector's lease.
#[derive(Debug)]
pub struct Lease {
    pub database: Location,
    /// Its name, see [`super::random_name`].
    pub collector: String,
    pub site: String,
    /// The sign of life of its writer.
    pub pulse: Arc<Pulse>,
    pub leads: Arc<AtomicBool>,
    pub owning: watch::Sender<Owned>,
    pub times: Times,
}

/// What a collector owns until its lease ends.
#[derive(Debug, Default, PartialEq, Eq)]
struct Granted {
    owned: Owned,
    leads: bool,
}

/// Time that the database gets to end a lease.
const LEAVES: Duration = Duration::from_secs(3);

/// A lease that is being renewed.
#[derive(Debug)]
pub struct Kept {
    stop: Sender<()>,
    thread: JoinHandle<()>,
}

impl Kept {
    /// Ends the lease, so that others take its partitions at once. A database that does not answer is
    /// waited for for a moment. The lease then ends by itself.
    pub fn leave(self) {
        drop(self.stop);
        let until = Instant::now() + LEAVES;
        while !self.thread.is_finished() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Lease {
    /// Renews the lease from now on.
    pub fn keep(self) -> std::io::Result<Kept> {
        let (stop, stopping) = channel();
        let thread = std::thread::Builder::new()
            .name("collector-lease".into())
            .spawn(move || self.run(&stopping))?;
        Ok(Kept { stop, thread })
    }

    fn run(self, stopping: &Receiver<()>) {
        let mut db = None;
        let mut until = Instant::now();
        loop {
            let asked = Instant::now();
            match self.ask(&mut db) {
                Ok(granted) => {
                    // Counted from before the request, so that it ends here first.
                    until = asked + self.times.lease;
                    self.hold(granted);
                }
                Err(error) if until <= Instant::now() && !self.owning.borrow().is_empty() => {
                    warn!("the lease has ended; its partitions wait, or others take them: {error}");
                    self.hold(Granted::default());
                }
                Err(_) => {}
            }
            if stopping.recv_timeout(self.times.renew) != Err(RecvTimeoutError::Timeout) {
                break;
            }
        }
        if let Some(db) = &mut db {
            _ = end(&mut **db, &self.collector);
        }
    }

    /// Renews the lease once.
    fn ask(&self, db: &mut Option<Box<dyn Database>>) -> Result<Granted> {
        let still = self.pulse.still();
        if still >= self.times.hangs {
            return Err(Error::Unavailable {
                place: "of the collector".into(),
                reason: format!("its writer has done nothing for {} s", still.as_secs()),
            });
        }
        let db = match db {
            Some(db) => db,
            None => db.insert(self.database.open_beside()?),
        };
        transaction(&mut **db, |db| self.renew(db))
    }

    fn hold(&self, granted: Granted) {
        if self.leads.swap(granted.leads, Relaxed) != granted.leads {
            info!(leads = granted.leads, "notices, silence and old rows");
        }
        self.owning.send_if_modified(|owned| {
            let changed = *owned != granted.owned;
            if changed {
                info!(
                    partitions = granted.owned.len(),
                    "owns partitions of the stream"
                );
                *owned = granted.owned;
            }
            changed
        });
    }

    /// Renews the lease, and takes or gives up partitions, so that all collectors have about the same
    /// number. Must run in a transaction, which waits for those of others that do the same.
    ///
    /// One whose own lease has ended ends no other: if the database or its standby was away, all have
    /// ended, and the others are about to renew theirs.
    fn renew(&self, db: &mut dyn Database) -> Result<Granted> {
        let (collector, site) = (self.collector.as_str(), self.site.as_str());
        let now = db.query(NOW, &[])?.first().map_or(0, |row| row.int(0));
        let lease = i64::try_from(self.times.lease.as_millis()).unwrap_or(i64::MAX);
        let renewed = [
            collector.into(),
            site.into(),
            now.saturating_add(lease).into(),
        ];
        let own = db.query(UNTIL, &[collector.into()])?;
        let is_unbroken = own.first().is_some_and(|row| row.int(0) >= now);
        db.execute(RENEWED, &renewed)?;
        if is_unbroken {
            db.execute(FORGET_DEAD, &[now.into()])?;
        }
        let collectors = db.query(COLLECTORS, &[site.into()])?;
        let collectors = collectors.first().map_or(1, |row| row.int(0)).max(1);
        let share = i64::from(PARTITIONS).div_euclid(collectors)
            + i64::from(i64::from(PARTITIONS).rem_euclid(collectors) > 0);
        let share = usize::try_from(share).unwrap_or(usize::from(PARTITIONS));
        let by = By { collector, now };
        let owned = by.settle(db, site, PARTITIONS, share)?;
        let leads = by.settle(db, DUTIES, 1, 1)?;
        Ok(Granted {
            owned,
            leads: !leads.is_empty(),
        })
    }
}

/// Ends the lease of a collector.
fn end(db: &mut dyn Database, collector: &str) -> Result<()> {
    transaction(db, |db| db.execute(END, &[collector.into()]))?;
    Ok(())
}

/// A collector that renews its lease.
struct By<'a> {
    collector: &'a str,
    now: i64,
}

impl By<'_> {
    /// Brings the number of parts that the collector owns to its share. Returns its parts.
    fn settle(&self, db: &mut dyn Database, site: &str, parts: u16, share: usize) -> Result<Owned> {
        let (mut mine, mut free) = (Vec::new(), Vec::new());
        let rows = db.query(PARTS, &[site.into()])?;
        for part in 0..parts {
            let row = rows.iter().find(|row| row.int(0) == i64::from(part));
            match row {
                Some(row) if row.text(1) == self.collector => mine.push((part, row.int(2))),
                Some(row) if row.int(3) == 1 => {}
                row => free.push((part, row.map_or(0, |row| row.int(2)))),
            }
        }
        while mine.len() > share {
            if let Some((part, _)) = mine.pop() {
                db.execute(GIVE_UP, &[site.into(), i64::from(part).into()])?;
            }
        }
        for (part, epoch) in free {
            if mine.len() >= share {
                break;
            }
            // A database that was made anew still has later epochs than the old one.
            let epoch = epoch.saturating_add(1).max(self.now);
            let taken = [
                site.into(),
                i64::from(part).into(),
                self.collector.into(),
                epoch.into(),
            ];
            db.execute(TAKE, &taken)?;
            mine.push((part, epoch));
        }
        Ok(mine
            .into_iter()
            .map(|(part, epoch)| (part, Some(epoch)))
            .collect())
    }
}
