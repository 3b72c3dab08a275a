//! A whole site spread over processes: heads, engines, NATS servers, collectors and PostgreSQL. Nodes
//! roam between the heads while random faults strike the parts. Afterwards every acknowledged reading
//! is stored once, and no key and counter have sealed two packets.
//!
//! `make demo-cluster` runs the large one. `SELO_NODES`, `SELO_FAULTS` and `SELO_SEED` set its numbers.

mod faults;
mod nodes;
mod pages;
mod part;
mod usage;
mod verdict;
mod whereabouts;
mod whole;

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGINT, SIGTERM};

use crate::chain::counted;
use crate::gateway_support::PATIENCE;
use crate::network::{self, Network, Where};
use crate::postgres::Cluster;
use crate::seeded::Seeded;
use crate::state_faults::number;
use crate::stream::server::Nats;
use faults::{Faults, Kind, Manner};
use nodes::{Air, Fate, Nodes, Told};
use pages::{Pages, Seen};
use usage::Lap;
use verdict::Verdict;
use whereabouts::{Place, Whereabouts};
use whole::{Plan, Whole};

/// The test of the large site, by its name.
const LARGE: &str =
    "cluster::a_large_site_of_processes_loses_and_doubles_nothing_while_its_parts_are_struck";

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
    /// These faults in this order, in place of random ones.
    chosen: Vec<(Kind, usize, Manner)>,
    logs: PathBuf,
}

impl Trial {
    /// Runs it, and says how it went. `None` if a server is not installed.
    fn run(&self, network: Option<Network>) -> Option<Verdict> {
        let begun = Instant::now();
        let mut whole = Whole::start(self.plan, &self.logs, network)?;
        say!("{}", self.title(begun));
        say!("{}", whole.status());
        let interrupted = interrupted();
        let air = Air {
            heads: whole.air.clone(),
            every: self.every,
            begun,
            acknowledged: 0.into(),
            joined: 0.into(),
            interrupted: interrupted.clone(),
        };
        let pages = Pages::start(whole.viewers(), begun);
        let nodes = Nodes::start(air, whole.devices.clone(), self.seed);
        let mut faults = Faults::new(self.seed, interrupted.clone());
        let laps = self.strike(&mut whole, &mut faults, &nodes, begun);
        faults.end(&mut whole);
        let told = nodes.end();
        let Settled { stored, unstored } = settled(&mut whole, &mut faults, &told);
        faults.settle(&mut whole);
        // Nothing is wrong with any part when all are back.
        whole.status();
        faults.mind(&mut whole);
        whole.keep_logs(&self.logs);
        let mut verdict = Verdict::of(&told, &stored, &unstored);
        verdict.odd.append(&mut faults.odd);
        let mut seen = pages.end();
        say!(
            "pages              {} read, {} away, {} wrong numbers, {} older than another collector's",
            seen.pages,
            seen.away,
            seen.wrong.len(),
            seen.older
        );
        verdict.odd.append(&mut seen.wrong);
        verdict.odd.extend(amiss(&whole, &told, &stored, &seen));
        match fail_over(&whole, &stored) {
            Some(Ok(has)) => say!("standby            {has}, after the first server was killed"),
            Some(Err(lacks)) => verdict.odd.push(lacks),
            None => {}
        }
        say!("faults             {}", listed(&faults.done));
        say!("processor, memory  {}", faults.usage);
        say!("a reading takes    {}", laps[1].since(&laps[0]));
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
        let build = match cfg!(debug_assertions) {
            true => "for tests",
            false => "optimised",
        };
        format!(
            "heads {heads}, engines {engines}, NATS servers {nats}, collectors {collectors}, \
             PostgreSQL{standby}, nodes {nodes}, seed {}; started in {:.0} s\n\
             build {build}, a reading of each node every {:.0} s",
            self.seed,
            begun.elapsed().as_secs_f64(),
            self.every.as_secs_f64()
        )
    }

