//! Nodes of every suite with the real gateway, over all kinds of networks.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use selo_gateway::registry::{Existing, Record, Registry};
use selo_gateway::state::StateDir;
use selo_gateway::{Config, Gateway, Handle};
use selo_link::{DeviceId, DeviceKey};
use selo_nodes::fleet::{Plan, Tally, run};
use selo_nodes::impairment::Impairment;
use selo_nodes::node::{VirtualNode, provisioned, system_entropy};
use selo_nodes::records::Records;
use selo_sys::node::Suite;

const NODES: usize = 40;
const READINGS: u64 = 6;

/// Readings that the gateway delivered, by device, in order.
type Readings = Arc<Mutex<HashMap<u32, Vec<Vec<u8>>>>>;

struct World {
    gateway: Handle,
    readings: Readings,
    folder: tempfile::TempDir,
}

fn suite(node: usize) -> Suite {
    Suite::ALL[node % 4]
}

fn id(node: usize) -> u32 {
    0x1000_0000 + node as u32
}

fn key(node: usize) -> [u8; 32] {
    [node as u8 + 1; 32]
}

impl World {
    fn new() -> World {
        let folder = tempfile::tempdir().expect("a folder");
        let state = folder.path().join("gateway");
        let directory = StateDir::open(&state).expect("a state");
        let mut registry = Registry::open(&directory.registry()).expect("a registry");
        let device = |node| {
            let suite = selo_link::Suite::from_code(suite(node).code()).expect("the same suites");
            Record::new(DeviceId(id(node)), suite, DeviceKey::new(key(node)))
        };
        let devices: Vec<Record> = (0..NODES).map(device).collect();
        registry.add_all(&devices, Existing::Refuse).expect("added");
        drop(registry);
        let readings = Readings::default();
        let taken = Arc::clone(&readings);
        let sink = move |batch: &[selo_gateway::reading::Reading]| {
            let mut readings = taken.lock().expect("no panic");
            for reading in batch {
                let device = reading.device.0;
                readings
                    .entry(device)
                    .or_default()
                    .push(reading.payload.to_vec());
            }
        };
        let listen = "127.0.0.1:0".parse().expect("an address");
        let config = Config::new(state, listen, sink);
        World {
            gateway: Gateway::start(config).expect("starts"),
            readings,
            folder,
        }
    }

    fn plan(&self) -> Plan {
        Plan {
            to: self.gateway.listen(),
            every: Duration::from_millis(20),
            readings: Some(READINGS),
            confirmed: true,
            impairment: Impairment::default(),
            seed: 42,
            limit: Some(Duration::from_secs(120)),
            threads: 2,
            speed: 20,
        }
    }

    /// Runs the nodes from their stored records.
    fn run(&self, plan: &Plan) -> Tally {
        let records = Records::open(&self.folder.path().join("nodes")).expect("opens");
        let nodes = (0..NODES).map(|node| {
            let first = || provisioned(suite(node), id(node), &key(node), &[5; 32], 1);
            let record = records.get(node).copied().unwrap_or_else(first);
            VirtualNode::start(suite(node), Some(record), system_entropy()).expect("starts")
        });
        let nodes = nodes.collect();
        run(nodes, records, plan, &AtomicBool::new(false), |_| {}).expect("runs")
    }

    /// Stops the gateway. Returns the readings that it delivered.
    fn end(self) -> HashMap<u32, Vec<Vec<u8>>> {
        self.gateway.stop().expect("stops");
        let readings = self.readings.lock().expect("no panic");
        readings.clone()
    }
}

fn chance(text: &str) -> selo_nodes::impairment::Chance {
    text.parse().expect("a chance")
}

#[test]
fn on_a_good_network_every_reading_arrives_once() {
    let world = World::new();
    let tally = world.run(&world.plan());
    let all = NODES as u64;
    let expected = (all, all, 0, all * READINGS, all * READINGS, 0, 0);
    let got = (
        tally.joined_now,
        tally.joined,
        tally.rejoins,
        tally.sent,
        tally.acknowledged,
        tally.lost,
        tally.sessions_lost,
    );
    assert_eq!(got, expected, "{tally:?}");
    let readings = world.end();
    assert_eq!(readings.len(), NODES);
    for (device, readings) in readings {
        assert_eq!(readings.len() as u64, READINGS, "{device:08x}");
        // The readings are in order: rain only grows, and only the first one has the flag
        // `restarted`.
        assert!(readings.is_sorted_by_key(|reading| tips(reading)));
        let firsts: Vec<bool> = readings.iter().map(|reading| is_first(reading)).collect();
        let expected: Vec<bool> = (0..READINGS).map(|number| number == 0).collect();
        assert_eq!(firsts, expected, "{device:08x}");
    }
}

/// The rain total of a reading (site/codecs/rain-gauge.toml).
fn tips(reading: &[u8]) -> u32 {
    assert_eq!(reading.len(), 16);
    u32::from_le_bytes([reading[4], reading[5], reading[6], reading[7]])
}

/// The flag `restarted` of a reading.
fn is_first(reading: &[u8]) -> bool {
    assert_eq!(reading.len(), 16);
    reading[14] & 2 != 0
}

#[test]
fn on_a_bad_network_nothing_false_arrives_and_nothing_twice() {
    let world = World::new();
    let plan = Plan {
        impairment: Impairment {
            loss: chance("15%"),
            delay: Duration::ZERO..=Duration::from_millis(10),
            reorder: chance("10%"),
            duplicate: chance("10%"),
            corrupt: chance("5%"),
            truncate: chance("5%"),
        },
        // The gateway runs in real time and acknowledges a repeated frame once a second.
        speed: 4,
        ..world.plan()
    };
    let tally = world.run(&plan);
    let all = NODES as u64;
    assert_eq!(tally.joined, all, "{tally:?}");
    assert_eq!(tally.acknowledged + tally.lost, tally.sent, "{tally:?}");
    // Four transmissions each: few readings are given up, and every acknowledged one has arrived.
    assert!(tally.acknowledged > tally.sent * 8 / 10, "{tally:?}");
    let readings = world.end();
    let arrived: usize = readings.values().map(Vec::len).sum();
    assert!(arrived as u64 >= tally.acknowledged, "{arrived} {tally:?}");
    for (device, readings) in readings {
        // A reading accepted twice would be one too many, or a second first one.
        assert!(readings.len() as u64 <= READINGS, "{device:08x} twice");
        let firsts = readings.iter().filter(|reading| is_first(reading)).count();
        assert!(firsts <= 1, "{device:08x} twice");
    }
}

#[test]
fn a_rerun_is_a_restart_of_every_board() {
    let world = World::new();
    for _ in 0..2 {
        let tally = world.run(&world.plan());
        assert_eq!(tally.joined, NODES as u64, "{tally:?}");
        assert_eq!(tally.acknowledged, NODES as u64 * READINGS, "{tally:?}");
    }
    let counters = world.gateway.counters();
    let joins = counters.get(selo_gateway::counters::Count::Joins);
    assert_eq!(joins, 2 * NODES as u64);
    assert_eq!(counters.get_dropped(selo_link::Reason::ReplayedJoin), 0);
}
