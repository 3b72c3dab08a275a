//! Conformance with official vectors, and constant time over random secrets.

use selo_engine::check::{CONSTANT_INSTRUCTIONS, CONSTANT_TIME, CheckLine};
use selo_engine::row::{Metric, Row, Status};

use crate::document::Section;
use crate::format;
use crate::pivot::{Lines, distinct};
use crate::table::{Cell, Column, Table, Tone};

/// Official test vectors: totals per source, then every line.
pub fn vectors(checks: &[CheckLine]) -> Section {
    let mut section = Section::new("conformance", "Conformance with official vectors");
    let checks: Vec<&CheckLine> = checks.iter().filter(|check| check.is_official()).collect();
    if checks.is_empty() {
        return section;
    }
    let columns = |first: &[&str]| {
        let mut columns: Vec<Column> = first.iter().map(|head| Column::text(*head)).collect();
        columns.extend(
            ["Tried", "Passed", "Failed", "Available"].map(|head| Column::number(head, "")),
        );
        columns.push(Column::text("Verdict"));
        columns
    };
    let mut totals = Table::new("By source", columns(&["Board", "Source"]));
    for (board, source) in distinct(checks.iter().map(|check| (&check.board, &check.source))) {
        let same: Vec<&CheckLine> = checks
            .iter()
            .copied()
            .filter(|check| (&check.board, &check.source) == (board, source))
            .collect();
        let mut line = vec![Cell::text(board), Cell::text(source)];
        line.extend(counts(&same));
        totals.push(line);
    }
    section.table("totals", totals);
    let mut all = Table::new(
        "By implementation",
        columns(&["Source", "Algorithm", "Variant", "Library", "Board"]),
    );
    for check in &checks {
        let names = [
            &check.source,
            &check.algorithm,
            &check.variant,
            &check.library,
            &check.board,
        ];
        let mut line: Vec<Cell> = names.into_iter().map(Cell::text).collect();
        line.extend(counts(&[check]));
        all.push(line);
    }
    all.filter = true;
    section.table("lines", all);
    section
}

/// The results of the constant-time check, or those of the timed samples if it did not run.
pub fn constant_time(lines: &Lines<'_>, checks: &[CheckLine]) -> Section {
    let mut section = Section::new("constant-time", "Constant time");
    for (source, id, caption) in [
        (CONSTANT_TIME, "verdicts", "Cycles over random secrets"),
        (
            CONSTANT_INSTRUCTIONS,
            "instruction-verdicts",
            "Instructions over random secrets, where no cycles are counted",
        ),
    ] {
        let verdicts: Vec<&CheckLine> = checks
            .iter()
            .filter(|check| check.source == source)
            .collect();
        if !verdicts.is_empty() {
            section.table(id, of_secrets(caption, &verdicts));
        }
    }
    let varying: Vec<&Row> = lines
        .rows
        .iter()
        .filter(|row| row.metric == Metric::Cycles && row.status == Status::VariableTime)
        .collect();
    if !varying.is_empty() {
        section.table("varying", of_varying(&varying));
    }
    section
}

/// Columns of text, then of numbers, then one of text.
fn columns<const N: usize>(texts: [&str; 4], numbers: [Column; N], last: &str) -> Vec<Column> {
    let texts = texts.map(Column::text).into_iter();
    texts.chain(numbers).chain([Column::text(last)]).collect()
}

fn of_secrets(caption: &str, verdicts: &[&CheckLine]) -> Table {
    let numbers = ["Secrets", "Differing"].map(|head| Column::number(head, ""));
    let heads = ["Algorithm", "Variant", "Library", "Board"];
    let mut table = Table::new(caption, columns(heads, numbers, "Verdict"));
    for check in verdicts {
        let names = [
            &check.algorithm,
            &check.variant,
            &check.library,
            &check.board,
        ];
        let mut line: Vec<Cell> = names.into_iter().map(Cell::text).collect();
        line.extend([
            number(check.tried),
            number(check.failed),
            verdict(&[check], "constant"),
        ]);
        table.push(line);
    }
    table.filter = table.body.len() > 16;
    table
}

fn of_varying(varying: &[&Row]) -> Table {
    let numbers = [
        Column::number("Least", "cycles"),
        Column::number("Most", "cycles"),
        Column::number("Samples", ""),
    ];
    let heads = ["Algorithm", "Variant", "Operation", "Board"];
    let mut table = Table::new(
        "Operations whose cycles depend on their inputs",
        columns(heads, numbers, "Evidence"),
    );
    for row in varying {
        let extreme = |value: Option<f64>| {
            value.map_or_else(Cell::none, |v| Cell::number(format::count(v), v))
        };
        let names = [&row.algorithm, &row.variant, &row.operation, &row.board];
        let mut line: Vec<Cell> = names.into_iter().map(Cell::text).collect();
        line.extend([
            extreme(row.min),
            extreme(row.max),
            number(row.samples.into()),
        ]);
        line.push(Cell::text(row.reason().unwrap_or_default()));
        table.push(line);
    }
    table
}

fn counts(checks: &[&CheckLine]) -> Vec<Cell> {
    let sum = |pick: fn(&CheckLine) -> u64| number(checks.iter().map(|check| pick(check)).sum());
    vec![
        sum(|check| check.tried),
        sum(|check| check.passed),
        sum(|check| check.failed),
        sum(|check| check.available),
        verdict(checks, "passed"),
    ]
}

fn number(count: u64) -> Cell {
    Cell::number(format::count(count as f64), count as f64)
}

fn verdict(checks: &[&CheckLine], good: &str) -> Cell {
    match checks.iter().find(|check| check.failed > 0) {
        Some(check) => Cell::label("failed", Tone::Bad).with_note(
            check
                .first_failure
                .clone()
                .unwrap_or_else(|| "no detail was recorded".to_owned()),
        ),
        None if checks.iter().all(|check| check.tried == 0) => Cell::label("not tried", Tone::Warn),
        None => Cell::label(good, Tone::Good),
    }
}
