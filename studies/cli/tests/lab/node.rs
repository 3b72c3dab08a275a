//! `selo node` and `selo gateway` from end to end: two commands with UDP between them, under the
//! conditions of the field: bad networks, a killed gateway, and thousands of unsolicited packets.

mod attacked;
mod pairing;
mod usage;

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;

use crate::gateway_support::{Answer, Site};
use serde_json::Value;

fn parse(line: &str) -> Value {
    serde_json::from_str(line).expect("JSON")
}

/// Makes nodes with keys in the state directory `nodes`, and registers them at the gateway.
fn fleet(site: &Site, count: usize, suite: &str) {
    let count = count.to_string();
    site.ok(&[
        "node",
        "--make-registry",
        "nodes.csv",
        "--count",
        &count,
        "--state",
        "nodes",
        "--suite",
        suite,
    ]);
    site.ok(&["device", "import", "nodes.csv"]);
}

/// The summary of `selo node`, checked for consistency.
struct Nodes {
    summary: Value,
}

impl Nodes {
    fn of(answer: &Answer) -> Nodes {
        assert!(matches!(answer.code, Some(0 | 1)), "{answer:?}");
        let nodes = Nodes {
            summary: parse(&answer.stdout),
        };
        assert_eq!(nodes.summary["schema"], "selo.nodes/1");
        let (sent, lost) = (nodes.count("sent"), nodes.count("lost"));
        assert_eq!(nodes.count("acknowledged") + lost, sent, "{answer:?}");
        let whole = nodes.count("joined") == nodes.count("nodes") && lost == 0;
        assert_eq!(answer.code == Some(0), whole, "{answer:?}");
        nodes
    }

    fn count(&self, what: &str) -> usize {
        let value = self.summary[what].as_u64();
        let value = value.unwrap_or_else(|| panic!("no {what} in {}", self.summary));
        value as usize
    }

    /// How many times the simulated network did this.
    fn network(&self, what: &str) -> u64 {
        self.summary["network"][what].as_u64().expect("a number")
    }
}

/// Runs confirmed nodes until they end.
fn run(site: &Site, to: SocketAddr, more: &[&str]) -> Nodes {
    Nodes::of(&site.selo(&arguments(&to.to_string(), more)))
}

fn arguments<'a>(to: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec![
        "node",
        "--to",
        to,
        "--state",
        "nodes",
        "--confirmed",
        "--json",
    ];
    arguments.extend(more);
    arguments
}

/// Checks the lines of the gateway and returns the number of different readings. Every line is a
/// reading in the form that nodes produce. No packet appears twice, unless the gateway marks the
/// line as redelivered. No device has more readings than it made; a reading accepted again in
/// another packet would be one too many.
fn check(lines: &[String], nodes: usize, readings: usize) -> usize {
    let (mut packets, mut made) = (HashSet::new(), HashMap::new());
    for line in lines.iter().map(|line| parse(line)) {
        let device = line["device"].as_str().expect("a device").to_owned();
        let session = line["session"].as_str().expect("a session").to_owned();
        let counter = line["counter"].as_u64().expect("a counter");
        let payload = hex::decode(line["payload"].as_str().expect("text")).expect("hex");
        assert_eq!(payload.len(), 16, "{line}");
        let millivolts = u16::from_le_bytes([payload[12], payload[13]]);
        assert!((3000..4300).contains(&millivolts), "{line}");
        assert_eq!(line["authenticated"], true);
        let new = packets.insert((device.clone(), session, counter));
        assert!(new || line["redelivered"] == true, "accepted twice: {line}");
        let of_device = made.entry(device).or_insert(0);
        *of_device += usize::from(new);
        assert!(*of_device <= readings, "delivered twice: {line}");
    }
    assert!(made.len() <= nodes);
    packets.len()
}

#[test]
fn over_a_bad_network_every_confirmed_reading_arrives_once() {
    const NODES: usize = 50;
    const READINGS: usize = 4;
    let site = Site::new();
    fleet(&site, NODES, "aesgcm-sha3-256");
    let gateway = site.gateway(&[]);
    let nodes = run(
        &site,
        gateway.address,
        &[
            "--readings",
            "4",
            "--every",
            "100ms",
            "--loss",
            "8%",
            "--delay",
            "0ms..50ms",
            "--reorder",
            "10%",
            "--duplicate",
            "20%",
            "--corrupt",
            "4%",
            "--truncate",
            "4%",
        ],
    );
    for what in ["lost", "doubled", "overtaken", "altered", "cut"] {
        assert!(nodes.network(what) > 0, "{}", nodes.summary);
    }
    assert_eq!(nodes.count("joined"), NODES, "{}", nodes.summary);
    assert_eq!(nodes.count("sent"), NODES * READINGS, "{}", nodes.summary);
    let (code, lines, log) = gateway.stop();
    assert_eq!(code, Some(0), "{log}");
    let arrived = check(&lines, NODES, READINGS);
    assert_eq!(arrived, lines.len(), "nothing was redelivered");
    // A reading that the node gave up may have arrived, if only its acknowledgements were lost.
    assert!(arrived >= nodes.count("acknowledged"), "{}", nodes.summary);
    assert!(arrived <= nodes.count("sent"), "{}", nodes.summary);
}

#[test]
fn nodes_that_come_back_are_those_of_before() {
    const NODES: usize = 20;
    let site = Site::new();
    fleet(&site, NODES, "ascon");
    let gateway = site.gateway(&[]);
    for _ in 0..2 {
        let nodes = run(
            &site,
            gateway.address,
            &["--readings", "2", "--every", "20ms"],
        );
        assert_eq!(nodes.count("acknowledged"), 2 * NODES, "{}", nodes.summary);
    }
    let (code, lines, log) = gateway.stop();
    assert_eq!(code, Some(0), "{log}");
    let sessions: HashSet<_> = lines
        .iter()
        .map(|line| {
            (
                parse(line)["device"].clone(),
                parse(line)["session"].clone(),
            )
        })
        .collect();
    assert_eq!((lines.len(), sessions.len()), (4 * NODES, 2 * NODES));
    let listed = site.ok(&["device", "list", "--json"]);
    for line in listed.lines().map(parse) {
        // A start reserves 16 counters, so the second start begins with the next 16.
        assert_eq!(line["join_counter"], 17, "{line}");
    }
}
