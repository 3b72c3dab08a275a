//! Conformance and constant time: official vectors streamed into the running
//! image, and the spread of cycles, or of counted instructions, over random secrets.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use rand::RngCore;
use selo_vectors::{Case, CaseResult, Set};
use serde::{Deserialize, Serialize};

use crate::agent::{Agent, Ran, Retry};
use crate::error::{Error, Result};
use crate::interface::{Call, Interface, Plan, Transcript};
use crate::library::Unit;
use crate::measure::{Lab, Of, Operation, excuses_limit, rng_for};

pub use crate::measure::describe;
use crate::row::{Cause, Fidelity, Metric};
use crate::runner::{Counts, SERIAL};

/// Source of the lines that compare cycles over random secrets.
pub const CONSTANT_TIME: &str = "constant-time";

/// Source of the lines that compare counted instructions, in total and for each class. Such a line
/// misses time that differs with the same instructions: caches, wait states, multiplications and
/// divisions that end early.
pub const CONSTANT_INSTRUCTIONS: &str = "constant-instructions";

/// True if a line of this source compares the times of calls with different secrets.
pub fn is_about_time(source: &str) -> bool {
    [CONSTANT_TIME, CONSTANT_INSTRUCTIONS].contains(&source)
}

/// Source of the lines of public-key encryption, which has no official vectors: an encrypted
/// message must decrypt to itself, for three key pairs from different seeds.
pub const ROUND_TRIP: &str = "round-trip";

/// Number of key pairs of a round-trip line.
const KEY_PAIRS: u32 = 3;

/// Source of the line for an image that exceeds the board's memory: no case ran.
pub const DOES_NOT_FIT: &str = "does-not-fit";

/// Source of the line for calls that ran out of stack or heap in the measured image, or for an
/// image that exceeds the board only because of the agent: the agent left no room. Such calls
/// count neither as passed nor as failed.
pub const NO_ROOM: &str = "no-room";

/// Source of the line for an image that stopped while its time was compared.
pub const CRASHED: &str = "crashed";

/// Source of the line for calls that reached a limit set by the user or by the algorithm. Such
/// calls count neither as passed nor as failed. At the default limit, a timeout is a failure,
/// because it is a hang.
pub const OVER_LIMIT: &str = "over-limit";

/// The result of one source for one algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CheckLine {
    /// Id of the vector set (lab/vectors/index.toml), or `constant-time`, `constant-instructions`,
    /// `round-trip`, `does-not-fit`, `no-room`, `over-limit`, `crashed`, `build` or `start`.
    pub source: String,
    pub algorithm: String,
    pub variant: String,
    pub library: String,
    pub board: String,
    /// The runner of the image.
    pub runner: String,
    /// Cases that ran.
    pub tried: u64,
    pub passed: u64,
    pub failed: u64,
    /// Cases of the source for the operations that the library offers. Greater than `tried` if only
    /// a sample ran.
    pub available: u64,
    /// The first failed case and its failure; or the reason why no case could run.
    pub first_failure: Option<String>,
}

/// The amount of work of a check.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Runs every case, except chains that take hours on a simulated chip.
    pub full: bool,
    /// Without `full`: simulated cycles for each source and image.
    pub cycles: u64,
    /// Without `full`: calls for each source and image on a PC, in units of a case's weight. `None`
    /// means no limit.
    pub calls: Option<u64>,
    /// Random secrets of a constant-time line: for fast operations here, for slow ones in
    /// `slow_secrets`.
    pub secrets: u32,
    pub slow_secrets: u32,
}

impl Default for Effort {
    fn default() -> Self {
        Effort {
            full: false,
            cycles: 150_000_000,
            calls: None,
            secrets: 1000,
            slow_secrets: 20,
        }
    }
}

/// On a PC, a case of this weight or more runs only with `full`.
const LONGEST: u32 = 500_000;

/// A case of this many cycles never runs on a simulated chip: it takes hours. The million
/// iterations of [RFC7748, 5.2] take days.
const HOURS: u64 = 1_000_000_000_000;

/// An operation of more cycles than this is slow: it gets `slow_secrets` samples.
const SLOW: u64 = 2_000_000;

/// Altered messages of a constant-time line: enough to hit every byte of a tag.
const REFUSALS: u32 = 100;

