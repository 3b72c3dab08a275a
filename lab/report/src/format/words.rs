//! The words for metrics and states of a row.

use selo_engine::row::{Metric, Status};

/// A status in words.
pub fn status_words(status: Status) -> &'static str {
    match status {
        Status::Ok => "ok",
        Status::VariableTime => "variable time",
        Status::Failed => "failed",
        Status::DoesNotFit => "does not fit",
        Status::NotSupported => "not supported",
        Status::Crashed => "crashed",
        Status::OverLimit => "over the limit",
    }
}

/// A metric inside a sentence or a picture's title.
pub fn metric_phrase(metric: Metric) -> &'static str {
    match metric {
        Metric::Cycles => "cycles",
        Metric::Instructions => "instructions",
        Metric::Time => "time",
        Metric::Energy => "energy",
        Metric::Flash => "flash",
        Metric::Ram => "static RAM",
        Metric::Stack => "stack",
        Metric::CpuShare => "CPU share",
        Metric::Rate => "packets a second",
        Metric::ProgramFlash => "flash of the program",
        Metric::ProgramRam => "static RAM of the program",
        Metric::Heap => "heap",
    }
}

/// A metric as a column head.
pub fn metric_title(metric: Metric) -> &'static str {
    match metric {
        Metric::Cycles => "Cycles",
        Metric::Instructions => "Instructions",
        Metric::Time => "Time",
        Metric::Energy => "Energy",
        Metric::Flash => "Flash",
        Metric::Ram => "Static RAM",
        Metric::Stack => "Stack",
        Metric::CpuShare => "CPU share",
        Metric::Rate => "Rate",
        Metric::ProgramFlash => "Program flash",
        Metric::ProgramRam => "Program RAM",
        Metric::Heap => "Heap",
    }
}