    /// Strikes the parts. Returns the state of the processors' times before and after.
    fn strike(
        &self,
        whole: &mut Whole,
        faults: &mut Faults,
        nodes: &Nodes,
        begun: Instant,
    ) -> [Lap; 2] {
        let mut random = Seeded(self.seed ^ u64::MAX);
        let apart = self.apart.as_millis() as usize;
        // The nodes join first.
        faults.wait(whole, self.every.max(self.apart * 2));
        let acknowledged = || nodes.air.acknowledged.load(Relaxed);
        let before = faults.usage.lap(acknowledged());
        if self.faults == 0 {
            // As long again, for the figures of a site without faults.
            faults.wait(whole, self.every.max(self.apart * 2));
        }
        for fault in 1..=self.faults {
            match self.chosen.get(fault as usize - 1) {
                Some(fault) => faults.strike_so(whole, *fault),
                None => faults.strike(whole),
            }
            let time = apart / 2 + random.below(apart);
            faults.wait(whole, Duration::from_millis(time as u64));
            if fault % 10 == 0 || fault == self.faults {
                say!(
                    "{fault:4} faults {:5} s {:6} readings acknowledged, {:6} joins",
                    begun.elapsed().as_secs(),
                    acknowledged(),
                    nodes.air.joined.load(Relaxed)
                );
            }
        }
        [before, faults.usage.lap(acknowledged())]
    }
}

/// What became of the readings.
struct Settled {
    /// The rows of each payload.
    stored: HashMap<String, u32>,
    /// Where those are that are not stored, as seen before `stored`.
    unstored: Whereabouts,
}

/// Interval between two looks at the backlog, and between two lines about it.
const LOOK: Duration = Duration::from_secs(1);
const SAY: Duration = Duration::from_secs(15);

/// Waits until all acknowledged readings are stored and the stream is empty, as long as the backlog
/// gets less.
fn settled(whole: &mut Whole, faults: &mut Faults, told: &[Told]) -> Settled {
    let since = Instant::now();
    let acknowledged = |(name, fate): (&String, &Fate)| match fate {
        Fate::Acknowledged(_) => Some(name.clone()),
        Fate::GivenUp => None,
    };
    let wanted: Vec<String> = told
        .iter()
        .flat_map(|told| told.sent.iter().filter_map(acknowledged))
        .collect();
    let first = count(&whole.database);
    let (mut best, mut last, mut said) = ((0, u64::MAX), since, (first, since));
    loop {
        // The stream first: what leaves it later is in the rows.
        let left = whole.nats[0].messages();
        let now = count(&whole.database);
        if now > best.0 || left < best.1 {
            (best, last) = ((best.0.max(now), best.1.min(left)), Instant::now());
        }
        if said.1.elapsed() >= SAY {
            let rate = now.saturating_sub(said.0) as f64 / said.1.elapsed().as_secs_f64();
            let missing = wanted.len().saturating_sub(now);
            say!("backlog            {missing} to be stored, {left} in the stream, {rate:.0}/s");
            said = (now, Instant::now());
        }
        let is_late = last.elapsed() >= PATIENCE;
        if !is_late && (left > 0 || now < wanted.len()) {
            faults.wait(whole, LOOK);
            continue;
        }
        // A database that has more rows may lack some of the wanted ones.
        let unstored = match is_late {
            true => Whereabouts::look(whole),
            false => Whereabouts::default(),
        };
        let stored = rows(&whole.database);
        let is_complete = left == 0 && wanted.iter().all(|name| stored.contains_key(name));
        if is_complete || is_late {
            let seconds = since.elapsed().as_secs_f64();
            let new = now.saturating_sub(first);
            let rate = new as f64 / seconds.max(1.0);
            let how = if is_complete { "quiet" } else { "no progress" };
            say!(
                "{how} after {seconds:.0} s, {new} readings stored since the nodes ended ({rate:.0}/s), \
                 {left} left in the stream"
            );
            return Settled { stored, unstored };
        }
        faults.wait(whole, LOOK);
    }
}

