//! A survey: everything that the lab can find out about one algorithm of a library on a board, and
//! a verdict with its reasons. [rocha-securino] did this by hand for eleven libraries: does it
//! build, fit and conform, and what does it cost?
//!
//! Nothing is measured here: conformance comes from `check`, figures from the rows of `measure`.
//! This module answers questions that vectors leave open (the origin of a CBC's IV, the mistake
//! behind a wrong cipher), and draws the conclusion.

mod iv;
mod mistakes;

use schemars::JsonSchema;
use selo_vectors::{Case, CaseResult, Set};
use serde::{Deserialize, Serialize};

use crate::check::{CONSTANT_TIME, CheckLine, DOES_NOT_FIT, Effort, OVER_LIMIT};
use crate::error::{Error, Result};
use crate::interface::Interface;
use crate::library::Unit;
use crate::measure::Lab;
use crate::row::{Fidelity, Metric, Row, Status};

/// The schema that [`SurveyLine`] follows; changes whenever a field changes meaning.
pub const SCHEMA: &str = "selo.survey/1";

/// A survey of one algorithm and variant of a library on one board.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SurveyLine {
    pub schema: String,
    pub library: String,
    pub library_version: String,
    pub licence: String,
    pub algorithm: String,
    pub variant: String,
    pub board: String,
    /// The runner of the image.
    pub runner: String,
    /// The fidelity of figures other than sizes.
    pub fidelity: Fidelity,
    /// The compiler's version: the first line of `--version`, or what the tools of an Arduino core
    /// print.
    pub compiler: String,
    /// Commit of the project, with `+` if the tree had changes.
    pub commit: String,
    pub verdict: SurveyVerdict,
    /// The verdict's reason in one sentence.
    pub why: String,
    /// The questions of the verdict table, in its order.
    pub answers: Vec<Answer>,
    /// The findings, the most serious first.
    pub findings: Vec<Finding>,
    /// Each source of official vectors, and the constant-time measurement.
    pub checks: Vec<CheckLine>,
    /// Figures, from measurement rows.
    pub costs: Vec<Cost>,
}

/// The suitability of a library.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum SurveyVerdict {
    Suitable,
    /// It conforms, but has reservations that a user must know.
    Reservations,
    NotSuitable,
}

/// A question that every line answers.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Question {
    Builds,
    Fits,
    Conforms,
    FreshIv,
    ConstantTime,
}

/// An answer to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    Yes,
    No,
    /// Unknown: it could not be determined here, or an earlier answer makes it pointless.
    NotTold,
    /// The question does not apply to the algorithm.
    DoesNotApply,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    pub question: Question,
    pub mark: Mark,
    /// A figure or a short reason.
    pub detail: Option<String>,
}

/// The seriousness of a finding.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Weight {
    /// Do not use the library as it is.
    Fault,
    /// Read this before using the library.
    Reservation,
    /// Good to know.
    Remark,
}

/// A finding, with its evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// A stable name for scripts: `fixed-iv`, `wrong-output`.
    pub id: String,
    pub weight: Weight,
    /// One sentence.
    pub title: String,
    /// Document and section that it violates, if any.
    pub citation: Option<String>,
    /// The meaning, and the remedy.
    pub text: String,
    /// The vector that found it: `set: case`. Absent if the survey's own test found it.
    pub vector: Option<String>,
    /// Inputs and outputs that show it, in reading order.
    pub evidence: Vec<Evidence>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    pub name: String,
    /// Bytes as hexadecimal, or text.
    pub value: String,
}

