//! Test nodes built from the link's own functions, and an engine around them. Everything is
//! seeded.
#![allow(dead_code, reason = "each test file uses its part")]

use std::net::SocketAddr;

use selo_gateway::clock::Now;
use selo_gateway::counters::{Count, Counters};
use selo_gateway::engine::{Device, Engine, Event, Limits, Output, Random, Settings};
use selo_gateway::journal::Replay;
use selo_gateway::journal::entry::Entry;
use selo_gateway::keys::{Change, Stored};
use selo_gateway::peer::Peer;
use selo_link::frame::{FRAME_MAX, Frame};
use selo_link::join::JoinAttempt;
use selo_link::session::{SealOptions, Session};
use selo_link::{DeviceId, DeviceKey, EphemeralSecret, Reason, Suite};

/// True in `make test-all`, which runs whole lists in place of samples.
pub fn everything() -> bool {
    std::env::var_os("SELO_TEST_ALL").is_some()
}

/// A small generator (splitmix64). Equal seeds give equal tests.
#[derive(Debug, Clone)]
pub struct Seeded(pub u64);

impl Seeded {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub fn bytes<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.next() as u8)
    }
}

impl Random for Seeded {
    fn fill(&mut self, out: &mut [u8]) -> Result<(), String> {
        out.fill_with(|| self.next() as u8);
        Ok(())
    }
}

pub fn at(ms: u64) -> Now {
    Now {
        steady_ms: ms,
        unix_ms: 1_800_000_000_000 + ms,
    }
}

pub fn peer(number: u32) -> Peer {
    let address: SocketAddr = (std::net::Ipv4Addr::from(0x0a00_0000 + number), 5000).into();
    Peer::Udp(address)
}

/// A node with only the state that it must keep.
pub struct Node {
    pub id: DeviceId,
    pub suite: Suite,
    pub key: DeviceKey,
    pub counter: u32,
    pub attempt: Option<JoinAttempt>,
    pub session: Option<Session>,
    pub random: Seeded,
    pub long_tags: bool,
}

impl Node {
    pub fn new(number: u32, suite: Suite) -> Node {
        let mut random = Seeded(u64::from(number) << 8 | u64::from(suite.code()));
        Node {
            id: DeviceId(0x1000_0000 + number),
            suite,
            key: DeviceKey::new(random.bytes()),
            counter: 0,
            attempt: None,
            session: None,
            random,
            long_tags: false,
        }
    }

    pub fn device(&self, row: u32) -> Device {
        Device {
            row,
            id: self.id,
            key: self.key.clone(),
            suite: self.suite,
            revoked: false,
            joined: 0,
        }
    }

    pub fn request(&mut self) -> Vec<u8> {
        self.counter += 1;
        let (attempt, request) = JoinAttempt::start(
            self.suite,
            self.id,
            &self.key,
            self.counter,
            self.long_tags,
            &EphemeralSecret::new(self.random.bytes()),
        );
        self.attempt = Some(attempt);
        request.to_vec()
    }

    /// Processes a packet. Returns `None` unless it was for this node and valid.
    pub fn take(&mut self, bytes: &[u8]) -> Option<Heard> {
        match Frame::parse(bytes).ok()? {
            Frame::JoinAccept(accept) => {
                let keys = self.attempt.as_mut()?.finish(&accept).ok()?;
                self.attempt = None;
                self.session = Some(keys.node_session());
                Some(Heard::Joined)
            }
            Frame::Down(data) => {
                let mut buffer = [0; FRAME_MAX];
                let session = self.session.as_mut()?;
                let opened = session.open(&data, &mut buffer).ok()?;
                Some(Heard::Down {
                    counter: opened.counter,
                    payload: opened.payload.to_vec(),
                    ack_request: opened.ack_request,
                    ack: opened.ack.and_then(|low| session.acknowledged(low)),
                })
            }
            Frame::Hint(session) => Some(Heard::Hint(session.0)),
            _ => None,
        }
    }

    pub fn seal(&mut self, payload: &[u8], options: SealOptions) -> Vec<u8> {
        let mut buffer = [0; FRAME_MAX];
        let session = self.session.as_mut().expect("a session");
        session
            .seal(payload, options, &mut buffer)
            .expect("fits")
            .frame
            .to_vec()
    }

    pub fn up(&mut self, payload: &[u8]) -> Vec<u8> {
        self.seal(payload, SealOptions::default())
    }

    pub fn confirmed(&mut self, payload: &[u8]) -> Vec<u8> {
        let options = SealOptions {
            ack_request: true,
            ack: None,
        };
        self.seal(payload, options)
    }
}

/// A packet as the node understood it.
#[derive(Debug, PartialEq, Eq)]
pub enum Heard {
    Joined,
    Down {
        counter: u64,
        payload: Vec<u8>,
        ack_request: bool,
        ack: Option<u64>,
    },
    Hint(u32),
}

