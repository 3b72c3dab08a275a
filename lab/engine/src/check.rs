//! Conformance and constant time: official vectors streamed into the running
//! image, and the spread of cycles, or of counted instructions, over random secrets.

mod line;
mod public_key;
mod time;
mod vectors;

use std::path::Path;

use selo_vectors::{Case, CaseResult, Set};

use crate::agent::Agent;
use crate::build::Image;
use crate::error::{Error, Result};
use crate::interface::Interface;
use crate::library::Unit;
use crate::measure::{Lab, Of, Operation, excuses_limit, lacks_room, overflow};
use crate::row::{Cause, Metric};

pub use crate::measure::describe;

pub use line::{
    CONSTANT_INSTRUCTIONS, CONSTANT_TIME, CRASHED, CheckLine, DOES_NOT_FIT, NO_ROOM, OVER_LIMIT,
    PUBLIC_TIME, ROUND_TRIP, is_about_time,
};

/// Number of key pairs of a round-trip line.
const KEY_PAIRS: u32 = 3;

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

/// The first reason of each kind for calls that count neither as passed nor as failed.
#[derive(Default)]
struct Asides {
    over_limit: Option<String>,
    no_room: Option<String>,
    crashed: Option<String>,
}

/// The lines of a check, and the size of the agent's buffers that it used.
#[derive(Debug)]
pub struct Checked {
    pub lines: Vec<CheckLine>,
    pub bytes: u32,
}

impl Checked {
    fn lacks_room(&self) -> bool {
        self.lines.iter().any(|line| line.source == NO_ROOM)
    }

    /// A measure of what was found out: without lack of room first, then the cases that ran.
    fn told(&self) -> (bool, u64) {
        let tried = self.lines.iter().map(|line| line.tried).sum();
        (!self.lacks_room(), tried)
    }
}

/// Called for every case that fails.
pub type Watch<'w> = &'w mut dyn FnMut(&Set, &Case, &CaseResult);

/// A unit's running image, and what its calls leave aside.
struct Running<'r> {
    lab: &'r Lab<'r>,
    unit: &'r Unit<'r>,
    image: &'r Image,
    agent: Agent,
    asides: Asides,
    /// The library keeps memory at each call, so each case needs a fresh image.
    afresh: bool,
}

impl<'r> Running<'r> {
    fn start(lab: &'r Lab<'r>, unit: &'r Unit<'r>, image: &'r Image) -> Result<Running<'r>> {
        // A board runs one image at a time, so this comes before the agent's start.
        let afresh = lab.keeps_memory(unit, image);
        Ok(Running {
            lab,
            unit,
            image,
            agent: lab.start_agent(unit, image)?,
            asides: Asides::default(),
            afresh,
        })
    }

    /// Starts the image again after a stop.
    fn restart(&mut self) -> Result<()> {
        self.agent = self.lab.start_agent(self.unit, self.image)?;
        Ok(())
    }

    /// Starts the image again before a case or an observed call, if it must be a fresh one.
    fn refresh(&mut self) -> Result<()> {
        if self.afresh {
            self.restart()?;
        }
        Ok(())
    }

    fn line(&self, source: &str) -> CheckLine {
        self.lab.line(self.unit, source)
    }

    /// A line for each kind of call that counts neither as passed nor as failed.
    fn notes(self) -> Vec<CheckLine> {
        let notes = [
            (OVER_LIMIT, &self.asides.over_limit),
            (NO_ROOM, &self.asides.no_room),
            (CRASHED, &self.asides.crashed),
        ];
        let line = |(source, reason): (&str, &Option<String>)| {
            let first_failure = Some(reason.clone()?);
            Some(CheckLine {
                first_failure,
                ..self.line(source)
            })
        };
        notes.into_iter().filter_map(line).collect()
    }
}

/// Whether a program with a library's calls alone fits the board.
enum Alone {
    Fits,
    Over(Cause),
    /// It cannot be built.
    Unknown,
}

impl Lab<'_> {
    /// Checks one unit. Returns a line for each source.
    pub fn check(
        &self,
        unit: &Unit<'_>,
        effort: &Effort,
        constant_time: bool,
    ) -> Result<Vec<CheckLine>> {
        let checked = self.check_watched(unit, effort, constant_time, &mut |_, _, _| {})?;
        Ok(checked.lines)
    }

