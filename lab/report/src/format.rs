//! Formats numbers, units and fidelities. No other module decides how they look.
//!
//! Values arrive in the units of the row schema (seconds, joules, bytes) and leave in the
//! units of the papers (milliseconds, nanowatt hours). The result depends on the arguments
//! only, not on the locale or the terminal.

mod fidelity;
mod scale;
mod words;

pub use selo_base::units::NANOWATT_HOUR;
use selo_engine::row::{Fidelity, Metric, Row};

use scale::DIGITS;

pub use fidelity::{caution, fidelity_legend, fidelity_meaning, fidelity_sign, model_cautions};
pub use scale::{Scale, column_scale, sentence_scale};
pub use words::{metric_phrase, metric_title, status_words};

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
mod tests;
