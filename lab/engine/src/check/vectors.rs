//! The official vectors, streamed into a running image.

use std::time::Instant;

use selo_vectors::{CallError, Case, CaseKind, CaseResult, Set};

use super::time::Draw;
use super::{CheckLine, Effort, Running, Watch, describe, lacks_room};
use crate::error::{Error, Result};
use crate::runner::SERIAL;

/// On a PC, a case of this weight or more runs only with `full`.
const LONGEST: u32 = 500_000;

/// A case of this many cycles never runs on a simulated chip: it takes hours. The million
/// iterations of [RFC7748, 5.2] take days.
const HOURS: u64 = 1_000_000_000_000;

/// A case that did not run.
enum LeftOut {
    One,
    /// This case and all that follow take too long.
    Rest,
}

impl Running<'_> {
    /// A line for each source of vectors with applicable cases.
    pub(super) fn vectors(&mut self, effort: &Effort, failed: Watch<'_>) -> Result<Vec<CheckLine>> {
        let algorithm = &self.unit.algorithm.name;
        let sets = self.lab.catalog.sets_for(algorithm);
        // The cost only selects cases, so it is needed only if there are cases.
        let cost = match sets.is_empty() {
            true => None,
            false => self.cost()?,
        };
        let mut lines = Vec::new();
        for set in sets {
            let cases = set.cases(algorithm)?;
            let chosen = chosen(&cases, cost, effort);
            let mut line = self.line(&set.id);
            let mut left_out = (cases.len() - chosen.len()) as u64;
            for (number, case) in chosen.iter().enumerate() {
                match self.case(set, case, &mut line, failed)? {
                    None => {}
                    Some(LeftOut::One) => left_out += 1,
                    Some(LeftOut::Rest) => {
                        left_out += (chosen.len() - number) as u64;
                        break;
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
        Ok(lines)
    }

    /// Runs one case, and counts it unless it is left out.
    fn case(
        &mut self,
        set: &Set,
        case: &Case,
        line: &mut CheckLine,
        failed: Watch<'_>,
    ) -> Result<Option<LeftOut>> {
        if self.unit.leaves_to_caller(case) {
            return Ok(Some(LeftOut::One));
        }
        self.refresh()?;
        let verdict = self.agent.run_case(case);
        if self.unit.deviation(&case.id).is_some() {
            match verdict {
                Ok(CaseResult::Pass) => line.note_failure(format!(
                    "{}: the manifest lists it as a deviation, but it passes",
                    case.id
                )),
                Ok(_) => return Ok(Some(LeftOut::One)),
                Err(error) => return self.stopped_at(case, &error, line),
            }
            return Ok(None);
        }
        match verdict {
            Ok(CaseResult::Pass) => line.passed += 1,
            Ok(CaseResult::Skipped { .. }) => {}
            Ok(verdict) => {
                let lack = self.lab.lack_of_heap(self.unit, case);
                if let Some(reason) = lack.as_ref().and_then(lacks_room) {
                    let no_room = &mut self.asides.no_room;
                    no_room.get_or_insert(format!("{}: {reason}", case.id));
                    return Ok(Some(LeftOut::One));
                }
                failed(set, case, &verdict);
                line.note_failure(format!("{}: {}", case.id, describe(&verdict)));
            }
            Err(error) => return self.stopped_at(case, &error, line),
        }
        Ok(None)
    }

    /// Counts a case that stopped the image, and starts the image again.
    fn stopped_at(
        &mut self,
        case: &Case,
        error: &CallError,
        line: &mut CheckLine,
    ) -> Result<Option<LeftOut>> {
        let stopped = self.agent.take_error();
        let stopped = self.lab.lack_of_heap(self.unit, case).or(stopped);
        let excuse = |stop: &Error| self.lab.excused(self.unit, stop);
        if let Some(reason) = stopped.as_ref().and_then(excuse) {
            let over_limit = &mut self.asides.over_limit;
            over_limit.get_or_insert(format!("{}: {reason}", case.id));
            self.restart()?;
            // A signature takes a thousand times as long as the verifications after it may.
            let signs = matches!(case.kind, CaseKind::LargeSign { .. });
            return Ok(Some(if signs { LeftOut::One } else { LeftOut::Rest }));
        }
        if let Some(reason) = stopped.as_ref().and_then(lacks_room) {
            let no_room = &mut self.asides.no_room;
            no_room.get_or_insert(format!("{}: {reason}", case.id));
            self.restart()?;
            return Ok(Some(LeftOut::One));
        }
        match stopped {
            Some(Error::Stopped(_) | Error::Agent(_)) | None => {}
            Some(machine) => return Err(machine),
        }
        line.note_failure(format!("{}: {error}", case.id));
        self.restart()?;
        Ok(None)
    }

    /// Cycles or instructions of the slowest operation, as the cost of one unit of a case's weight.
    /// `None` if nothing is counted.
    fn cost(&mut self) -> Result<Option<u64>> {
        let algorithm = self.unit.algorithm;
        let bytes = algorithm.bytes.first().copied().unwrap_or(0);
        let mut dearest = None;
        for operation in algorithm.interface.timed_operations() {
            let Some(plan) = self.unit.plan(operation, bytes) else {
                continue;
            };
            let asked = Instant::now();
            // The transport adds some thousand cycles to each call.
            let cycles = match self.observe(operation, &plan, Draw::FIRST) {
                Ok(observed) => observed.last().map(|last| last.took.count() + 8000),
                Err(Error::Stopped(_)) => {
                    self.restart()?;
                    None
                }
                Err(Error::Agent(_)) => None,
                Err(error) => return Err(error),
            };
            // On a cable, the transport takes most of the time, so use the elapsed time.
            let cycles = match self
                .lab
                .board
                .clock_hz
                .filter(|_| self.lab.runner == SERIAL)
            {
                Some(hz) => Some((asked.elapsed().as_secs_f64() * hz as f64) as u64),
                None => cycles,
            };
            dearest = dearest.max(cycles);
        }
        Ok(dearest)
    }
}

/// The cases of a set that an effort pays for, when a unit of weight costs `cost` cycles.
fn chosen<'c>(cases: &'c [Case], cost: Option<u64>, effort: &Effort) -> Vec<&'c Case> {
    match cost {
        Some(cycles) if !effort.full => {
            selo_vectors::stratified(cases, (effort.cycles / cycles.max(1)).max(1))
        }
        Some(cycles) => {
            let bearable = |case: &&Case| u64::from(case.weight) * cycles < HOURS;
            cases.iter().filter(bearable).collect()
        }
        None if !effort.full && effort.calls.is_some() => {
            selo_vectors::stratified(cases, effort.calls.unwrap_or(1).max(1))
        }
        // A chain of a million scalar multiplications takes minutes on a PC too.
        None => {
            let wanted = |case: &&Case| effort.full || case.weight < LONGEST;
            cases.iter().filter(wanted).collect()
        }
    }
}
