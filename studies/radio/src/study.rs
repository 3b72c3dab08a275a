//! How many nodes one gateway carries: nodes that send a reading now and then without asking
//! whether somebody else is sending (ALOHA), to one gateway in their middle. Modules are
//! reduced to their times, so that hours pass in a moment; the medium is the same as the
//! ether's.
//!
//! With acknowledgements a node repeats a reading as the link does [docs/protocol.md, State
//! machines], and the gateway, which cannot hear while it answers, answers each of them.

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

/// When a node that waits for an acknowledgement sends again, after the time before; after
/// the last it gives up.
const REPEATS: [Duration; 4] = [
    Duration::from_secs(2),
    Duration::from_secs(4),
    Duration::from_secs(8),
    Duration::from_secs(16),
];

/// By what share the link's waits are longer at most: 1,020 ms of 2 s [docs/protocol.md,
/// state machines].
pub const LINK_JITTER: f64 = 1020.0 / 2000.0;

/// From a packet in the gateway's host to its answer: far below the other times.
const GATEWAY: Duration = Duration::from_millis(1);

/// When nodes send.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arrivals {
    /// With the period, from a random moment on; each interval differs by up to 5 %. Real
    /// clocks differ by less, and two nodes may collide for hours or never; here every run
    /// sees them in all positions.
    Periodic,
    /// At random, with the period as the mean: what the ALOHA formula assumes.
    Poisson,
}

/// What is simulated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// Nodes.
    pub nodes: usize,
    /// Time between two readings of a node.
    pub period: Duration,
    /// When they come.
    pub arrivals: Arrivals,
    /// Air data rate of everyone.
    pub rate: AirRate,
    /// Forward error correction of everyone.
    pub fec: bool,
    /// Bytes of a reading's frame: 29 for the paper's 16 bytes [docs/protocol.md].
    pub bytes: usize,
    /// Bytes of an acknowledgement: 15.
    pub ack_bytes: usize,
    /// Readings are acknowledged, and repeated without an acknowledgement.
    pub confirmed: bool,
    /// The waits of a reading are all longer by one random share, up to this one. Without it
    /// two nodes that collide repeat at the same times, and collide again.
    pub jitter: f64,
    /// How waves fade.
    pub propagation: Propagation,
    /// Nodes are spread evenly over a disc of this radius in metres.
    pub radius: f64,
    /// Readings, of all nodes together.
    pub readings: u64,
    /// Of places, shadowing and times.
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

    /// Offered load: the share of the time that all nodes together would be on the air, one
    /// after the other, without repetitions.
    pub fn load(&self) -> f64 {
        self.nodes as f64 * self.airtime().as_secs_f64() / self.period.as_secs_f64()
    }

    /// The loss of pure ALOHA at this load, 1 - exp(-2G) [ABRAMSON1970], where a node does not
    /// collide with itself.
    pub fn aloha_loss(&self) -> f64 {
        let others = self.nodes.saturating_sub(1) as f64 / self.nodes.max(1) as f64;
        1.0 - (-2.0 * self.load() * others).exp()
    }
}

/// The result of a plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Report {
    /// Readings that were made.
    pub readings: u64,
    /// Readings that reached the gateway, once or more.
    pub delivered: u64,
    /// Readings that were dropped because the one before still waited.
    pub dropped: u64,
    /// Packets of nodes.
    pub sent: u64,
    /// Packets of nodes that were lost to another's.
    pub collided: u64,
    /// Packets of nodes that came while the gateway was sending.
    pub deaf: u64,
    /// Packets of nodes that were too weak.
    pub weak: u64,
    /// Acknowledgements.
    pub acknowledgements: u64,
    /// Seconds of virtual time until the last reading.
    pub seconds: f64,
    /// Mean share of the time that a node was on the air.
    pub node_duty: f64,
    /// Share of the time that the gateway was on the air.
    pub gateway_duty: f64,
}

impl Report {
    /// The share of readings that the gateway never had.
    pub fn loss(&self) -> f64 {
        1.0 - self.delivered as f64 / self.readings.max(1) as f64
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    /// The end of a transmission comes first: who follows at once does not collide.
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
    /// Packets that the host has given to the module and that have not yet been sent.
    sending: u32,
    on_air: bool,
    /// An acknowledgement is awaited, after so many packets.
    waits: bool,
    attempts: usize,
    /// By how much the waits of this reading are longer.
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

/// The gateway's number in the medium; nodes follow.
const HUB: usize = 0;

/// Carries out a plan. The same plan gives the same report.
pub fn run(plan: &Plan) -> Report {
    let mut random = ChaCha8Rng::seed_from_u64(plan.seed);
    let mut medium = Medium::new(plan.propagation, plan.seed);
    medium.add(Position::default());
    medium.listen(HUB, true);
    for _ in 0..plan.nodes {
        // Evenly over the disc.
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

/// From a host's write to the air, and from the air to the host.
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

    /// The module has the frame: it sends it when the one before has left.
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
            // On a slow air the packet before may still be on it.
            self.send(now, node);
        }
    }
}

/// Numbers of nodes that are worth a point of a curve.
pub const STEPS: [usize; 22] = [
    1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1_000, 1_500, 2_000,
    3_000, 5_000,
];

/// A point of a curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// What was simulated.
    pub plan: Plan,
    /// Its result.
    pub report: Report,
}

/// Loss over the number of nodes, up to the number at which more than `enough` is lost.
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

/// The largest number of nodes of which at most `loss` is lost, between two points of a
/// curve; 0 if one node alone loses more. Loss is taken to grow with the nodes, which it does
/// but for chance.
pub fn capacity(points: &[Point], loss: f64) -> Option<usize> {
    let first_beyond = points.iter().position(|point| point.report.loss() > loss)?;
    let beyond = points[first_beyond];
    let Some(within) = first_beyond.checked_sub(1).map(|index| points[index]) else {
        return Some(0);
    };
    let (mut low, mut high) = (within.plan.nodes, beyond.plan.nodes);
    // Finer than 2 % would be finer than chance.
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

    /// The oracle: what Abramson's formula says, a simulation without capture must give.
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
                // Five standard deviations of so many independent readings; those of
                // collisions come in pairs.
                let spread = (2.0 * formula * (1.0 - formula) / report.readings as f64).sqrt();
                // A node does not begin anew while it sends: a share of load / nodes.
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
                // But at 0.3k a reading takes longer than the 2 s after which it is repeated.
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
