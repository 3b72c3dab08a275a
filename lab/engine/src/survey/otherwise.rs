//! Code that is wrong only as one build compiles it. A library that gives right outputs elsewhere is
//! compiled in other ways before it is called wrong. Its sources may choose wider words by a macro
//! that nothing defined, where an `int` has 16 bits. A compiler has faults too: avr-gcc 5.4 compiles a
//! right SHA-512 with `-Os` into code that writes to a wrong address.

use selo_vectors::{Case, CaseResult};

use super::judge::WIDTH_OF_INT;
use super::line::{Finding, Mark, Question, SurveyLine};
use super::verdict;
use super::width::{self, Choice};
use crate::build::{Builder, SweepPoint};
use crate::check::Effort;
use crate::error::{Error, Result};
use crate::library::Unit;
use crate::measure::Lab;

/// The ids of the findings.
const OPTIMISATION: &str = "optimisation";
const WIDTH: &str = "word-width";

/// The optimisations that are tried, in this order.
const OTHERS: [&str; 3] = ["-O2", "-O1", "-Os"];

/// Makes avr-libc's `PROGMEM` empty.
const NOTHING_IN_FLASH: &str = "-D__ATTR_PROGMEM__=";

/// A way to build what is wrong as it was built.
struct Way {
    flags: Vec<String>,
    finding: Finding,
}

impl<'a> Lab<'a> {
    /// Surveys a unit that is wrong here as another build of it, if it is right with that one.
    /// `line` is its survey so far.
    pub(super) fn survey_otherwise(
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
        let first = self.case_of(unit, wrong)?;
        for way in self.ways(unit, elsewhere, wrong) {
            crate::schedule::check_interrupt()?;
            let lab = self.with(&way.flags)?;
            if let Some(case) = &first
                && !lab.passes(unit, case)?
            {
                continue;
            }
            let mut right = lab.survey_as_built(unit, effort)?;
            if !conforms(&right) {
                continue;
            }
            right.findings.push(way.finding);
            right.findings.sort_by_key(|finding| finding.weight);
            (right.verdict, right.why) = verdict::conclude(&right.checks, &right.findings);
            return Ok(right);
        }
        match first {
            Some(case) if self.reads_flash_as_ram(unit, &case)? => Ok(in_flash(line, elsewhere)),
            _ => Ok(line),
        }
    }

    /// True if a case passes as soon as no table is put into the flash of an AVR, whose data has other
    /// addresses than RAM. Code that reads it with `pgm_read_byte` fails then.
    fn reads_flash_as_ram(&self, unit: &Unit<'_>, case: &Case) -> Result<bool> {
        if self.board.port != "avr" {
            return Ok(false);
        }
        let lab = self.with(&[NOTHING_IN_FLASH.to_owned()])?;
        lab.passes(unit, case)
    }

    /// The ways that are tried: macros that choose the type of the library's words, one by one and
    /// all together, and then other optimisations.
    fn ways(&self, unit: &Unit<'_>, elsewhere: &str, wrong: &Finding) -> Vec<Way> {
        let choices = width::choices(unit);
        let mut sets: Vec<Vec<Choice>> = choices.iter().map(|one| vec![one.clone()]).collect();
        if choices.len() > 1 {
            sets.push(first_of_each(&choices));
        }
        let of_width = sets.into_iter().map(|set| Way {
            flags: set.iter().map(|one| format!("-D{}", one.define)).collect(),
            finding: wider(&set, elsewhere, wrong),
        });
        let flags = self.builder.flags(unit);
        let own = flags.iter().rev().find(|flag| flag.starts_with("-O"));
        let own = own.map_or("-O0", String::as_str);
        let others = OTHERS.iter().filter(|flag| **flag != own);
        let optimised = others.map(|flag| Way {
            flags: vec![(*flag).to_owned()],
            finding: optimised(own, flag, elsewhere, wrong),
        });
        of_width.chain(optimised).collect()
    }

    /// The case that a finding shows to fail.
    fn case_of(&self, unit: &Unit<'_>, wrong: &Finding) -> Result<Option<Case>> {
        let named = wrong.vector.as_ref().and_then(|name| name.split_once(": "));
        let Some((set, id)) = named else {
            return Ok(None);
        };
        let Some(set) = self.catalog.set(set) else {
            return Ok(None);
        };
        let cases = set.cases(&unit.algorithm.name)?;
        Ok(cases.iter().find(|case| case.id == id).cloned())
    }