    /// Does the same and calls `failed` for every case that fails. If the agent leaves the library
    /// no room, its buffers shrink, and the cases that fit them are run.
    pub fn check_watched(
        &self,
        unit: &Unit<'_>,
        effort: &Effort,
        constant_time: bool,
        failed: Watch<'_>,
    ) -> Result<Checked> {
        let mut best: Option<Checked> = None;
        for bytes in self.buffers() {
            let built = match unit.program() {
                Some(list) => self.builder.program(unit, &list),
                None => self.builder.agent_with_buffers(unit, bytes),
            };
            let lines = match built {
                Ok(image) => self.check_image(unit, &image, effort, constant_time, failed)?,
                // The names of this unit do not fit such buffers.
                Err(Error::Compile { .. }) if best.is_some() => break,
                Err(error @ Error::Compile { .. }) => vec![self.not_built(unit, &error)?],
                Err(error) => return Err(error),
            };
            // The stack has no room yet, or the agent's description of itself none in such buffers.
            if best.is_some() && lines.iter().any(|line| line.source == "start") {
                continue;
            }
            let checked = Checked { lines, bytes };
            let done = !checked.lacks_room() || unit.program().is_some();
            if best
                .as_ref()
                .is_none_or(|best| checked.told() > best.told())
            {
                best = Some(checked);
            }
            if done {
                break;
            }
        }
        best.ok_or_else(|| Error::Agent("the board has no buffers".to_owned()))
    }

    /// The line of an image that was not built. One that is too large for the linker does not fit.
    fn not_built(&self, unit: &Unit<'_>, error: &Error) -> Result<CheckLine> {
        let text = error.to_string();
        let Some(said) = overflow(&text) else {
            return Ok(self.broken(unit, "build", text));
        };
        let said =
            format!("the image with the lab's agent is larger than the linker's memory: {said}");
        self.too_large(unit, said)
    }

    /// The line of an image that is larger than the board: the library's own program may fit.
    fn too_large(&self, unit: &Unit<'_>, with_agent: String) -> Result<CheckLine> {
        let (source, said) = match self.alone(unit)? {
            Alone::Fits => (NO_ROOM, with_agent),
            Alone::Over(cause) => {
                let said = self.said(unit, cause);
                (
                    DOES_NOT_FIT,
                    format!("a program with its calls alone: {said}"),
                )
            }
            Alone::Unknown => (DOES_NOT_FIT, with_agent),
        };
        let mut line = self.line(unit, source);
        line.first_failure = Some(said);
        Ok(line)
    }

    /// Checks an image of a unit.
    fn check_image(
        &self,
        unit: &Unit<'_>,
        image: &Image,
        effort: &Effort,
        constant_time: bool,
        failed: Watch<'_>,
    ) -> Result<Vec<CheckLine>> {
        if let Some(cause) = self.excess_of(&image.weight) {
            let said = format!("with the lab's agent: {}", self.said(unit, cause));
            return Ok(vec![self.too_large(unit, said)?]);
        }
        if let Some(list) = unit.program() {
            return self.check_program(unit, &list);
        }
        let mut running = match Running::start(self, unit, image) {
            Ok(running) => running,
            Err(error @ (Error::Stopped(_) | Error::Agent(_))) => {
                return Ok(vec![self.broken(unit, "start", error.to_string())]);
            }
            Err(error) => return Err(error),
        };
        let mut lines = running.vectors(effort, failed)?;
        let is_public_key = unit.algorithm.interface == Interface::PublicKey;
        if is_public_key {
            lines.extend(running.round_trips()?);
        }
        // Do not retry key generation after a timeout.
        let waited = !is_public_key || running.asides.over_limit.is_none();
        if constant_time && waited && self.board.fidelity.is_deterministic() {
            lines.extend(running.constant_time(effort)?);
        }
        lines.extend(running.notes());
        Ok(lines)
    }

    /// Whether the operations of a unit fit the board without the agent.
    fn alone(&self, unit: &Unit<'_>) -> Result<Alone> {
        if unit.program().is_some() {
            return Ok(Alone::Unknown);
        }
        let interface = unit.algorithm.interface;
        let whole = interface.footprints().iter().rfind(|footprint| {
            footprint
                .operations
                .iter()
                .all(|operation| unit.offers(operation))
        });
        let Some(footprint) = whole else {
            return Ok(Alone::Unknown);
        };
        match self.growth(unit, footprint) {
            Ok(growth) => Ok(self.excess_of(&growth.own).map_or(Alone::Fits, Alone::Over)),
            Err(Error::Compile { .. }) => Ok(Alone::Unknown),
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
