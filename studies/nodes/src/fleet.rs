//! Many nodes over UDP on few threads. Each thread waits for the sockets of its nodes and for the
//! next due event.
//!
//! Each node has its own socket, and so its own address, while the open-file limit allows it.
//! Beyond that nodes share sockets, and a frame is given to every node on its socket, as on a
//! radio channel.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use mio::net::UdpSocket;
use mio::{Events, Interest, Poll, Token};
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use selo_sys::node::{Event, Node};

use crate::error::{Error, Result};
use crate::impairment::{Impairment, Path, Schedule, Strikes};
use crate::latency::Latency;
use crate::node::VirtualNode;
use crate::reading::{RainGauge, wall_clock};
use crate::records::Records;

/// Longest time between two turns of a node. A node's own timers are in seconds.
const TURN: Duration = Duration::from_millis(50);

/// The nodes' starts are spread over one reading interval, but over at most this long.
const SPREAD_MAX: Duration = Duration::from_secs(10);

/// Maximum rate of joins at the start; the spread is lengthened if necessary. A join takes two
/// scalar multiplications here and two at the gateway. A node without an answer repeats its
/// request, which increases the load.
const JOINS_PER_SECOND: u32 = 500;

/// Open files other than the nodes' sockets.
const OTHER_FILES: u64 = 64;

/// Buffer size, larger than any frame, so that an oversized packet is recognised.
const PACKET_MAX: usize = 2048;

/// Parameters of a run.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The gateway.
    pub to: SocketAddr,
    /// Time between two readings of a node.
    pub every: Duration,
    /// Readings of each node; `None` for no limit.
    pub readings: Option<u64>,
    /// Repeats every reading until the gateway acknowledges it.
    pub confirmed: bool,
    /// Impairment of frames, in each direction.
    pub impairment: Impairment,
    /// Seed of the impairment, the weather and the start times, but never of keys.
    pub seed: u64,
    /// Latest time to stop.
    pub limit: Option<Duration>,
    /// Number of threads, at least one.
    pub threads: usize,
    /// Speed of the nodes' clocks relative to the wall clock. 1, except in tests that cannot wait
    /// for timers of seconds.
    pub speed: u32,
}

/// Time until this many nodes have been switched on, with a reading per `every`.
pub fn start_time(nodes: usize, every: Duration) -> Duration {
    let joins = Duration::from_secs_f64(nodes as f64 / f64::from(JOINS_PER_SECOND));
    every.min(SPREAD_MAX).max(joins)
}

/// Counters of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// Nodes that have a session now.
    pub joined_now: u64,
    /// Nodes that have ever had a session.
    pub joined: u64,
    /// Sessions after a node's first.
    pub rejoins: u64,
    /// Sessions that nodes considered lost.
    pub sessions_lost: u64,
    /// Readings passed to nodes' sessions.
    pub sent: u64,
    /// Confirmed readings that the gateway has acknowledged.
    pub acknowledged: u64,
    /// Confirmed readings that nodes gave up.
    pub lost: u64,
    /// Payloads from the gateway.
    pub received: u64,
    /// Frames sent by and to the nodes, before any impairment.
    pub frames_out: u64,
    /// See `frames_out`.
    pub frames_in: u64,
    /// Frames that the system could not send, or that were refused because nobody listens.
    pub send_errors: u64,
    /// Readings that were skipped because the previous one was still waiting.
    pub skipped: u64,
    /// Actions of the impairment in both directions. Known at the end.
    pub network: Strikes,
    /// Time from a confirmed reading to its acknowledgement. Known at the end.
    pub latency: Latency,
}

impl Tally {
    /// Confirmed readings that are neither acknowledged nor given up.
    pub fn unsettled(&self) -> u64 {
        self.sent.saturating_sub(self.acknowledged + self.lost)
    }
}