    /// True if a unit builds, fits and gives the published output of one case.
    fn passes(&self, unit: &Unit<'_>, case: &Case) -> Result<bool> {
        let image = match self.agent_in_room(unit) {
            Ok(image) => image,
            Err(Error::Compile { .. }) => return Ok(false),
            Err(error) => return Err(error),
        };
        if self.excess_of(&image.weight).is_some() {
            return Ok(false);
        }
        let mut agent = match self.start_agent(unit, &image) {
            Ok(agent) => agent,
            Err(Error::Stopped(_) | Error::Agent(_)) => return Ok(false),
            Err(error) => return Err(error),
        };
        match (agent.run_case(case), agent.take_error()) {
            (Ok(result), _) => Ok(matches!(result, CaseResult::Pass)),
            (Err(_), None | Some(Error::Stopped(_) | Error::Agent(_))) => Ok(false),
            (Err(_), Some(error)) => Err(error),
        }
    }

    /// The same lab, whose compiler gets further flags.
    fn with(&self, flags: &[String]) -> Result<Lab<'a>> {
        let point = SweepPoint {
            name: flags.join(" "),
            flags: flags.to_vec(),
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

/// One definition of each macro.
fn first_of_each(choices: &[Choice]) -> Vec<Choice> {
    let name = |choice: &Choice| choice.define.split('=').next().map(str::to_owned);
    let mut first: Vec<Choice> = Vec::new();
    for choice in choices {
        if first.iter().all(|known| name(known) != name(choice)) {
            first.push(choice.clone());
        }
    }
    first
}

fn wider(set: &[Choice], elsewhere: &str, wrong: &Finding) -> Finding {
    let flags: Vec<String> = set.iter().map(|one| format!("-D{}", one.define)).collect();
    let (flags, places) = (flags.join(" "), places(set));
    let finding = Finding::reservation(
        WIDTH,
        format!("It needs {flags}: without it, it is wrong here"),
        format!(
            "The macro chooses a type of integers in {places}. Without it, the same sources and calls \
             are right on {elsewhere}, but their words have another size here. All figures here are \
             with {flags}; set it in `flags` of the library's manifest and in your own build. Without \
             it: {}.",
            wrong.title
        ),
    );
    shown(finding, wrong)
}

fn places(set: &[Choice]) -> String {
    let places: Vec<&str> = set.iter().map(|one| one.place.as_str()).collect();
    places.join(", ")
}

fn optimised(own: &str, other: &str, elsewhere: &str, wrong: &Finding) -> Finding {
    let finding = Finding::reservation(
        OPTIMISATION,
        format!("It needs {other}: compiled with {own} it is wrong here"),
        format!(
            "The same sources and calls are right with {other}, and on {elsewhere} with {own}. The \
             cause may be the compiler, or code whose meaning the standard of C does not define. \
             All figures here are of {other}; set it in `flags` of the library's manifest. With \
             {own}: {}.",
            wrong.title
        ),
    );
    shown(finding, wrong)
}

/// The survey with the cause of its wrong outputs.
fn in_flash(mut line: SurveyLine, elsewhere: &str) -> SurveyLine {
    for finding in &mut line.findings {
        finding.text = finding.text.replace(WIDTH_OF_INT, "");
    }
    line.findings.push(Finding::fault(
        "flash-read-as-ram",
        "It reads tables in flash as if they were in RAM",
        format!(
            "The sources mark tables with PROGMEM and read them as arrays, so that they get what \
             lies in RAM at that address. Compiled with {NOTHING_IN_FLASH}, which leaves the tables \
             in RAM, the first vector that fails here passes, and the calls are right on {elsewhere}. \
             Read them with pgm_read_byte, or leave PROGMEM out."
        ),
    ));
    line.findings
        .sort_by_key(|finding| (finding.weight, finding.id != "flash-read-as-ram"));
    (line.verdict, line.why) = verdict::conclude(&line.checks, &line.findings);
    line
}

/// The finding with the evidence of the vector that fails otherwise.
fn shown(mut finding: Finding, wrong: &Finding) -> Finding {
    finding.vector.clone_from(&wrong.vector);
    finding.evidence.clone_from(&wrong.evidence);
    finding
}