/// The operation name of observations of [`Interface::refusal`].
const REFUSED: &str = "refusal";

/// Restarts the image after a stop.
/// The first reason of each kind for calls that count neither as passed nor as failed.
#[derive(Default)]
struct Asides {
    over_limit: Option<String>,
    no_room: Option<String>,
    crashed: Option<String>,
}

/// The message of a call that ran out of stack or heap.
fn lacks_room(error: &Error) -> Option<String> {
    let Error::Stopped(stop) = error else {
        return None;
    };
    let text = stop.to_string();
    let lacks = text.contains("stack-collision") || text.contains(crate::agent::HEAP_EXHAUSTED);
    lacks.then_some(text)
}

type Start<'a> = &'a dyn Fn() -> Result<Agent>;

/// The cost and the inputs of one call.
struct Observed {
    operation: &'static str,
    took: Took,
    inputs: Vec<Vec<u8>>,
}

/// The cost of a call. Two calls of equal cost are equal.
#[derive(Clone, PartialEq, Eq)]
enum Took {
    Cycles(u64),
    Instructions(Counts),
}

impl Took {
    fn of(ran: &Ran) -> Option<Took> {
        let cycles = ran.span.map(|span| Took::Cycles(span.cycles));
        cycles.or_else(|| ran.counts.clone().map(Took::Instructions))
    }

    fn count(&self) -> u64 {
        match self {
            Took::Cycles(cycles) => *cycles,
            Took::Instructions(counts) => counts.instructions,
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
        self.inputs
            .iter()
            .map(hex::encode)
            .collect::<Vec<_>>()
            .join(" ")
    }
}

impl Lab<'_> {
    /// Checks one unit. Returns a line for each source.
    pub fn check(
        &self,
        unit: &Unit<'_>,
        effort: &Effort,
        constant_time: bool,
    ) -> Result<Vec<CheckLine>> {
        self.check_watched(unit, effort, constant_time, &mut |_, _, _| {})
    }

