//! One measurement: the row schema `selo.measurement/2`.
//!
//! Every number that Selo shows comes from a row. Rows are written as JSON Lines; the JSON Schema
//! in `bench/schema/` is generated from these types. [`cause`] has the types of a failure, [`say`]
//! makes the sentences, and [`old`] reads schema 1.

pub mod cause;
mod figures;
pub mod old;
pub mod say;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use cause::{Cause, Note};

/// The schema that [`Row`] follows; changes whenever a field changes meaning.
pub const SCHEMA: &str = "selo.measurement/2";

/// The way in which a figure was obtained, which decides how exact it is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Fidelity {
    /// Counted cycle by cycle, by a simulator that models every cycle of the core, or by the chip's
    /// own counter at the core's clock.
    CycleExact,
    /// Counted by the chip's own counter in steps of several cycles; `notes` has the step.
    CycleSteps,
    /// Derived from counted instructions by a published timing model.
    CycleModel,
    /// Time on a simulated radio: the chips' cycles are counted, and the radio's times come from a
    /// formula and a manual.
    RadioModel,
    /// Executed instructions. They give no exact time.
    Instructions,
    /// Read from a clock of a busy machine; varies from run to run.
    WallClock,
}

/// The measured quantity. It determines the unit ([`Metric::unit`]).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Clock cycles of one operation, called through the C ABI.
    Cycles,
    /// Instructions of one operation.
    Instructions,
    /// Seconds of one operation.
    Time,
    /// Joules of one operation above the idle consumption of the board.
    Energy,
    /// Growth of code and constants over an empty program, in bytes.
    Flash,
    /// Growth of static RAM (tables, contexts) over an empty program, in bytes.
    Ram,
    /// Deepest stack during the operation, in bytes, including its return address.
    Stack,
    /// Percentage of one core that the operation occupied while it ran.
    CpuShare,
    /// Packets per second, sent one after another.
    Rate,
    /// Flash of a whole program that calls the operation, with the start-up code, linked with
    /// link-time optimisation, in bytes.
    ProgramFlash,
    /// Static RAM of the same program, in bytes.
    ProgramRam,
    /// The most memory of the heap that is in use at once during the operation, in bytes.
    Heap,
}

/// The result of a measurement. A failure is a row too.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Measured, and checked against vectors before and after.
    Ok,
    /// Correct and measured, but its cycles depend on its inputs; `cause` shows two of them.
    VariableTime,
    /// The outputs are wrong, so there is no value.
    Failed,
    /// The image or its stack exceeds the board's memory; `cause` has the bytes.
    DoesNotFit,
    /// The library does not offer the operation, or the machine cannot measure the metric.
    NotSupported,
    /// The program crashed or accessed memory out of bounds.
    Crashed,
    /// A call exceeded the limit of cycles or instructions: it is long, or hangs; `cause` has the
    /// limit.
    OverLimit,
}

/// One measurement. Field order is the column order of the CSV export.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// The run that produced the row: date and board, or the name given by `--run`.
    pub run: String,
    /// Name of the board file.
    pub board: String,
    pub mcu: String,
    /// Clock of the core in hertz; absent where it varies (a PC).
    pub clock_hz: Option<u64>,
    /// The runner of the image: `simavr`, `avr8js`, `native`, ...
    pub runner: String,
    pub fidelity: Fidelity,
    /// The compiler's version: the first line of `--version`, or what the tools of an Arduino core
    /// print.
    pub compiler: String,
    /// Compiler flags that affect the code, separated by spaces.
    pub flags: String,
    pub library: String,
    pub library_version: String,
    pub algorithm: String,
    pub variant: String,
    /// The point of a sweep that replaces the compiler and flags of board and library, such as
    /// `clang -O2`; absent outside sweeps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweep: Option<String>,
    /// Operation of the interface; `both` and `all` on rows of an image's size
    /// mean an image with every operation.
    pub operation: String,
    /// Size of the message in bytes, if the operation has one.
    pub bytes: Option<u32>,
    pub metric: Metric,
    /// Derived from `metric`; see [`Metric::unit`].
    pub unit: String,
    /// The figure: the only sample, or the mean of the samples. Absent unless
    /// `status` is `ok` or `variable-time`.
    pub value: Option<f64>,
    /// Number of samples.
    pub samples: u32,
    pub min: Option<f64>,
    pub max: Option<f64>,
    pub mean: Option<f64>,
    /// Sample standard deviation; absent on deterministic runners and for one sample.
    pub sd: Option<f64>,
    /// Half width of the 95 % interval of the mean; absent on deterministic runners.
    pub ci95: Option<f64>,
    pub status: Status,
    /// The reason why the status is not `ok`.
    pub cause: Option<Cause>,
    /// Cautions about the value.
    pub notes: Vec<Note>,
    /// Data in addition to the value, from which cycles or energies are derived
    /// ([`crate::derive`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
    /// The board's power profile for derived energies, if the user chose another than the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power: Option<String>,
    /// SHA-256 of the image that ran.
    pub firmware_sha256: String,
    /// Commit of the measured project, with `+` if the tree had changes.
    pub commit: String,
}