/// The number of rows.
fn count(database: &Cluster) -> usize {
    let count = database.psql("SELECT count(*) FROM reading");
    count.parse().expect("a number")
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

/// What the pages have shown beyond what was sent, and what they show at the end beside what is stored.
fn amiss(whole: &Whole, told: &[Told], stored: &HashMap<String, u32>, seen: &Seen) -> Vec<String> {
    let mut amiss = Vec::new();
    if seen.pages == 0 {
        amiss.push("no page was ever there".to_owned());
    }
    let of = |told: &Told| whole.devices[told.number].0;
    let rows = |told: &Told| {
        let stored = told.sent.keys().filter_map(|name| stored.get(name));
        stored.map(|rows| u64::from(*rows)).sum::<u64>()
    };
    let right: HashMap<u32, (u64, u64)> = told
        .iter()
        .map(|told| (of(told), (told.sent.len() as u64, rows(told))))
        .collect();
    for (device, shown) in &seen.most {
        let sent = right.get(device).map_or(0, |(sent, _)| *sent);
        if *shown > sent {
            amiss.push(format!(
                "a page showed {shown} of {sent} readings of {device:08x}"
            ));
        }
    }
    for (mut viewer, number) in whole.viewers().into_iter().zip(1..) {
        let Some(stations) = viewer.read() else {
            amiss.push(format!("collector {number} has no page at the end"));
            continue;
        };
        for station in stations {
            let (device, shown) = pages::shown(&station).unwrap_or_default();
            let rows = right.get(&device).map_or(0, |(_, rows)| *rows);
            if shown != rows {
                amiss.push(format!(
                    "collector {number} shows {shown} readings of {device:08x} at the end, not {rows}"
                ));
            }
        }
    }
    amiss
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
fn judge(trial: &Trial, network: Option<Network>) {
    let verdict = trial.run(network);
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
        chosen: Vec::new(),
        logs: new_folder(),
    };
    judge(&trial, None);
    std::fs::remove_dir_all(&trial.logs).expect("removes");
}

/// The standby takes over from a server that died, then from one that hangs and goes on afterwards. A
/// server hangs for a while. At the end the first one of the connection string is the standby.
#[test]
fn a_site_goes_on_with_the_standby_in_place_of_a_server_that_died_or_hangs() {
    let chosen = [
        Manner::FailOver,
        Manner::Depose,
        Manner::Pause,
        Manner::FailOver,
    ];
    let chosen = Vec::from(chosen.map(|manner| (Kind::Database, 0, manner)));
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
        faults: chosen.len() as u32,
        seed: number("SELO_SEED", 1),
        apart: Duration::from_secs(5),
        every: Duration::from_millis(400),
        chosen,
        logs: new_folder(),
    };
    judge(&trial, None);
    std::fs::remove_dir_all(&trial.logs).expect("removes");
}

/// Each part in turn goes on without the network, past its lease: an engine that hears the heads and
/// not PostgreSQL, one that has its lease and no head, and so on.
#[test]
fn a_site_goes_on_when_its_parts_are_cut_off_and_come_back() {
    let chosen = vec![
        (Kind::Engine, 0, Manner::CutSome),
        (Kind::Database, 0, Manner::CutOver),
        (Kind::Collector, 0, Manner::Mute),
        (Kind::Head, 0, Manner::Deafen),
        (Kind::Nats, 0, Manner::Cut),
        (Kind::Engine, 1, Manner::Deafen),
        (Kind::Standby, 0, Manner::Cut),
    ];
    network::with(
        "cluster::a_site_goes_on_when_its_parts_are_cut_off_and_come_back",
        |network| {
            let trial = Trial {
                plan: Plan {
                    nats: 1,
                    engines: 2,
                    heads: 2,
                    collectors: 2,
                    standby: true,
                    nodes: 6,
                    lease: 2,
                },
                faults: chosen.len() as u32,
                seed: number("SELO_SEED", 1),
                apart: Duration::from_secs(3),
                every: Duration::from_millis(800),
                chosen,
                logs: new_folder(),
            };
            judge(&trial, Some(network));
            std::fs::remove_dir_all(&trial.logs).expect("removes");
        },
    );
}

