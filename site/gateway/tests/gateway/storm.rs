//! Storms: many nodes, a network that loses, duplicates, reorders, truncates, damages and
//! replays packets, and a gateway that is killed at random moments. In all cases, no reading is
//! accepted twice or invented, every acknowledged reading is present, and after the storm every
//! node gets through.

use std::collections::{HashMap, HashSet};

use crate::common::{Bench, Heard, Node, Seeded, everything, peer};
use selo_gateway::engine::Device;
use selo_gateway::peer::Peer;
use selo_link::Suite;

const NODES: u32 = 6;
const STEPS: u64 = 1500;

/// A node and a record of its own packets.
struct Sender {
    node: Node,
    peer: Peer,
    /// Payloads by (join counter, packet counter).
    sent: HashMap<(u32, u64), Vec<u8>>,
    /// The join counter of its session.
    join: u32,
    acknowledged: HashSet<(u32, u64)>,
}

struct Storm {
    bench: Bench,
    senders: Vec<Sender>,
    random: Seeded,
    /// Packets in transit, to the gateway and to nodes.
    up: Vec<(Peer, Vec<u8>)>,
    down: Vec<(Peer, Vec<u8>)>,
    /// All packets ever sent.
    history: Vec<Vec<u8>>,
    ms: u64,
    serial: u32,
}

impl Storm {
    fn new(seed: u64) -> Storm {
        let mut bench = Bench::new();
        let senders: Vec<_> = (0..NODES)
            .map(|number| {
                let mut node = Node::new(number, Suite::ALL[number as usize % 4]);
                node.random = Seeded(seed << 16 | u64::from(number));
                node.long_tags = number % 3 == 2;
                bench.add(&node, number + 1);
                Sender {
                    node,
                    peer: peer(number),
                    sent: HashMap::new(),
                    join: 0,
                    acknowledged: HashSet::new(),
                }
            })
            .collect();
        Storm {
            bench,
            senders,
            random: Seeded(seed),
            up: Vec::new(),
            down: Vec::new(),
            history: Vec::new(),
            ms: 0,
            serial: 0,
        }
    }

    fn devices(&self) -> Vec<Device> {
        let devices = self.senders.iter().zip(1..);
        devices
            .map(|(sender, row)| sender.node.device(row))
            .collect()
    }

    fn node_joins(&mut self, which: usize) {
        let sender = &mut self.senders[which];
        let request = sender.node.request();
        self.history.push(request.clone());
        self.up.push((sender.peer, request));
    }

    fn node_sends(&mut self, which: usize, confirmed: bool) {
        let sender = &mut self.senders[which];
        let Some(session) = &sender.node.session else {
            return self.node_joins(which);
        };
        self.serial += 1;
        let payload = self.serial.to_le_bytes().to_vec();
        let name = (sender.join, session.next_sent());
        let packet = if confirmed {
            sender.node.confirmed(&payload)
        } else {
            sender.node.up(&payload)
        };
        sender.sent.insert(name, payload);
        self.history.push(packet.clone());
        self.up.push((sender.peer, packet));
    }

    fn gateway_takes(&mut self, from: Peer, bytes: &[u8]) {
        let (_, sent) = self.bench.handle(self.ms, from, bytes);
        for packet in &sent {
            self.history.push(packet.1.clone());
        }
        self.down.extend(sent);
    }

    fn nodes_take(&mut self, bytes: &[u8]) {
        // A packet on the air reaches every node.
        for sender in &mut self.senders {
            match sender.node.take(bytes) {
                Some(Heard::Joined) => sender.join = sender.node.counter,
                Some(Heard::Down {
                    ack: Some(counter), ..
                }) => {
                    sender.acknowledged.insert((sender.join, counter));
                }
                _ => {}
            }
        }
    }

    /// Applies the network's faults to one packet in transit.
    fn network(&mut self, upwards: bool) {
        let way = if upwards {
            &mut self.up
        } else {
            &mut self.down
        };
        if way.is_empty() {
            return;
        }
        let place = self.random.below(way.len() as u64) as usize;
        let (at, mut bytes) = way.swap_remove(place);
        match self.random.below(20) {
            0..=2 => return,
            3 => way.push((at, bytes.clone())),
            4 if !bytes.is_empty() => {
                let byte = self.random.below(bytes.len() as u64) as usize;
                bytes[byte] ^= 1 << self.random.below(8);
            }
            5 => bytes.truncate(self.random.below(bytes.len() as u64 + 1) as usize),
            _ => {}
        }
        if upwards {
            self.gateway_takes(at, &bytes);
        } else {
            self.nodes_take(&bytes);
        }
    }

