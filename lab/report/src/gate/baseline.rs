//! A baseline: the figures that rows are compared with, and its file.

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use selo_engine::error::{Error, Result};
use selo_engine::row::{Fidelity, Metric, Row, Status};
use serde::{Deserialize, Serialize};

/// The schema of a baseline's first line.
pub const SCHEMA: &str = "selo.baseline/1";

/// The first line of a baseline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    schema: String,
    /// First line of `--version` of each board's compiler.
    compilers: BTreeMap<String, String>,
}

/// The key of a figure: two figures with the same key are compared.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub struct Key {
    pub board: String,
    pub library: String,
    pub algorithm: String,
    pub variant: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweep: Option<String>,
    pub operation: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u32>,
    pub metric: Metric,
}

/// A figure of a baseline, or the status of one that is missing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Kept {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Half width of the 95 % interval, where the figure varies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ci95: Option<f64>,
    pub fidelity: Fidelity,
    pub status: Status,
}

/// A line of a baseline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Line {
    #[serde(flatten)]
    key: Key,
    #[serde(flatten)]
    kept: Kept,
}

/// The figures that rows are compared with, and the compilers that built them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Baseline {
    pub figures: BTreeMap<Key, Kept>,
    pub compilers: BTreeMap<String, String>,
}

impl Key {
    pub fn of(row: &Row) -> Key {
        Key {
            board: row.board.clone(),
            library: row.library.clone(),
            algorithm: row.algorithm.clone(),
            variant: row.variant.clone(),
            sweep: row.sweep.clone(),
            operation: row.operation.clone(),
            bytes: row.bytes,
            metric: row.metric,
        }
    }

    /// All parts except the metric, separated by spaces.
    pub fn name(&self) -> String {
        let mut name = format!(
            "{} {} {} {}",
            self.board, self.library, self.algorithm, self.variant
        );
        if let Some(sweep) = &self.sweep {
            name.push_str(&format!(" [{sweep}]"));
        }
        name.push_str(&format!(" {}", self.operation));
        if let Some(bytes) = self.bytes {
            name.push_str(&format!(" {bytes}"));
        }
        name
    }
}

impl Baseline {
    /// Makes a baseline from rows. It keeps the named metrics. If none is named, it keeps every
    /// count and every memory figure; it keeps a time only if there are no cycles, because a
    /// time follows from its cycles.
    pub fn of(rows: &[Row], metrics: &[Metric]) -> Baseline {
        let counted = |row: &Row| {
            let cycles = Key {
                metric: Metric::Cycles,
                ..Key::of(row)
            };
            rows.iter()
                .any(|other| other.value.is_some() && Key::of(other) == cycles)
        };
        let wanted = |row: &&Row| {
            if !metrics.is_empty() {
                return metrics.contains(&row.metric);
            }
            match row.metric {
                Metric::Energy | Metric::CpuShare => false,
                Metric::Time => !counted(row),
                _ => true,
            }
        };
        let mut baseline = Baseline::default();
        for row in rows.iter().filter(wanted) {
            // This says something about the machine, not about the code.
            if row.status == Status::NotSupported {
                continue;
            }
            let kept = Kept {
                value: row.value,
                ci95: row.ci95.filter(|half| *half > 0.0),
                fidelity: row.fidelity,
                status: row.status,
            };
            baseline.figures.insert(Key::of(row), kept);
            baseline
                .compilers
                .insert(row.board.clone(), row.compiler.clone());
        }
        baseline
    }

    /// Replaces figures by those of `newer`. `measured` returns true for every key that `newer`
    /// could contain, so figures that no longer exist are removed.
    pub fn update(&mut self, newer: Baseline, measured: impl Fn(&Key) -> bool) {
        self.figures.retain(|key, _| !measured(key));
        self.figures.extend(newer.figures);
        self.compilers.extend(newer.compilers);
        let boards: Vec<&String> = self.figures.keys().map(|key| &key.board).collect();
        self.compilers.retain(|board, _| boards.contains(&board));
    }

    /// The text of a baseline's file: JSON Lines, sorted, so that a changed figure is one changed
    /// line.
    pub fn to_text(&self) -> String {
        let head = Head {
            schema: SCHEMA.to_owned(),
            compilers: self.compilers.clone(),
        };
        // Only strings and finite numbers, so serialising cannot fail.
        let mut text = serde_json::to_string(&head).unwrap_or_default() + "\n";
        for (key, kept) in &self.figures {
            let (key, kept) = (key.clone(), kept.clone());
            text.push_str(&serde_json::to_string(&Line { key, kept }).unwrap_or_default());
            text.push('\n');
        }
        text
    }

    /// Reads a baseline's file.
    pub fn read(path: &Path) -> Result<Baseline> {
        let text = std::fs::read_to_string(path).map_err(|source| Error::Read {
            path: path.to_owned(),
            source,
        })?;
        Baseline::parse(&text).map_err(|message| Error::Data {
            path: path.to_owned(),
            message,
        })
    }

    fn parse(text: &str) -> std::result::Result<Baseline, String> {
        let mut lines = text.lines().enumerate();
        let (_, first) = lines.next().ok_or("the file is empty")?;
        let head: Head = serde_json::from_str(first)
            .map_err(|error| format!("line 1: not the header of a baseline: {error}"))?;
        if head.schema != SCHEMA {
            return Err(format!(
                "line 1: the schema is '{}', not '{SCHEMA}'",
                head.schema
            ));
        }
        let mut figures = BTreeMap::new();
        for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            let line: Line = serde_json::from_str(line)
                .map_err(|error| format!("line {}: {error}", number + 1))?;
            if figures.insert(line.key.clone(), line.kept).is_some() {
                let name = line.key.name();
                return Err(format!("line {}: {name} appears twice", number + 1));
            }
        }
        Ok(Baseline {
            figures,
            compilers: head.compilers,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn a_baseline_survives_its_file_and_keeps_counts_before_times() {
        let mut rows = sample::rows();
        rows[0].compiler = "avr-gcc 7".into();
        let baseline = Baseline::of(&rows, &[]);
        assert!(
            baseline
                .figures
                .keys()
                .all(|key| key.metric != Metric::Time && key.metric != Metric::Energy)
        );
        assert!(
            baseline
                .figures
                .keys()
                .any(|key| key.metric == Metric::Stack)
        );
        let text = baseline.to_text();
        assert_eq!(Baseline::parse(&text).expect("a baseline"), baseline);
        let sorted: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(sorted.len(), baseline.figures.len());
        let twice = format!("{text}{}\n", sorted[0]);
        assert!(
            Baseline::parse(&twice)
                .expect_err("refused")
                .contains("appears twice")
        );
        assert!(
            Baseline::parse("{}")
                .expect_err("refused")
                .contains("line 1")
        );
    }
}