/// The collector is away: each reading is in the stream or in a journal, and when the stream is emptied,
/// in a journal. When the collector is back, nothing is late.
#[test]
fn a_reading_that_nobody_has_stored_is_found_where_it_is() {
    let logs = new_folder();
    let plan = Plan {
        nats: 1,
        engines: 2,
        heads: 1,
        collectors: 1,
        standby: false,
        nodes: 4,
        lease: 2,
    };
    let Some(mut whole) = Whole::start(plan, &logs, None) else {
        return;
    };
    whole.collectors[0].kill();
    let air = Air {
        heads: whole.air.clone(),
        every: Duration::from_millis(400),
        begun: Instant::now(),
        acknowledged: 0.into(),
        joined: 0.into(),
        interrupted: Arc::default(),
    };
    let nodes = Nodes::start(air, whole.devices.clone(), 1);
    std::thread::sleep(Duration::from_secs(2));
    let told = nodes.end();
    let sent = || told.iter().flat_map(|told| told.sent.keys());
    assert!(sent().count() >= plan.nodes);
    let places = |whole: &Whole| -> Vec<Place> {
        let found = Whereabouts::look(whole);
        sent().map(|name| found.of(name)).collect()
    };
    let wait = |whole: &Whole, what: &str, is_so: fn(&[Place]) -> bool| {
        let since = Instant::now();
        loop {
            let found = places(whole);
            if is_so(&found) {
                return;
            }
            assert!(since.elapsed() < PATIENCE, "not {what}: {found:?}");
            std::thread::sleep(Duration::from_millis(200));
        }
    };
    // An engine publishes some. The others wait in its journal until the first are stored.
    wait(&whole, "safe", |places| {
        places.contains(&Place::Stream) && places.iter().all(|it| it.is_late())
    });
    // The engines cannot publish again what the stream lost.
    for engine in &whole.engines {
        engine.signal(rustix::process::Signal::STOP);
    }
    whole.nats[0].empty();
    let found = places(&whole);
    assert!(
        found.iter().all(|place| matches!(place, Place::Waits(_))),
        "{found:?}"
    );
    for engine in &whole.engines {
        engine.signal(rustix::process::Signal::CONT);
    }
    whole.collectors[0].start();
    wait(&whole, "stored", |places| {
        places.iter().all(|it| !it.is_late())
    });
    let stored = rows(&whole.database);
    assert!(sent().all(|name| stored.contains_key(name)), "{stored:?}");
    std::fs::remove_dir_all(&logs).expect("removes");
}

/// The mean time between readings and between faults of a large site: about a hundred readings a
/// second at most, unless `SELO_EVERY` says otherwise, and each node sends some.
fn pace(nodes: usize) -> (Duration, Duration) {
    let every = (nodes as u64).div_ceil(100).max(4);
    let every = Duration::from_secs(number("SELO_EVERY", every));
    let apart = Duration::from_secs(if nodes > 2000 { 5 } else { 3 });
    (every, apart)
}

#[test]
#[ignore = "takes minutes"]
fn a_large_site_of_processes_loses_and_doubles_nothing_while_its_parts_are_struck() {
    let network = match network::enter(LARGE) {
        Where::Here(network) => Some(network),
        Where::Elsewhere(is_good) => return assert!(is_good, "see above"),
        Where::Refused(why) => {
            say!("no part is cut off: this machine allows no network namespaces ({why})");
            None
        }
    };
    let given = std::env::var("SELO_LOGS").map(PathBuf::from);
    let logs = given.unwrap_or_else(|_| new_folder());
    if servers() == 1 {
        say!("one NATS server instead of three with copies: it is older than 2.10");
    }
    let nodes = number("SELO_NODES", 200) as usize;
    let (every, apart) = pace(nodes);
    let trial = Trial {
        plan: Plan {
            nats: number("SELO_NATS", servers()) as usize,
            engines: 3,
            heads: 3,
            collectors: 2,
            standby: true,
            nodes,
            lease: 3,
        },
        faults: number("SELO_FAULTS", 60) as u32,
        seed: number("SELO_SEED", 1),
        apart,
        every,
        chosen: Vec::new(),
        logs,
    };
    judge(&trial, network);
}
