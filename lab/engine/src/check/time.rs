//! Constant time: the spread of cycles, or of counted instructions, over random secrets.

use std::collections::BTreeMap;

use super::{
    CONSTANT_INSTRUCTIONS, CONSTANT_TIME, CheckLine, Effort, KEY_PAIRS, PUBLIC_TIME, Running,
    lacks_room,
};
use crate::agent::{Ran, Retry};
use crate::error::{Error, Result};
use crate::interface::{Input, Interface, Plan, Transcript, is_in_pieces};
use crate::measure::{Operation, rng_for};
use crate::row::Fidelity;
use crate::row::say::shown;
use crate::runner::Counts;

/// An operation of more cycles than this is slow: it gets `slow_secrets` samples.
const SLOW: u64 = 2_000_000;

/// Altered messages of a constant-time line: enough to hit every byte of a tag.
const REFUSALS: u32 = 100;

/// Calls with the same secrets and other public inputs: enough for each number of carries.
const PUBLICS: u32 = 100;

/// The numbers of the random inputs of a call: calls of the same number have the same inputs.
#[derive(Clone, Copy)]
pub(super) struct Draw {
    pub secret: u32,
    pub public: u32,
}

impl Draw {
    pub const FIRST: Draw = Draw {
        secret: 0,
        public: 0,
    };

    /// Ends some public inputs in bytes of 0xff, so that an increment carries over several bytes.
    fn fill(self, bytes: &mut [u8]) {
        let carries = (self.public % 4) as usize;
        let from = bytes.len().saturating_sub(carries);
        bytes[from..].fill(0xff);
    }
}

/// The observed calls of each operation. No list is empty.
type Seen = BTreeMap<&'static str, Vec<Observed>>;

/// The cost and the inputs of one call.
pub(super) struct Observed {
    operation: &'static str,
    pub took: Took,
    inputs: Vec<Vec<u8>>,
}

/// The cost of a call. Two calls of equal cost are equal.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Took {
    Cycles(u64),
    Instructions(Counts),
}

impl Took {
    fn of(ran: &Ran) -> Option<Took> {
        let cycles = ran.span.map(|span| Took::Cycles(span.cycles));
        let counts = ran.counts.clone().map(|counts| Counts {
            hashing: None,
            ..counts
        });
        cycles.or(counts.map(Took::Instructions))
    }

    pub fn count(&self) -> u64 {
        match self {
            Took::Cycles(cycles) => *cycles,
            Took::Instructions(counts) => counts.instructions,
        }
    }

    fn plus(self, other: Took) -> Took {
        match (self, other) {
            (Took::Instructions(mut sum), Took::Instructions(more)) => {
                sum.instructions += more.instructions;
                for (class, count) in more.classes {
                    *sum.classes.entry(class).or_default() += count;
                }
                Took::Instructions(sum)
            }
            (sum, more) => Took::Cycles(sum.count() + more.count()),
        }
    }

    /// The first difference between two costs, as text: the own figure with its unit, and the
    /// other's figure.
    fn beside(&self, other: &Took) -> (String, String) {
        let (Took::Instructions(a), Took::Instructions(b)) = (self, other) else {
            return (
                format!("{} cycles", self.count()),
                other.count().to_string(),
            );
        };
        if a.instructions != b.instructions {
            return (
                format!("{} instructions", a.instructions),
                b.instructions.to_string(),
            );
        }
        let of = |counts: &Counts, class: &str| counts.classes.get(class).copied().unwrap_or(0);
        let mut classes = a.classes.keys().chain(b.classes.keys());
        let class = classes.find(|class| of(a, class) != of(b, class));
        let class = class.map_or("", String::as_str);
        (
            format!("{} of class {class}", of(a, class)),
            of(b, class).to_string(),
        )
    }
}

impl Observed {
    fn shown(&self) -> String {
        let inputs: Vec<String> = self.inputs.iter().map(hex::encode).collect();
        shown(&inputs)
    }
}

