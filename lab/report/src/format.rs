//! Formats numbers, units and fidelities. No other module decides how they look.
//!
//! Values arrive in the units of the row schema (seconds, joules, bytes) and leave in the
//! units of the papers (milliseconds, nanowatt hours). The result depends on the arguments
//! only, not on the locale or the terminal.

pub use selo_base::units::NANOWATT_HOUR;
use selo_engine::row::{Fidelity, Metric, Note, Row, Status};

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
const DIGITS: usize = 3;

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

/// A value with its unit for a sentence: `8,520 cycles`, `0.532 ms`, `0.78 nWh`.
pub fn quantity(metric: Metric, value: f64) -> String {
    let scale = sentence_scale(metric, value);
    let symbol = match (scale.symbol, value == 1.0) {
        ("bytes", true) => "byte",
        ("cycles", true) => "cycle",
        ("instructions", true) => "instruction",
        (symbol, _) => symbol,
    };
    format!("{} {symbol}", figure(metric, value, scale))
}

/// A value without its unit, in a given scale.
pub fn figure(metric: Metric, value: f64, scale: Scale) -> String {
    match metric {
        Metric::Time | Metric::Energy => significant(value / scale.factor, DIGITS),
        Metric::CpuShare | Metric::Rate => significant(value, DIGITS),
        _ => count(value / scale.factor),
    }
}

/// The figure of a row in a scale, with its 95 % interval if it has one.
pub fn row_figure(row: &Row, scale: Scale) -> Option<String> {
    let value = row.value?;
    let figure = figure(row.metric, value, scale);
    Some(match row.ci95 {
        Some(half) if half > 0.0 => {
            format!("{figure} ± {}", significant(half / scale.factor, 2))
        }
        _ => figure,
    })
}

/// A value with its unit and, if it varies, half its 95 % interval: `1.20 ± 0.04 ms`.
pub fn interval(metric: Metric, value: f64, half: Option<f64>) -> String {
    let Some(half) = half.filter(|half| *half > 0.0) else {
        return quantity(metric, value);
    };
    let scale = sentence_scale(metric, value);
    format!(
        "{} ± {} {}",
        figure(metric, value, scale),
        significant(half / scale.factor, 2),
        scale.symbol
    )
}

/// A change as a share, with its sign: `+2.0 %`, `−12 %`.
pub fn change(share: f64) -> String {
    let sign = if share < 0.0 { "−" } else { "+" };
    format!("{sign}{} %", significant(100.0 * share.abs(), 2))
}

/// A whole number with groups of three: `43,512,345`. Fractions are rounded.
pub fn count(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    group(&format!("{:.0}", value))
}

/// A counted noun: `1 row`, `2,310 rows`.
pub fn things(number: usize, singular: &str, plural: &str) -> String {
    let noun = if number == 1 { singular } else { plural };
    format!("{} {noun}", group(&number.to_string()))
}

/// Rounds to `digits` significant digits. It never replaces digits before the point by
/// zeros, and never adds zeros after an exact value.
pub fn significant(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let magnitude = value.abs().log10().floor() as i32;
    let decimals = (digits as i32 - 1 - magnitude).clamp(0, 12) as usize;
    let rounded = format!("{value:.decimals$}");
    // Rounding may carry into a new digit: 0.9996 gives 1.00, not 1.000.
    let carried = rounded
        .parse::<f64>()
        .is_ok_and(|r| r.abs().log10().floor() as i32 > magnitude);
    let text = if carried && decimals > 0 {
        format!("{value:.*}", decimals - 1)
    } else {
        rounded
    };
    if value.fract() == 0.0 {
        group(&format!("{value:.0}"))
    } else {
        group(&text)
    }
}

/// A published figure with all its digits, in groups of three.
pub fn exact(value: f64) -> String {
    if value.is_finite() {
        group(&value.to_string())
    } else {
        "–".to_owned()
    }
}

/// Measured over published: `0.94×`.
pub fn ratio(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let size = value.abs();
    match size {
        s if s >= 99.95 => format!("{}×", count(value)),
        s if s >= 9.995 => format!("{value:.1}×"),
        s if s >= 0.00995 || s == 0.0 => format!("{value:.2}×"),
        _ => format!("{}×", significant(value, 1)),
    }
}

/// A percentage of a part in a whole: `37 %`.
pub fn percent(part: f64, whole: f64) -> String {
    if whole == 0.0 {
        "–".to_owned()
    } else {
        format!("{} %", significant(100.0 * part / whole, 2))
    }
}

/// A clock frequency: `16 MHz`.
pub fn frequency(hertz: u64) -> String {
    let hertz = hertz as f64;
    let (value, unit) = match hertz {
        h if h >= 1e9 => (h / 1e9, "GHz"),
        h if h >= 1e6 => (h / 1e6, "MHz"),
        h if h >= 1e3 => (h / 1e3, "kHz"),
        h => (h, "Hz"),
    };
    format!("{} {unit}", group(&value.to_string()))
}

/// The first characters of a digest or commit, enough to tell images apart.
pub fn short(digest: &str) -> &str {
    digest
        .char_indices()
        .nth(10)
        .map_or(digest, |(end, _)| &digest[..end])
}

/// Explains a fidelity in one sentence.
pub fn fidelity_meaning(fidelity: Fidelity) -> &'static str {
    match fidelity {
        Fidelity::CycleExact => "every cycle of the core was counted",
        Fidelity::CycleSteps => {
            "the chip's own counter counted cycles in steps; the row gives the step size"
        }
        Fidelity::CycleModel => {
            "cycles derived from counted instructions by a published timing model, whose error on public figures is known"
        }
        Fidelity::RadioModel => {
            "simulated radio: the chips' cycles were counted, and the radio's times come from a formula and a manual"
        }
        Fidelity::Instructions => "instructions were counted; this says nothing exact about time",
        Fidelity::WallClock => "read from a clock while other programs ran; varies from run to run",
    }
}