macro_rules! tally {
    ($($name:ident),+) => {
        #[derive(Default)]
        struct Shared { $($name: AtomicU64),+ }

        impl Shared {
            fn tally(&self) -> Tally {
                Tally { $($name: self.$name.load(Relaxed),)+ ..Tally::default() }
            }
        }
    };
}

tally!(
    joined_now,
    joined,
    rejoins,
    sessions_lost,
    sent,
    acknowledged,
    lost,
    received,
    frames_out,
    frames_in,
    send_errors,
    skipped
);

fn count(number: &AtomicU64) {
    number.fetch_add(1, Relaxed);
}

/// Runs nodes that have device keys, until the plan is complete or `stop` is set. `observe` is
/// called from time to time with the counters.
pub fn run(
    mut nodes: Vec<VirtualNode>,
    records: Records,
    plan: &Plan,
    stop: &AtomicBool,
    mut observe: impl FnMut(&Tally),
) -> Result<Tally> {
    let shared = Shared::default();
    let records = Mutex::new(records);
    let ended = Mutex::new((Strikes::default(), Latency::default()));
    // An error in one thread stops the others.
    let failed = AtomicBool::new(false);
    let sockets = allow_files(nodes.len());
    let threads = plan.threads.clamp(1, nodes.len().max(1));
    let share = nodes.len().div_ceil(threads).max(1);
    let total = nodes.len();
    // Commit the records that the nodes stored at their start, before any of them sends.
    commit(&records, 0, &mut nodes)?;
    std::thread::scope(|scope| {
        let mut workers = Vec::new();
        let mut first = 0;
        while !nodes.is_empty() {
            let rest = nodes.split_off(share.min(nodes.len()));
            let own = std::mem::replace(&mut nodes, rest);
            let (number, shared, records) = (own.len(), &shared, &records);
            let (ended, failed) = (&ended, &failed);
            workers.push(scope.spawn(move || {
                let sockets = (sockets * number / total).max(1);
                let work = || {
                    let mut shard = Shard::new(own, first, total, sockets, plan, shared)?;
                    shard.run(records, || stop.load(Relaxed) || failed.load(Relaxed))?;
                    let mut ended = ended.lock().unwrap_or_else(PoisonError::into_inner);
                    ended.0 += shard.strikes();
                    ended.1.add(&shard.latency);
                    Ok(())
                };
                let result = work();
                failed.fetch_or(result.is_err(), Relaxed);
                result
            }));
            first += number;
        }
        while workers.iter().any(|worker| !worker.is_finished()) {
            std::thread::sleep(Duration::from_millis(100));
            observe(&shared.tally());
        }
        let results = workers.into_iter().map(|worker| match worker.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        results.collect::<Result<()>>()
    })?;
    let (network, latency) = ended.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(Tally {
        network,
        latency,
        ..shared.tally()
    })
}

/// Raises the open-file limit if `nodes` need more. Returns the number of sockets that they may
/// have.
fn allow_files(nodes: usize) -> usize {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let need = nodes as u64 + OTHER_FILES;
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|current| current < need) {
        let wanted = limit.maximum.map_or(need, |maximum| maximum.min(need));
        let raised = rustix::process::Rlimit {
            current: Some(wanted),
            ..limit
        };
        if setrlimit(Resource::Nofile, raised).is_ok() {
            limit = raised;
        }
    }
    let room = limit
        .current
        .map_or(u64::MAX, |current| current.saturating_sub(OTHER_FILES));
    usize::try_from(room)
        .unwrap_or(usize::MAX)
        .min(nodes)
        .max(1)
}

/// Commits the nodes' stored records. `first` is the number of the first node.
fn commit(records: &Mutex<Records>, first: usize, nodes: &mut [VirtualNode]) -> Result<()> {
    let stored: Vec<_> = nodes
        .iter_mut()
        .enumerate()
        .filter_map(|(index, node)| Some((first + index, node.take_stored()?)))
        .collect();
    if stored.is_empty() {
        return Ok(());
    }
    let mut records = records.lock().unwrap_or_else(PoisonError::into_inner);
    for (node, record) in stored {
        records.set(node, record);
    }
    records.commit()
}

