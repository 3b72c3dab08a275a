//! One cell of a matrix: its state and its rendering.

use schemars::JsonSchema;
use selo_engine::row::{Cause, Fidelity, Metric, Row, Status};
use serde::Serialize;

use crate::format;
use crate::table::{Cell, Tone};

/// The state of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Checked, and measured.
    Measured,
    /// Measured; its time depends on its inputs.
    VariableTime,
    DoesNotFit,
    /// Its outputs are wrong.
    Wrong,
    DoesNotBuild,
    Crashed,
    /// A call exceeded its limit of cycles or instructions.
    OverLimit,
    /// The library does not have it, or not on this board.
    NotOffered,
    /// No row yet, or a metric that the board does not give.
    NotMeasured,
}

/// One cell: a line of `selo lab matrix --json`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct MatrixCell {
    pub algorithm: String,
    pub operation: String,
    /// Size of the message, where the operation takes one.
    pub bytes: Option<u32>,
    pub metric: Metric,
    pub library: String,
    pub variant: String,
    /// Compiler and flags of a sweep; null elsewhere.
    pub sweep: Option<String>,
    pub board: String,
    pub state: State,
    pub value: Option<f64>,
    pub unit: String,
    /// Half width of the 95 % interval of the mean, where the figure varies.
    pub ci95: Option<f64>,
    pub fidelity: Option<Fidelity>,
    pub reason: Option<String>,
    /// The error of the cycle model behind the figure.
    #[serde(skip)]
    pub(super) caution: Option<String>,
    /// Bytes over the memory budget.
    #[serde(skip)]
    pub(super) over: Option<u64>,
}

impl State {
    pub(super) fn of(row: &Row) -> State {
        let cause = row.cause.as_ref().map(Cause::root);
        match row.status {
            Status::Ok => State::Measured,
            Status::VariableTime => State::VariableTime,
            Status::DoesNotFit => State::DoesNotFit,
            Status::Failed if matches!(cause, Some(Cause::DoesNotBuild { .. })) => {
                State::DoesNotBuild
            }
            Status::Failed => State::Wrong,
            Status::Crashed => State::Crashed,
            Status::OverLimit => State::OverLimit,
            Status::NotSupported if matches!(cause, Some(Cause::Lacks { .. })) => State::NotOffered,
            // A metric that the board does not give.
            Status::NotSupported => State::NotMeasured,
        }
    }

    /// The text of a cell in this state.
    pub fn words(self) -> &'static str {
        match self {
            State::Measured => "measured",
            State::VariableTime => "variable time",
            State::DoesNotFit => "does not fit",
            State::Wrong => "wrong",
            State::DoesNotBuild => "does not build",
            State::Crashed => "crashed",
            State::OverLimit => "over the limit",
            State::NotOffered => "not offered",
            State::NotMeasured => "not measured",
        }
    }

    fn tone(self) -> Tone {
        match self {
            State::Measured => Tone::Plain,
            State::VariableTime | State::DoesNotFit | State::OverLimit => Tone::Warn,
            State::Wrong | State::DoesNotBuild | State::Crashed => Tone::Bad,
            State::NotOffered | State::NotMeasured => Tone::Quiet,
        }
    }
}

impl MatrixCell {
    pub(super) fn shown(&self) -> Cell {
        if let (Some(value), Some(fidelity)) = (self.value, self.fidelity) {
            let mut text = format::signed(self.metric, value, self.ci95, fidelity);
            if self.state == State::VariableTime {
                text.push_str(" varies");
            }
            return Cell::number(text, value).with_tone(self.state.tone());
        }
        let mut words = self.state.words().to_owned();
        if let (State::DoesNotFit, Some(bytes)) = (self.state, self.over) {
            words.push_str(&format!(": {} over", format::count(bytes as f64)));
        }
        Cell::label(words, self.state.tone())
    }
}