    /// Does the same and calls `failed` for every case that fails.
    pub fn check_watched(
        &self,
        unit: &Unit<'_>,
        effort: &Effort,
        constant_time: bool,
        failed: &mut dyn FnMut(&Set, &Case, &CaseResult),
    ) -> Result<Vec<CheckLine>> {
        let built = match unit.program() {
            Some(list) => self.builder.program(unit, &list),
            None => self.builder.agent(unit),
        };
        let image = match built {
            Ok(image) => image,
            Err(error @ Error::Compile { .. }) => {
                return Ok(vec![self.broken(unit, "build", error.to_string())]);
            }
            Err(error) => return Err(error),
        };
        if let Some(cause) = self.excess_of(&image.weight) {
            let alone = self.fits_alone(unit)?;
            let mut line = self.line(unit, if alone { NO_ROOM } else { DOES_NOT_FIT });
            line.first_failure = Some(self.said(unit, cause));
            return Ok(vec![line]);
        }
        if let Some(list) = unit.program() {
            return self.check_program(unit, &list);
        }
        let start: Start<'_> = &|| self.start_agent(unit, &image);
        let mut agent = match start() {
            Ok(agent) => agent,
            Err(error @ (Error::Stopped(_) | Error::Agent(_))) => {
                return Ok(vec![self.broken(unit, "start", error.to_string())]);
            }
            Err(error) => return Err(error),
        };
        let mut lines = Vec::new();
        let mut asides = Asides::default();
        let sets = self.catalog.sets_for(&unit.algorithm.name);
        // The cost only selects cases, so it is needed only if there are cases.
        let cost = match sets.is_empty() {
            true => None,
            false => self.cost(unit, &mut agent, start)?,
        };
        for set in sets {
            let cases = set.cases(&unit.algorithm.name)?;
            let chosen: Vec<&Case> = match cost {
                Some(cycles) if !effort.full => {
                    selo_vectors::stratified(&cases, (effort.cycles / cycles.max(1)).max(1))
                }
                Some(cycles) => {
                    let bearable = |case: &&Case| u64::from(case.weight) * cycles < HOURS;
                    cases.iter().filter(bearable).collect()
                }
                None if !effort.full && effort.calls.is_some() => {
                    selo_vectors::stratified(&cases, effort.calls.unwrap_or(1).max(1))
                }
                // A chain of a million scalar multiplications takes minutes on a PC too.
                None => {
                    let wanted = |case: &&Case| effort.full || case.weight < LONGEST;
                    cases.iter().filter(wanted).collect()
                }
            };
            let mut line = self.line(unit, &set.id);
            let mut left_out = (cases.len() - chosen.len()) as u64;
            for (number, case) in chosen.iter().enumerate() {
                let verdict = agent.run_case(case);
                if unit.deviation(&case.id).is_some() {
                    match verdict {
                        Ok(CaseResult::Pass) => line.note_failure(format!(
                            "{}: the manifest lists it as a deviation, but it passes",
                            case.id
                        )),
                        Ok(_) => left_out += 1,
                        Err(error) => line.note_failure(format!("{}: {error}", case.id)),
                    }
                    continue;
                }
                match verdict {
                    Ok(CaseResult::Pass) => line.passed += 1,
                    Ok(CaseResult::Skipped { .. }) => {}
                    Ok(verdict) => {
                        failed(set, case, &verdict);
                        line.note_failure(format!("{}: {}", case.id, describe(&verdict)));
                    }
                    Err(error) => {
                        let stopped = agent.take_error();
                        if let Some(reason) = stopped.as_ref().and_then(|s| self.excused(unit, s)) {
                            asides
                                .over_limit
                                .get_or_insert(format!("{}: {reason}", case.id));
                            agent = start()?;
                            // The remaining cases take as long.
                            left_out += (chosen.len() - number) as u64;
                            break;
                        }
                        if let Some(reason) = stopped.as_ref().and_then(lacks_room) {
                            asides
                                .no_room
                                .get_or_insert(format!("{}: {reason}", case.id));
                            left_out += 1;
                            agent = start()?;
                            continue;
                        }
                        match stopped {
                            Some(Error::Stopped(_) | Error::Agent(_)) | None => {}
                            Some(machine) => return Err(machine),
                        }
                        line.note_failure(format!("{}: {error}", case.id));
                        agent = start()?;
                    }
                }
            }
            line.tried = line.passed + line.failed;
            line.available = line.tried + left_out;
            // No line for a source without applicable cases (for a variant without decryption).
            if line.tried > 0 {
                lines.push(line);
            }
        }
        if unit.algorithm.interface == Interface::PublicKey {
            lines.extend(self.round_trips(unit, &mut agent, start, &mut asides)?);
        }
        // Do not retry key generation after a timeout.
        let waited =
            unit.algorithm.interface != Interface::PublicKey || asides.over_limit.is_none();
        if constant_time && waited && self.board.fidelity.is_deterministic() {
            let verdict = self.constant_time(unit, &mut agent, start, effort, &mut asides);
            lines.extend(verdict?);
        }
        let notes = [
            (OVER_LIMIT, asides.over_limit),
            (NO_ROOM, asides.no_room),
            (CRASHED, asides.crashed),
        ];
        for (source, reason) in notes {
            lines.extend(reason.map(|reason| CheckLine {
                first_failure: Some(reason),
                ..self.line(unit, source)
            }));
        }
        Ok(lines)
    }

