//! A collector's lease of partitions: it holds while the writer works, however long a turn takes, and
//! ends when the writer hangs.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::common::{place, postgres::Cluster};
use selo_collector::db::Database;
use selo_collector::ingest::Pulse;
use selo_collector::schema::migrate;
use selo_collector::stream::lease::{Kept, Lease, Owned, Times};
use tokio::sync::watch;

const TIMES: Times = Times {
    // On a busy machine the database may answer nothing for a second.
    lease: Duration::from_millis(2500),
    renew: Duration::from_millis(250),
    hangs: Duration::from_millis(3750),
};
const PATIENCE: Duration = Duration::from_secs(20);

struct Holder {
    kept: Kept,
    pulse: Arc<Pulse>,
    owned: watch::Receiver<Owned>,
}

impl Holder {
    fn new(cluster: &Cluster, name: &str) -> Holder {
        let (owning, owned) = watch::channel(Owned::default());
        let pulse = Arc::new(Pulse::default());
        let lease = Lease {
            database: place(cluster),
            collector: name.into(),
            site: "farm".into(),
            pulse: pulse.clone(),
            leads: Arc::new(AtomicBool::new(false)),
            owning,
            times: TIMES,
        };
        let kept = lease.keep().expect("a thread");
        Holder { kept, pulse, owned }
    }

    fn count(&self) -> usize {
        self.owned.borrow().len()
    }
}

fn wait(what: &str, is_so: impl Fn() -> bool) {
    let since = Instant::now();
    while !is_so() {
        assert!(since.elapsed() < PATIENCE, "never: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Two collectors that own half of the partitions each, and a connection that may hold the turn.
fn two() -> Option<(Cluster, Holder, Holder, Box<dyn Database>)> {
    let cluster = Cluster::start()?;
    let mut db = place(&cluster).open_shared(None).expect("opens");
    migrate(&mut *db).expect("migrated");
    let (one, other) = (Holder::new(&cluster, "one"), Holder::new(&cluster, "other"));
    wait("half each", || one.count() == 8 && other.count() == 8);
    Some((cluster, one, other, db))
}

/// The owner and the epoch of each partition.
fn parts(cluster: &Cluster) -> BTreeSet<String> {
    let rows = cluster.psql("SELECT part, owner, epoch FROM stream_part WHERE site = 'farm'");
    rows.lines().map(str::to_owned).collect()
}

#[test]
fn a_turn_that_lasts_longer_than_the_lease_moves_no_partition() {
    let Some((cluster, one, other, mut db)) = two() else {
        return;
    };
    let before = parts(&cluster);
    // The turn to write is taken all the time. The writers work in it, or wait for it.
    db.begin().expect("its turn");
    let since = Instant::now();
    while since.elapsed() < 3 * TIMES.lease / 2 {
        one.pulse.beat();
        other.pulse.beat();
        assert_eq!(
            (one.count(), other.count()),
            (8, 8),
            "{:?}",
            since.elapsed()
        );
        std::thread::sleep(Duration::from_millis(50));
    }
    db.commit().expect("committed");
    assert_eq!(parts(&cluster), before);
    // One that leaves does so at once.
    one.kept.leave();
    assert_eq!(cluster.psql("SELECT name FROM stream_collector"), "other");
    wait("all", || other.count() == 16);
    other.kept.leave();
}

/// The database is away for all, as while a commit waits for the standby. All leases end, and nobody
/// takes that for the end of the others.
#[test]
fn leases_that_end_together_move_no_partition() {
    let Some((cluster, one, other, _db)) = two() else {
        return;
    };
    let before = parts(&cluster);
    let mut holder = place(&cluster).open_beside().expect("opens");
    for _ in 0..3 {
        holder.begin().expect("its turn");
        std::thread::sleep(3 * TIMES.lease / 2);
        holder.commit().expect("committed");
        std::thread::sleep(3 * TIMES.renew);
        assert_eq!(parts(&cluster), before);
    }
    one.kept.leave();
    other.kept.leave();
}

#[test]
fn a_writer_that_hangs_loses_its_partitions_until_it_goes_on() {
    let Some((cluster, one, other, _db)) = two() else {
        return;
    };
    one.pulse.beat();
    let since = Instant::now();
    wait("the other has all", || {
        other.pulse.beat();
        one.count() == 0 && other.count() == 16
    });
    assert!(since.elapsed() >= TIMES.hangs, "{:?}", since.elapsed());
    let owners = "SELECT DISTINCT owner FROM stream_part WHERE site = 'farm'";
    assert_eq!(cluster.psql(owners), "other");
    one.pulse.rest();
    other.pulse.rest();
    wait("half each again", || one.count() == 8 && other.count() == 8);
    one.kept.leave();
    other.kept.leave();
}
