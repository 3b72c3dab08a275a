//! Summary: boards, runs, and the key findings.

use selo_engine::check::CheckLine;
use selo_engine::row::Row;

use crate::compare::Comparison;
use crate::document::{Block, Section};
use crate::findings::findings;
use crate::format;
use crate::pivot::{Lines, distinct};
use crate::table::{Cell, Column, Table};

pub fn section(lines: &Lines<'_>, papers: &[Comparison], checks: &[CheckLine]) -> Section {
    let mut section = Section::new("summary", "Summary");
    section
        .blocks
        .push(Block::List(findings(lines, papers, checks)));
    if lines.rows.is_empty() {
        return section;
    }
    let mut table = Table::new(
        "Boards and tools",
        [
            "Board", "MCU", "Clock", "Runner", "Fidelity", "Run", "Compiler", "Commit",
        ]
        .into_iter()
        .map(Column::text)
        .chain([
            Column::number("Rows", ""),
            Column::number("With a figure", ""),
        ])
        .collect(),
    );
    for board in lines.boards() {
        let rows: Vec<&Row> = lines.rows.iter().filter(|row| row.board == board).collect();
        let each = |pick: fn(&Row) -> String| {
            Cell::text(distinct(rows.iter().map(|row| pick(row))).join(", "))
        };
        let figures = || rows.iter().filter(|row| row.value.is_some());
        let valued = figures().count();
        table.push(vec![
            Cell::text(lines.context.board_title(board)),
            each(|row| row.mcu.clone()),
            each(|row| {
                row.clock_hz
                    .map_or_else(|| "varies".to_owned(), format::frequency)
            }),
            each(|row| row.runner.clone()),
            // Only rows with a figure count: the others have no fidelity to show.
            Cell::text(distinct(figures().map(|row| row.fidelity.name())).join(", ")),
            each(|row| row.run.clone()),
            each(|row| row.compiler.clone()),
            each(|row| commit(&row.commit)),
            Cell::number(format::count(rows.len() as f64), rows.len() as f64),
            Cell::number(format::count(valued as f64), valued as f64),
        ]);
    }
    let figures = lines.rows.iter().filter(|row| row.value.is_some());
    for fidelity in distinct(figures.map(|row| row.fidelity)) {
        table.remarks.push(format!(
            "{}: {}.",
            fidelity.name(),
            format::fidelity_meaning(fidelity)
        ));
    }
    for caution in format::model_cautions(lines.rows) {
        table.remarks.push(format!("{caution}."));
    }
    section.table("setup", table.without_empty_columns());
    section
}

/// A shortened commit. The `+` of a changed tree stays.
fn commit(commit: &str) -> String {
    let mark = if commit.ends_with('+') {
        " with changes"
    } else {
        ""
    };
    format!("{}{mark}", format::short(commit.trim_end_matches('+')))
}