impl Running<'_> {
    /// Records that a timed call ended the program. A crash says nothing about the time.
    fn stopped_while_timed(&mut self, what: &str, error: &Error) {
        let bytes = self.unit.algorithm.bytes.first().copied();
        let operation = Operation::new(what, bytes);
        let lack = self.lab.lack_of_heap_while(self.unit, &operation, None);
        let error = lack.as_ref().unwrap_or(error);
        let asides = &mut self.asides;
        let (place, reason) = match (self.lab.excused(self.unit, error), lacks_room(error)) {
            (Some(reason), _) => (&mut asides.over_limit, reason),
            (None, Some(reason)) => (&mut asides.no_room, reason),
            (None, None) => (&mut asides.crashed, error.to_string()),
        };
        place.get_or_insert(format!("{what}: {reason}"));
    }

    /// A line with the number of random secrets for which each operation took equal cycles, or
    /// equal instructions. If that holds, and the time depends on public inputs (a counter, an IV,
    /// a nonce), another line tells.
    pub(super) fn constant_time(&mut self, effort: &Effort) -> Result<Vec<CheckLine>> {
        if self.unit.algorithm.interface == Interface::Probe {
            return Ok(Vec::new());
        }
        let plans = self.plans(effort);
        let mut seen = Seen::new();
        for (operation, wanted, plan) in &plans {
            let secret = |number| Draw {
                secret: number,
                public: 0,
            };
            self.collect(operation, *wanted, plan, effort, &secret, &mut seen)?;
        }
        let mut line = self.line(CONSTANT_TIME);
        for (operation, observed) in &seen {
            if matches!(observed[0].took, Took::Instructions(_)) {
                line.source = CONSTANT_INSTRUCTIONS.to_owned();
            }
            let first = self.standard(operation, &seen).unwrap_or(&observed[0]);
            for other in observed {
                match differs(operation, first, other) {
                    None => line.passed += 1,
                    Some(how) => line.note_failure(how),
                }
            }
        }
        line.tried = line.passed + line.failed;
        line.available = line.tried;
        if line.tried == 0 {
            return Ok(Vec::new());
        }
        let public = match line.failed {
            0 => self.public_time(&plans, effort)?,
            _ => None,
        };
        Ok([Some(line), public].into_iter().flatten().collect())
    }

    /// The operations to observe, with the number of calls of each and the calls before it. The
    /// longest plans come first: they also observe the operations of the shorter ones.
    fn plans(&self, effort: &Effort) -> Vec<(&'static str, u32, Plan)> {
        let (algorithm, interface) = (self.unit.algorithm, self.unit.algorithm.interface);
        let bytes = algorithm.bytes.first().copied().unwrap_or(0);
        let offered = |plan: &Plan| self.unit.offers_all(plan);
        let mut plans: Vec<(&'static str, u32, Plan)> = Vec::new();
        // The search for each key pair takes long.
        let secrets = match interface {
            Interface::PublicKey => effort.secrets.min(KEY_PAIRS),
            _ => effort.secrets,
        };
        let secret = |operation: &&&'static str| interface.keeps_secrets(operation);
        for operation in interface.timed_operations().iter().filter(secret) {
            let plan = self.unit.plan(operation, bytes).filter(offered);
            plans.extend(plan.map(|plan| (*operation, secrets, plan)));
        }
        let refusals = interface.refusals(algorithm, bytes).into_iter();
        let refusals = refusals.filter(|(_, plan)| offered(plan));
        plans.extend(refusals.map(|(name, plan)| (name, effort.secrets.min(REFUSALS), plan)));
        plans.sort_by_key(|(_, _, plan)| std::cmp::Reverse(plan.len()));
        plans
    }

    /// The call that one of a refusal is compared with, if a refusal must not show.
    fn standard<'s>(&self, operation: &str, seen: &'s Seen) -> Option<&'s Observed> {
        let interface = self.unit.algorithm.interface;
        let hidden = interface.hides_refusals()?;
        let is_refusal = !interface.timed_operations().contains(&operation);
        seen.get(hidden).filter(|_| is_refusal)?.first()
    }

    /// Observes an operation until it has `wanted` calls, or fewer if it is slow. `draw` gives the
    /// inputs of each.
    fn collect(
        &mut self,
        operation: &'static str,
        mut wanted: u32,
        plan: &Plan,
        effort: &Effort,
        draw: &dyn Fn(u32) -> Draw,
        seen: &mut Seen,
    ) -> Result<()> {
        let interface = self.unit.algorithm.interface;
        let count = |seen: &Seen| seen.get(operation).map_or(0, Vec::len) as u32;
        let mut number = 0;
        while count(seen) < wanted {
            match self.observe(operation, plan, draw(number)) {
                Ok(observed) => {
                    for one in observed {
                        if one.operation == operation && one.took.count() > SLOW {
                            wanted = wanted.min(effort.slow_secrets);
                        }
                        if interface.keeps_secrets(one.operation) {
                            seen.entry(one.operation).or_default().push(one);
                        }
                    }
                }
                Err(error @ (Error::Stopped(_) | Error::Agent(_))) => {
                    self.stopped_while_timed(operation, &error);
                    self.restart()?;
                    return Ok(());
                }
                Err(error) => return Err(error),
            }
            number += 1;
            if count(seen) == 0 {
                return Ok(()); // this runner sees no spans
            }
        }
        Ok(())
    }

    /// The line that tells of calls with the same secrets and other public inputs that took
    /// another time. None of them counts as failed.
    fn public_time(
        &mut self,
        plans: &[(&'static str, u32, Plan)],
        effort: &Effort,
    ) -> Result<Option<CheckLine>> {
        let mut seen = Seen::new();
        let interface = self.unit.algorithm.interface;
        let takes_public = |plan: &Plan| {
            let mut inputs = plan.iter().flat_map(|call| &call.inputs);
            inputs.any(Input::is_public)
        };
        for (operation, _, plan) in plans.iter().filter(|(.., plan)| takes_public(plan)) {
            let public = |number| Draw {
                secret: 0,
                public: number,
            };
            let wanted = effort.secrets.min(PUBLICS);
            if interface.timed_operations().contains(operation) {
                self.collect(operation, wanted, plan, effort, &public, &mut seen)?;
            }
        }
        let (mut tried, mut other) = (0, 0);
        let mut first = None;
        for (operation, observed) in &seen {
            let differ = observed
                .iter()
                .filter_map(|call| differs(operation, &observed[0], call));
            let differ: Vec<String> = differ.collect();
            tried += observed.len();
            other += differ.len();
            first = first.or_else(|| differ.into_iter().next());
        }
        Ok(first.map(|how| CheckLine {
            first_failure: Some(format!("{other} of {tried} calls differ: {how}")),
            ..self.line(PUBLIC_TIME)
        }))
    }

    /// The cost of a call, marks included: from the runner, or from the chip's own counter if it
    /// counts cycles.
    fn counted(&self, ran: &Ran) -> Option<Took> {
        if let Some(took) = Took::of(ran) {
            return Some(took);
        }
        let board = self.lab.board;
        let ticks = u64::from(self.agent.hello().counter_hz);
        let each = board.clock_hz == Some(ticks) && !ran.reply.wrapped;
        (each && board.fidelity == Fidelity::CycleExact).then_some(Took::Cycles(ran.reply.counter))
    }

    /// Runs the calls of a plan with drawn inputs. Returns the cost of each call whose cost is
    /// known. The last call counts as `operation`.
    pub(super) fn observe(
        &mut self,
        operation: &'static str,
        plan: &Plan,
        draw: Draw,
    ) -> Result<Vec<Observed>> {
        self.refresh()?;
        let mut retry = Retry::default();
        loop {
            match self.observe_once(operation, plan, draw) {
                Err(error) => retry.after(error)?,
                observed => return observed,
            }
        }
    }

    fn observe_once(
        &mut self,
        operation: &'static str,
        plan: &Plan,
        draw: Draw,
    ) -> Result<Vec<Observed>> {
        let name = &self.unit.algorithm.name;
        let timed = self.unit.algorithm.interface.timed_operations();
        let in_pieces = is_in_pieces(plan);
        let mut secret = rng_for(&format!("{name} {operation} secret"), draw.secret.into());
        // The same for all operations, because the plan of one has calls of others.
        let mut public = rng_for(&format!("{name} public"), draw.public.into());
        let mut calls = Transcript::default();
        let mut out = Vec::new();
        for (index, call) in plan.iter().enumerate() {
            let mut inputs: Vec<Vec<u8>> = Vec::new();
            for input in &call.inputs {
                let mut bytes = match input.is_public() {
                    true => input.bytes(&mut public, &calls),
                    false => input.bytes(&mut secret, &calls),
                };
                if matches!(input, Input::Public(_)) {
                    draw.fill(&mut bytes);
                }
                inputs.push(bytes);
            }
            let fields: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
            let ran = self.agent.run(call.operation, 1, false, &fields)?;
            let last = index + 1 == plan.len();
            // A call that only carries bytes has no marks.
            let timed = last || in_pieces || timed.contains(&call.operation);
            if let Some(took) = self.counted(&ran).filter(|_| timed) {
                out.push(Observed {
                    operation: if last { operation } else { call.operation },
                    took,
                    inputs: match inputs.is_empty() {
                        // What the call uses came with the calls before it.
                        true => calls.inputs.concat(),
                        false => inputs.clone(),
                    },
                });
            }
            calls.inputs.push(inputs);
            calls.outputs.push(ran.reply.output);
        }
        Ok(match in_pieces {
            true => together(operation, out),
            false => out,
        })
    }
}

/// The observations of an operation in pieces as one. A piece takes another time at another place.
fn together(operation: &'static str, pieces: Vec<Observed>) -> Vec<Observed> {
    let sum = pieces.into_iter().reduce(|sum, piece| Observed {
        operation,
        took: sum.took.plus(piece.took),
        inputs: [sum.inputs, piece.inputs].concat(),
    });
    sum.into_iter().collect()
}

/// The first difference of two calls of an operation, as text. `None` if they took the same.
fn differs(operation: &str, first: &Observed, other: &Observed) -> Option<String> {
    if other.took == first.took {
        return None;
    }
    let (mine, its) = first.took.beside(&other.took);
    Some(format!(
        "{operation}: {mine} for {}, {its} for {}",
        first.shown(),
        other.shown()
    ))
}
