//! One run of a plan on simulated modules.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::time::Duration;

use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use selo_e32::parameters::{SILENCE_BYTES, Uart};

use super::plan::{Arrivals, Plan};
use crate::e32::BEFORE_OUTPUT;
use crate::medium::{Medium, Position, Reception, Signal, unit};
use crate::{Time, nanos};

/// Waits of a node for an acknowledgement, one per transmission. After the last one it gives up.
const REPEATS: [Duration; 4] = [
    Duration::from_secs(2),
    Duration::from_secs(4),
    Duration::from_secs(8),
    Duration::from_secs(16),
];

/// Time from a packet at the gateway's host to its answer, far below the other times.
const GATEWAY: Duration = Duration::from_millis(1);

/// Result of a simulation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Report {
    /// Readings produced.
    pub readings: u64,
    /// Readings that reached the gateway at least once.
    pub delivered: u64,
    /// Readings dropped because the previous one was still waiting.
    pub dropped: u64,
    /// Packets sent by nodes.
    pub sent: u64,
    /// Packets of nodes lost in a collision.
    pub collided: u64,
    /// Packets of nodes that arrived while the gateway was transmitting.
    pub deaf: u64,
    /// Packets of nodes that were too weak.
    pub weak: u64,
    /// Acknowledgements sent.
    pub acknowledgements: u64,
    /// Virtual time until the last reading, in seconds.
    pub seconds: f64,
    /// Mean duty cycle of a node.
    pub node_duty: f64,
    /// Duty cycle of the gateway.
    pub gateway_duty: f64,
}

impl Report {
    /// Share of the readings that never reached the gateway.
    pub fn loss(&self) -> f64 {
        1.0 - self.delivered as f64 / self.readings.max(1) as f64
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    /// First in order at equal times, so that a packet that follows immediately does not collide.
    End(u64),
    Reading(usize),
    Begin(usize),
    Repeat {
        node: usize,
        reading: u64,
    },
    Acknowledge(usize),
}

#[derive(Debug, Clone, Copy, Default)]
struct Node {
    reading: u64,
    delivered: bool,
    /// Packets that the host has passed to the module and that have not been sent yet.
    sending: u32,
    on_air: bool,
    /// An acknowledgement is awaited, after this many packets.
    waits: bool,
    attempts: usize,
    /// Extension of this reading's waits, as a share.
    late: f64,
}

enum Flight {
    Reading(usize),
    Acknowledgement(usize),
}

struct Run {
    plan: Plan,
    random: ChaCha8Rng,
    medium: Medium,
    nodes: Vec<Node>,
    due: BinaryHeap<Reverse<(Time, u64, Due)>>,
    order: u64,
    flights: HashMap<u64, Flight>,
    gateway_busy: bool,
    answers: VecDeque<usize>,
    airtime: Time,
    ack_airtime: Time,
    report: Report,
}

/// The gateway's number in the medium. The nodes follow.
const HUB: usize = 0;

/// Runs a simulation. The same plan gives the same report.
pub fn run(plan: &Plan) -> Report {
    let mut random = ChaCha8Rng::seed_from_u64(plan.seed);
    let mut medium = Medium::new(plan.propagation, plan.seed);
    medium.add(Position::default());
    medium.listen(HUB, true);
    for _ in 0..plan.nodes {
        // Uniformly over the disc.
        let distance = plan.radius * unit(random.next_u64()).sqrt();
        let angle = std::f64::consts::TAU * unit(random.next_u64());
        let node = medium.add(Position {
            x: distance * angle.cos(),
            y: distance * angle.sin(),
        });
        medium.listen(node, true);
    }
    let mut run = Run {
        plan: *plan,
        random,
        medium,
        nodes: vec![Node::default(); plan.nodes],
        due: BinaryHeap::new(),
        order: 0,
        flights: HashMap::new(),
        gateway_busy: false,
        answers: VecDeque::new(),
        airtime: nanos(plan.airtime()),
        ack_airtime: nanos(plan.rate.airtime(plan.ack_bytes, plan.fec)),
        report: Report::default(),
    };
    for node in 0..plan.nodes {
        let phase = unit(run.random.next_u64()) * plan.period.as_nanos() as f64;
        run.at(phase as Time, Due::Reading(node));
    }
    run.all();
    run.report
}

/// Time from a host's write to the air, and from the air to the host.
fn uart(bytes: usize) -> Duration {
    Uart::CONFIGURATION.byte() * bytes as u32
}

impl Run {
    fn at(&mut self, time: Time, due: Due) {
        self.due.push(Reverse((time, self.order, due)));
        self.order += 1;
    }