/// The nodes of one thread.
struct Shard<'a> {
    plan: &'a Plan,
    shared: &'a Shared,
    first: usize,
    nodes: Vec<VirtualNode>,
    states: Vec<State>,
    sockets: Vec<UdpSocket>,
    poll: Poll,
    start: Instant,
    agenda: Schedule<Due>,
    finished: usize,
    /// Nodes that need a turn immediately.
    busy: Vec<usize>,
    latency: Latency,
}

/// State kept for a node in addition to the node itself.
struct State {
    gauge: RainGauge,
    up: Path,
    down: Path,
    sent: u64,
    /// Time at which the next reading is due.
    next_reading: Duration,
    /// A reading is due, but waits for a session or for the previous acknowledgement.
    reading_due: bool,
    /// Time at which the outstanding confirmed reading was sent.
    unconfirmed: Option<Duration>,
    has_joined: bool,
    joined_now: bool,
    finished: bool,
}

enum Due {
    Start(usize),
    Reading(usize),
    /// A frame arrives at the gateway's end, or at the node's.
    Up(usize, Vec<u8>),
    Down(usize, Vec<u8>),
}

/// Sockets to one address, each with its index as token.
fn connected(poll: &Poll, to: SocketAddr, count: usize) -> io::Result<Vec<UdpSocket>> {
    (0..count)
        .map(|index| {
            let mut socket = UdpSocket::bind(any_port(to))?;
            socket.connect(to)?;
            let interest = Interest::READABLE;
            poll.registry()
                .register(&mut socket, Token(index), interest)?;
            Ok(socket)
        })
        .collect()
}

impl State {
    /// A node that has not started. `stream` is the first of its streams of random numbers.
    fn new(plan: &Plan, stream: u64) -> State {
        let path = |stream| Path::new(plan.impairment.clone(), plan.seed, stream);
        State {
            gauge: RainGauge::new(plan.seed, stream + 1),
            up: path(stream + 2),
            down: path(stream + 3),
            sent: 0,
            next_reading: Duration::ZERO,
            reading_due: false,
            unconfirmed: None,
            has_joined: false,
            joined_now: false,
            finished: false,
        }
    }
}

