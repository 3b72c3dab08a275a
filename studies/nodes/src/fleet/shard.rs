//! A thread's share of the nodes, with their sockets and their agenda.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use mio::net::UdpSocket;
use mio::{Events, Interest, Poll, Token};
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::plan::{Plan, start_time};
use super::state::State;
use super::tally::{Shared, count};
use crate::error::{Error, Result};
use crate::impairment::{Schedule, Strikes};
use crate::latency::Latency;
use crate::node::VirtualNode;
use crate::records::Records;

/// Longest time between two turns of a node. A node's own timers are in seconds.
const TURN: Duration = Duration::from_millis(50);

/// Buffer size, larger than any frame, so that an oversized packet is recognised.
const PACKET_MAX: usize = 2048;

/// The nodes of one thread.
pub(super) struct Shard<'a> {
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
    pub(super) latency: Latency,
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

impl<'a> Shard<'a> {
    pub(super) fn new(
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
    pub(super) fn strikes(&self) -> Strikes {
        let mut all = Strikes::default();
        for state in &self.states {
            all += state.up.strikes();
            all += state.down.strikes();
        }
        all
    }

    pub(super) fn run(&mut self, records: &Mutex<Records>, stop: impl Fn() -> bool) -> Result<()> {
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

/// Commits the nodes' stored records. `first` is the number of the first node.
pub(super) fn commit(
    records: &Mutex<Records>,
    first: usize,
    nodes: &mut [VirtualNode],
) -> Result<()> {
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
