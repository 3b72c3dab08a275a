//! Seconds of simulated time with 100,000 hostile packets a second (40,000 unless SELO_TEST_ALL=1,
//! which is more than the gateway looks at, too): from the nodes' own sockets, from their hosts
//! and from everywhere. Meanwhile C nodes join, send and move. Every
//! node joins and every reading is accepted. Time is simulated, so the test gives the same
//! result on every machine.
//!
//! `cargo test --release -p selo-gateway --test gateway flood -- --nocapture` prints the figures.

use std::collections::HashSet;

use crate::common::{Bench, Seeded, everything};
use selo_gateway::counters::{Count, Kind};
use selo_gateway::engine::{Device, Limits, Settings};
use selo_gateway::peer::Peer;
use selo_link::{DeviceId, DeviceKey, Reason, Suite};
use selo_nodes::node::VirtualNode;

const NODES: u32 = 6;
/// Interval of a node's readings, and of its port changes.
const READING_MS: u64 = 200;
const MOVE_MS: u64 = 1500;
/// Nodes begin to join after the flood has exhausted the allowances.
const JOIN_MS: u64 = 1000;

/// Packets of a stranger who has recorded all traffic.
#[derive(Debug, Clone, Copy, PartialEq)]
enum What {
    /// A byte that begins no frame.
    Byte,
    /// An UP of a live session, with a wrong tag.
    ForgedUp,
    /// An UP of a live session that was accepted before.
    RepeatedUp,
    /// An UP of an unknown session.
    UnknownUp,
    /// A JOIN-REQUEST in a node's name, with a wrong tag.
    ForgedJoin,
    /// A recorded JOIN-REQUEST of a node.
    RepeatedJoin,
    /// A COOKIE-ECHO in a node's name, with a guessed cookie.
    ForgedEcho,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum From {
    /// The node's own socket address, as forged by a sender.
    Socket,
    /// The node's address with other ports, as of a neighbour behind the same NAT.
    Host,
    /// Any address.
    Anywhere,
}

struct Honest {
    node: VirtualNode,
    id: DeviceId,
    host: u32,
    port: u16,
    sent: u32,
    joined_ms: Option<u64>,
    requests: Vec<Vec<u8>>,
    ups: Vec<Vec<u8>>,
}

impl Honest {
    fn new(number: u32, bench: &mut Bench) -> Honest {
        let suite = Suite::ALL[number as usize % 4];
        let (id, key) = (DeviceId(0x1000_0000 + number), [number as u8 + 1; 32]);
        bench.engine.set_device(
            Device {
                row: number + 1,
                id,
                key: DeviceKey::new(key),
                suite,
                revoked: false,
                joined: 0,
            },
            &mut bench.out,
        );
        let mut entropy = Seeded(u64::from(number) + 77);
        let suite = selo_sys::node::Suite::from_code(suite.code()).expect("the C node has it");
        let mut node = VirtualNode::start(
            suite,
            None,
            Box::new(move |out| {
                out.fill_with(|| entropy.next() as u8);
                Ok(())
            }),
        )
        .expect("begins");
        node.node().provision(id.0, &key).expect("takes a key");
        Honest {
            node,
            id,
            host: 0x0a00_0001 + number,
            port: 5000,
            sent: 0,
            joined_ms: None,
            requests: Vec::new(),
            ups: Vec::new(),
        }
    }

    fn peer(&self) -> Peer {
        udp(self.host, self.port)
    }

    /// Advances the node to this time. Returns the frames that it sends.
    fn turn(&mut self, ms: u64) -> Vec<Vec<u8>> {
        if ms == JOIN_MS {
            self.node.node().join().expect("has a key");
        }
        self.node.turn(ms as u32, |_, _| {});
        let joined = self.node.node().is_joined();
        if joined && self.joined_ms.is_none() {
            self.joined_ms = Some(ms);
        }
        if joined && ms % READING_MS == u64::from(self.id.0) % READING_MS {
            let payload = [self.id.to_bytes(), self.sent.to_le_bytes()].concat();
            self.node.node().send(&payload, false).expect("joined");
            self.sent += 1;
        }
        if joined && ms.is_multiple_of(MOVE_MS) {
            self.port += 1;
        }
        let frames = self.node.take_sent();
        for frame in &frames {
            match frame[0] & 0xf0 {
                0x50 => self.requests.push(frame.clone()),
                0x70 => self.ups.push(frame.clone()),
                _ => {}
            }
        }
        frames
    }
}

fn udp(host: u32, port: u16) -> Peer {
    Peer::Udp((std::net::Ipv4Addr::from(host), port).into())
}

struct Flood {
    what: What,
    from: From,
    hostile_per_ms: u64,
    random: Seeded,
    bench: Bench,
    honest: Vec<Honest>,
}

impl Flood {
    fn new(what: What, from: From) -> Flood {
        let mut bench = Bench::with(Settings {
            limits: Limits::default(),
        });
        let honest = (0..NODES).map(|n| Honest::new(n, &mut bench)).collect();
        Flood {
            what,
            from,
            hostile_per_ms: if everything() { 100 } else { 40 },
            random: Seeded(what as u64 * 16 + from as u64),
            bench,
            honest,
        }
    }

