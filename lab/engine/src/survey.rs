//! A survey: everything that the lab can find out about one algorithm of a library on a board, and
//! a verdict with its reasons. [rocha-securino] did this by hand for eleven libraries: does it
//! build, fit and conform, and what does it cost?
//!
//! Nothing is measured here: conformance comes from `check`, figures from the rows of `measure`.
//! This module answers questions that vectors leave open (the origin of a CBC's IV, the mistake
//! behind a wrong cipher), and draws the conclusion.

mod aes;
mod ascon;
mod built;
mod iv;
mod judge;
mod kem;
mod line;
mod mistakes;
mod otherwise;
mod probes;
mod verdict;
mod width;

use selo_vectors::{Case, CaseResult, Set};

use crate::check::{DOES_NOT_FIT, Effort, NO_ROOM, is_about_time};
use crate::derive;
use crate::error::{Error, Result};
use crate::interface::Interface;
use crate::library::Unit;
use crate::measure::{Lab, lacks_room};
use crate::row::{Fidelity, Metric};
use iv::FreshIv;

pub use line::{
    Answer, Cost, Evidence, Finding, Mark, Question, SCHEMA, SurveyLine, SurveyVerdict, Weight,
};

/// The metrics of a survey.
pub fn metrics(fidelity: Fidelity) -> Vec<Metric> {
    use Metric::{Cycles, Flash, Instructions, Ram, Stack, Time};
    match fidelity {
        Fidelity::CycleExact
        | Fidelity::CycleSteps
        | Fidelity::CycleModel
        | Fidelity::RadioModel => {
            vec![Flash, Ram, Stack, Cycles, Time]
        }
        Fidelity::Instructions => vec![Flash, Ram, Stack, Instructions],
        Fidelity::WallClock => vec![Flash, Ram, Stack, Time],
    }
}

impl Lab<'_> {
    /// Surveys one unit. Problems of the unit become part of the line; only errors of the machine
    /// are returned.
    pub fn survey(&self, unit: &Unit<'_>, effort: &Effort) -> Result<SurveyLine> {
        let line = self.survey_as_built(unit, effort)?;
        self.survey_otherwise(unit, effort, line)
    }

    fn survey_as_built(&self, unit: &Unit<'_>, effort: &Effort) -> Result<SurveyLine> {
        let mut failures: Vec<(String, Case, CaseResult)> = Vec::new();
        let checked = self.check_watched(unit, effort, true, &mut |set: &Set, case, verdict| {
            // The first failure of each source is shown. The line has the number of failures.
            if failures.iter().all(|(id, ..)| *id != set.id) {
                failures.push((set.id.clone(), case.clone(), verdict.clone()));
            }
        })?;
        let checks = checked.lines;
        let mut findings = Vec::new();
        let runs = !checks
            .iter()
            .any(|line| ["build", "start", DOES_NOT_FIT].contains(&line.source.as_str()))
            && checks.iter().any(|line| line.source != NO_ROOM);
        let mut fresh_iv = FreshIv::DoesNotApply;
        if runs && unit.program().is_none() {
            fresh_iv = self.examine(unit, checked.bytes, !failures.is_empty(), &mut findings)?;
        }
        for line in &checks {
            findings.extend(judge::of_check(self, unit, line, &failures, &findings));
        }
        judge::general(unit, &checks, runs, &mut findings);
        let failed = checks
            .iter()
            .any(|line| line.failed > 0 && !is_about_time(&line.source));
        let rows = if failed {
            Vec::new() // a wrong cipher has no figures
        } else {
            let rows = self.measure(unit, &|_| None)?;
            derive::wanted(self.project, self.board, &self.metrics, rows)
        };
        judge::cost_findings(unit, &rows, &mut findings);
        findings.sort_by_key(|finding| finding.weight);
        let (interface, fidelity) = (unit.algorithm.interface, self.board.fidelity);
        let answers = verdict::answers(&checks, runs, fresh_iv, interface, fidelity, &findings);
        let (verdict, why) = verdict::conclude(&checks, &findings);
        Ok(SurveyLine {
            schema: SCHEMA.to_owned(),
            library: unit.library.name.clone(),
            library_version: unit.library.version.clone(),
            licence: unit.library.licence.clone(),
            algorithm: unit.algorithm.name.clone(),
            variant: unit.variant.to_owned(),
            board: self.board.name.clone(),
            runner: self.runner.clone(),
            fidelity: self.board.fidelity,
            compiler: self.builder.compiler().to_owned(),
            commit: self.commit.clone(),
            verdict,
            why,
            answers,
            findings,
            checks,
            costs: rows.iter().map(Cost::of).collect(),
        })
    }

    /// Probes a running image: how CBC gets its IV, what the vectors do not reach, and, if `fails`, which
    /// mistake explains the wrong results.
    fn examine(
        &self,
        unit: &Unit<'_>,
        buffers: u32,
        fails: bool,
        findings: &mut Vec<Finding>,
    ) -> Result<FreshIv> {
        let image = self.builder.agent_with_buffers(unit, buffers)?;
        let mut start = || self.start_agent(unit, &image);
        let mut fresh_iv = FreshIv::DoesNotApply;
        if unit.algorithm.interface == Interface::ModeCbc {
            let examined = settle(iv::examine(unit, &mut start, findings), findings)?;
            fresh_iv = examined
                .as_ref()
                .map_or(FreshIv::NotTold, |found| found.fresh);
            if examined.is_some_and(|found| found.own_iv) {
                findings.push(judge::own_iv());
            }
        }
        settle(probes::examine(unit, &mut start, findings), findings)?;
        settle(kem::rejection(unit, &mut start, findings), findings)?;
        if fails {
            settle(mistakes::explain(unit, &mut start, findings), findings)?;
            settle(kem::explain(unit, &mut start, findings), findings)?;
            settle(ascon::explain(unit, &mut start, findings), findings)?;
        }
        Ok(fresh_iv)
    }
}

/// Turns a probe that stopped the image into a finding. Errors of the machine are returned.
fn settle<T>(result: Result<T>, findings: &mut Vec<Finding>) -> Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error @ (Error::Stopped(_) | Error::Agent(_))) => {
            findings.push(match lacks_room(&error) {
                Some(reason) => judge::no_room(&reason),
                None => Finding::fault(
                    "stopped",
                    "The image stopped during the survey",
                    error.to_string(),
                ),
            });
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
