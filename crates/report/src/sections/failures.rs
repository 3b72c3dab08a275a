//! What has no figure, and why: a failure is a result too.

use std::collections::BTreeMap;

use selo_lab::row::{Row, Status};

use crate::document::Section;
use crate::format;
use crate::pivot::{Lines, severity};
use crate::table::{Cell, Column, Table, Tone};

pub fn section(lines: &Lines<'_>) -> Section {
    let mut section = Section::new("failures", "Without a figure");
    // Rows that differ only in metric or operation share a line.
    let mut groups: BTreeMap<Group<'_>, Vec<usize>> = BTreeMap::new();
    for (index, row) in lines.rows.iter().enumerate() {
        if row.value.is_none() {
            groups.entry(group(row)).or_default().push(index);
        }
    }
    if groups.is_empty() {
        return section;
    }
    section.text("An implementation that is wrong, does not fit or is not offered has a row and a reason, never a number.");
    let mut table = Table::new(
        "Failed, crashed, too large or not offered",
        ["Board", "Algorithm", "Strategy", "Contender", "Status", "Operations", "Metrics", "Reason"]
            .into_iter()
            .map(Column::text)
            .collect(),
    );
    for (group, indices) in &groups {
        let rows: Vec<&Row> = indices.iter().map(|index| &lines.rows[*index]).collect();
        let status = rows[0].status;
        let tone = match status {
            Status::Failed | Status::Crashed => Tone::Bad,
            Status::DoesNotFit => Tone::Warn,
            _ => Tone::Plain,
        };
        let each = |pick: fn(&Row) -> &str| {
            let mut names: Vec<&str> = rows.iter().map(|row| pick(row)).collect();
            names.dedup();
            Cell::text(crate::pivot::distinct(names.into_iter()).join(", "))
        };
        table.push(vec![
            Cell::text(group.1),
            Cell::text(group.2),
            Cell::text(group.3),
            Cell::text(group.4),
            Cell::label(format::status_words(status), tone),
            each(|row| &row.operation),
            each(|row| row.metric.name()),
            Cell::text(group.5).with_source(
                format!("{}, {}", format::things(rows.len(), "row", "rows"), rows[0].run),
                indices.clone(),
            ),
        ]);
    }
    table.filter = table.body.len() > 16;
    section.table("table", table);
    section
}

/// Worst first, then by name.
type Group<'a> = (std::cmp::Reverse<u8>, &'a str, &'a str, &'a str, &'a str, &'a str);

fn group(row: &Row) -> Group<'_> {
    (
        std::cmp::Reverse(severity(row.status)),
        &row.board,
        &row.algorithm,
        &row.strategy,
        &row.contender,
        row.reason.as_deref().unwrap_or("no reason was recorded"),
    )
}
