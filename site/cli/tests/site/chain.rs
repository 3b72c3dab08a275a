//! The chain from a node to the database, while its parts fail. Broker, gateway, collector and
//! database are processes, and the tests kill them. The disk is full, the clock jumps, a certificate
//! has expired, a password is wrong. Every acknowledged reading is in the database exactly once, and
//! the log names the fault.

mod clocks;
mod credentials;
mod disks;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::gateway_support::farm::Farm;
use crate::gateway_support::{CNode, Gateway, PATIENCE, Running};
use crate::network;
use crate::postgres::Cluster;
use selo_sys::node::Suite;

/// Time in which a database works again after its network does, also on a slow machine.
const SESSION_ENDS: Duration = Duration::from_secs(90);

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
            Some(cluster) => cluster.url_with(&[]),
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
        counted(&payloads)
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

/// How many rows each payload has; a payload is a line.
pub fn counted(payloads: &str) -> HashMap<String, u32> {
    let mut counts = HashMap::new();
    for payload in payloads.lines() {
        *counts.entry(payload.to_owned()).or_default() += 1;
    }
    counts
}

/// The payloads in a database that another process writes. Empty if it has no table yet.
pub fn of_sqlite(path: &Path) -> String {
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

/// Nobody is told that the connection to the database is gone, neither the collector nor the server,
/// which keeps the session of the lost connection, and its lock.
#[test]
fn a_database_that_was_cut_off_takes_readings_again_when_it_is_back() {
    const NAME: &str = "chain::a_database_that_was_cut_off_takes_readings_again_when_it_is_back";
    network::with(NAME, |mut network| {
        let (here, there) = (network.host(), network.host());
        let Some(cluster) = Cluster::start_on(Some(there.machine())) else {
            return;
        };
        here.within(|| {
            let mut chain = Chain::started(Some(cluster));
            chain.deliver(3);
            chain.wait_stored();
            let both = network::between(here.address, there.address);
            network::cut(&both);
            chain.deliver(3);
            let said = chain.collector_says("readings are not being stored");
            assert!(said.contains("hint"), "{said}");
            network::restore(&both);
            let back = Instant::now();
            chain.deliver(3);
            chain.is_complete();
            let late = back.elapsed();
            assert!(
                late < SESSION_ENDS,
                "{late:?}: {}",
                chain.collector_says("")
            );
        });
    });
}
