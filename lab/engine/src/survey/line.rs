//! The line that a survey prints: its verdict, answers, findings and figures.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::CheckLine;
use crate::row::{Fidelity, Metric, Row, Status};

/// The schema that [`SurveyLine`] follows; changes whenever a field changes meaning.
pub const SCHEMA: &str = "selo.survey/2";

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
    /// The lab could not find out. This says nothing about the library.
    NotTold,
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
    /// The lab could not find something out. This says nothing about the library.
    Gap,
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

impl Finding {
    pub(super) fn new(
        weight: Weight,
        id: &str,
        title: impl Into<String>,
        text: impl Into<String>,
    ) -> Finding {
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

    pub(super) fn fault(id: &str, title: impl Into<String>, text: impl Into<String>) -> Finding {
        Finding::new(Weight::Fault, id, title, text)
    }

    pub(super) fn gap(id: &str, title: impl Into<String>, text: impl Into<String>) -> Finding {
        Finding::new(Weight::Gap, id, title, text)
    }

    pub(super) fn reservation(
        id: &str,
        title: impl Into<String>,
        text: impl Into<String>,
    ) -> Finding {
        Finding::new(Weight::Reservation, id, title, text)
    }

    pub(super) fn is_about_iv(&self) -> bool {
        self.id.contains("iv") && self.weight == Weight::Fault
    }
}

impl Evidence {
    pub(super) fn new(name: impl Into<String>, value: impl Into<String>) -> Evidence {
        Evidence {
            name: name.into(),
            value: value.into(),
        }
    }
}

impl Cost {
    pub(super) fn of(row: &Row) -> Cost {
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
            SurveyVerdict::NotTold => "not told",
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