    fn all(&mut self) {
        let mut last = 1;
        while let Some(Reverse((now, _, due))) = self.due.pop() {
            match due {
                Due::Reading(node) if self.report.readings < self.plan.readings => {
                    last = now.max(1);
                    self.reading(now, node);
                }
                Due::Reading(_) => {}
                Due::Begin(node) => self.begin(now, node),
                Due::Repeat { node, reading } => self.repeat(now, node, reading),
                Due::Acknowledge(node) => {
                    self.answers.push_back(node);
                    self.answer(now);
                }
                Due::End(id) => self.end(now, id),
            }
        }
        let seconds = last as f64 / 1e9;
        let share = |packets: u64, airtime: Time| packets as f64 * airtime as f64 / last as f64;
        self.report.seconds = seconds;
        self.report.node_duty =
            share(self.report.sent, self.airtime) / self.plan.nodes.max(1) as f64;
        self.report.gateway_duty = share(self.report.acknowledgements, self.ack_airtime);
    }

    fn interval(&mut self) -> Time {
        let period = self.plan.period.as_nanos() as f64;
        let u = unit(self.random.next_u64());
        let interval = match self.plan.arrivals {
            Arrivals::Periodic => period * (0.95 + 0.1 * u),
            Arrivals::Poisson => -period * (1.0 - u).ln(),
        };
        interval as Time
    }

    fn reading(&mut self, now: Time, node: usize) {
        self.report.readings += 1;
        let next = now + self.interval();
        self.at(next, Due::Reading(node));
        let state = &mut self.nodes[node];
        if state.sending > 0 || state.waits {
            self.report.dropped += 1;
            return;
        }
        state.reading += 1;
        state.delivered = false;
        state.attempts = 0;
        self.send(now, node);
    }

    /// The node's host writes the frame.
    fn send(&mut self, now: Time, node: usize) {
        let state = &mut self.nodes[node];
        state.sending += 1;
        state.waits = self.plan.confirmed;
        let (attempt, reading) = (state.attempts, state.reading);
        state.attempts += 1;
        let line = uart(self.plan.bytes + SILENCE_BYTES as usize);
        self.at(now + nanos(line), Due::Begin(node));
        if self.plan.confirmed {
            if attempt == 0 {
                let share = self.plan.jitter * unit(self.random.next_u64());
                self.nodes[node].late = 1.0 + share;
            }
            let repeat = now + nanos(REPEATS[attempt].mul_f64(self.nodes[node].late));
            self.at(repeat, Due::Repeat { node, reading });
        }
    }

    /// The module has the frame. It sends the frame when the previous one has left.
    fn begin(&mut self, now: Time, node: usize) {
        if std::mem::replace(&mut self.nodes[node].on_air, true) {
            return;
        }
        self.report.sent += 1;
        self.transmit(now, node + 1, HUB, self.airtime, Flight::Reading(node));
    }

    fn transmit(&mut self, now: Time, from: usize, to: usize, airtime: Time, flight: Flight) {
        let signal = Signal {
            channel: 0,
            rate: self.plan.rate,
            power_dbm: 20.0,
        };
        let ends = now + airtime;
        self.medium.listen(from, false);
        let id = self.medium.begin(from, signal, ends, [to]);
        self.flights.insert(id, flight);
        self.at(ends, Due::End(id));
    }

    fn end(&mut self, now: Time, id: u64) {
        let outcome = self.medium.end(id).first().map(|ear| ear.1);
        match self.flights.remove(&id) {
            Some(Flight::Reading(node)) => {
                self.medium.listen(node + 1, true);
                let state = &mut self.nodes[node];
                state.on_air = false;
                state.sending -= 1;
                let more = state.sending > 0;
                match outcome {
                    Some(Reception::Received { .. }) => self.arrived(now, node),
                    Some(Reception::Collided) => self.report.collided += 1,
                    Some(Reception::Deaf) => self.report.deaf += 1,
                    Some(Reception::Weak) | None => self.report.weak += 1,
                }
                if more {
                    self.begin(now, node);
                }
            }
            Some(Flight::Acknowledgement(node)) => {
                self.medium.listen(HUB, true);
                self.gateway_busy = false;
                if matches!(outcome, Some(Reception::Received { .. })) {
                    self.nodes[node].waits = false;
                }
                self.answer(now);
            }
            None => {}
        }
    }

    fn arrived(&mut self, now: Time, node: usize) {
        let state = &mut self.nodes[node];
        if !std::mem::replace(&mut state.delivered, true) {
            self.report.delivered += 1;
        }
        if self.plan.confirmed {
            let up = BEFORE_OUTPUT + uart(self.plan.bytes);
            let down = uart(self.plan.ack_bytes + SILENCE_BYTES as usize);
            self.at(now + nanos(up + GATEWAY + down), Due::Acknowledge(node));
        }
    }

    fn answer(&mut self, now: Time) {
        if self.gateway_busy {
            return;
        }
        if let Some(node) = self.answers.pop_front() {
            self.gateway_busy = true;
            self.report.acknowledgements += 1;
            let flight = Flight::Acknowledgement(node);
            self.transmit(now, HUB, node + 1, self.ack_airtime, flight);
        }
    }

    fn repeat(&mut self, now: Time, node: usize, reading: u64) {
        let state = &mut self.nodes[node];
        if !state.waits || state.reading != reading {
            return;
        }
        if state.attempts == REPEATS.len() {
            state.waits = false;
        } else {
            // On a slow air the previous packet may still be on the air.
            self.send(now, node);
        }
    }
}
