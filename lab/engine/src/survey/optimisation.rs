//! Code that is wrong only as one optimisation compiles it. A compiler has faults too: avr-gcc 5.4
//! compiles a right SHA-512 with `-Os` into code that writes to a wrong address. A library that gives
//! right outputs elsewhere is therefore compiled in other ways before it is called wrong.

use super::line::{Finding, Mark, Question, SurveyLine};
use super::verdict;
use crate::build::{Builder, SweepPoint};
use crate::check::Effort;
use crate::error::Result;
use crate::library::Unit;
use crate::measure::Lab;

/// The id of the finding.
const ID: &str = "optimisation";

/// What is tried, in this order.
const OTHERS: [&str; 3] = ["-O2", "-O1", "-Os"];

impl<'a> Lab<'a> {
    /// Surveys a unit that is wrong here with another optimisation, if it is right with that one.
    /// `line` is its survey so far.
    pub(super) fn survey_optimised(
        &self,
        unit: &Unit<'_>,
        effort: &Effort,
        line: SurveyLine,
    ) -> Result<SurveyLine> {
        let proven = unit.implementation.proven_on.as_ref();
        let Some(elsewhere) = proven.filter(|board| **board != self.board.name) else {
            return Ok(line);
        };
        let wrong = line.findings.iter().find(|it| it.id == "wrong-output");
        let Some(wrong) = wrong.filter(|_| self.builder.sweep().is_none()) else {
            return Ok(line);
        };
        let flags = self.builder.flags(unit);
        let own = flags.iter().rev().find(|flag| flag.starts_with("-O"));
        let own = own.map_or("-O0", String::as_str);
        for flag in OTHERS.iter().filter(|flag| **flag != own) {
            let mut right = self.optimised(flag)?.survey_as_built(unit, effort)?;
            if !conforms(&right) {
                continue;
            }
            right.findings.push(finding(own, flag, elsewhere, wrong));
            right.findings.sort_by_key(|finding| finding.weight);
            (right.verdict, right.why) = verdict::conclude(&right.checks, &right.findings);
            return Ok(right);
        }
        Ok(line)
    }

    /// The same lab, which compiles with another optimisation.
    fn optimised(&self, flag: &str) -> Result<Lab<'a>> {
        let point = SweepPoint {
            name: flag.to_owned(),
            flags: vec![flag.to_owned()],
        };
        Ok(Lab {
            project: self.project,
            board: self.board,
            builder: Builder::new(self.project, self.board)?.swept(Some(point)),
            catalog: self.catalog,
            runner: self.runner.clone(),
            run: self.run.clone(),
            commit: self.commit.clone(),
            metrics: self.metrics.clone(),
            operations: self.operations.clone(),
            power: self.power.clone(),
            cycle_limit: self.cycle_limit,
            whole: self.whole,
        })
    }
}

/// True if official vectors were tried and all of them pass.
fn conforms(line: &SurveyLine) -> bool {
    let mut answers = line.answers.iter();
    answers.any(|answer| answer.question == Question::Conforms && answer.mark == Mark::Yes)
}

fn finding(own: &str, other: &str, elsewhere: &str, wrong: &Finding) -> Finding {
    let mut finding = Finding::reservation(
        ID,
        format!("It needs {other}: compiled with {own} it is wrong here"),
        format!(
            "The same sources and calls are right with {other}, and on {elsewhere} with {own}. The \
             cause may be the compiler, or code whose meaning the standard of C does not define. \
             All figures here are of {other}; set it in `flags` of the library's manifest. With \
             {own}: {}.",
            wrong.title
        ),
    );
    finding.vector.clone_from(&wrong.vector);
    finding.evidence.clone_from(&wrong.evidence);
    finding
}
