//! Turns the causes and notes of rows into sentences. No other module does.

use std::fmt;

use super::cause::{Caution, Counted, Excess, Memory, ModelError, Note, Step, Taken};
use super::{Cause, Fidelity, Metric, Row};

/// The first words of a caution. The parser of old rows needs them too.
pub(super) const MODEL: &str = "cycle model ";

impl Row {
    /// The notes and the cause as one text: notes first. `None` if there are neither.
    pub fn reason(&self) -> Option<String> {
        match (self.remarks(), self.why()) {
            (Some(notes), Some(cause)) => Some(format!("{notes}; {cause}")),
            (notes, cause) => notes.or(cause),
        }
    }

    /// The notes as one text.
    pub fn remarks(&self) -> Option<String> {
        let notes: Vec<String> = self.notes.iter().map(Note::to_string).collect();
        (!notes.is_empty()).then(|| notes.join("; "))
    }

    /// The cause as a sentence.
    pub fn why(&self) -> Option<String> {
        Some(cause(self.cause.as_ref()?, self))
    }

    /// The unit of the row in words.
    pub(super) fn label(&self) -> String {
        format!("{} {} {}", self.library, self.algorithm, self.variant)
    }
}

/// A cause as a sentence. The row provides unit, board and metric.
fn cause(of: &Cause, row: &Row) -> String {
    match of {
        Cause::DoesNotBuild { message } => format!("does not build: {message}"),
        Cause::Lacks { operation } => format!("{} has no {operation}", row.label()),
        Cause::OverBudget { excess } => joined(excess),
        Cause::TooLarge { message } if message.contains("overflowed by") => {
            format!("larger than the linker's memory: {message}")
        }
        Cause::TooLarge { message } => {
            format!("{TOO_LARGE}: {message}")
        }
        Cause::StackCollision { stop, below: None } => {
            format!("the stack runs into the variables: {stop}")
        }
        Cause::StackCollision {
            stop,
            below: Some(bytes),
        } => format!(
            "the stack runs into the variables, at least {bytes} bytes below the RAM: {stop}"
        ),
        Cause::HeapExhausted { stop } => {
            format!("{stop}: less RAM is left than the operation asks for")
        }
        Cause::OverLimit {
            limit,
            counted,
            stop,
        } => over_limit(*limit, *counted, stop),
        Cause::Stopped { stop } => stop.to_string(),
        Cause::FailedVector { set, case, message } => format!("{set}: {case}: {message}"),
        Cause::NotGivenBack => {
            "decrypting what was encrypted does not give the message back".to_owned()
        }
        Cause::Agent { message } | Cause::Firmware { message } => message.clone(),
        Cause::DependsOnInputs {
            counted,
            least,
            most,
        } => depends(*counted, least, most),
        Cause::CounterWraps { operation } => format!("the counter wrapped during '{operation}'"),
        Cause::CounterTooNarrow => "the board's counter wraps even at its slowest rate".to_owned(),
        Cause::NeedsRunner { runner } => {
            format!("a whole firmware runs only on the runner {runner}")
        }
        Cause::NotCounted if row.metric == Metric::Time && row.fidelity != Fidelity::CycleModel => {
            "this runner has no clock".to_owned()
        }
        Cause::NotCounted => not_counted(row.metric).to_owned(),
        Cause::NotCalibrated {
            model,
            figures,
            needed,
        } => format!(
            "{}; see: selo lab calibration --board {}",
            not_calibrated(model, *figures, *needed),
            row.board
        ),
        Cause::NoPowerFigures => "there are no power figures in the board file".to_owned(),
        Cause::NoRadioFigures { profile } => no_radio(profile),
        Cause::At { step, cause: inner } => format!("{step}: {}", cause(inner, row)),
        Cause::Said { text, .. } => text.clone(),
    }
}

/// The sentence for an object that a compiler of 16-bit addresses refuses.
const TOO_LARGE: &str = "more than 32,767 bytes in one object or in the variables of one function";

/// A call over its limit, in words.
pub fn over_limit(limit: u64, counted: Counted, stop: &crate::error::Stop) -> String {
    let (millions, counted) = (limit / 1_000_000, counted.name());
    format!(
        "over the limit of {millions} million {counted}: raise --limit, unless it hangs ({stop})"
    )
}