/// Data in addition to a row's value, from which other figures are derived.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Basis {
    /// Instructions by class. A cycle model turns them into cycles.
    Paths { paths: Vec<Path> },
    /// A packet of a node with a radio: the seconds for which the core was awake, for each packet,
    /// and the seconds for which the radio sent.
    Packet { awake: Vec<f64>, sending: f64 },
}

/// Samples that ran the same instructions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Path {
    /// Number of consecutive samples.
    pub samples: u32,
    /// Instructions of each class, with the marks subtracted.
    pub classes: BTreeMap<String, i64>,
    /// Those of the functions of hashes alone, and their number as [`INSTRUCTIONS`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hashing: Option<BTreeMap<String, i64>>,
}

/// The name under which a path has the number of instructions of its functions of hashes.
pub const INSTRUCTIONS: &str = "instructions";

impl Metric {
    /// Every metric, in the order in which tables show them.
    pub const ALL: [Metric; 12] = [
        Metric::Cycles,
        Metric::Instructions,
        Metric::Time,
        Metric::Energy,
        Metric::Flash,
        Metric::Ram,
        Metric::ProgramFlash,
        Metric::ProgramRam,
        Metric::Stack,
        Metric::Heap,
        Metric::CpuShare,
        Metric::Rate,
    ];

    /// The unit in which values of this metric are stored.
    pub fn unit(self) -> &'static str {
        match self {
            Metric::Cycles => "cycles",
            Metric::Instructions => "instructions",
            Metric::Time => "s",
            Metric::Energy => "J",
            Metric::Flash
            | Metric::Ram
            | Metric::ProgramFlash
            | Metric::ProgramRam
            | Metric::Stack
            | Metric::Heap => "bytes",
            Metric::CpuShare => "%",
            Metric::Rate => "packets/s",
        }
    }

    /// The name used in rows and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Cycles => "cycles",
            Metric::Instructions => "instructions",
            Metric::Time => "time",
            Metric::Energy => "energy",
            Metric::Flash => "flash",
            Metric::Ram => "ram",
            Metric::Stack => "stack",
            Metric::CpuShare => "cpu_share",
            Metric::Rate => "rate",
            Metric::ProgramFlash => "program_flash",
            Metric::ProgramRam => "program_ram",
            Metric::Heap => "heap",
        }
    }

    /// True if the figure is read off an image that never runs. It belongs to an operation with
    /// messages of any size.
    pub fn is_of_image(self) -> bool {
        let grown = matches!(self, Metric::Flash | Metric::Ram);
        grown || self.is_of_program()
    }

    /// True for the size of a whole program.
    pub fn is_of_program(self) -> bool {
        matches!(self, Metric::ProgramFlash | Metric::ProgramRam)
    }
}

impl Fidelity {
    /// True if two runs of the same image on the same inputs give the same figure. A difference
    /// between inputs then comes from the program.
    pub fn is_deterministic(self) -> bool {
        matches!(
            self,
            Fidelity::CycleExact | Fidelity::CycleModel | Fidelity::Instructions
        )
    }

    /// The name used in rows and on pictures.
    pub fn name(self) -> &'static str {
        match self {
            Fidelity::CycleExact => "cycle-exact",
            Fidelity::CycleSteps => "cycle-steps",
            Fidelity::CycleModel => "cycle-model",
            Fidelity::RadioModel => "radio-model",
            Fidelity::Instructions => "instructions",
            Fidelity::WallClock => "wall-clock",
        }
    }
}

impl Status {
    /// The name used in rows.
    pub fn name(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::VariableTime => "variable-time",
            Status::Failed => "failed",
            Status::DoesNotFit => "does-not-fit",
            Status::NotSupported => "not-supported",
            Status::Crashed => "crashed",
            Status::OverLimit => "over-limit",
        }
    }
}

#[cfg(test)]
mod tests {
    use selo_base::units::Unit;

    use super::Metric;

    #[test]
    fn rows_are_in_base_units() {
        for metric in Metric::ALL {
            let factor = Unit::find(metric.unit()).map(|unit| unit.factor);
            assert_eq!(factor, Ok(1.0), "{metric:?}");
        }
    }
}
