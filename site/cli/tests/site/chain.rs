//! The chain from a node to the database, while its parts fail. Broker, gateway, collector and
//! database are processes, and the tests kill them. The disk is full, the clock jumps, a certificate
//! has expired, a password is wrong. Every acknowledged reading is in the database exactly once, and
//! the log names the fault.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::gateway_support::farm::Farm;
use crate::gateway_support::{CNode, Gateway, PATIENCE, Running};
use crate::postgres::Cluster;
use selo_sys::node::{Event, Suite};

/// The chain on one machine. Each part is a process.
struct Chain {
    farm: Farm,
    cluster: Option<Cluster>,
    broker: Option<Running>,
    gateway: Option<Gateway>,
    collector: Option<Running>,
    node: Option<CNode>,
    device: (u32, [u8; 32]),
    /// Payloads of the acknowledged readings.
    told: Vec<[u8; 4]>,
}

impl Chain {
    /// A chain in which nothing runs yet.
    fn new(cluster: Option<Cluster>) -> Chain {
        let farm = Farm::new();
        let device = farm.site.device(Suite::ChaChaPolyBlake2s, "garden");
        std::fs::create_dir(farm.site.path().join("disk")).expect("makes");
        Chain {
            farm,
            cluster,
            broker: None,
            gateway: None,
            collector: None,
            node: None,
            device,
            told: Vec::new(),
        }
    }

    /// A running chain whose node has joined.
    fn started(cluster: Option<Cluster>) -> Chain {
        let mut chain = Chain::new(cluster);
        chain.start_broker();
        chain.start_collector();
        chain.start_gateway();
        chain.join();
        chain
    }

    fn start_broker(&mut self) {
        self.broker = Some(self.farm.broker());
    }

    fn start_gateway(&mut self) {
        let gateway = self.farm.gateway(&["--until", "stored"]);
        if let Some(node) = &self.node {
            node.move_gateway(gateway.address);
        }
        self.gateway = Some(gateway);
    }

    fn start_collector(&mut self) {
        let database = match &self.cluster {
            Some(cluster) => cluster.url(),
            None => self.database().display().to_string(),
        };
        let arguments = self.farm.with_broker(
            "collector",
            &["--database", &database, "--http", "127.0.0.1:0"],
        );
        let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        arguments.insert(0, "collect");
        let collector = Running::start(&self.farm.site, &arguments);
        collector.err.wait("listening on");
        self.collector = Some(collector);
    }

    fn join(&mut self) {
        let address = self.gateway.as_ref().expect("runs").address;
        let mut node = CNode::provisioned(Suite::ChaChaPolyBlake2s, address, self.device);
        node.join();
        self.node = Some(node);
    }

    fn node(&mut self) -> &mut CNode {
        self.node.as_mut().expect("has joined")
    }

    /// Sends readings until each is acknowledged.
    fn deliver(&mut self, count: u32) {
        for _ in 0..count {
            let payload = self.next_payload();
            self.node().deliver(&payload);
            self.told.push(payload);
        }
    }

    fn next_payload(&self) -> [u8; 4] {
        (self.told.len() as u32).to_be_bytes()
    }

    fn database(&self) -> PathBuf {
        self.farm.site.path().join("disk/readings.db")
    }

    /// Counts the rows of each payload in the database.
    fn stored(&self) -> HashMap<String, u32> {
        let payloads = match &self.cluster {
            Some(cluster) => {
                let output = Command::new("psql")
                    .args(["-At", "-c", "SELECT encode(payload, 'hex') FROM reading"])
                    .arg(cluster.url())
                    .output()
                    .expect("psql runs");
                String::from_utf8(output.stdout).expect("text")
            }
            None => of_sqlite(&self.database()),
        };
        let mut counts = HashMap::new();
        for payload in payloads.lines() {
            *counts.entry(payload.to_owned()).or_default() += 1;
        }
        counts
    }

