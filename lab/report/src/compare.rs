//! Published figures beside measured ones, cell by cell.
//!
//! A cell never hides why it is empty. Every cell has a status, and every status
//! except `ok` has a reason.

mod cell;
mod expression;
mod lookup;
mod measured;
mod survey;
mod table;
mod winner;

use selo_engine::row::Fidelity;

pub use cell::{Beside, CellLine, CellStatus, ComparedCell, ComparedTable, Comparison, Figure};
pub use lookup::{KnownBoard, KnownLibrary, LibraryState, Ours};
use measured::{board_of, operation_of};

use crate::format;
use crate::paper::{Paper, PaperCell, PaperTable, Published};

/// Compares the tables for which `wanted` holds.
pub fn compare(paper: &Paper, ours: Ours<'_>, wanted: impl Fn(&PaperTable) -> bool) -> Comparison {
    let tables = paper
        .tables
        .iter()
        .filter(|table| wanted(table))
        .map(|table| ComparedTable {
            id: table.id.clone(),
            label: table.label.clone(),
            title: table.title.clone(),
            method: table.method.clone(),
            notes: table.notes.clone(),
            columns: table.columns.len(),
            cells: table
                .cells
                .iter()
                .map(|cell| compare_cell(paper, table, cell, ours))
                .collect(),
        });
    Comparison {
        paper: paper.name.clone(),
        title: paper.title.clone(),
        notes: paper.notes.clone(),
        tables: tables.collect(),
    }
}

fn compare_cell(
    paper: &Paper,
    table: &PaperTable,
    cell: &PaperCell,
    ours: Ours<'_>,
) -> ComparedCell {
    let outcome = match ours.absent(cell, &paper.name) {
        Some(gap) => Err(gap),
        None => ours.measure(cell, &paper.candidates),
    };
    let (beside, rows_beside) = ours.beside(cell).unzip();
    let published = match &cell.published {
        Published::Number(number) => Some(Figure::Number(*number)),
        Published::Words(words) => Some(Figure::Words(words.clone())),
        Published::Dash | Published::Plotted => None,
    };
    let (status, measured, rows, reason) = match outcome {
        Ok(found) => {
            let (status, reason) = beside_published(&cell.published, found.source);
            (status, Some(found.figure), found.rows, reason)
        }
        Err(gap) => {
            let gap = ours.of_hardware(paper, cell, gap);
            (gap.status, None, Vec::new(), gap.reason)
        }
    };
    // Each figure carries the error of the cycle models behind it.
    let cautions = format::model_cautions(rows.iter().map(|&index| &ours.rows[index]));
    let caution = (!cautions.is_empty()).then(|| cautions.join("; "));
    let is_number = |figure: &Option<Figure>| matches!(figure, Some(Figure::Number(_)));
    let line = CellLine {
        paper: paper.name.clone(),
        table: table.id.clone(),
        cell: format!("{} | {}", cell.row, cell.column),
        published_unit: cell.unit.clone(),
        unit: cell.unit.clone().filter(|_| is_number(&measured)),
        ratio: ratio(published.as_ref(), measured.as_ref()),
        published,
        measured,
        board: board_of(&cell.measured_by).map(str::to_owned),
        fidelity: rows
            .iter()
            .map(|&index| ours.rows[index].fidelity)
            .max_by_key(|f| weakness(*f)),
        status,
        reason: Some(reason),
        caution,
        beside,
    };
    ComparedCell {
        row: cell.row.clone(),
        column: cell.column.clone(),
        note: cell.note.clone(),
        operation: operation_of(&cell.measured_by).map(str::to_owned),
        rows,
        rows_beside: rows_beside.unwrap_or_default(),
        line,
    }
}

/// The status of a measured figure beside what the paper prints, and its source.
fn beside_published(published: &Published, source: String) -> (CellStatus, String) {
    match published {
        Published::Dash => (
            CellStatus::NotPrinted,
            format!("the paper prints a dash; {source}"),
        ),
        Published::Plotted => (
            CellStatus::NotPrinted,
            format!("the paper plots it without a number; {source}"),
        ),
        _ => (CellStatus::Ok, source),
    }
}

/// Measured over published, if both are numbers.
fn ratio(published: Option<&Figure>, measured: Option<&Figure>) -> Option<f64> {
    match (published, measured) {
        (Some(Figure::Number(published)), Some(Figure::Number(measured))) if *published != 0.0 => {
            Some(measured / published)
        }
        _ => None,
    }
}

/// Orders fidelities from the strongest to the weakest.
fn weakness(fidelity: Fidelity) -> u8 {
    match fidelity {
        Fidelity::CycleExact => 0,
        Fidelity::CycleSteps => 1,
        Fidelity::CycleModel => 2,
        Fidelity::RadioModel => 3,
        Fidelity::Instructions => 4,
        Fidelity::WallClock => 5,
    }
}
