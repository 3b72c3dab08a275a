//! Number of nodes that one gateway can serve. Nodes around a gateway send readings without
//! listening before they talk (ALOHA). Modules are reduced to their timing, so that hours are
//! simulated in a moment. The medium is the ether's.
//!
//! With acknowledgements, a node repeats a reading as the link does [docs/protocol.md, State
//! machines]. The gateway answers each one, and cannot receive while it answers.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::time::Duration;

use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use crate::e32::BEFORE_OUTPUT;
use crate::medium::{Medium, Position, Propagation, Reception, Signal, unit};
use crate::{Time, nanos};
use selo_e32::airtime::AirRate;
use selo_e32::parameters::{SILENCE_BYTES, Uart};

/// Waits of a node for an acknowledgement, one per transmission. After the last one it gives up.
const REPEATS: [Duration; 4] = [
    Duration::from_secs(2),
    Duration::from_secs(4),
    Duration::from_secs(8),
    Duration::from_secs(16),
];

/// Maximum relative extension of the link's waits: 1,020 ms of 2 s [docs/protocol.md, state
/// machines].
pub const LINK_JITTER: f64 = 1020.0 / 2000.0;

/// Time from a packet at the gateway's host to its answer, far below the other times.
const GATEWAY: Duration = Duration::from_millis(1);

/// Distribution of the sending times.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arrivals {
    /// Periodic, with a random phase. Each interval varies by up to 5 %. Real clocks vary less,
    /// so two nodes may collide for hours or never; here every run covers all relative phases.
    Periodic,
    /// Random, with the period as the mean, as the ALOHA formula assumes.
    Poisson,
}

/// Parameters of a simulation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// Number of nodes.
    pub nodes: usize,
    /// Time between two readings of a node.
    pub period: Duration,
    /// Distribution of the sending times.
    pub arrivals: Arrivals,
    /// Air data rate of all modules.
    pub rate: AirRate,
    /// Forward error correction of all modules.
    pub fec: bool,
    /// Bytes of a reading's frame: 29 for the paper's 16 bytes [docs/protocol.md].
    pub bytes: usize,
    /// Bytes of an acknowledgement: 15.
    pub ack_bytes: usize,
    /// Readings are acknowledged, and repeated without an acknowledgement.
    pub confirmed: bool,
    /// Maximum random extension of all waits of a reading, as a share. Without it, two nodes that
    /// collide repeat at the same times and collide again.
    pub jitter: f64,
    /// Radio propagation.
    pub propagation: Propagation,
    /// Nodes are uniformly distributed over a disc of this radius in metres.
    pub radius: f64,
    /// Number of readings of all nodes together.
    pub readings: u64,
    /// Seed of positions, shadowing and times.
    pub seed: u64,
}

impl Plan {
    /// The paper's readings, sealed, in the default medium.
    pub fn new(nodes: usize, period: Duration, rate: AirRate) -> Plan {
        Plan {
            nodes,
            period,
            arrivals: Arrivals::Periodic,
            rate,
            fec: true,
            bytes: 29,
            ack_bytes: 15,
            confirmed: false,
            jitter: LINK_JITTER,
            propagation: Propagation::default(),
            radius: 500.0,
            readings: 20_000,
            seed: 1,
        }
    }

    /// Time on the air of a reading.
    pub fn airtime(&self) -> Duration {
        self.rate.airtime(self.bytes, self.fec)
    }

    /// Offered load: the share of the time that all nodes together would occupy the air without
    /// overlaps and repetitions.
    pub fn load(&self) -> f64 {
        self.nodes as f64 * self.airtime().as_secs_f64() / self.period.as_secs_f64()
    }

    /// Loss of pure ALOHA at this load, 1 - exp(-2G) [ABRAMSON1970], where a node does not
    /// collide with itself.
    pub fn aloha_loss(&self) -> f64 {
        let others = self.nodes.saturating_sub(1) as f64 / self.nodes.max(1) as f64;
        1.0 - (-2.0 * self.load() * others).exp()
    }
}

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

/// Numbers of nodes used as points of a curve.
pub const STEPS: [usize; 22] = [
    1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1_000, 1_500, 2_000,
    3_000, 5_000,
];

/// A point of a curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// The simulated plan.
    pub plan: Plan,
    /// Its result.
    pub report: Report,
}

/// Loss by number of nodes, up to the first number with a loss above `enough`.
pub fn curve(plan: &Plan, enough: f64) -> Vec<Point> {
    let mut points = Vec::new();
    for nodes in STEPS {
        let plan = Plan { nodes, ..*plan };
        let report = run(&plan);
        points.push(Point { plan, report });
        if report.loss() > enough {
            break;
        }
    }
    points
}