    /// True if the operations of a unit fit the board without the agent.
    fn fits_alone(&self, unit: &Unit<'_>) -> Result<bool> {
        if unit.program().is_some() {
            return Ok(false);
        }
        let interface = unit.algorithm.interface;
        let whole = interface.footprints().iter().rfind(|footprint| {
            footprint
                .operations
                .iter()
                .all(|operation| unit.offers(operation))
        });
        let Some(footprint) = whole else {
            return Ok(false);
        };
        match self.builder.footprint(unit, footprint) {
            Ok(image) => Ok(self.excess_of(&image.weight).is_none()),
            Err(Error::Compile { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The reason for a timeout that is not a fault of the library.
    fn excused(&self, unit: &Unit<'_>, error: &Error) -> Option<String> {
        match error {
            Error::Stopped(stop)
                if stop.is_of_limit() && excuses_limit(self.cycle_limit, unit.algorithm) =>
            {
                Some(self.said(unit, self.over_limit(unit, stop)))
            }
            _ => None,
        }
    }

    /// One line for a whole firmware: on how many points it agreed with an independent gateway, or
    /// how many packets of a node with a radio arrived with the sensors' values.
    fn check_program(&self, unit: &Unit<'_>, list: &Path) -> Result<Vec<CheckLine>> {
        if self.runner != crate::runner::PACED {
            return Ok(Vec::new());
        }
        let side = self.other_side(unit)?;
        let mut line = self.line(unit, side.source());
        let images = side.images(&self.builder, unit, list);
        let played = images.and_then(|images| side.play(self, unit, &images));
        let agreed = played.map(|played| played.agreed);
        match agreed {
            Ok(agreed) => line.passed = agreed,
            Err(error @ (Error::Stopped(_) | Error::Node(_))) => {
                line.note_failure(error.to_string());
            }
            Err(machine) => return Err(machine),
        }
        line.tried = line.passed + line.failed;
        line.available = line.tried;
        Ok(vec![line])
    }

    /// Cycles or instructions of the slowest operation, as the cost of one unit of a case's weight.
    /// `None` if nothing is counted.
    fn cost(&self, unit: &Unit<'_>, agent: &mut Agent, start: Start<'_>) -> Result<Option<u64>> {
        let algorithm = unit.algorithm;
        let bytes = algorithm.bytes.first().copied().unwrap_or(0);
        let mut dearest = None;
        for operation in algorithm.interface.timed_operations() {
            let plan = algorithm.interface.plan(algorithm, operation, bytes);
            let Some(plan) = plan.filter(|_| unit.offers(operation)) else {
                continue;
            };
            let asked = Instant::now();
            // The transport adds some thousand cycles to each call.
            let cycles = match self.observe(unit, agent, operation, &plan, 0) {
                Ok(observed) => observed.last().map(|last| last.took.count() + 8000),
                Err(Error::Stopped(_)) => {
                    *agent = start()?;
                    None
                }
                Err(Error::Agent(_)) => None,
                Err(error) => return Err(error),
            };
            // On a cable, the transport takes most of the time, so use the elapsed time.
            let cycles = match self.board.clock_hz.filter(|_| self.runner == SERIAL) {
                Some(hz) => Some((asked.elapsed().as_secs_f64() * hz as f64) as u64),
                None => cycles,
            };
            dearest = dearest.max(cycles);
        }
        Ok(dearest)
    }

    /// One line: the number of key pairs with which an encrypted message decrypted to itself.
    fn round_trips(
        &self,
        unit: &Unit<'_>,
        agent: &mut Agent,
        start: Start<'_>,
        asides: &mut Asides,
    ) -> Result<Option<CheckLine>> {
        let mut line = self.line(unit, ROUND_TRIP);
        let algorithm = unit.algorithm;
        let plan = algorithm.interface.plan(algorithm, "decrypt", 0);
        for number in 0..KEY_PAIRS {
            let mut rng = rng_for(&format!("{} {ROUND_TRIP}", algorithm.name), number.into());
            match follow(agent, plan.as_deref().unwrap_or_default(), &mut rng) {
                // The second call encrypts the message and the last one returns it.
                Ok(calls) if calls.outputs.last() == Some(&calls.inputs[1][0]) => line.passed += 1,
                Ok(_) => line.note_failure(format!(
                    "key pair {number}: decryption gives another message"
                )),
                Err(error @ (Error::Stopped(_) | Error::Agent(_))) => {
                    let what = format!("key pair {number}");
                    self.stopped(unit, &what, &error, &mut line, asides);
                    *agent = start()?;
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        line.tried = line.passed + line.failed;
        line.available = line.tried;
        Ok((line.tried > 0).then_some(line))
    }

    /// Records that a call ended the program, as a failure or as an excused timeout.
    fn stopped(
        &self,
        unit: &Unit<'_>,
        what: &str,
        error: &Error,
        line: &mut CheckLine,
        asides: &mut Asides,
    ) {
        match self.excused(unit, error) {
            Some(reason) => {
                asides.over_limit.get_or_insert(format!("{what}: {reason}"));
            }
            None => match lacks_room(error) {
                Some(reason) => {
                    asides.no_room.get_or_insert(format!("{what}: {reason}"));
                }
                None => line.note_failure(format!("{what}: {error}")),
            },
        }
    }

    /// Records that a timed call ended the program. A crash says nothing about the time.
    fn stopped_while_timed(&self, unit: &Unit<'_>, what: &str, error: &Error, asides: &mut Asides) {
        let (place, reason) = match (self.excused(unit, error), lacks_room(error)) {
            (Some(reason), _) => (&mut asides.over_limit, reason),
            (None, Some(reason)) => (&mut asides.no_room, reason),
            (None, None) => (&mut asides.crashed, error.to_string()),
        };
        place.get_or_insert(format!("{what}: {reason}"));
    }

    /// One line: the number of random secrets for which each operation took equal cycles, or equal
    /// instructions.
    fn constant_time(
        &self,
        unit: &Unit<'_>,
        agent: &mut Agent,
        start: Start<'_>,
        effort: &Effort,
        asides: &mut Asides,
    ) -> Result<Vec<CheckLine>> {
        if unit.algorithm.interface == Interface::Probe {
            return Ok(Vec::new());
        }
        let mut line = self.line(unit, CONSTANT_TIME);
        let (algorithm, interface) = (unit.algorithm, unit.algorithm.interface);
        let bytes = algorithm.bytes.first().copied().unwrap_or(0);
        let offered = |plan: &Plan| plan.iter().all(|call| unit.offers(call.operation));
        let mut plans: Vec<(&'static str, u32, Plan)> = Vec::new();
        // The search for each key pair takes long.
        let secrets = match interface {
            Interface::PublicKey => effort.secrets.min(KEY_PAIRS),
            _ => effort.secrets,
        };
        let secret = |operation: &&&'static str| interface.keeps_secrets(operation);
        for operation in interface.timed_operations().iter().filter(secret) {
            let plan = interface.plan(algorithm, operation, bytes).filter(offered);
            plans.extend(plan.map(|plan| (*operation, secrets, plan)));
        }
        let refusal = interface.refusal(algorithm, bytes).filter(offered);
        plans.extend(refusal.map(|plan| (REFUSED, effort.secrets.min(REFUSALS), plan)));
        // Longest plans first: they also observe the operations of the shorter plans.
        plans.sort_by_key(|(_, _, plan)| std::cmp::Reverse(plan.len()));
        let mut seen: BTreeMap<&str, Vec<Observed>> = BTreeMap::new();
        for (operation, wanted, plan) in &plans {
            let count =
                |seen: &BTreeMap<&str, Vec<Observed>>| seen.get(operation).map_or(0, Vec::len);
            let mut wanted = *wanted;
            let mut number = 0;
            while (count(&seen) as u32) < wanted {
                match self.observe(unit, agent, operation, plan, number) {
                    Ok(observed) => {
                        for one in observed {
                            if one.operation == *operation && one.took.count() > SLOW {
                                wanted = wanted.min(effort.slow_secrets);
                            }
                            if !interface.keeps_secrets(one.operation) {
                                continue;
                            }
                            seen.entry(one.operation).or_default().push(one);
                        }
                    }
                    Err(error @ (Error::Stopped(_) | Error::Agent(_))) => {
                        self.stopped_while_timed(unit, operation, &error, asides);
                        *agent = start()?;
                        break;
                    }
                    Err(error) => return Err(error),
                }
                number += 1;
                if count(&seen) == 0 {
                    break; // this runner sees no spans
                }
            }
        }
        for (operation, observed) in &seen {
            let Some(first) = observed.first() else {
                continue;
            };
            if matches!(first.took, Took::Instructions(_)) {
                line.source = CONSTANT_INSTRUCTIONS.to_owned();
            }
            for other in observed {
                if other.took == first.took {
                    line.passed += 1;
                } else {
                    let (mine, its) = first.took.beside(&other.took);
                    line.note_failure(format!(
                        "{operation}: {mine} for {}, {its} for {}",
                        first.shown(),
                        other.shown()
                    ));
                }
            }
        }
        line.tried = line.passed + line.failed;
        line.available = line.tried;
        Ok(if line.tried > 0 {
            vec![line]
        } else {
            Vec::new()
        })
    }

    /// The cost of a call, marks included: from the runner, or from the chip's own counter if it
    /// counts cycles.
    fn counted(&self, agent: &Agent, ran: &Ran) -> Option<Took> {
        if let Some(took) = Took::of(ran) {
            return Some(took);
        }
        let ticks = u64::from(agent.hello().counter_hz);
        let each = self.board.clock_hz == Some(ticks) && !ran.reply.wrapped;
        (each && self.board.fidelity == Fidelity::CycleExact)
            .then_some(Took::Cycles(ran.reply.counter))
    }

    /// Runs the calls of a plan with the random secrets of `number`. Returns the cost of each call
    /// whose cost is known. The last call counts as `operation`.
    fn observe(
        &self,
        unit: &Unit<'_>,
        agent: &mut Agent,
        operation: &'static str,
        plan: &Plan,
        number: u32,
    ) -> Result<Vec<Observed>> {
        let mut retry = Retry::default();
        loop {
            match self.observe_once(unit, agent, operation, plan, number) {
                Err(error) => retry.after(error)?,
                observed => return observed,
            }
        }
    }

    fn observe_once(
        &self,
        unit: &Unit<'_>,
        agent: &mut Agent,
        operation: &'static str,
        plan: &Plan,
        number: u32,
    ) -> Result<Vec<Observed>> {
        let mut rng = rng_for(
            &format!("{} {operation} secret", unit.algorithm.name),
            number.into(),
        );
        let mut calls = Transcript::default();
        let mut out = Vec::new();
        for (index, call) in plan.iter().enumerate() {
            let inputs: Vec<Vec<u8>> = call
                .inputs
                .iter()
                .map(|input| input.bytes(&mut rng, &calls))
                .collect();
            let fields: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
            let ran = agent.run(call.operation, 1, false, &fields)?;
            if let Some(took) = self.counted(agent, &ran) {
                let last = index + 1 == plan.len();
                out.push(Observed {
                    operation: if last { operation } else { call.operation },
                    took,
                    inputs: inputs.clone(),
                });
            }
            calls.inputs.push(inputs);
            calls.outputs.push(ran.reply.output);
        }
        Ok(out)
    }

    /// The cause as a sentence, as in a row of the unit.
    fn said(&self, unit: &Unit<'_>, cause: Cause) -> String {
        let row = self.blank(Of::none(unit), &Operation::new("", None), Metric::Cycles);
        row.without(cause).reason().unwrap_or_default()
    }

    fn line(&self, unit: &Unit<'_>, source: &str) -> CheckLine {
        CheckLine {
            source: source.to_owned(),
            algorithm: unit.algorithm.name.clone(),
            variant: unit.variant.to_owned(),
            library: unit.library.name.clone(),
            board: self.board.name.clone(),
            runner: self.runner.clone(),
            tried: 0,
            passed: 0,
            failed: 0,
            available: 0,
            first_failure: None,
        }
    }

    /// A line for an image that does not build or start: one case, failed.
    fn broken(&self, unit: &Unit<'_>, source: &str, reason: String) -> CheckLine {
        let mut line = self.line(unit, source);
        line.note_failure(reason);
        (line.tried, line.available) = (1, 1);
        line
    }
}

/// Runs the calls of a plan. Fails if a call returns a status other than 0.
fn follow(agent: &mut Agent, plan: &[Call], rng: &mut dyn RngCore) -> Result<Transcript> {
    let mut calls = Transcript::default();
    for call in plan {
        let mut inputs = Vec::new();
        for input in &call.inputs {
            inputs.push(input.bytes(&mut *rng, &calls));
        }
        let fields: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
        let ran = agent.run(call.operation, 1, false, &fields)?;
        if ran.reply.status != 0 {
            return Err(Error::Agent(format!(
                "'{}' returned status {}",
                call.operation, ran.reply.status
            )));
        }
        calls.inputs.push(inputs);
        calls.outputs.push(ran.reply.output);
    }
    Ok(calls)
}

impl CheckLine {
    /// True if the line is about official vectors.
    pub fn is_official(&self) -> bool {
        ![
            CONSTANT_TIME,
            CONSTANT_INSTRUCTIONS,
            DOES_NOT_FIT,
            ROUND_TRIP,
            OVER_LIMIT,
        ]
        .contains(&self.source.as_str())
    }

    fn note_failure(&mut self, what: String) {
        self.failed += 1;
        self.first_failure.get_or_insert(what);
    }
}
