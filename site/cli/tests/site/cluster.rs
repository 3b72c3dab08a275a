//! A whole site spread over processes: heads, engines, NATS servers, collectors and PostgreSQL. Nodes
//! roam between the heads while random faults strike the parts. Afterwards every acknowledged reading
//! is stored once, and no key and counter have sealed two packets.
//!
//! `make demo-cluster` runs the large one. `SELO_NODES`, `SELO_FAULTS` and `SELO_SEED` set its numbers.

mod faults;
mod nodes;
mod part;
mod verdict;
mod whole;

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGINT, SIGTERM};

use crate::chain::counted;
use crate::gateway_support::PATIENCE;
use crate::postgres::Cluster;
use crate::seeded::Seeded;
use crate::state_faults::number;
use crate::stream::server::Nats;
use faults::{Faults, Kind, Manner};
use nodes::{Air, Fate, Nodes, Told};
use verdict::Verdict;
use whole::{Plan, Whole};

/// Prints lines that `tools/demo-cluster.sh` shows.
macro_rules! say {
    ($($words:tt)*) => {
        for line in format!($($words)*).lines() {
            println!("cluster: {line}");
        }
    };
}

/// A trial of a site.
struct Trial {
    plan: Plan,
    faults: u32,
    seed: u64,
    /// Mean time between two faults.
    apart: Duration,
    /// Mean time between two readings of a node.
    every: Duration,
    /// Faults of PostgreSQL in this order, in place of random ones of all parts.
    of_database: Vec<Manner>,
    logs: PathBuf,
}

impl Trial {
    /// Runs it, and says how it went. `None` if a server is not installed.
    fn run(&self) -> Option<Verdict> {
        let begun = Instant::now();
        let mut whole = Whole::start(self.plan, &self.logs)?;
        say!("{}", self.title(begun));
        say!("{}", whole.status());
        let interrupted = interrupted();
        let air = Air {
            heads: whole.air.clone(),
            every: self.every,
            begun,
            acknowledged: 0.into(),
            stop: false.into(),
            interrupted: interrupted.clone(),
        };
        let nodes = Nodes::start(air, whole.devices.clone(), self.seed);
        let mut faults = Faults::new(self.seed, interrupted.clone());
        self.strike(&mut whole, &mut faults, &nodes, begun);
        faults.end(&mut whole);
        let told = nodes.end();
        faults.mind(&mut whole);
        let stored = settled(&whole, &told, &interrupted);
        // Nothing is wrong with any part when all are back.
        whole.status();
        faults.mind(&mut whole);
        whole.keep_logs(&self.logs);
        let mut verdict = Verdict::of(&told, &stored);
        verdict.odd.append(&mut faults.odd);
        match fail_over(&whole, &stored) {
            Some(Ok(has)) => say!("standby            {has}, after the first server was killed"),
            Some(Err(lacks)) => verdict.odd.push(lacks),
            None => {}
        }
        say!("faults             {}", listed(&faults.done));
        say!(
            "started again      {} times, because PostgreSQL was away at the start",
            faults.started_again
        );
        say!("{verdict}");
        let seconds = begun.elapsed().as_secs();
        let (seed, logs) = (self.seed, self.logs.display());
        say!("{seconds} s, seed {seed}, logs {logs}");
        Some(verdict)
    }

    fn title(&self, begun: Instant) -> String {
        let Plan {
            nats,
            engines,
            heads,
            collectors,
            standby,
            nodes,
            ..
        } = self.plan;
        let standby = if standby { " with a standby" } else { "" };
        format!(
            "heads {heads}, engines {engines}, NATS servers {nats}, collectors {collectors}, \
             PostgreSQL{standby}, nodes {nodes}, seed {}; started in {:.0} s",
            self.seed,
            begun.elapsed().as_secs_f64()
        )
    }

    fn strike(&self, whole: &mut Whole, faults: &mut Faults, nodes: &Nodes, begun: Instant) {
        let mut random = Seeded(self.seed ^ u64::MAX);
        let apart = self.apart.as_millis() as usize;
        // The nodes join first.
        faults.wait(whole, self.apart * 2);
        for fault in 1..=self.faults {
            match self.of_database.get(fault as usize - 1) {
                Some(manner) => faults.strike_so(whole, Kind::Database, 0, *manner),
                None => faults.strike(whole),
            }
            let time = apart / 2 + random.below(apart);
            faults.wait(whole, Duration::from_millis(time as u64));
            if fault % 10 == 0 || fault == self.faults {
                say!(
                    "{fault:4} faults {:5} s {:6} readings acknowledged",
                    begun.elapsed().as_secs(),
                    nodes.air.acknowledged.load(Relaxed)
                );
            }
        }
    }
}