/// A reading as stored in the journal.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Taken {
    pub device: u32,
    pub session: (u32, u32),
    pub counter: u32,
    pub payload: Vec<u8>,
}

/// Sent packets with their destinations.
pub type Sent = Vec<(Peer, Vec<u8>)>;

/// An engine with its journal. Writes the journal first, like a gateway.
pub struct Bench {
    pub engine: Engine,
    pub settings: Settings,
    pub out: Output,
    /// Bodies of all records.
    pub records: Vec<(u64, Vec<u8>)>,
    /// All changes to the slots of the key file.
    pub keys: Vec<Change>,
    pub readings: Vec<Taken>,
    pub events: Vec<Event>,
    pub seed: u64,
}

impl Bench {
    pub fn new() -> Bench {
        Bench::with(Settings {
            limits: Limits::NONE,
        })
    }

    pub fn with(settings: Settings) -> Bench {
        Bench {
            engine: Engine::new(settings, Box::new(Seeded(1))).expect("an engine"),
            settings,
            out: Output::default(),
            records: Vec::new(),
            keys: Vec::new(),
            readings: Vec::new(),
            events: Vec::new(),
            seed: 1,
        }
    }

    pub fn add(&mut self, node: &Node, row: u32) {
        self.engine.set_device(node.device(row), &mut self.out);
        self.commit(at(0));
    }

    /// Writes pending entries. Returns the packets to send.
    pub fn commit(&mut self, now: Now) -> Sent {
        let mut body = Vec::new();
        for entry in self.out.journal.entries() {
            entry.write(&mut body);
            if let Entry::Accepted(accepted) = entry {
                self.readings.extend(accepted.payload.map(|payload| Taken {
                    device: accepted.device,
                    session: (accepted.join, accepted.tag),
                    counter: accepted.counter,
                    payload: payload.to_vec(),
                }));
            }
        }
        if !body.is_empty() {
            self.records.push((now.unix_ms, body));
        }
        self.events.append(&mut self.out.events);
        for change in &self.engine.take_key_changes() {
            self.keys.push(change.clone());
        }
        let send = self.out.send.drain(..);
        let sent = send
            .map(|packet| (packet.to, packet.frame().to_vec()))
            .collect();
        self.out.clear();
        sent
    }

    /// Handles one packet. Returns the verdict and the packets to send.
    pub fn handle(&mut self, ms: u64, from: Peer, bytes: &[u8]) -> (Result<(), Reason>, Sent) {
        let verdict = self.engine.handle(at(ms), from, None, bytes, &mut self.out);
        (verdict, self.commit(at(ms)))
    }

    /// Handles one packet and ignores the result.
    pub fn give(&mut self, ms: u64, from: Peer, bytes: &[u8]) {
        let (_verdict, _sent) = self.handle(ms, from, bytes);
    }

    pub fn tick(&mut self, ms: u64) -> Sent {
        self.engine.tick(at(ms), &mut self.out);
        self.commit(at(ms))
    }

    /// Joins a node without losses. Its session stays pending.
    pub fn join(&mut self, ms: u64, from: Peer, node: &mut Node) {
        let request = node.request();
        let (verdict, sent) = self.handle(ms, from, &request);
        assert_eq!(verdict, Ok(()));
        assert_eq!(sent.len(), 1);
        assert_eq!(sent[0].0, from);
        assert_eq!(node.take(&sent[0].1), Some(Heard::Joined));
    }

    /// Kills the gateway and starts another one with the same journal.
    pub fn restart(&mut self, devices: &[Device]) {
        self.seed += 1;
        let random = Box::new(Seeded(self.seed << 32));
        let mut engine = Engine::new(self.settings, random).expect("an engine");
        for device in devices {
            engine.set_device(device.clone(), &mut self.out);
        }
        let mut stored = Stored::default();
        self.keys.iter().for_each(|change| stored.apply(change));
        engine.begin_restore(stored).expect("random numbers");
        for (wall_ms, body) in &self.records {
            for entry in selo_gateway::journal::entry::Entries::new(body) {
                engine.entry(&entry, *wall_ms);
            }
        }
        engine.end_restore();
        assert!(self.out.journal.is_empty());
        self.out.clear();
        self.engine = engine;
    }

    pub fn counters(&self) -> &Counters {
        self.engine.counters()
    }

    pub fn count(&self, count: Count) -> u64 {
        self.engine.counters().get(count)
    }

    /// Panics if a reading was accepted twice.
    pub fn assert_no_reading_twice(&self) {
        let mut names: Vec<_> = self
            .readings
            .iter()
            .map(|taken| (taken.device, taken.session, taken.counter))
            .collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all, "a reading was accepted twice");
    }
}