    /// Waits until the database has all acknowledged readings.
    fn wait_stored(&self) {
        let since = Instant::now();
        loop {
            let stored = self.stored();
            let missing = (self.told.iter())
                .filter(|payload| !stored.contains_key(&hex::encode(payload)))
                .count();
            if missing == 0 {
                return;
            }
            assert!(
                since.elapsed() < 3 * PATIENCE,
                "{missing} of {} are missing;\ngateway:\n{}\ncollector:\n{}",
                self.told.len(),
                self.gateway
                    .as_ref()
                    .map_or_else(String::new, |g| g.log.all()),
                self.collector
                    .as_ref()
                    .map_or_else(String::new, |c| c.err.all()),
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Checks that the database has each acknowledged reading exactly once.
    fn is_complete(&self) {
        self.wait_stored();
        let stored = self.stored();
        assert_eq!(stored.len(), self.told.len());
        assert!(stored.values().all(|count| *count == 1), "{stored:?}");
    }

    /// Waits for a line with these words in the gateway's log.
    fn gateway_says(&self, words: &str) -> String {
        self.gateway.as_ref().expect("runs").log.said(words)
    }

    fn collector_says(&self, words: &str) -> String {
        self.collector.as_ref().expect("runs").err.said(words)
    }
}

/// The payloads in a database that another process writes. Empty if it has no table yet.
fn of_sqlite(path: &Path) -> String {
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE;
    let Ok(database) = rusqlite::Connection::open_with_flags(path, flags) else {
        return String::new();
    };
    let payloads = || -> rusqlite::Result<String> {
        database.busy_timeout(PATIENCE)?;
        database.query_row(
            "SELECT coalesce(group_concat(lower(hex(payload)), char(10)), '') FROM reading",
            [],
            |row| row.get(0),
        )
    };
    payloads().unwrap_or_default()
}

fn one_after_the_other(cluster: Option<Cluster>) {
    const ROUNDS: u32 = 3;
    let mut chain = Chain::started(cluster);
    for round in 0..ROUNDS {
        chain.deliver(10);
        chain.collector.take().expect("runs").kill();
        chain.deliver(10);
        chain.start_collector();
        chain.deliver(10);
        chain.broker.take().expect("runs").kill();
        chain.deliver(10);
        if round == 0 {
            chain.gateway_says("the broker is unreachable");
            chain.collector_says("the broker is unreachable");
        }
        chain.start_broker();
        chain.deliver(10);
        chain.gateway.take().expect("runs").kill();
        chain.start_gateway();
        chain.deliver(10);
        if chain.cluster.is_some() {
            chain.wait_stored();
            chain.cluster.as_ref().expect("there").kill();
            chain.deliver(10);
            let said = chain.collector_says("readings are not being stored");
            assert!(said.contains("hint"), "{said}");
            chain.cluster.as_ref().expect("there").up();
            chain.deliver(10);
        }
        // Kill all parts at once.
        chain.gateway.take().expect("runs").kill();
        chain.broker.take().expect("runs").kill();
        chain.collector.take().expect("runs").kill();
        chain.start_gateway();
        chain.deliver(10);
        chain.start_collector();
        chain.start_broker();
    }
    chain.is_complete();
    // The node kept its session: no kill made it join again.
    assert!(chain.node().event_within(Duration::ZERO).is_none());
}

#[test]
fn whatever_is_killed_what_a_node_was_told_of_is_stored_once_in_sqlite() {
    one_after_the_other(None);
}

#[test]
fn whatever_is_killed_what_a_node_was_told_of_is_stored_once_in_postgresql() {
    if let Some(cluster) = Cluster::start() {
        one_after_the_other(Some(cluster));
    }
}

/// Runs a command with a disk of 4 MB at `disk` that only the command sees.
const SMALL_DISK: [&str; 6] = [
    "unshare",
    "-rm",
    "sh",
    "-c",
    "mkdir -p disk && mount -t tmpfs -o size=4m none disk && exec \"$@\"",
    "sh",
];

/// Returns true if this user may mount such a disk. In CI it must be possible.
fn small_disks() -> bool {
    let [program, arguments @ ..] = SMALL_DISK;
    let folder = tempfile::tempdir().expect("a folder");
    let works = Command::new(program)
        .args(arguments)
        .arg("true")
        .current_dir(folder.path())
        .status()
        .is_ok_and(|status| status.success());
    assert!(
        works || std::env::var_os("CI").is_none(),
        "unshare -rm fails"
    );
    if !works {
        eprintln!("skipped: this user may not mount a file system (unshare -rm)");
    }
    works
}

/// Fills the disk that the process sees at `disk`. Returns the file to remove.
fn fill(pid: u32, folder: &Path) -> PathBuf {
    let disk = PathBuf::from(format!("/proc/{pid}/root{}/disk", folder.display()));
    let filler = disk.join("filler");
    let mut file = std::fs::File::create(&filler).expect("there is room yet");
    let block = [0; 4096];
    while std::io::Write::write_all(&mut file, &block).is_ok() {}
    // Also fill the last bytes.
    while std::io::Write::write_all(&mut file, &[0]).is_ok() {}
    filler
}

#[test]
fn a_gateway_with_a_full_disk_acknowledges_nothing_and_goes_on_when_there_is_room() {
    if !small_disks() {
        return;
    }
    let mut chain = Chain::new(None);
    chain.start_broker();
    chain.start_collector();
    // The registry with the device is copied to the small disk.
    let copies = "cp -a state disk/state && exec \"$@\"";
    let script = SMALL_DISK[4].replace("exec \"$@\"", copies);
    let mut under = SMALL_DISK;
    under[4] = &script;
    chain.farm.site.run_under(&under);
    let gateway = chain
        .farm
        .gateway(&["--until", "stored", "--state", "disk/state"]);
    chain.farm.site.run_under(&[]);
    let pid = gateway.child.id();
    chain.gateway = Some(gateway);
    chain.join();
    chain.deliver(5);
    let filler = fill(pid, chain.farm.site.path());
    // The last page of the journal has room for a few readings. Later ones are not acknowledged.
    let full = "cannot write the journal";
    let says = |chain: &Chain| {
        chain
            .gateway
            .as_ref()
            .expect("runs")
            .log
            .all()
            .contains(full)
    };
    let since = Instant::now();
    let payload = loop {
        let payload = chain.next_payload();
        chain.node().node.send(&payload, true).expect("joined");
        let outcome = loop {
            let outcome = chain.node().event_within(Duration::from_millis(20));
            if outcome.is_some() || says(&chain) {
                break outcome;
            }
            assert!(since.elapsed() < PATIENCE, "the disk never gets full");
        };
        if outcome != Some(Event::Delivered) {
            break payload;
        }
        chain.told.push(payload);
    };
    chain.gateway_says(full);
    let mut outcome = chain.node().event_within(Duration::from_millis(500));
    assert_ne!(outcome, Some(Event::Delivered));
    std::fs::remove_file(filler).expect("removes");
    chain.gateway_says("the journal can be written again");
    // If the node has given up, it sends the same reading with a new counter.
    while outcome != Some(Event::Delivered) {
        if outcome == Some(Event::Undelivered) {
            chain.node().node.send(&payload, true).expect("joined");
        }
        outcome = Some(chain.node().wait("an outcome", |_| true));
    }
    chain.told.push(payload);
    chain.deliver(5);
    chain.wait_stored();
}

#[test]
fn a_collector_with_a_full_disk_confirms_nothing_and_stores_all_when_there_is_room() {
    if !small_disks() {
        return;
    }
    let mut chain = Chain::new(None);
    chain.start_broker();
    chain.start_gateway();
    chain.join();
    chain.farm.site.run_under(&SMALL_DISK);
    chain.start_collector();
    chain.farm.site.run_under(&[]);
    let pid = chain.collector.as_ref().expect("runs").child.id();
    chain.deliver(5);
    let filler = fill(pid, chain.farm.site.path());
    chain.deliver(20);
    let said = chain.collector_says("readings are not being stored");
    assert!(said.contains("full") && said.contains("hint"), "{said}");
    std::fs::remove_file(filler).expect("removes");
    chain.collector_says("the database accepts readings again");
    chain.deliver(5);
    // The database is on a disk that only the collector sees. SQLite would resolve the link in
    // /proc to the test's own files, so open a copy.
    let inside = format!("/proc/{pid}/root{}", chain.database().display());
    let copy = chain.farm.site.path().join("copy.db");
    let since = Instant::now();
    loop {
        for suffix in ["", "-wal"] {
            let to = format!("{}{suffix}", copy.display());
            let _ = std::fs::copy(format!("{inside}{suffix}"), to);
        }
        let mut stored: Vec<String> = of_sqlite(&copy).lines().map(str::to_owned).collect();
        stored.sort();
        if stored == chain.told.iter().map(hex::encode).collect::<Vec<_>>() {
            return;
        }
        let log = chain.collector.as_ref().expect("runs").err.all();
        assert!(since.elapsed() < 3 * PATIENCE, "{stored:?}\n{log}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// A clock for the commands of a test, which the test can set.
struct SetClock {
    file: PathBuf,
}

impl SetClock {
    /// `None` if libfaketime is not installed. CI must have it.
    fn of(chain: &mut Chain) -> Option<SetClock> {
        let architecture = std::env::consts::ARCH;
        let library = format!("/usr/lib/{architecture}-linux-gnu/faketime/libfaketimeMT.so.1");
        if !Path::new(&library).exists() {
            assert!(std::env::var_os("CI").is_none(), "apt-get install faketime");
            eprintln!("skipped: libfaketime is not installed (apt-get install faketime)");
            return None;
        }
        let file = chain.farm.site.path().join("clock");
        let clock = SetClock { file };
        clock.set("+0");
        let path = clock.file.display().to_string();
        chain.farm.site.environment(&[
            ("LD_PRELOAD", &library),
            ("FAKETIME_TIMESTAMP_FILE", &path),
            ("FAKETIME_NO_CACHE", "1"),
            ("DONT_FAKE_MONOTONIC", "1"),
        ]);
        Some(clock)
    }

    /// Sets the clock, in the notation of libfaketime, such as `+3d`.
    fn set(&self, offset: &str) {
        let new = self.file.with_extension("new");
        std::fs::write(&new, format!("{offset}\n")).expect("writes");
        std::fs::rename(new, &self.file).expect("renames");
    }
}

/// The clock jumps while everything runs. Some jumps are so far that no certificate is valid: the
/// readings then wait in the journal. A collector that starts meanwhile looks for old rows, and
/// deletes none.
fn jumps(cluster: Option<Cluster>) {
    let mut chain = Chain::new(cluster);
    let Some(clock) = SetClock::of(&mut chain) else {
        return;
    };
    chain.start_broker();
    chain.start_collector();
    chain.start_gateway();
    chain.join();
    for jump in ["+0", "+3d", "-2d", "+1h"] {
        clock.set(jump);
        chain.deliver(10);
    }
    chain.wait_stored();
    for (jump, words) in [
        ("+800d", "days ahead of the trusted time"),
        ("-2190d", "old rows are not being deleted"),
        ("+800d", "days ahead of the trusted time"),
        ("+0", "connected to the broker"),
    ] {
        clock.set(jump);
        chain.deliver(5);
        chain.collector = None;
        chain.start_collector();
        let collector = chain.collector.as_ref().expect("runs");
        collector.err.said(words);
        chain.deliver(5);
    }
    chain.is_complete();
}

#[test]
fn clocks_that_jump_lose_nothing_and_double_nothing_in_sqlite() {
    jumps(None);
}

#[test]
fn clocks_that_jump_lose_nothing_and_double_nothing_in_postgresql() {
    if let Some(cluster) = Cluster::start() {
        jumps(Some(cluster));
    }
}

#[test]
fn an_expired_certificate_is_named_and_the_readings_wait() {
    let mut chain = Chain::new(None);
    let Some(clock) = SetClock::of(&mut chain) else {
        return;
    };
    chain.start_broker();
    chain.start_collector();
    clock.set("+30y");
    chain.start_gateway();
    let said = chain.gateway_says("the broker is unreachable");
    assert!(
        said.contains("has expired") && said.contains("renew it"),
        "{said}"
    );
    chain.join();
    chain.deliver(5);
    clock.set("+0");
    chain.gateway_says("connected to the broker");
    chain.deliver(5);
    chain.is_complete();
}

#[test]
fn a_certificate_is_warned_of_before_it_expires_and_read_again_when_asked() {
    let mut chain = Chain::new(None);
    let Some(clock) = SetClock::of(&mut chain) else {
        return;
    };
    // The certificate is valid for 397 days, and the dashboard uses it too. Without the authority's
    // key no program renews it.
    let authority = chain.farm.site.path().join("farm/ca.key");
    std::fs::remove_file(authority).expect("removes");
    // 377 days less an hour, so that the test's own duration does not matter.
    clock.set("+9047h");
    chain.start_broker();
    let broker = chain.broker.as_ref().expect("runs");
    let said = broker.err.said("expires soon");
    assert!(
        said.contains("farm/server.pem") && said.contains("days=20"),
        "{said}"
    );
    let arguments = chain
        .farm
        .with_broker("collector", &["--http", "127.0.0.1:0"]);
    let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    arguments.insert(0, "collect");
    arguments.extend(["--tls-cert", "farm/server.pem"]);
    arguments.extend(["--tls-key", "farm/server.key"]);
    let collector = Running::start(&chain.farm.site, &arguments);
    let said = collector.err.said("expires soon");
    assert!(
        said.contains("farm/server.pem") && said.contains("hint"),
        "{said}"
    );
    collector.err.said("listening on");
    let process = rustix::process::Pid::from_child(&collector.child);
    let ask = || {
        rustix::process::kill_process(process, rustix::process::Signal::HUP).expect("runs");
    };
    ask();
    collector.err.said("the certificate was reloaded");
    // An invalid key changes nothing, and the collector continues.
    let key = chain.farm.site.path().join("farm/server.key");
    std::fs::write(&key, "no key").expect("writes");
    ask();
    let said = collector.err.said("the old certificate stays in use");
    assert!(said.contains("server.key"), "{said}");
    collector.interrupt();
    assert_eq!(collector.wait().0, Some(0));
}

#[test]
fn a_wrong_password_is_named_and_the_readings_wait() {
    let mut chain = Chain::new(None);
    chain.start_broker();
    chain.start_collector();
    let file = chain.farm.site.path().join("farm/gateway.password");
    let right = std::fs::read(&file).expect("there");
    std::fs::write(&file, b"another\n").expect("writes");
    chain.start_gateway();
    let said = chain.gateway_says("the broker is unreachable");
    assert!(
        said.contains("wrong name or password") && said.contains("--mqtt-password-file"),
        "{said}"
    );
    chain.join();
    chain.deliver(5);
    std::fs::write(&file, right).expect("writes");
    chain.gateway.take().expect("runs").kill();
    chain.start_gateway();
    chain.deliver(5);
    chain.is_complete();
}