    fn hostile(&mut self) -> (Peer, Vec<u8>) {
        let Flood { random, honest, .. } = self;
        let victim = &honest[random.below(honest.len() as u64) as usize];
        let from = match self.from {
            From::Socket => victim.peer(),
            From::Host => udp(victim.host, random.next() as u16),
            From::Anywhere => udp(random.next() as u32, random.next() as u16),
        };
        let packet = match self.what {
            What::Byte => vec![0xff],
            What::ForgedUp => match victim.ups.last() {
                Some(up) => {
                    let mut up = up.clone();
                    let tag = up.len() - 8;
                    up[tag..].copy_from_slice(&random.bytes::<8>());
                    up
                }
                None => vec![0x70; 29],
            },
            What::RepeatedUp => victim.ups.last().cloned().unwrap_or(vec![0x70; 29]),
            What::UnknownUp => {
                let mut up = random.bytes::<29>();
                up[0] = 0x71;
                // A wide session id, which no session has here.
                up[4] |= 0x80;
                up.to_vec()
            }
            What::RepeatedJoin if !victim.requests.is_empty() => {
                victim.requests[random.below(victim.requests.len() as u64) as usize].clone()
            }
            What::ForgedJoin | What::RepeatedJoin => {
                let mut request = random.bytes::<58>();
                request[0] = 0x50;
                request[1..5].copy_from_slice(&victim.id.to_bytes());
                request.to_vec()
            }
            What::ForgedEcho => {
                let mut echo = random.bytes::<13>();
                echo[0] = 0xb0;
                echo[1..5].copy_from_slice(&victim.id.to_bytes());
                echo.to_vec()
            }
        };
        (from, packet)
    }

    /// Delivers a packet to the gateway and its answers to the node.
    fn give(&mut self, ms: u64, from: Peer, packet: &[u8]) {
        let (_verdict, answers) = self.bench.handle(ms, from, packet);
        for (to, answer) in answers {
            for honest in self.honest.iter_mut().filter(|honest| honest.peer() == to) {
                honest.node.receive(&answer);
            }
        }
    }

    fn millisecond(&mut self, ms: u64) {
        let mut honest: Vec<(u64, Peer, Vec<u8>)> = Vec::new();
        for node in &mut self.honest {
            let from = node.peer();
            // The node's packets keep their order, at random places among the hostile ones.
            let mut place = self.random.below(self.hostile_per_ms);
            for frame in node.turn(ms) {
                honest.push((place, from, frame));
                place = (place + 1 + self.random.below(10)).min(self.hostile_per_ms - 1);
            }
        }
        for place in 0..self.hostile_per_ms {
            let (from, packet) = self.hostile();
            self.give(ms, from, &packet);
            for (_, from, frame) in honest.iter().filter(|(at, ..)| *at == place) {
                self.give(ms, *from, frame);
            }
        }
    }

    /// Floods for `seconds`, or for a third of them unless SELO_TEST_ALL=1 (`make test-all`).
    fn run(mut self, seconds: u64) {
        let seconds = if everything() {
            seconds
        } else {
            (seconds / 3).max(3)
        };
        let name = format!("{:?} from {:?}", self.what, self.from);
        for ms in 0..seconds * 1000 {
            self.millisecond(ms);
        }
        let sent: u32 = self.honest.iter().map(|honest| honest.sent).sum();
        let accepted: HashSet<&[u8]> = self
            .bench
            .readings
            .iter()
            .map(|taken| &taken.payload[..])
            .collect();
        let waited = self.honest.iter().map(|honest| honest.joined_ms);
        let counters = self.bench.counters();
        println!(
            "{name}: {} hostile; joined {} of {NODES}, the last after {} ms; {} readings accepted \
             of {sent}; cookies {}, addresses proven {}, hints {}, forged joins looked at {}",
            seconds * 1000 * self.hostile_per_ms,
            waited.clone().flatten().count(),
            waited.flatten().max().unwrap_or(0).saturating_sub(JOIN_MS),
            accepted.len(),
            counters.get_sent(Kind::Cookie),
            counters.get(Count::Proven),
            counters.get_sent(Kind::Hint),
            counters.get_dropped(Reason::ForgedJoin) + counters.get_dropped(Reason::ReplayedJoin),
        );
        for honest in &self.honest {
            assert!(
                honest.joined_ms.is_some(),
                "{name}: {} did not join",
                honest.id
            );
            for number in 0..honest.sent {
                let payload = [honest.id.to_bytes(), number.to_le_bytes()].concat();
                assert!(
                    accepted.contains(&payload[..]),
                    "{name}: reading {number} of {} is missing",
                    honest.id
                );
            }
        }
        assert!(sent >= NODES * 10, "{name}: only {sent} readings were sent");
        self.bench.assert_no_reading_twice();
        // Strangers have cost no scalar multiplication and few tag checks.
        let joins = counters.get(Count::Joins);
        assert_eq!(counters.get(Count::Multiplications), 2 * joins, "{name}");
        let looked_at =
            counters.get_dropped(Reason::ForgedJoin) + counters.get_dropped(Reason::ReplayedJoin);
        assert!(looked_at <= 5000 * (seconds + 1), "{name}: {looked_at}");
    }
}

const PLACES: [From; 3] = [From::Socket, From::Host, From::Anywhere];

#[test]
fn bytes_that_are_no_frames() {
    for from in PLACES {
        Flood::new(What::Byte, from).run(6);
    }
}

#[test]
fn forged_and_repeated_packets_of_live_sessions() {
    for what in [What::ForgedUp, What::RepeatedUp] {
        for from in PLACES {
            Flood::new(what, from).run(6);
        }
    }
}

#[test]
fn packets_of_unknown_sessions() {
    for from in PLACES {
        Flood::new(What::UnknownUp, from).run(6);
    }
}

#[test]
fn forged_joins() {
    for from in PLACES {
        Flood::new(What::ForgedJoin, from).run(15);
    }
}

#[test]
fn repeated_joins() {
    for from in PLACES {
        Flood::new(What::RepeatedJoin, from).run(15);
    }
}

#[test]
fn forged_proofs() {
    for from in PLACES {
        Flood::new(What::ForgedEcho, from).run(4);
    }
}
