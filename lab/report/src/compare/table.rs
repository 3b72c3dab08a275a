//! Renders a compared table for readers.

use std::collections::BTreeSet;

use super::cell::{CellLine, CellStatus, ComparedCell, ComparedTable, Figure, NO_ROW};
use crate::format;
use crate::table::{Cell as Shown, Column, Table};

impl ComparedTable {
    /// The table for readers. Unless `all` is set, the cells of missing boards become one remark.
    pub fn to_table(&self, all: bool) -> Table {
        let unit = self.common_unit();
        let mut columns = vec![Column::text("Row")];
        if self.columns > 1 {
            columns.push(Column::text("Column"));
        }
        let head = unit.unwrap_or_default();
        columns.extend([
            Column::number("Published", head),
            Column::number("Measured", head),
            Column::number("Ratio", ""),
            Column::number("Beside", head),
            Column::text("Fidelity"),
            Column::text("Status"),
        ]);
        let mut table = Table::new(format!("{}: {}", self.label, self.title), columns);
        let absent = |cell: &&ComparedCell| cell.line.status == CellStatus::NeedsBoard;
        for cell in self.cells.iter().filter(|cell| all || !absent(cell)) {
            table.push(self.table_line(cell, unit.is_none()));
        }
        let mut remarks = vec![format!("Published: {}", self.method)];
        if self.cells.iter().any(|cell| cell.line.beside.is_some()) {
            remarks.push(
                "Beside: the same figure of the implementation in the footnote, not of the library in the row."
                    .to_owned(),
            );
        }
        remarks.extend(self.notes.iter().cloned());
        let missing: Vec<&ComparedCell> = self.cells.iter().filter(absent).collect();
        if !all && !missing.is_empty() {
            let boards: BTreeSet<&str> = missing
                .iter()
                .filter_map(|cell| cell.line.board.as_deref())
                .collect();
            remarks.push(format!(
                "{} not shown, because the lab cannot run {} yet.",
                format::things(missing.len(), "cell", "cells"),
                boards.into_iter().collect::<Vec<_>>().join(", ")
            ));
        }
        table.remarks = remarks;
        table.without_empty_columns()
    }

    /// The common unit of all figures of the table, if they have one.
    fn common_unit(&self) -> Option<&str> {
        let mut units = self
            .cells
            .iter()
            .filter_map(|cell| cell.line.published_unit.as_deref());
        let first = units.next()?;
        units.all(|unit| unit == first).then_some(first)
    }

    fn table_line(&self, cell: &ComparedCell, with_unit: bool) -> Vec<Shown> {
        let line = &cell.line;
        let show = |figure: &Option<Figure>, text: fn(f64) -> String| match figure {
            None => Shown::none(),
            Some(Figure::Words(words)) => Shown::text(words.clone()),
            Some(Figure::Number(number)) => {
                let unit = line.published_unit.as_deref().filter(|_| with_unit);
                let unit = unit.map_or_else(String::new, |unit| format!(" {unit}"));
                Shown::number(format!("{}{unit}", text(*number)), *number)
            }
        };
        let mut published = show(&line.published, format::exact);
        if let Some(note) = &cell.note {
            published = published.with_note(note.clone());
        }
        let mut measured = show(&line.measured, |number| format::significant(number, 4));
        if let Some(caution) = &line.caution {
            measured = measured.with_note(caution.clone());
        }
        let mut status = Shown::label(line.status.name(), line.status.tone());
        if let Some(reason) = &line.reason {
            if line.status == CellStatus::Ok || line.status == CellStatus::NotPrinted {
                measured = measured.with_source(reason.clone(), cell.rows.clone());
                // Words need their basis: show it as a note.
                if matches!(line.measured, Some(Figure::Words(_))) {
                    measured = measured.with_note(reason.clone());
                }
            } else {
                status = status.with_note(brief(line, reason));
            }
        }
        let mut shown = vec![Shown::text(cell.row.clone())];
        if self.columns > 1 {
            shown.push(Shown::text(cell.column.clone()));
        }
        shown.extend([
            published,
            measured,
            line.ratio.map_or_else(Shown::none, |ratio| {
                Shown::number(format::ratio(ratio), ratio)
            }),
            beside(cell, with_unit),
            line.fidelity
                .map_or_else(Shown::none, |fidelity| Shown::text(fidelity.name())),
            status,
        ]);
        shown
    }
}

/// The figure beside the measured one, with the name of its implementation.
fn beside(cell: &ComparedCell, with_unit: bool) -> Shown {
    let Some(beside) = &cell.line.beside else {
        return Shown::none();
    };
    let Some(Figure::Number(number)) = beside.measured else {
        return Shown::none();
    };
    let unit = cell.line.published_unit.as_deref().filter(|_| with_unit);
    let unit = unit.map_or_else(String::new, |unit| format!(" {unit}"));
    let text = format!("{}{unit}", format::significant(number, 4));
    Shown::number(text, number)
        .with_note(beside.implementation.clone())
        .with_source(beside.reason.clone(), cell.rows_beside.clone())
}

/// A reason as a footnote. All rows missing on one board share one note.
fn brief(line: &CellLine, reason: &str) -> String {
    match &line.board {
        Some(board) if reason.starts_with(NO_ROW) => {
            format!("no row yet; run: selo lab run --board {board}")
        }
        _ => reason.to_owned(),
    }
}
