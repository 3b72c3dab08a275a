//! Nodes that send readings through whichever head is near, and go on as long as the site is struck.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
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
/// Nodes that are awake at the same time, each on a thread.
const THREADS: usize = 1500;
const STACK: usize = 256 << 10;
/// Nodes that may keep their sockets open.
const SOCKETS: usize = 5000;
/// Interval in which the first idle thread looks for nodes.
const WATCH: Duration = Duration::from_millis(20);

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
    pub number: usize,
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
    /// Mean time between two readings of a node. Their first ones are spread over it.
    pub every: Duration,
    pub begun: Instant,
    pub acknowledged: AtomicUsize,
    pub joined: AtomicUsize,
    pub interrupted: Arc<AtomicBool>,
}

/// Nodes that wait for their next reading, the next one first.
#[derive(Default)]
struct Waiting {
    due: BinaryHeap<Reverse<(Instant, usize)>>,
    nodes: HashMap<usize, Node>,
    /// One idle thread waits for the next node. The others wait to take its place: if all did, a
    /// thousand would wake for each reading.
    is_watched: bool,
    stop: bool,
}

#[derive(Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    more: Condvar,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().expect("no node panics")
    }

    fn put(&self, node: Node, due: Instant) {
        let mut waiting = self.lock();
        waiting.due.push(Reverse((due, node.number)));
        waiting.nodes.insert(node.number, node);
    }

    /// The next node when its time has come, or at the end: then it is true. `None` if none is left.
    fn take(&self) -> Option<(Node, bool)> {
        let mut waiting = self.lock();
        loop {
            let now = Instant::now();
            let next = waiting.due.peek().map(|Reverse((due, _))| *due);
            match next {
                None if waiting.stop => return None,
                Some(due) if waiting.stop || due <= now => {
                    let Reverse((_, number)) = waiting.due.pop()?;
                    let node = waiting.nodes.remove(&number)?;
                    self.more.notify_one();
                    return Some((node, waiting.stop));
                }
                _ if waiting.is_watched => {
                    waiting = self.more.wait(waiting).expect("no node panics");
                }
                next => {
                    waiting.is_watched = true;
                    // A node that comes back may be due before this one.
                    let wait = next.map_or(WATCH, |due| WATCH.min(due - now));
                    let woken = self.more.wait_timeout(waiting, wait);
                    waiting = woken.expect("no node panics").0;
                    waiting.is_watched = false;
                }
            }
        }
    }
}

pub struct Nodes {
    pub air: Arc<Air>,
    queue: Arc<Queue>,
    threads: Vec<JoinHandle<Vec<Told>>>,
}

impl Nodes {
    pub fn start(air: Air, devices: Vec<(u32, [u8; 32])>, seed: u64) -> Nodes {
        let (air, queue) = (Arc::new(air), Arc::new(Queue::default()));
        let count = devices.len();
        for (number, device) in devices.into_iter().enumerate() {
            let mut recorder = Recorder::new(Suite::ChaChaPolyBlake2s, air.heads[0], device);
            recorder.again = AGAIN;
            let mut node = Node {
                number,
                serial: 0,
                recorder,
                random: Seeded(seed.wrapping_add(1 + number as u64)),
                sent: HashMap::new(),
                air: air.clone(),
            };
            let first = node.random.below(air.every.as_millis() as usize);
            queue.put(
                node,
                air.begun.max(Instant::now()) + Duration::from_millis(first as u64),
            );
        }
        let start = |_| {
            let queue = queue.clone();
            let thread = std::thread::Builder::new().stack_size(STACK);
            let live = move || live(&queue, count > SOCKETS);
            thread.spawn(live).expect("a thread")
        };
        let threads = (0..count.min(THREADS)).map(start).collect();
        Nodes {
            air,
            queue,
            threads,
        }
    }

    /// Lets each node send one more reading until it is acknowledged.
    pub fn end(self) -> Vec<Told> {
        self.queue.lock().stop = true;
        self.queue.more.notify_all();
        let told = self.threads.into_iter().map(JoinHandle::join);
        told.flat_map(|told| told.expect("no node panics"))
            .collect()
    }
}

/// Serves the nodes whose time has come. Returns what those know that it served last.
fn live(queue: &Queue, must_rest: bool) -> Vec<Told> {
    let mut told = Vec::new();
    while let Some((mut node, is_last)) = queue.take() {
        if is_last {
            told.push(node.end());
            continue;
        }
        node.read();
        if must_rest {
            node.recorder.rest();
        }
        let wait = 2 * node.air.every.as_millis() as usize;
        let wait = node.random.below(wait) as u64;
        queue.put(node, Instant::now() + Duration::from_millis(wait));
    }
    told
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
    fn end(mut self) -> Told {
        let since = Instant::now();
        let mut is_served = false;
        while !is_served && since.elapsed() < PATIENCE && !self.air.interrupted.load(Relaxed) {
            is_served = self.read();
        }
        // What comes late is judged too.
        self.recorder.listen(Duration::from_secs(1));
        Told {
            number: self.number,
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
        if !self.recorder.is_joined() {
            if !self.recorder.join(NEAR) {
                return false;
            }
            self.air.joined.fetch_add(1, Relaxed);
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
