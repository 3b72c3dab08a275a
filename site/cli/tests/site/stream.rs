//! Gateways and collectors around a stream of NATS JetStream, with a real nats-server. Whatever
//! fails, every acknowledged reading is in the database exactly once.

mod channels;
mod credentials;
mod events;
mod faults;
mod foreign;
mod page;
mod people;
mod refused;
pub mod server;
mod servers;
mod several;

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::chain::{counted, of_sqlite};
use crate::gateway_support::{CNode, Gateway, PATIENCE, Running, Site};
use crate::postgres::Cluster;
use selo_sys::node::Suite;
use server::Nats;

/// A site whose readings pass through a stream. Each part is a process.
struct Net {
    nats: Nats,
    cluster: Option<Cluster>,
    /// One of each collector.
    homes: Vec<Site>,
    collectors: Vec<Option<Running>>,
    site: Site,
    /// More options of the gateway and of the collectors.
    options: [Vec<String>; 2],
    gateway: Option<Gateway>,
    node: Option<CNode>,
    device: (u32, [u8; 32]),
    told: u32,
}

impl Net {
    fn new(nats: Nats, cluster: Option<Cluster>) -> Net {
        let site = Site::new();
        Net {
            cluster,
            homes: Vec::new(),
            collectors: Vec::new(),
            device: site.device(Suite::ChaChaPolyBlake2s, "garden"),
            options: [nats.url(), nats.url()].map(|url| vec!["--stream".to_owned(), url]),
            nats,
            site,
            gateway: None,
            node: None,
            told: 0,
        }
    }

    /// With a gateway whose node has joined, and this many collectors. `None` if nats-server is not
    /// installed.
    fn started(cluster: Option<Cluster>, collectors: usize) -> Option<Net> {
        let mut net = Net::new(Nats::start()?, cluster);
        for _ in 0..collectors {
            net.add_collector();
        }
        net.start_gateway();
        net.join();
        Some(net)
    }

    fn stream(&self, of: usize) -> Vec<String> {
        let site = ["--site", "farm"].map(str::to_owned);
        site.into_iter().chain(self.options[of].clone()).collect()
    }

    fn start_gateway(&mut self) {
        let arguments = self.stream(0);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let gateway = self.site.gateway(&arguments);
        if let Some(node) = &self.node {
            node.move_gateway(gateway.address);
        }
        self.gateway = Some(gateway);
    }

    fn join(&mut self) {
        let address = self.gateway.as_ref().expect("runs").address;
        let mut node = CNode::provisioned(Suite::ChaChaPolyBlake2s, address, self.device);
        node.join();
        self.node = Some(node);
    }

    fn database(&self) -> PathBuf {
        self.site.path().join("readings.db")
    }

    fn add_collector(&mut self) {
        self.homes.push(Site::new());
        self.collectors.push(None);
        self.start_collector(self.homes.len() - 1);
    }

    fn start_collector(&mut self, number: usize) {
        let database = match &self.cluster {
            Some(cluster) => cluster.url(),
            None => self.database().display().to_string(),
        };
        let mut arguments = vec!["collect", "--database", &database, "--http", "127.0.0.1:0"];
        let stream = self.stream(1);
        arguments.extend(stream.iter().map(String::as_str));
        let collector = Running::start(&self.homes[number], &arguments);
        collector.err.wait("listening on");
        self.collectors[number] = Some(collector);
    }

    /// Sends readings until each is acknowledged.
    fn deliver(&mut self, count: u32) {
        for _ in 0..count {
            let node = self.node.as_mut().expect("has joined");
            node.deliver(&self.told.to_be_bytes());
            self.told += 1;
        }
    }

    /// The rows of each payload in the database.
    fn stored(&self) -> HashMap<String, u32> {
        let payloads = match &self.cluster {
            Some(cluster) => cluster.psql("SELECT encode(payload, 'hex') FROM reading"),
            None => of_sqlite(&self.database()),
        };
        counted(&payloads)
    }

    fn logs(&self) -> String {
        let gateway = self.gateway.as_ref().map(|it| it.log.all());
        let collectors = self.collectors.iter().flatten().map(|it| it.err.all());
        gateway
            .into_iter()
            .chain(collectors)
            .collect::<Vec<_>>()
            .join("\n---\n")
    }

    /// Waits until the database has each acknowledged reading, and checks that it has it once.
    fn is_complete(&self) {
        let since = Instant::now();
        loop {
            let stored = self.stored();
            if stored.len() >= self.told as usize {
                assert_eq!(stored.len(), self.told as usize);
                assert!(stored.values().all(|count| *count == 1), "{stored:?}");
                return;
            }
            let (found, told) = (stored.len(), self.told);
            assert!(
                since.elapsed() < PATIENCE,
                "{found} of {told} are stored:\n{}",
                self.logs()
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits until the database has each acknowledged reading once and the stream is empty. A
    /// collector that dies between its commit and its acknowledgement leaves readings in the stream.
    fn is_settled(&self) {
        self.is_complete();
        self.nats.wait_messages(0);
    }

    /// Waits until the gateway, in its first run, knows of each acknowledged reading that it is stored.
    fn is_confirmed(&self) {
        let since = Instant::now();
        loop {
            let status = self.site.status();
            if status["delivered"] == self.told {
                return;
            }
            assert!(since.elapsed() < PATIENCE, "{status}:\n{}", self.logs());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// A gateway that starts offers all that waits in its journal at once.
    fn restart_gateway(&mut self) {
        self.gateway.take().expect("runs").kill();
        self.start_gateway();
    }

    fn signal_collector(&self, number: usize, signal: Signal) {
        let running = self.collectors[number].as_ref().expect("runs");
        kill_process(Pid::from_child(&running.child), signal).expect("runs");
    }

    fn kill_collector(&mut self, number: usize) {
        self.collectors[number].take().expect("runs").kill();
    }

    fn collector_says(&self, number: usize, words: &str) -> String {
        self.collectors[number]
            .as_ref()
            .expect("runs")
            .err
            .said(words)
    }

    fn gateway_says(&self, words: &str) -> String {
        self.gateway.as_ref().expect("runs").log.said(words)
    }
}

#[test]
fn a_reading_passes_through_the_stream_into_sqlite() {
    let Some(mut net) = Net::started(None, 1) else {
        return;
    };
    net.deliver(20);
    // What is stored leaves the stream.
    net.is_settled();
    let gateway = net.gateway.take().expect("runs");
    let (code, _, log) = gateway.stop();
    assert_eq!(code, Some(0), "{log}");
    // A confirmed reading is not published again after a restart.
    net.start_gateway();
    net.deliver(1);
    net.is_complete();
    assert!(
        !net.logs().contains("publishing them again"),
        "{}",
        net.logs()
    );
}