/// The error of each cycle model behind the rows; every model appears once.
pub fn model_cautions<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Vec<String> {
    let mut cautions: Vec<String> = rows
        .into_iter()
        .filter(|row| row.fidelity == Fidelity::CycleModel && row.value.is_some())
        .filter_map(caution)
        .collect();
    cautions.sort_unstable();
    cautions.dedup();
    cautions
}

/// The caution of a cycle model among the notes of a row.
pub fn caution(row: &Row) -> Option<String> {
    let model = |note: &&Note| matches!(note, Note::Model(_));
    row.notes.iter().find(model).map(Note::to_string)
}

/// A value with its interval, if it varies, and the sign of its fidelity, for tables that
/// compare boards. Flash and static RAM get no sign: they come from the image, not from the
/// runner.
pub fn signed(metric: Metric, value: f64, half: Option<f64>, fidelity: Fidelity) -> String {
    let text = interval(metric, value, half);
    match metric {
        metric if metric.is_of_image() => text,
        _ => format!("{text} {}", fidelity_sign(fidelity)),
    }
}

/// The sign that stands for a fidelity.
pub fn fidelity_sign(fidelity: Fidelity) -> &'static str {
    match fidelity {
        Fidelity::CycleExact => "=",
        Fidelity::CycleSteps => "≃",
        Fidelity::CycleModel => "≈",
        Fidelity::RadioModel => "∿",
        Fidelity::Instructions => "#",
        Fidelity::WallClock => "~",
    }
}

/// Explains the signs behind figures, one sentence for each sign that occurs.
pub fn fidelity_legend(figures: impl IntoIterator<Item = (Metric, Fidelity)>) -> String {
    let signed = |(metric, _): &(Metric, _)| !metric.is_of_image();
    let mut fidelities: Vec<Fidelity> = figures
        .into_iter()
        .filter(signed)
        .map(|(_, fidelity)| fidelity)
        .collect();
    fidelities.sort();
    fidelities.dedup();
    let parts: Vec<String> = fidelities
        .into_iter()
        .map(|fidelity| {
            format!(
                "{} {}: {}",
                fidelity_sign(fidelity),
                fidelity.name(),
                fidelity_meaning(fidelity)
            )
        })
        .collect();
    parts.join(". ")
}

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

/// Puts a comma between groups of three digits before the decimal point.
fn group(number: &str) -> String {
    let (sign, digits) = match number.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", number),
    };
    let (whole, fraction) = match digits.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (digits, None),
    };
    let mut text = String::from(sign);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    if let Some(fraction) = fraction {
        text.push('.');
        text.push_str(fraction);
    }
    if text == "-0" { "0".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_in_sentences() {
        assert_eq!(quantity(Metric::Cycles, 8520.0), "8,520 cycles");
        assert_eq!(quantity(Metric::Time, 0.000_532_4), "0.532 ms");
        assert_eq!(quantity(Metric::Time, 2.718_75), "2.72 s");
        assert_eq!(quantity(Metric::Time, 8.1e-6), "8.10 µs");
        assert_eq!(quantity(Metric::Time, 42e-9), "42.0 ns");
        assert_eq!(quantity(Metric::Energy, 0.783 * NANOWATT_HOUR), "0.783 nWh");
        assert_eq!(
            quantity(Metric::Energy, 5_469_544.0 * 1e-3 * NANOWATT_HOUR),
            "5,470 nWh"
        );
        assert_eq!(quantity(Metric::Flash, 1.0), "1 byte");
        assert_eq!(quantity(Metric::Flash, 3712.0), "3,712 bytes");
        assert_eq!(quantity(Metric::CpuShare, 100.0), "100 %");
    }

    #[test]
    fn significant_digits_keep_the_whole_part() {
        assert_eq!(significant(43_512.345, 3), "43,512");
        assert_eq!(significant(17.136, 3), "17.1");
        assert_eq!(significant(0.9996, 3), "1.00");
        assert_eq!(significant(9.996, 3), "10.0");
        assert_eq!(significant(0.000_123_4, 3), "0.000123");
        assert_eq!(significant(-1234.5, 2), "-1,234");
        assert_eq!(significant(0.0, 3), "0");
        assert_eq!(significant(f64::NAN, 3), "–");
    }

    #[test]
    fn grouping() {
        for (value, text) in [
            (0.0, "0"),
            (-0.2, "0"),
            (999.0, "999"),
            (1000.0, "1,000"),
            (51_464_160.0, "51,464,160"),
        ] {
            assert_eq!(count(value), text);
        }
        assert_eq!(exact(1_524_437.787), "1,524,437.787");
        assert_eq!(exact(10.76), "10.76");
    }

    #[test]
    fn ratios_and_frequencies() {
        assert_eq!(ratio(0.944), "0.94×");
        assert_eq!(ratio(12.34), "12.3×");
        assert_eq!(ratio(1234.5), "1,234×");
        assert_eq!(ratio(0.0004), "0.0004×");
        assert_eq!(frequency(16_000_000), "16 MHz");
        assert_eq!(frequency(32_768), "32.768 kHz");
    }

    #[test]
    fn short_digests_never_split_a_character() {
        assert_eq!(short("0123456789abcdef"), "0123456789");
        assert_eq!(short("éééééééééééé"), "éééééééééé");
        assert_eq!(short("abc"), "abc");
    }
}
