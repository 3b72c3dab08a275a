//! Measurements without a figure, with the reason: a failure is a result too.

use std::collections::BTreeMap;

use selo_engine::row::{Row, Status};

use crate::document::Section;
use crate::format;
use crate::pivot::{Lines, distinct, severity};
use crate::table::{Cell, Column, Table, Tone};

pub fn section(lines: &Lines<'_>) -> Section {
    let mut section = Section::new("failures", "Without a figure");
    // Rows that fail for the same reason share a line.
    let mut groups: BTreeMap<Group<'_>, Vec<usize>> = BTreeMap::new();
    for (index, row) in lines.rows.iter().enumerate() {
        if row.value.is_none() {
            groups.entry(group(row)).or_default().push(index);
        }
    }
    if groups.is_empty() {
        return section;
    }
    section.text("An implementation that is wrong, does not fit or is not offered has a row with a reason and no number.");
    let mut table = Table::new(
        "Failed, crashed, too large or not offered",
        [
            "Board",
            "Algorithm",
            "Variant",
            "Library",
            "Status",
            "Operations",
            "Metrics",
            "Reason",
        ]
        .into_iter()
        .map(Column::text)
        .collect(),
    );
    for (group, indices) in &groups {
        let rows: Vec<&Row> = indices.iter().map(|index| &lines.rows[*index]).collect();
        let status = rows[0].status;
        let tone = match status {
            Status::Failed | Status::Crashed => Tone::Bad,
            Status::DoesNotFit | Status::OverLimit => Tone::Warn,
            _ => Tone::Plain,
        };
        table.push(vec![
            Cell::text(group.1),
            several(&rows, "algorithms", |row| &row.algorithm),
            several(&rows, "variants", |row| &row.variant),
            several(&rows, "libraries", |row| &row.library),
            Cell::label(format::status_words(status), tone),
            several(&rows, "operations", |row| &row.operation),
            several(&rows, "metrics", |row| row.metric.name()),
            Cell::text(group.4.as_str()).with_source(
                format!(
                    "{}, run {}",
                    format::things(rows.len(), "row", "rows"),
                    rows[0].run
                ),
                indices.clone(),
            ),
        ]);
    }
    table.filter = table.body.len() > 16;
    section.table("table", table);
    section
}

/// Longer lists of names are replaced by their count.
const MANY: usize = 7;

/// The distinct names in the rows, or their number.
fn several<'r>(rows: &[&'r Row], plural: &str, pick: fn(&'r Row) -> &'r str) -> Cell {
    let names = distinct(rows.iter().map(|row| pick(row)));
    if names.len() <= MANY {
        return Cell::text(names.join(", "));
    }
    let mut cell = Cell::text(format!("{} {plural}", names.len()));
    cell.source = Some(names.join(", "));
    cell
}

/// Sort key: the worst status first, then board, implementation and reason. If the machine
/// cannot measure a metric, this holds for all implementations, so those rows are one group.
type Group<'a> = (
    std::cmp::Reverse<u8>,
    &'a str,
    Option<(&'a str, &'a str)>,
    Option<&'a str>,
    String,
);

fn group(row: &Row) -> Group<'_> {
    let own = row.status != Status::NotSupported;
    (
        std::cmp::Reverse(severity(row.status)),
        &row.board,
        own.then_some((&row.algorithm, &row.variant)),
        own.then_some(&row.library),
        row.reason()
            .unwrap_or_else(|| "no reason was recorded".to_owned()),
    )
}