/// The rows of each payload, once all acknowledged readings are stored and the stream is empty. If
/// that takes too long, as it is then.
fn settled(whole: &Whole, told: &[Told], interrupted: &AtomicBool) -> HashMap<String, u32> {
    let since = Instant::now();
    let acknowledged = |(name, fate): (&String, &Fate)| match fate {
        Fate::Acknowledged(_) => Some(name.clone()),
        Fate::GivenUp => None,
    };
    let wanted: Vec<String> = told
        .iter()
        .flat_map(|told| told.sent.iter().filter_map(acknowledged))
        .collect();
    loop {
        assert!(!interrupted.load(Relaxed), "interrupted");
        // The stream first: what leaves it later is in the rows.
        let left = whole.nats[0].messages();
        let stored = rows(&whole.database);
        let is_complete = left == 0 && wanted.iter().all(|name| stored.contains_key(name));
        if is_complete || since.elapsed() >= PATIENCE {
            let seconds = since.elapsed().as_secs();
            say!("quiet after {seconds} s, {left} readings left in the stream");
            return stored;
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// The rows of each payload.
fn rows(database: &Cluster) -> HashMap<String, u32> {
    counted(&database.psql("SELECT encode(payload, 'hex') FROM reading"))
}

/// The first server dies, and its standby takes its place. Says what it has.
fn fail_over(whole: &Whole, stored: &HashMap<String, u32>) -> Option<Result<String, String>> {
    let standby = whole.standby.as_ref()?;
    whole.database.kill();
    standby.promote();
    let there = rows(standby);
    let missing = stored.keys().filter(|name| !there.contains_key(*name));
    let missing = missing.count();
    Some(match there == *stored {
        true => Ok(format!("has the same {} readings", there.len())),
        false => Err(format!("the standby lacks {missing} stored readings")),
    })
}

fn listed(done: &BTreeMap<(Kind, Manner), u32>) -> String {
    let each = done.iter().map(|((kind, manner), count)| {
        let text = format!("{count} {manner:?} {kind:?}");
        text.to_lowercase()
    });
    each.collect::<Vec<_>>().join(", ")
}

/// NATS servers of the large site. Older ones lose track of their copies when they are killed, and
/// then deliver nothing of some partitions for minutes.
fn servers() -> u64 {
    match Nats::version() >= Some((2, 10)) {
        true => 3,
        false => 1,
    }
}

/// Becomes true when somebody ends the program, which then stops what it has started.
fn interrupted() -> Arc<AtomicBool> {
    let flag = Arc::default();
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&flag)).expect("registers");
    }
    flag
}

/// A folder for logs, which stays if the test fails.
fn new_folder() -> PathBuf {
    tempfile::tempdir().expect("a folder").keep()
}

/// Fails if anything is wrong.
fn judge(trial: &Trial) {
    let verdict = trial.run();
    assert!(
        verdict.as_ref().is_none_or(Verdict::is_good),
        "see above, and the logs in {}",
        trial.logs.display()
    );
}

#[test]
fn a_site_of_processes_loses_and_doubles_nothing_while_its_parts_are_struck() {
    let trial = Trial {
        plan: Plan {
            nats: 1,
            engines: 2,
            heads: 3,
            collectors: 1,
            standby: false,
            nodes: 12,
            lease: 2,
        },
        faults: number("SELO_FAULTS", 6) as u32,
        seed: number("SELO_SEED", 1),
        apart: Duration::from_millis(800),
        every: Duration::from_millis(400),
        of_database: Vec::new(),
        logs: new_folder(),
    };
    judge(&trial);
    std::fs::remove_dir_all(&trial.logs).expect("removes");
}

/// The standby takes over from a server that died, then from one that hangs and goes on afterwards. A
/// server hangs for a while. At the end the first one of the connection string is the standby.
#[test]
fn a_site_goes_on_with_the_standby_in_place_of_a_server_that_died_or_hangs() {
    let of_database = vec![
        Manner::FailOver,
        Manner::Depose,
        Manner::Pause,
        Manner::FailOver,
    ];
    let trial = Trial {
        plan: Plan {
            nats: 1,
            engines: 2,
            heads: 1,
            collectors: 2,
            standby: true,
            nodes: 4,
            lease: 2,
        },
        faults: of_database.len() as u32,
        seed: number("SELO_SEED", 1),
        apart: Duration::from_secs(5),
        every: Duration::from_millis(400),
        of_database,
        logs: new_folder(),
    };
    judge(&trial);
    std::fs::remove_dir_all(&trial.logs).expect("removes");
}

#[test]
#[ignore = "takes minutes"]
fn a_large_site_of_processes_loses_and_doubles_nothing_while_its_parts_are_struck() {
    let given = std::env::var("SELO_LOGS").map(PathBuf::from);
    let logs = given.unwrap_or_else(|_| new_folder());
    if servers() == 1 {
        say!("one NATS server instead of three with copies: it is older than 2.10");
    }
    let trial = Trial {
        plan: Plan {
            nats: number("SELO_NATS", servers()) as usize,
            engines: 3,
            heads: 3,
            collectors: 2,
            standby: true,
            nodes: number("SELO_NODES", 200) as usize,
            lease: 3,
        },
        faults: number("SELO_FAULTS", 60) as u32,
        seed: number("SELO_SEED", 1),
        apart: Duration::from_secs(3),
        every: Duration::from_secs(4),
        of_database: Vec::new(),
        logs,
    };
    judge(&trial);
}
