//! Limits: how much worse the figures of each metric may get.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use selo_base::units::{Dimension, Unit, parse_quantity};
use selo_engine::row::Metric;
use serde::Serialize;

/// The limit for how much worse a figure may get.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// In per cent of the baseline's figure.
    Percent(f64),
    /// In the unit of the metric's rows.
    Amount(f64),
}

/// The limits of each metric.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits {
    all: Option<f64>,
    of: BTreeMap<Metric, Limit>,
}

/// Default limit in per cent for figures that vary.
const SLACK: f64 = 5.0;

impl Limits {
    /// Reads `2%`, `cycles=1%`, `flash=64B`, `time=5us`; several are separated by commas.
    pub fn parse(texts: &[String]) -> std::result::Result<Limits, String> {
        let mut limits = Limits::default();
        let parts = texts.iter().flat_map(|text| text.split(','));
        for part in parts.map(str::trim).filter(|part| !part.is_empty()) {
            let Some((name, text)) = part.split_once('=') else {
                limits.all = Some(percent(part)?);
                continue;
            };
            let metric = Metric::ALL
                .into_iter()
                .find(|metric| metric.name() == name.trim())
                .ok_or_else(|| {
                    let known = Metric::ALL.map(Metric::name).join(", ");
                    format!("'{part}': unknown metric '{name}'; known metrics: {known}")
                })?;
            let limit = if text.trim_end().ends_with('%') && metric != Metric::CpuShare {
                Limit::Percent(percent(text)?)
            } else {
                amount(metric, text).map_err(|error| format!("'{part}': {error}"))?
            };
            limits.of.insert(metric, limit);
        }
        Ok(limits)
    }

    /// The limit of a metric. Without a given limit, exact figures may not get worse at all.
    pub(super) fn limit(&self, metric: Metric, varies: bool) -> Limit {
        let unsaid = if varies { SLACK } else { 0.0 };
        let all = Limit::Percent(self.all.unwrap_or(unsaid));
        self.of.get(&metric).copied().unwrap_or(all)
    }
}

fn percent(text: &str) -> std::result::Result<f64, String> {
    let number = text.trim().strip_suffix('%').map(str::trim);
    let parsed = number.and_then(|number| number.parse::<f64>().ok());
    parsed
        .filter(|value| value.is_finite() && *value >= 0.0)
        .ok_or_else(|| format!("'{text}' is not a valid limit; write 2%, cycles=1% or flash=64B"))
}

fn amount(metric: Metric, text: &str) -> std::result::Result<Limit, String> {
    let base = metric.unit();
    let dimension = Unit::find(base).map_or(Dimension::Ratio, |unit| unit.dimension);
    let value = parse_quantity(text, dimension, base).map_err(|error| error.to_string())?;
    if value < 0.0 {
        return Err("a limit must not be negative".to_owned());
    }
    Ok(Limit::Amount(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_say_what_is_wrong_with_them() {
        for (text, words) in [
            ("2", "is not a valid limit"),
            ("tide=2%", "unknown metric 'tide'"),
            ("flash=2 ms", "cannot be converted"),
            ("-2%", "is not a valid limit"),
        ] {
            let error = Limits::parse(&[text.to_owned()]).expect_err("refused");
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