/// A figure of a row.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Cost {
    pub operation: String,
    pub bytes: Option<u32>,
    pub metric: Metric,
    pub unit: String,
    pub value: Option<f64>,
    pub fidelity: Fidelity,
    pub status: Status,
    pub reason: Option<String>,
}

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
        let mut failures: Vec<(String, Case, CaseResult)> = Vec::new();
        let checks = self.check_watched(unit, effort, true, &mut |set: &Set, case, verdict| {
            // The first failure of each source is shown. The line has the number of failures.
            if failures.iter().all(|(id, ..)| *id != set.id) {
                failures.push((set.id.clone(), case.clone(), verdict.clone()));
            }
        })?;
        let mut findings = Vec::new();
        let runs = !checks
            .iter()
            .any(|line| ["build", "start", DOES_NOT_FIT].contains(&line.source.as_str()));
        let mut fresh_iv = Mark::DoesNotApply;
        if runs && unit.program().is_none() {
            let image = self.builder.agent(unit)?;
            let mut start = || self.start_agent(unit, &image);
            if unit.algorithm.interface == Interface::ModeCbc {
                fresh_iv = settle(iv::examine(unit, &mut start, &mut findings), &mut findings)?
                    .unwrap_or(Mark::NotTold);
            }
            if !failures.is_empty() {
                let known = settle(
                    mistakes::explain(unit, &mut start, &mut findings),
                    &mut findings,
                )?;
                debug_assert!(known.is_some() || !findings.is_empty());
            }
        }
        for line in &checks {
            self.judge(unit, line, &failures, &mut findings);
        }
        general(unit, &checks, runs, &mut findings);
        let failed = checks
            .iter()
            .any(|line| line.failed > 0 && line.source != CONSTANT_TIME);
        let rows = if failed {
            Vec::new() // a wrong cipher has no figures
        } else {
            self.measure(unit, &|_| None)?
        };
        cost_findings(&rows, &mut findings);
        findings.sort_by_key(|finding| finding.weight);
        let answers = answers(&checks, runs, fresh_iv, self.board.fidelity, &findings);
        let (verdict, why) = conclude(&checks, &findings);
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

    /// Adds the finding for a line of `check` that shows a problem.
    fn judge(
        &self,
        unit: &Unit<'_>,
        line: &CheckLine,
        failures: &[(String, Case, CaseResult)],
        findings: &mut Vec<Finding>,
    ) {
        let said = line.first_failure.clone().unwrap_or_default();
        match line.source.as_str() {
            "build" => findings.push(Finding {
                evidence: vec![Evidence::new("compiler", said.clone())],
                ..Finding::fault(
                    "does-not-build",
                    "It does not build",
                    first_error(&said),
                )
            }),
            DOES_NOT_FIT => findings.push(Finding {
                evidence: vec![Evidence::new("sizes", said.clone())],
                ..Finding::fault(
                    "does-not-fit",
                    format!("It does not fit {}", self.board.title),
                    format!("{said}. The image holds the lab's agent beside the library."),
                )
            }),
            OVER_LIMIT => findings.push(Finding::fault(
                "stopped",
                "A call takes too long, or hangs",
                said,
            )),
            "start" => findings.push(Finding::fault(
                "does-not-start",
                "The image does not do what the manifest says",
                format!(
                    "{said}. Compare `operations` in library.toml with the list in the glue."
                ),
            )),
            CONSTANT_TIME if line.failed > 0 => findings.push(Finding {
                citation: None,
                evidence: vec![Evidence::new("two calls", said.clone())],
                ..Finding::reservation(
                    "variable-time",
                    "Its time depends on secrets",
                    format!(
                        "{} of {} calls with random secrets took another number of cycles than the first: \
                         who can measure it learns something of the key or the message.",
                        line.failed, line.tried
                    ),
                )
            }),
            _ if line.failed > 0 => {
                let count = format!(
                    "{} of {} vectors of {} fail",
                    line.failed, line.tried, line.source
                );
                let set = self.catalog.set(&line.source);
                let mut finding = Finding::fault(
                    "wrong-output",
                    count,
                    format!("First: {said}."),
                );
                finding.citation = set.map(|set| set.source.clone());
                if let Some((id, case, outcome)) =
                    failures.iter().find(|(id, ..)| *id == line.source)
                {
                    finding.vector = Some(format!("{id}: {}", case.id));
                    let inputs = case.kind.inputs().into_iter();
                    finding.evidence =
                        inputs.map(|(name, value)| Evidence::new(name, value)).collect();
                    if let CaseResult::Fail {
                        expected,
                        got,
                        detail,
                    } = outcome
                    {
                        finding.text = format!("Where: {detail}.");
                        finding.evidence.extend([
                            Evidence::new("expected", expected.clone()),
                            Evidence::new("got", got.clone()),
                        ]);
                    }
                }
                if unit.algorithm.interface == Interface::ModeCbc
                    && findings.iter().any(|known| known.is_about_iv())
                {
                    finding.text.push_str(" The IV is not the random source's: see above.");
                }
                findings.push(finding);
            }
            _ => {}
        }
    }
}

