//! Nodes that send readings through whichever head is near, and go on as long as the site is struck.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use selo_sys::node::Suite;

use crate::gateway_support::PATIENCE;
use crate::gateway_support::recorder::{Judge, Recorder, Sent};
use crate::seeded::Seeded;

/// A node repeats a frame after this time. Within less than 900 ms heads take it for a copy.
const AGAIN: Duration = Duration::from_millis(1100);
/// Time at one head without an answer, after which the node is near another one.
const NEAR: Duration = Duration::from_millis(2500);
/// Heads that a node tries before it takes its session for lost.
const HEADS: usize = 6;

/// What became of a reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// The node gave it up with its session. It may have arrived.
    GivenUp,
    /// The site acknowledged it, this long after the start.
    Acknowledged(Duration),
}

/// What a node knows at the end.
pub struct Told {
    /// Each reading that it sent, by its payload in hexadecimal digits.
    pub sent: HashMap<String, Fate>,
    pub judge: Judge,
    pub joins: u32,
    /// Counters of joins that two engines answered.
    pub answered_twice: Vec<u32>,
    /// True if its last reading, after the last fault, was acknowledged.
    pub is_served: bool,
}

/// What all nodes share.
pub struct Air {
    pub heads: Vec<SocketAddr>,
    /// Mean time between two readings of a node.
    pub every: Duration,
    pub begun: Instant,
    pub acknowledged: AtomicUsize,
    pub stop: AtomicBool,
    pub interrupted: Arc<AtomicBool>,
}

pub struct Nodes {
    pub air: Arc<Air>,
    threads: Vec<JoinHandle<Told>>,
}

impl Nodes {
    pub fn start(air: Air, devices: Vec<(u32, [u8; 32])>, seed: u64) -> Nodes {
        let air = Arc::new(air);
        let start = |(number, device): (usize, (u32, [u8; 32]))| {
            let air = air.clone();
            let mut recorder = Recorder::new(Suite::ChaChaPolyBlake2s, air.heads[0], device);
            recorder.again = AGAIN;
            let node = Node {
                number,
                serial: 0,
                recorder,
                random: Seeded(seed.wrapping_add(1 + number as u64)),
                sent: HashMap::new(),
                air,
            };
            std::thread::spawn(move || node.live())
        };
        let threads = devices.into_iter().enumerate().map(start).collect();
        Nodes { air, threads }
    }

    /// Lets each node send one more reading until it is acknowledged.
    pub fn end(self) -> Vec<Told> {
        self.air.stop.store(true, Relaxed);
        let told = self.threads.into_iter().map(JoinHandle::join);
        told.map(|told| told.expect("no node panics")).collect()
    }
}

struct Node {
    number: usize,
    serial: u32,
    recorder: Recorder,
    random: Seeded,
    sent: HashMap<String, Fate>,
    air: Arc<Air>,
}

impl Node {
    fn live(mut self) -> Told {
        while !self.air.stop.load(Relaxed) {
            self.read();
            let wait = 2 * self.air.every.as_millis() as usize;
            let until = Instant::now() + Duration::from_millis(self.random.below(wait) as u64);
            while Instant::now() < until && !self.air.stop.load(Relaxed) {
                std::thread::sleep(Duration::from_millis(50));
            }
        }
        let since = Instant::now();
        let mut is_served = false;
        while !is_served && since.elapsed() < PATIENCE && !self.air.interrupted.load(Relaxed) {
            is_served = self.read();
        }
        // What comes late is judged too.
        self.recorder.listen(Duration::from_secs(1));
        Told {
            answered_twice: self.recorder.joins_answered_twice(),
            sent: self.sent,
            judge: self.recorder.judge,
            joins: self.recorder.joins,
            is_served,
        }
    }

    fn roam(&mut self) {
        let near = self.random.below(self.air.heads.len());
        self.recorder.move_gateway(self.air.heads[near]);
    }

    /// Sends a new reading. True if it was acknowledged.
    fn read(&mut self) -> bool {
        self.roam();
        if !self.recorder.is_joined() && !self.recorder.join(NEAR) {
            return false;
        }
        self.serial += 1;
        let payload = format!("{}.{}", self.number, self.serial);
        let name = hex::encode(&payload);
        self.sent.insert(name.clone(), Fate::GivenUp);
        let under_way = self.recorder.begin(payload.as_bytes());
        for _ in 0..HEADS {
            match self.recorder.finish(&under_way, NEAR) {
                Sent::Acknowledged => {
                    let fate = Fate::Acknowledged(self.air.begun.elapsed());
                    self.sent.insert(name, fate);
                    self.air.acknowledged.fetch_add(1, Relaxed);
                    return true;
                }
                Sent::Lost => break,
                Sent::Unheard => self.roam(),
            }
        }
        self.recorder.forget_session();
        false
    }
}