impl<'a> Shard<'a> {
    fn new(
        nodes: Vec<VirtualNode>,
        first: usize,
        total: usize,
        sockets: usize,
        plan: &'a Plan,
        shared: &'a Shared,
    ) -> Result<Shard<'a>> {
        let network = |source| Error::Network {
            address: plan.to,
            source,
        };
        let poll = Poll::new().map_err(network)?;
        let sockets = connected(&poll, plan.to, sockets.min(nodes.len())).map_err(network)?;
        let mut agenda = Schedule::default();
        let spread = start_time(total, plan.every);
        let states = (first..first + nodes.len())
            .map(|node| {
                let stream = 4 * node as u64;
                let mut random = ChaCha8Rng::seed_from_u64(plan.seed);
                random.set_stream(stream);
                // The first node starts at once, so that a single node is not delayed.
                let jitter: f64 = if node == 0 { 0.0 } else { random.random() };
                let offset = spread.mul_f64((node as f64 + jitter) / total as f64);
                agenda.add(offset, Due::Start(node - first));
                State::new(plan, stream)
            })
            .collect();
        Ok(Shard {
            plan,
            shared,
            first,
            nodes,
            states,
            sockets,
            poll,
            start: Instant::now(),
            agenda,
            finished: 0,
            busy: Vec::new(),
            latency: Latency::default(),
        })
    }

    /// Impairments of the frames of all nodes.
    fn strikes(&self) -> Strikes {
        let mut all = Strikes::default();
        for state in &self.states {
            all += state.up.strikes();
            all += state.down.strikes();
        }
        all
    }

    fn run(&mut self, records: &Mutex<Records>, stop: impl Fn() -> bool) -> Result<()> {
        let mut events = Events::with_capacity(1024);
        let mut next_round = Duration::ZERO;
        loop {
            let now = self.start.elapsed();
            let over = self.plan.limit.is_some_and(|limit| now >= limit);
            if over || stop() || self.is_done() {
                return Ok(());
            }
            let due = self
                .agenda
                .due()
                .map_or(next_round, |due| due.min(next_round));
            self.wait(&mut events, due.saturating_sub(now))?;
            for event in &events {
                self.take_in(event.token().0)?;
            }
            let now = self.start.elapsed();
            self.do_due(now)?;
            if now >= next_round {
                next_round = now + TURN / self.plan.speed.max(1);
                self.busy = (0..self.nodes.len()).collect();
            }
            self.turns(now, records)?;
        }
    }

    /// Returns true if every node has sent its readings and every confirmed one is settled.
    fn is_done(&self) -> bool {
        self.finished == self.nodes.len() && self.agenda.is_empty()
    }

    fn wait(&mut self, events: &mut Events, time: Duration) -> Result<()> {
        match self.poll.poll(events, Some(time)) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            Err(source) => Err(self.network(source)),
        }
    }

    fn network(&self, source: io::Error) -> Error {
        Error::Network {
            address: self.plan.to,
            source,
        }
    }

    /// Reads all packets from a socket.
    fn take_in(&mut self, socket: usize) -> Result<()> {
        let mut packet = [0; PACKET_MAX];
        loop {
            match self.sockets[socket].recv(&mut packet) {
                Ok(size) => {
                    let now = self.start.elapsed();
                    for node in (socket..self.nodes.len()).step_by(self.sockets.len()) {
                        count(&self.shared.frames_in);
                        let agenda = &mut self.agenda;
                        self.states[node]
                            .down
                            .pass(now, &packet[..size], |due, bytes| {
                                agenda.add(due, Due::Down(node, bytes));
                            });
                    }
                }
                Err(error) if is_momentary(&error) => return Ok(()),
                // The system reports that an earlier frame found no listener.
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                    count(&self.shared.send_errors);
                }
                Err(source) => return Err(self.network(source)),
            }
        }
    }

    fn do_due(&mut self, now: Duration) -> Result<()> {
        while let Some(due) = self.agenda.take(now) {
            match due {
                Due::Start(node) => {
                    let result = self.nodes[node].node().join();
                    result.map_err(|source| self.broken(node, source))?;
                    self.busy.push(node);
                    self.states[node].next_reading = now;
                    self.agenda.add(now, Due::Reading(node));
                }
                Due::Reading(node) => {
                    let state = &mut self.states[node];
                    // A reading that waits for a session is neither lost nor duplicated; the next
                    // one replaces it.
                    if std::mem::replace(&mut state.reading_due, true) && state.has_joined {
                        count(&self.shared.skipped);
                    }
                    // Keep to the schedule, however late this turn is.
                    state.next_reading += self.plan.every;
                    let next = state.next_reading;
                    self.busy.push(node);
                    if !self.is_last(node) {
                        self.agenda.add(next, Due::Reading(node));
                    }
                }
                Due::Up(node, bytes) => self.send(node, &bytes)?,
                Due::Down(node, bytes) => {
                    self.nodes[node].receive(&bytes);
                    self.busy.push(node);
                }
            }
        }
        Ok(())
    }

    /// Returns true if the due reading is the node's last.
    fn is_last(&self, node: usize) -> bool {
        self.plan
            .readings
            .is_some_and(|readings| self.states[node].sent + 1 >= readings)
    }

    fn broken(&self, node: usize, source: selo_sys::Error) -> Error {
        Error::Node {
            node: self.first + node,
            source,
        }
    }

    fn send(&mut self, node: usize, frame: &[u8]) -> Result<()> {
        match self.sockets[node % self.sockets.len()].send(frame) {
            Ok(_) => Ok(()),
            Err(error) if is_momentary(&error) => {
                count(&self.shared.send_errors);
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                count(&self.shared.send_errors);
                Ok(())
            }
            Err(source) => Err(self.network(source)),
        }
    }

    /// Runs the busy nodes' turns, then commits their records, then sends their frames.
    fn turns(&mut self, now: Duration, records: &Mutex<Records>) -> Result<()> {
        let mut busy = std::mem::take(&mut self.busy);
        busy.sort_unstable();
        busy.dedup();
        for &node in &busy {
            self.turn(node, now)?;
        }
        commit(records, self.first, &mut self.nodes)?;
        for node in busy {
            for frame in self.nodes[node].take_sent() {
                count(&self.shared.frames_out);
                let agenda = &mut self.agenda;
                self.states[node].up.pass(now, &frame, |due, bytes| {
                    agenda.add(due, Due::Up(node, bytes));
                });
            }
        }
        self.do_due(now)
    }

    fn turn(&mut self, node: usize, now: Duration) -> Result<()> {
        let (state, shared, plan) = (&mut self.states[node], self.shared, self.plan);
        let latency = &mut self.latency;
        // Wraps, as a board's clock does.
        let milliseconds = (now * plan.speed).as_millis() as u32;
        self.nodes[node].turn(milliseconds, |_, event| {
            state.take(event, now, shared, latency);
        });
        let result = state.read(self.nodes[node].node(), now, plan, shared);
        let joined = self.nodes[node].node().is_joined();
        state.follow(joined, shared);
        if !state.finished && state.is_finished(plan) {
            state.finished = true;
            self.finished += 1;
        }
        result.map_err(|source| self.broken(node, source))
    }
}