/// The largest number of nodes with at most `loss`, between two points of a curve; 0 if a single
/// node loses more. Assumes that loss grows with the number of nodes, which holds except for
/// random variation.
pub fn capacity(points: &[Point], loss: f64) -> Option<usize> {
    let first_beyond = points.iter().position(|point| point.report.loss() > loss)?;
    let beyond = points[first_beyond];
    let Some(within) = first_beyond.checked_sub(1).map(|index| points[index]) else {
        return Some(0);
    };
    let (mut low, mut high) = (within.plan.nodes, beyond.plan.nodes);
    // A resolution finer than 2 % would be below the random variation.
    while high - low > 1.max(low / 50) {
        let nodes = low.midpoint(high);
        let plan = Plan {
            nodes,
            ..beyond.plan
        };
        if run(&plan).loss() > loss {
            high = nodes;
        } else {
            low = nodes;
        }
    }
    Some(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aloha(nodes: usize, load: f64) -> Plan {
        let mut plan = Plan {
            arrivals: Arrivals::Poisson,
            propagation: Propagation::ALOHA,
            readings: 60_000,
            ..Plan::new(nodes, Duration::ZERO, AirRate::R2400)
        };
        plan.period = plan.airtime().mul_f64(nodes as f64 / load);
        plan
    }

    /// Oracle: without capture, the simulation must match Abramson's formula.
    #[test]
    fn without_capture_the_loss_is_the_aloha_formulas() {
        for load in [0.02, 0.1, 0.3, 0.5, 1.0] {
            for seed in [1, 2] {
                let plan = Plan {
                    seed,
                    ..aloha(500, load)
                };
                assert!((plan.load() - load).abs() < 1e-6);
                let report = run(&plan);
                let (loss, formula) = (report.loss(), plan.aloha_loss());
                // Five standard deviations of this many independent readings. Collisions lose
                // readings in pairs.
                let spread = (2.0 * formula * (1.0 - formula) / report.readings as f64).sqrt();
                // A node does not start again while it sends: a share of load / nodes.
                let slack = 5.0 * spread + load / 500.0;
                assert!(
                    (loss - formula).abs() < slack,
                    "load {load}: {loss} instead of {formula} +- {slack}"
                );
            }
        }
    }

    #[test]
    fn every_reading_is_accounted_for() {
        for confirmed in [false, true] {
            let plan = Plan {
                confirmed,
                ..Plan::new(30, Duration::from_secs(20), AirRate::R2400)
            };
            let report = run(&plan);
            assert_eq!(report.readings, plan.readings);
            let heard = report.sent - report.collided - report.deaf - report.weak;
            if confirmed {
                assert_eq!(report.acknowledgements, heard);
                assert!(report.delivered <= heard);
                assert!(report.sent > report.readings - report.dropped);
            } else {
                assert_eq!(report.delivered, heard);
                assert_eq!(report.sent, report.readings - report.dropped);
            }
            assert_eq!(run(&plan), report, "the same plan, the same report");
            assert_ne!(run(&Plan { seed: 2, ..plan }), report);
        }
    }

    #[test]
    fn capture_saves_readings_and_so_do_repetitions_that_are_spread() {
        let loss = |change: fn(&mut Plan)| {
            let mut plan = Plan::new(20, Duration::from_secs(60), AirRate::R2400);
            change(&mut plan);
            run(&plan).loss()
        };
        let captured = loss(|_| ());
        let destroyed = loss(|plan| plan.propagation.capture_db = f64::INFINITY);
        assert!(captured < 0.8 * destroyed, "{captured} and {destroyed}");
        let confirmed = loss(|plan| {
            plan.confirmed = true;
            plan.jitter = 0.0;
        });
        let spread = loss(|plan| plan.confirmed = true);
        assert!(spread < 0.4 * confirmed, "{spread} and {confirmed}");
    }

    #[test]
    fn one_node_loses_nothing() {
        for rate in AirRate::ALL {
            for confirmed in [false, true] {
                let report = run(&Plan {
                    confirmed,
                    readings: 1_000,
                    ..Plan::new(1, Duration::from_secs(60), rate)
                });
                assert_eq!(report.loss(), 0.0, "{rate}, {report:?}");
                // At 0.3k, however, a reading takes longer than the 2 s after which it is
                // repeated.
                let repeats = confirmed && rate == AirRate::R300;
                assert_eq!(report.sent > report.readings, repeats, "{rate}");
            }
        }
    }

    #[test]
    fn the_capacity_is_where_the_curve_crosses() {
        let plan = Plan {
            readings: 5_000,
            ..aloha(1, 0.5)
        };
        let plan = Plan {
            period: plan.airtime() * 1_000,
            ..plan
        };
        let points = curve(&plan, 0.2);
        assert!(points.last().expect("points").report.loss() > 0.2);
        let nodes = capacity(&points, 0.1).expect("crosses");
        // 1 - exp(-2 (n - 1) / 1000) = 0.1 at n = 53.7.
        assert!((44..=64).contains(&nodes), "{nodes}");
        assert_eq!(capacity(&points, 0.9), None, "not reached");
    }
}