/// Turns a probe that stopped the image into a finding. Errors of the machine are returned.
fn settle<T>(result: Result<T>, findings: &mut Vec<Finding>) -> Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error @ (Error::Stopped(_) | Error::Agent(_))) => {
            findings.push(Finding::fault(
                "stopped",
                "It stopped while it was examined",
                error.to_string(),
            ));
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Adds the findings that follow from the algorithm and its operations alone.
fn general(unit: &Unit<'_>, checks: &[CheckLine], runs: bool, findings: &mut Vec<Finding>) {
    let interface = unit.algorithm.interface;
    if interface == Interface::ModeEcb {
        findings.push(Finding {
            citation: Some("NIST SP 800-38A (2001), 6.1".to_owned()),
            ..Finding::reservation(
                "ecb",
                "ECB shows which blocks are equal",
                "Equal blocks of a message encrypt to equal blocks, and so does the same message \
                 each time. Use it as a building block only.",
            )
        });
    }
    let vectors = checks
        .iter()
        .any(|line| line.is_official() && line.passed > 0);
    if runs && !vectors && !checks.iter().any(|line| line.failed > 0) {
        findings.push(Finding::reservation(
            "no-vectors",
            "No official vector could be tried",
            "The project has no vectors for the operations that the glue offers: nothing shows \
             that the outputs are right.",
        ));
    }
    let timed = interface.timed_operations();
    let missing: Vec<&str> = timed
        .iter()
        .copied()
        .filter(|operation| !unit.offers(operation))
        .collect();
    if !missing.is_empty() && unit.program().is_none() {
        findings.push(Finding {
            weight: Weight::Remark,
            ..Finding::reservation(
                "operations",
                format!("No {}", missing.join(", no ")),
                "The manifest does not offer it; what needs it was not tried.",
            )
        });
    }
}

/// Adds the findings from the measured rows: the image does not fit, crashes, or fails.
fn cost_findings(rows: &[Row], findings: &mut Vec<Finding>) {
    for (status, id, title) in [
        (Status::DoesNotFit, "does-not-fit", "It does not fit"),
        (Status::Crashed, "crashed", "It crashes"),
        (Status::Failed, "failed", "It fails while it is measured"),
    ] {
        let row = rows.iter().find(|row| row.status == status);
        if let Some(row) = row
            && findings.iter().all(|finding| finding.id != id)
        {
            let reason = row.reason().unwrap_or_default();
            findings.push(Finding::fault(
                id,
                title,
                format!("{}: {reason}", row.operation),
            ));
        }
    }
}

fn answers(
    checks: &[CheckLine],
    runs: bool,
    fresh_iv: Mark,
    fidelity: Fidelity,
    findings: &[Finding],
) -> Vec<Answer> {
    let found = |id: &str| findings.iter().any(|finding| finding.id == id);
    let of = |question, mark, detail: Option<String>| Answer {
        question,
        mark,
        detail,
    };
    let yes_unless = |bad: bool| if bad { Mark::No } else { Mark::Yes };
    let builds = !found("does-not-build");
    let fits = if builds {
        yes_unless(found("does-not-fit"))
    } else {
        Mark::NotTold
    };
    let official = checks.iter().filter(|line| line.is_official());
    let (tried, failed) = official.fold((0, 0), |(tried, failed), line| {
        (tried + line.tried, failed + line.failed)
    });
    let conforms = match (runs, tried, failed) {
        (false, ..) if found("does-not-start") => Mark::No,
        (false, ..) | (true, 0, _) => Mark::NotTold,
        (true, _, failed) => yes_unless(failed > 0),
    };
    let counted = (runs && tried > 0).then(|| format!("{} of {tried}", tried - failed));
    let timing = checks.iter().find(|line| line.source == CONSTANT_TIME);
    let constant = match timing {
        Some(line) => of(
            Question::ConstantTime,
            yes_unless(line.failed > 0),
            Some(format!("{} calls", line.tried)),
        ),
        None if runs && fidelity != Fidelity::CycleExact => of(
            Question::ConstantTime,
            Mark::NotTold,
            Some("no cycles here".to_owned()),
        ),
        None => of(Question::ConstantTime, Mark::NotTold, None),
    };
    let fresh = if runs || fresh_iv == Mark::DoesNotApply {
        fresh_iv
    } else {
        Mark::NotTold
    };
    vec![
        of(Question::Builds, yes_unless(!builds), None),
        of(Question::Fits, fits, None),
        of(Question::Conforms, conforms, counted),
        of(Question::FreshIv, fresh, None),
        constant,
    ]
}

fn conclude(checks: &[CheckLine], findings: &[Finding]) -> (SurveyVerdict, String) {
    let of = |weight| {
        findings
            .iter()
            .filter(move |finding| finding.weight == weight)
    };
    let titles = |weight| {
        let mut titles: Vec<&str> = of(weight).map(|finding| finding.title.as_str()).collect();
        titles.truncate(2);
        titles.join("; ")
    };
    if of(Weight::Fault).next().is_some() {
        return (SurveyVerdict::NotSuitable, titles(Weight::Fault));
    }
    if of(Weight::Reservation).next().is_some() {
        return (SurveyVerdict::Reservations, titles(Weight::Reservation));
    }
    let official = checks.iter().filter(|line| line.is_official());
    let passed: u64 = official.map(|line| line.passed).sum();
    let constant = checks
        .iter()
        .any(|line| line.source == CONSTANT_TIME && line.failed == 0);
    let timing = if constant {
        ", and every call takes the same time"
    } else {
        ""
    };
    let why = format!("all {passed} official vectors pass{timing}");
    (SurveyVerdict::Suitable, why)
}

/// The line of a compiler's output that names the error.
fn first_error(output: &str) -> String {
    let find = |word: &str| output.lines().find(|line| line.contains(word));
    // The linker names the undefined symbol; its driver only says that there was an error.
    let telling = find("error:").filter(|line| !line.starts_with("collect2"));
    let telling = telling
        .or_else(|| find("undefined"))
        .or_else(|| find("error"));
    let telling = telling.or_else(|| output.lines().nth(1));
    telling.unwrap_or(output).trim().to_owned()
}

impl Finding {
    fn new(weight: Weight, id: &str, title: impl Into<String>, text: impl Into<String>) -> Finding {
        Finding {
            id: id.to_owned(),
            weight,
            title: title.into(),
            citation: None,
            text: text.into(),
            vector: None,
            evidence: Vec::new(),
        }
    }

    fn fault(id: &str, title: impl Into<String>, text: impl Into<String>) -> Finding {
        Finding::new(Weight::Fault, id, title, text)
    }

    fn reservation(id: &str, title: impl Into<String>, text: impl Into<String>) -> Finding {
        Finding::new(Weight::Reservation, id, title, text)
    }

    fn is_about_iv(&self) -> bool {
        self.id.contains("iv") && self.weight == Weight::Fault
    }
}

impl Evidence {
    fn new(name: impl Into<String>, value: impl Into<String>) -> Evidence {
        Evidence {
            name: name.into(),
            value: value.into(),
        }
    }
}

impl Cost {
    fn of(row: &Row) -> Cost {
        Cost {
            operation: row.operation.clone(),
            bytes: row.bytes,
            metric: row.metric,
            unit: row.unit.clone(),
            value: row.value,
            fidelity: row.fidelity,
            status: row.status,
            reason: row.reason(),
        }
    }
}

impl SurveyLine {
    /// The answer to a question.
    pub fn answer(&self, question: Question) -> Option<&Answer> {
        self.answers
            .iter()
            .find(|answer| answer.question == question)
    }
}

impl SurveyVerdict {
    /// The verdict as text.
    pub fn words(self) -> &'static str {
        match self {
            SurveyVerdict::Suitable => "suitable",
            SurveyVerdict::Reservations => "suitable with reservations",
            SurveyVerdict::NotSuitable => "not suitable",
        }
    }
}

impl Question {
    /// The questions, in the order of tables.
    pub const ALL: [Question; 5] = [
        Question::Builds,
        Question::Fits,
        Question::Conforms,
        Question::FreshIv,
        Question::ConstantTime,
    ];

    /// The heading of the question's column.
    pub fn title(self) -> &'static str {
        match self {
            Question::Builds => "Builds",
            Question::Fits => "Fits",
            Question::Conforms => "Conforms",
            Question::FreshIv => "Fresh IV",
            Question::ConstantTime => "Constant time",
        }
    }
}