impl State {
    fn take(&mut self, event: Event, now: Duration, shared: &Shared, latency: &mut Latency) {
        match event {
            Event::Joined if self.has_joined => count(&shared.rejoins),
            Event::Joined => {
                self.has_joined = true;
                count(&shared.joined);
            }
            Event::Lost => count(&shared.sessions_lost),
            Event::Received(_) => count(&shared.received),
            Event::Delivered => {
                if let Some(sent) = self.unconfirmed.take() {
                    latency.record(now.saturating_sub(sent));
                }
                count(&shared.acknowledged);
            }
            Event::Undelivered => {
                self.unconfirmed = None;
                count(&shared.lost);
            }
            Event::Digits(_) | Event::Paired | Event::PairFailed => {}
        }
    }

    /// Sends the due reading if possible.
    fn read(
        &mut self,
        node: &mut Node,
        now: Duration,
        plan: &Plan,
        shared: &Shared,
    ) -> Result<(), selo_sys::Error> {
        if !self.reading_due || self.unconfirmed.is_some() || !node.is_joined() {
            return Ok(());
        }
        match node.send(&self.gauge.read(wall_clock()), plan.confirmed) {
            Ok(()) => {
                self.reading_due = false;
                self.unconfirmed = plan.confirmed.then_some(now);
                self.sent += 1;
                count(&shared.sent);
                Ok(())
            }
            // The session has just ended. The reading waits for the next one.
            Err(selo_sys::Error::State) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn follow(&mut self, joined: bool, shared: &Shared) {
        match (self.joined_now, joined) {
            (false, true) => count(&shared.joined_now),
            (true, false) => {
                shared.joined_now.fetch_sub(1, Relaxed);
            }
            _ => {}
        }
        self.joined_now = joined;
    }

    fn is_finished(&self, plan: &Plan) -> bool {
        plan.readings.is_some_and(|readings| self.sent >= readings) && self.unconfirmed.is_none()
    }
}

fn is_momentary(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
    ) || error.raw_os_error() == Some(rustix::io::Errno::NOBUFS.raw_os_error())
}

/// The unspecified address and port 0 of the family of `to`.
pub(crate) fn any_port(to: SocketAddr) -> SocketAddr {
    let ip: IpAddr = match to {
        SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    SocketAddr::new(ip, 0)
}