/// The sentence for a cycle model that has too few figures to show its cycles.
pub fn not_calibrated(model: &str, figures: usize, needed: usize) -> String {
    format!("the cycle model {model} has {figures} of the {needed} figures that it needs")
}

/// The sentence for a simulated core whose cycles are not compared with anything yet.
pub const NO_GATE: &str = "this simulated core has not passed its gate; `make rtl` builds and \
                           compares it";

/// The sentence for a power profile without a radio.
pub fn no_radio(profile: &str) -> String {
    format!("the power profile {profile} has no radio figures")
}

/// Memories that are too small, as text.
pub fn joined(excess: &[Excess]) -> String {
    let parts: Vec<String> = excess.iter().map(Excess::to_string).collect();
    parts.join("; ")
}

fn depends(counted: Counted, least: &Taken, most: &Taken) -> String {
    let what = match counted {
        Counted::Cycles => "time depends",
        Counted::Instructions => "the path depends",
    };
    let unit = counted.name();
    let shown = |taken: &Taken| format!("{} {unit} for {}", taken.count, shown(&taken.inputs));
    format!("{what} on the inputs: {}, {}", shown(least), shown(most))
}

/// Inputs in hexadecimal. Of a public key in pieces, only the beginning is shown.
pub fn shown(inputs: &[String]) -> String {
    const WHOLE: usize = 1000;
    const FIRST: usize = 3;
    const CHARACTERS: usize = 64;
    let whole = inputs.join(" ");
    if whole.len() <= WHOLE {
        return whole;
    }
    let cut = |input: &String| match input.get(..CHARACTERS) {
        Some(beginning) if input.len() > CHARACTERS => format!("{beginning}…"),
        _ => input.clone(),
    };
    let first: Vec<String> = inputs.iter().take(FIRST).map(cut).collect();
    format!("{} …", first.join(" "))
}

/// The sentence for a metric that the runner or the board does not give.
pub fn not_counted(metric: Metric) -> &'static str {
    match metric {
        Metric::Instructions => "neither the runner nor the machine counts instructions",
        Metric::Stack => "this runner does not measure the stack",
        Metric::CpuShare => "this runner does not measure CPU time",
        Metric::ProgramFlash | Metric::ProgramRam => "only AVR boards weigh a whole program",
        Metric::Heap => "the heap of this board is not counted",
        _ => "this runner does not count cycles",
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::WithAgent => write!(f, "with the agent that runs it"),
            Step::Vector { set, case } => write!(f, "{set}: {case}"),
            Step::RoundTrip => write!(f, "round trip"),
            Step::AfterTiming => write!(f, "after the timing"),
        }
    }
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let memory = match self.memory {
            Memory::Flash => "flash",
            Memory::Ram => "RAM",
        };
        let largest = self.largest.iter();
        let largest: Vec<String> = largest
            .map(|part| format!("{} {}", part.name, part.bytes))
            .collect();
        write!(
            f,
            "{memory}: {} bytes of {}, {} over; largest: {}",
            self.used,
            self.size,
            self.over(),
            largest.join(", ")
        )
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::PowerProfile { name } => write!(f, "power profile {name}"),
            Note::Model(caution) => caution.fmt(f),
            Note::Seeds { count } => write!(f, "{count} seeds, each as long as its search takes"),
            Note::PublicKeys { count } => {
                write!(f, "mean of {count} public keys, on which the time depends")
            }
            Note::Hashing { percent } => write!(f, "{percent:.0} % in functions of hashes"),
            Note::Steps { cycles } => write!(f, "counted in steps of {cycles} cycles"),
            Note::HeapLeft { bytes } => write!(f, "{bytes} bytes are still in use after it"),
            Note::Said { text } => write!(f, "{text}"),
        }
    }
}

impl fmt::Display for Caution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{MODEL}{} ({}): {}", self.model, self.memory, self.error)
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:+.1} to {:+.1} % off {} public figures, half of them by less than {:.1} %",
            self.lowest, self.highest, self.figures, self.half_within
        )
    }
}
