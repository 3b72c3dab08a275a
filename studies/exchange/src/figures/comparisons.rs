//! Differences between units, and their significance.

use selo_base::stats;
use selo_report::format::significant;
use selo_report::table::{Cell, Column, Table, Tone};

use super::group::{Group, factor, groups};
use crate::row::{Experiment, Figure, Row};

/// The significance level for two samples to differ. The pairs share it.
const LEVEL: f64 = 0.05;

/// Compares the units of a scenario and payload pair by pair, by one figure.
pub fn comparisons(rows: &[Row], experiment: Experiment, figure: Figure) -> Table {
    let mut table = Table::new(
        format!("Differences in {}", figure.name()),
        vec![
            Column::text("Scenario"),
            Column::text("Payload"),
            Column::text("First"),
            Column::text("Second"),
            Column::number("Difference", "ms"),
            Column::number("p, Welch", ""),
            Column::number("p, Mann-Whitney", ""),
            Column::text("Verdict"),
        ],
    );
    let mut groups = groups(rows, experiment);
    groups.retain(|group| !group.is_clockless() || figure.is_counted());
    let mut pairs = Vec::new();
    for (place, a) in groups.iter().enumerate() {
        let others = groups[place + 1..].iter().filter(|b| alike(a, b));
        pairs.extend(others.map(|b| (a, b)));
    }
    let level = LEVEL / pairs.len().max(1) as f64;
    for (a, b) in &pairs {
        let Some(compared) = stats::compare(&a.samples(figure), &b.samples(figure), level) else {
            continue;
        };
        let (verdict, tone) = match (compared.distinct, compared.difference < 0.0) {
            (true, true) => ("the first is faster", Tone::Good),
            (true, false) => ("the second is faster", Tone::Good),
            (false, _) => ("no significant difference", Tone::Warn),
        };
        let difference = compared.difference * factor(figure);
        table.push(vec![
            Cell::text(&a.unit.scenario),
            Cell::text(&a.unit.payload),
            Cell::text(a.unit.label()).with_detail(a.unit.who()),
            Cell::text(b.unit.label()).with_detail(b.unit.who()),
            Cell::number(significant(difference, 2), difference),
            p(compared.welch),
            p(compared.mann_whitney),
            Cell::text(verdict).with_tone(tone),
        ]);
    }
    table.remarks.push(format!(
        "A difference counts only if both tests find it at {LEVEL} divided by the number of pairs ({}): {}. Without a significant difference, use more repetitions or a quieter machine.",
        pairs.len(),
        significant(level, 2)
    ));
    table
}

/// Returns true if two groups differ in only one property. Two suites with the same key exchange are
/// compared; two that differ in both are not.
fn alike(a: &Group<'_>, b: &Group<'_>) -> bool {
    let (x, y) = (a.unit, b.unit);
    let same = x.scenario == y.scenario
        && x.payload == y.payload
        && x.handshake == y.handshake
        && a.fidelity == b.fidelity;
    let differ = [
        x.cipher != y.cipher,
        x.group != y.group,
        x.implementation != y.implementation,
        x.device != y.device,
    ];
    same && differ.into_iter().filter(|differ| *differ).count() == 1
}

fn p(test: Option<stats::Test>) -> Cell {
    test.map_or_else(Cell::none, |test| {
        Cell::number(significant(test.p, 2), test.p)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::group::tests::rows;

    #[test]
    fn what_differs_is_told_apart_and_what_does_not_is_not() {
        let mut rows = rows();
        let table = comparisons(&rows, Experiment::Symmetric, Figure::ClientEncrypt);
        assert_eq!(table.body.len(), 1);
        assert_eq!(table.body[0][7].text, "the first is faster");
        for row in &mut rows {
            if let Some(stamps) = &mut row.stamps {
                let wait = stamps.t6 - stamps.t1;
                stamps.t1 = 100_000 + u64::from(row.repetition) * 1000;
                stamps.t6 = stamps.t1 + wait;
            }
        }
        let table = comparisons(&rows, Experiment::Symmetric, Figure::ClientEncrypt);
        assert_eq!(table.body[0][7].text, "no significant difference");
    }
}
