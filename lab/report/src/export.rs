//! Rows in the formats of benchmark dashboards. These formats only know numbers, so rows
//! without a figure are left out.

use std::collections::BTreeMap;

use selo_engine::row::{Metric, Row};
use serde::Serialize;

use crate::gate::Key;

/// An entry of `customSmallerIsBetter` of github-action-benchmark.
#[derive(Serialize)]
struct Entry {
    name: String,
    unit: &'static str,
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<String>,
    extra: String,
}

/// A metric of the Bencher Metric Format.
#[derive(Serialize)]
struct Measure {
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    lower_value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upper_value: Option<f64>,
}

/// Unit and factor in which dashboards get a metric. The units are small, which gives whole
/// numbers.
fn shown(metric: Metric) -> (&'static str, f64) {
    match metric {
        Metric::Time => ("ns", 1e9),
        Metric::Energy => ("nJ", 1e9),
        other => (other.unit(), 1.0),
    }
}

/// The JSON of github-action-benchmark's tool `customSmallerIsBetter`. It leaves out packets
/// a second, where more is better.
pub fn github_action_benchmark(rows: &[Row]) -> String {
    let entries: Vec<Entry> = rows
        .iter()
        .filter(|row| row.metric != Metric::Rate)
        .filter_map(|row| {
            let (unit, factor) = shown(row.metric);
            Some(Entry {
                name: format!("{}: {}", name(row), row.metric.name()),
                unit,
                value: scaled(row.value?, factor),
                range: row.ci95.map(|half| format!("± {}", scaled(half, factor))),
                extra: format!(
                    "{}; {} {}; {}",
                    row.fidelity.name(),
                    row.library,
                    row.library_version,
                    row.compiler
                ),
            })
        })
        .collect();
    pretty(&entries)
}

/// The Bencher Metric Format: one benchmark per operation, one measure per metric. Time is
/// Bencher's own measure `latency`, in nanoseconds.
pub fn bencher(rows: &[Row]) -> String {
    let mut benchmarks: BTreeMap<String, BTreeMap<&str, Measure>> = BTreeMap::new();
    for row in rows {
        let Some(value) = row.value else { continue };
        let (_, factor) = shown(row.metric);
        let slug = match row.metric {
            Metric::Time => "latency",
            Metric::CpuShare => "cpu-share",
            Metric::ProgramFlash => "program-flash",
            Metric::ProgramRam => "program-ram",
            Metric::Rate => "throughput",
            other => other.name(),
        };
        let end = |sign: f64| {
            row.ci95
                .map(|half| scaled(value + sign * half, factor).max(0.0))
        };
        let measure = Measure {
            value: scaled(value, factor),
            lower_value: end(-1.0),
            upper_value: end(1.0),
        };
        let of_benchmark = benchmarks.entry(name(row)).or_default();
        of_benchmark.insert(slug, measure);
    }
    pretty(&benchmarks)
}

fn name(row: &Row) -> String {
    Key::of(row).name()
}

/// Multiplies and rounds to nine significant digits; further digits would be noise.
fn scaled(value: f64, factor: f64) -> f64 {
    if factor == 1.0 {
        return value;
    }
    format!("{:.8e}", value * factor).parse().unwrap_or(value)
}

fn pretty<T: Serialize>(value: &T) -> String {
    // The value holds strings and finite numbers only, so serialising cannot fail.
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use serde_json::{Value, json};

    fn rows() -> Vec<Row> {
        let mut rows = vec![
            sample::row("aes-128", "fast", "encrypt", Metric::Cycles, 2228.0),
            sample::row("aes-128", "fast", "encrypt", Metric::Time, 139.25e-6),
            sample::row("aes-128", "fast", "encrypt", Metric::Flash, 1446.0),
            sample::row("aes-128", "fast", "encrypt", Metric::Rate, 3.0),
        ];
        rows[1].ci95 = Some(1e-6);
        rows.push(Row {
            value: None,
            ..rows[0].clone()
        });
        rows
    }

    #[test]
    fn github_action_benchmark_takes_names_units_and_numbers() {
        let value: Value = serde_json::from_str(&github_action_benchmark(&rows())).expect("JSON");
        let entries = value.as_array().expect("an array");
        assert_eq!(entries.len(), 3);
        for entry in entries {
            assert!(entry["name"].is_string() && entry["unit"].is_string());
            assert!(entry["value"].is_number() && entry["extra"].is_string());
        }
        assert_eq!(
            entries[0]["name"],
            "uno selo aes-128 fast encrypt 16: cycles"
        );
        assert_eq!(entries[1]["value"], json!(139_250.0));
        assert_eq!(entries[1]["range"], "± 1000");
        assert!(entries[0].get("range").is_none());
    }

    #[test]
    fn bencher_takes_benchmarks_measures_and_values() {
        let value: Value = serde_json::from_str(&bencher(&rows())).expect("JSON");
        let one = &value["uno selo aes-128 fast encrypt 16"];
        assert_eq!(one["cycles"], json!({"value": 2228.0}));
        assert_eq!(
            one["latency"],
            json!({"value": 139_250.0, "lower_value": 138_250.0, "upper_value": 140_250.0})
        );
        // Flash belongs to the whole program and does not depend on the message size.
        assert_eq!(
            value["uno selo aes-128 fast encrypt"]["flash"]["value"],
            json!(1446.0)
        );
    }
}
