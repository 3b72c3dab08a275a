//! Groups the rows of each unit and computes their statistics.

use std::collections::BTreeMap;

use selo_base::stats::{self, Summary};
use selo_report::format::significant;
use selo_report::table::Cell;

use crate::random::draws;
use crate::row::{Experiment, Fidelity, Figure, Row, Unit};

/// Seed of the bootstrap: the same rows give the same intervals.
const SEED: u64 = 2020;

/// The counted exchanges of one unit.
#[derive(Clone, Debug)]
pub struct Group<'a> {
    pub unit: &'a Unit,
    pub fidelity: Fidelity,
    pub rows: Vec<&'a Row>,
    pub failed: usize,
}

/// Groups rows by unit and fidelity, in the order of the units.
pub fn groups(rows: &[Row], experiment: Experiment) -> Vec<Group<'_>> {
    let mut found: BTreeMap<(&Unit, Fidelity), Group<'_>> = BTreeMap::new();
    let mut failures: BTreeMap<&Unit, usize> = BTreeMap::new();
    for row in rows {
        if row.unit.experiment != experiment {
        } else if !row.verified {
            *failures.entry(&row.unit).or_default() += 1;
        } else if !row.warm_up {
            let group = found
                .entry((&row.unit, row.fidelity))
                .or_insert_with(|| Group {
                    unit: &row.unit,
                    fidelity: row.fidelity,
                    rows: Vec::new(),
                    failed: 0,
                });
            group.rows.push(row);
        }
    }
    let mut groups: Vec<Group<'_>> = found.into_values().collect();
    for group in &mut groups {
        group.failed = failures.remove(group.unit).unwrap_or_default();
    }
    groups
}

impl Group<'_> {
    /// True if the client ran on a board's emulator. Its instructions are valid for the board; its
    /// times are not.
    pub(super) fn is_clockless(&self) -> bool {
        self.fidelity == Fidelity::Emulated && self.unit.device.is_some()
    }

    pub fn samples(&self, figure: Figure) -> Vec<f64> {
        self.rows.iter().filter_map(|row| figure.of(row)).collect()
    }

    pub fn summary(&self, figure: Figure) -> Option<Summary> {
        stats::summarise(&self.samples(figure))
    }

    /// Mean with half of its 95 % interval by Student's t, in milliseconds or per cent.
    pub(super) fn cell(&self, figure: Figure) -> Cell {
        let Some(summary) = self.summary(figure) else {
            return Cell::none();
        };
        let factor = factor(figure);
        let mean = summary.mean * factor;
        let text = match summary.ci95 {
            Some(half) => format!(
                "{} ± {}",
                significant(mean, 3),
                significant(half * factor, 2)
            ),
            None => significant(mean, 3),
        };
        Cell::number(text, mean)
    }

    pub(super) fn deviation(&self, figure: Figure) -> Cell {
        let sd = self.summary(figure).and_then(|summary| summary.sd);
        sd.map_or_else(Cell::none, |sd| {
            let sd = sd * factor(figure);
            Cell::number(significant(sd, 2), sd)
        })
    }

    pub(super) fn bootstrap(&self, figure: Figure) -> Cell {
        let interval = stats::bootstrap(&self.samples(figure), draws(SEED));
        interval.map_or_else(Cell::none, |interval| {
            Cell::text(format!(
                "{} to {}",
                significant(interval.low * factor(figure), 3),
                significant(interval.high * factor(figure), 3)
            ))
        })
    }

    pub(super) fn outliers(&self, figure: Figure) -> Cell {
        let number = stats::outliers(&self.samples(figure));
        number.map_or_else(Cell::none, |n| Cell::number(n.to_string(), f64::from(n)))
    }
}

/// The factor from seconds to milliseconds. Shares and counts stay as they are.
pub(super) fn factor(figure: Figure) -> f64 {
    if figure == Figure::Share || figure.is_counted() {
        1.0
    } else {
        1e3
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::row::record::tests::sample;

    /// Two ciphers, one three times as slow as the other, with some noise, a warm-up and a failure.
    pub(crate) fn rows() -> Vec<Row> {
        let mut rows: Vec<Row> = (0..20)
            .flat_map(|n| {
                let noise = u64::from(n * 7 % 5);
                [
                    sample("aes-128-cbc", n, 100_000 + noise * 1000),
                    sample("aes-256-cbc", n, 300_000 + noise * 1000),
                ]
            })
            .collect();
        let mut warm = sample("aes-128-cbc", 0, 900_000_000);
        warm.warm_up = true;
        rows.push(warm);
        let mut failed = sample("aes-128-cbc", 20, 900_000_000);
        failed.verified = false;
        failed.stamps = None;
        rows.push(failed);
        rows
    }

    #[test]
    fn warm_ups_are_in_no_mean_and_failures_are_counted() {
        let rows = rows();
        let groups = groups(&rows, Experiment::Symmetric);
        assert_eq!(groups.len(), 2);
        assert_eq!((groups[0].rows.len(), groups[0].failed), (20, 1));
        let mean = groups[0].summary(Figure::ClientEncrypt).expect("20").mean;
        assert!((mean - 102e-6).abs() < 1e-9, "{mean}");
    }
}
