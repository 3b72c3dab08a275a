//! Causes and notes of rows, as types with their numbers. A cause says why a row has no value or a
//! doubtful one; a note cautions about a value. [`super::say`] turns them into sentences.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Status;
use crate::error::Stop;

/// The reason why the status of a row is not `ok`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Cause {
    /// The compiler or the linker failed.
    DoesNotBuild { message: String },
    /// The compiler of a 16-bit address space refused an object or the variables of a function, or the
    /// linker found no room for the image.
    TooLarge { message: String },
    /// The library does not have an operation.
    Lacks { operation: String },
    /// The image needs more memory than the board has.
    OverBudget { excess: Vec<Excess> },
    /// The stack ran into the variables.
    StackCollision {
        stop: Stop,
        /// Bytes below the RAM that it had reached at least.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        below: Option<u64>,
    },
    /// The operation asked for more heap than was left.
    HeapExhausted { stop: Stop },
    /// A call exceeded the limit of cycles or instructions.
    OverLimit {
        limit: u64,
        counted: Counted,
        stop: Stop,
    },
    /// The program stopped because of a fault.
    Stopped { stop: Stop },
    /// An official vector gave another result.
    FailedVector {
        set: String,
        case: String,
        message: String,
    },
    /// Decryption did not give the encrypted message back.
    NotGivenBack,
    /// The measured program broke the agent protocol, or refused a request.
    Agent { message: String },
    /// A whole firmware broke its protocol.
    Firmware { message: String },
    /// Two inputs took different times or different paths.
    DependsOnInputs {
        counted: Counted,
        least: Taken,
        most: Taken,
    },
    /// The board's counter wrapped during an operation.
    CounterWraps { operation: String },
    /// The board's counter wraps even with its largest step.
    CounterTooNarrow,
    /// A whole firmware runs on one runner only.
    NeedsRunner { runner: String },
    /// The runner does not provide this metric.
    NotCounted,
    /// Too few public figures calibrate the cycle model of the board.
    NotCalibrated {
        model: String,
        figures: usize,
        needed: usize,
    },
    /// The board file has no power figures.
    NoPowerFigures,
    /// The power profile has no radio figures.
    NoRadioFigures { profile: String },
    /// A cause that belongs to one step of the measurement.
    At { step: Step, cause: Box<Cause> },
    /// A sentence of schema 1 that matches no other cause.
    Said { text: String, status: Status },
}

/// A step of a measurement in which something failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// The image contains the agent in addition to the library.
    WithAgent,
    Vector {
        set: String,
        case: String,
    },
    RoundTrip,
    /// The check after the timing.
    AfterTiming,
}

/// A memory that is too small.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Excess {
    pub memory: Memory,
    pub used: u64,
    pub size: u64,
    /// The largest symbols in that memory.
    pub largest: Vec<Part>,
}

/// A symbol of an image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Part {
    pub name: String,
    pub bytes: u64,
}

/// A memory of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Memory {
    Flash,
    Ram,
}

/// The unit in which a runner counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Counted {
    Cycles,
    Instructions,
}

/// The count of one call, and its inputs in hexadecimal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Taken {
    pub count: f64,
    pub inputs: Vec<String>,
}

/// A caution about a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Note {
    /// The energy was derived from a time with this power profile.
    PowerProfile { name: String },
    /// The figure was derived from counted instructions with a cycle model.
    Model(Caution),
    /// The operation is a search; each sample has another seed.
    Seeds { count: u32 },
    /// The time depends on the public key; each sample has another one.
    PublicKeys { count: u32 },
    /// This share of the figure is spent in functions of SHA-2, SHA-3 and SHAKE, in percent.
    Hashing { percent: f64 },
    /// The counter advances by this number of cycles at a time.
    Steps { cycles: u32 },
    /// This part of the heap is still in use after the operation, in bytes.
    HeapLeft { bytes: u64 },
    /// A sentence of schema 1 that matches no other note.
    Said { text: String },
}

/// The error of a cycle model, relative to the public figures that calibrate it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Caution {
    pub model: String,
    /// The memory that the model's timings assume.
    pub memory: String,
    #[serde(flatten)]
    pub error: ModelError,
}

/// The error of a model in percent of the public figures that calibrate it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelError {
    pub figures: usize,
    pub lowest: f64,
    pub highest: f64,
    /// Half of the figures have a smaller error, in either direction.
    pub half_within: f64,
}

impl Cause {
    /// The status of a row with this cause.
    pub fn status(&self) -> Status {
        match self {
            Cause::DoesNotBuild { .. }
            | Cause::FailedVector { .. }
            | Cause::NotGivenBack
            | Cause::Agent { .. }
            | Cause::Firmware { .. } => Status::Failed,
            Cause::OverBudget { .. }
            | Cause::TooLarge { .. }
            | Cause::StackCollision { .. }
            | Cause::HeapExhausted { .. } => Status::DoesNotFit,
            Cause::OverLimit { .. } => Status::OverLimit,
            Cause::Stopped { .. } => Status::Crashed,
            Cause::DependsOnInputs { .. } => Status::VariableTime,
            Cause::Lacks { .. }
            | Cause::CounterWraps { .. }
            | Cause::CounterTooNarrow
            | Cause::NeedsRunner { .. }
            | Cause::NotCounted
            | Cause::NotCalibrated { .. }
            | Cause::NoPowerFigures
            | Cause::NoRadioFigures { .. } => Status::NotSupported,
            Cause::At { cause, .. } => cause.status(),
            Cause::Said { status, .. } => *status,
        }
    }

    /// Puts the cause into a step of the measurement.
    pub fn at(self, step: Step) -> Cause {
        Cause::At {
            step,
            cause: Box::new(self),
        }
    }

    /// True if a call ran out of stack or heap, or an image does not fit.
    pub fn is_lack_of_memory(&self) -> bool {
        self.status() == Status::DoesNotFit
    }

    /// The cause without its steps.
    pub fn root(&self) -> &Cause {
        match self {
            Cause::At { cause, .. } => cause.root(),
            cause => cause,
        }
    }

    /// The exceeded limit, in cycles or instructions, if that is the cause.
    pub fn limit(&self) -> Option<u64> {
        match self.root() {
            Cause::OverLimit { limit, .. } => Some(*limit),
            _ => None,
        }
    }

    /// The bytes over budget in the first memory that is too small, if that is the cause.
    pub fn bytes_over(&self) -> Option<u64> {
        match self.root() {
            Cause::OverBudget { excess } => excess.first().map(Excess::over),
            _ => None,
        }
    }
}

impl Excess {
    /// The bytes that the board lacks.
    pub fn over(&self) -> u64 {
        self.used.saturating_sub(self.size)
    }
}

impl Counted {
    /// The unit in words.
    pub fn name(self) -> &'static str {
        match self {
            Counted::Cycles => "cycles",
            Counted::Instructions => "instructions",
        }
    }
}