    fn step(&mut self) {
        self.ms += self.random.below(400);
        let which = self.random.below(u64::from(NODES)) as usize;
        match self.random.below(100) {
            0..=2 => self.node_joins(which),
            3..=25 => self.node_sends(which, false),
            26..=40 => self.node_sends(which, true),
            41..=70 => self.network(true),
            71..=90 => self.network(false),
            // An attacker replays recorded packets from any address to either side.
            91..=95 if !self.history.is_empty() => {
                let old = self.random.below(self.history.len() as u64) as usize;
                let bytes = self.history[old].clone();
                let from = peer(self.random.below(20) as u32);
                self.gateway_takes(from, &bytes);
                self.nodes_take(&bytes);
            }
            96 => self.senders[which].peer = peer(self.random.below(20) as u32),
            97 => {
                let devices = self.devices();
                self.bench.restart(&devices);
            }
            // Killed before the journal was written: as if no packet had been received.
            98 => {
                if let Some((from, bytes)) = self.up.first().cloned() {
                    let now = crate::common::at(self.ms);
                    let out = &mut self.bench.out;
                    let _ = self.bench.engine.handle(now, from, None, &bytes, out);
                    out.clear();
                    let devices = self.devices();
                    self.bench.restart(&devices);
                }
            }
            _ => {
                let sent = self.bench.tick(self.ms);
                self.down.extend(sent);
            }
        }
    }

    fn check(&self) {
        self.bench.assert_no_reading_twice();
        let mut taken = HashSet::new();
        for reading in &self.bench.readings {
            let sender = self
                .senders
                .iter()
                .find(|sender| sender.node.id.0 == reading.device)
                .expect("a device of ours");
            let name = (reading.session.0, u64::from(reading.counter));
            assert_eq!(
                sender.sent.get(&name),
                Some(&reading.payload),
                "{reading:?}"
            );
            taken.insert((reading.device, name.0, name.1));
        }
        for sender in &self.senders {
            for (join, counter) in &sender.acknowledged {
                let name = (sender.node.id.0, *join, *counter);
                assert!(
                    taken.contains(&name),
                    "{name:?} was acknowledged and is not there"
                );
            }
        }
    }

    /// After the storm, every node gets through, with one join at most.
    fn calm(&mut self) {
        self.up.clear();
        self.down.clear();
        for which in 0..self.senders.len() {
            self.ms += 60_000;
            self.node_joins(which);
            let (from, request) = self.up.pop().expect("a request");
            self.gateway_takes(from, &request);
            while let Some((_, bytes)) = self.down.pop() {
                self.nodes_take(&bytes);
            }
            let before = self.bench.readings.len();
            self.node_sends(which, true);
            let (from, packet) = self.up.pop().expect("a packet");
            self.gateway_takes(from, &packet);
            assert_eq!(
                self.bench.readings.len(),
                before + 1,
                "node {which} does not get through"
            );
            let acknowledged = self.senders[which].acknowledged.len();
            while let Some((_, bytes)) = self.down.pop() {
                self.nodes_take(&bytes);
            }
            assert_eq!(self.senders[which].acknowledged.len(), acknowledged + 1);
        }
    }
}

#[test]
fn storms_pass() {
    let storms: usize = if everything() { 60 } else { 20 };
    let mut readings = 0;
    let mut acknowledged = 0;
    for seed in 1..=storms as u64 {
        let mut storm = Storm::new(seed);
        for _ in 0..STEPS {
            storm.step();
        }
        storm.check();
        storm.calm();
        storm.check();
        readings += storm.bench.readings.len();
        acknowledged += storm
            .senders
            .iter()
            .map(|s| s.acknowledged.len())
            .sum::<usize>();
    }
    // The storms must let a reasonable number of readings through.
    assert!(readings > storms * 100, "{readings} readings");
    assert!(acknowledged > storms * 20, "{acknowledged} acknowledged");
}

#[test]
fn any_bytes_from_anyone_change_nothing() {
    let mut storm = Storm::new(99);
    for which in 0..storm.senders.len() {
        storm.node_joins(which);
        let (from, request) = storm.up.pop().expect("a request");
        storm.gateway_takes(from, &request);
        while let Some((_, bytes)) = storm.down.pop() {
            storm.nodes_take(&bytes);
        }
        storm.node_sends(which, false);
        let (from, packet) = storm.up.pop().expect("a packet");
        storm.gateway_takes(from, &packet);
    }
    let sessions = storm.bench.count(selo_gateway::counters::Count::Sessions);
    let mut random = Seeded(7);
    for round in 0..200_000u64 {
        let size = random.below(70) as usize;
        let mut bytes = vec![0; size];
        bytes.fill_with(|| random.next() as u8);
        if let (Some(first), 0..=2) = (bytes.first_mut(), round % 4) {
            *first = [0x70, 0x50, 0x10][round as usize % 4] | (*first & 0x0f);
        }
        let now = crate::common::at(1000 + round);
        let out = &mut storm.bench.out;
        let from = peer(random.below(1000) as u32);
        assert!(
            storm
                .bench
                .engine
                .handle(now, from, None, &bytes, out)
                .is_err()
        );
        assert!(out.journal.is_empty());
        out.clear();
    }
    let counters = storm.bench.counters();
    assert_eq!(
        counters.get(selo_gateway::counters::Count::Sessions),
        sessions
    );
    assert_eq!(counters.all_dropped(), 200_000);
}
