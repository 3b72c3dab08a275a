//! Scales: the unit and the digits of a figure.

use selo_base::units::NANOWATT_HOUR;
use selo_engine::row::Metric;

/// A display unit and its factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// Symbol written after the figure.
    pub symbol: &'static str,
    /// Size of the display unit in units of the row schema.
    pub factor: f64,
}

const PLAIN: f64 = 1.0;

const TIMES: [Scale; 4] = [
    Scale {
        symbol: "s",
        factor: 1.0,
    },
    Scale {
        symbol: "ms",
        factor: 1e-3,
    },
    Scale {
        symbol: "µs",
        factor: 1e-6,
    },
    Scale {
        symbol: "ns",
        factor: 1e-9,
    },
];

const ENERGIES: [Scale; 3] = [
    Scale {
        symbol: "mWh",
        factor: 1e6 * NANOWATT_HOUR,
    },
    Scale {
        symbol: "µWh",
        factor: 1e3 * NANOWATT_HOUR,
    },
    Scale {
        symbol: "nWh",
        factor: NANOWATT_HOUR,
    },
];

/// Significant digits of a derived figure. Counts are always written in full.
pub(super) const DIGITS: usize = 3;

/// The unit in which a table column or an axis shows a metric.
///
/// Times are milliseconds and energies nanowatt hours, as in albarello2020. If every value
/// is far below a millisecond (on a PC), times are microseconds.
pub fn column_scale(metric: Metric, largest: f64) -> Scale {
    match metric {
        Metric::Time if largest < 1e-4 => TIMES[2],
        Metric::Time => TIMES[1],
        Metric::Energy => ENERGIES[2],
        Metric::Cycles => Scale {
            symbol: "cycles",
            factor: PLAIN,
        },
        Metric::Instructions => Scale {
            symbol: "instructions",
            factor: PLAIN,
        },
        Metric::Flash
        | Metric::Ram
        | Metric::ProgramFlash
        | Metric::ProgramRam
        | Metric::Stack
        | Metric::Heap => Scale {
            symbol: "B",
            factor: PLAIN,
        },
        Metric::CpuShare => Scale {
            symbol: "%",
            factor: PLAIN,
        },
        Metric::Rate => Scale {
            symbol: "packets/s",
            factor: PLAIN,
        },
    }
}

/// The unit that suits a single value in a sentence.
pub fn sentence_scale(metric: Metric, value: f64) -> Scale {
    let size = value.abs();
    match metric {
        Metric::Time if size >= 1.0 => TIMES[0],
        Metric::Time if size >= 1e-4 || size == 0.0 => TIMES[1],
        Metric::Time if size >= 1e-7 => TIMES[2],
        Metric::Time => TIMES[3],
        Metric::Energy if size >= 1e6 * NANOWATT_HOUR => ENERGIES[0],
        Metric::Energy if size >= 1e4 * NANOWATT_HOUR => ENERGIES[1],
        Metric::Energy => ENERGIES[2],
        Metric::Flash
        | Metric::Ram
        | Metric::ProgramFlash
        | Metric::ProgramRam
        | Metric::Stack
        | Metric::Heap => Scale {
            symbol: "bytes",
            factor: PLAIN,
        },
        _ => column_scale(metric, value),
    }
}
