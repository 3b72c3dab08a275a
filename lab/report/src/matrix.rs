//! Many libraries on many boards: one table per algorithm and metric, one line per operation
//! of a library, one column per board. No cell is empty: it has a figure with the sign of
//! its fidelity, or the reason why it has none.

mod cell;
mod picture;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use selo_engine::row::{Fidelity, Metric, Row};

pub use cell::{MatrixCell, State};

use crate::context::Context;
use crate::csv;
use crate::format;
use crate::pivot::{self, Line};
use crate::table::{Cell, Column, Table};

/// The key of a table line: the measurement without the board.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    algorithm: String,
    metric: Metric,
    operation: String,
    bytes: Option<u32>,
    library: String,
    variant: String,
    sweep: Option<String>,
}

/// All cells: each line has one cell per board.
#[derive(Clone, Debug, Default)]
pub struct Matrix {
    pub boards: Vec<String>,
    lines: Vec<(Key, Vec<MatrixCell>)>,
    /// The reason why a board can never have a metric, for boards without a figure of it.
    lacking: BTreeMap<(Metric, String), String>,
}

/// Returns true if a library offers an algorithm in a variant on a board. Arguments:
/// `(board, library, algorithm, variant)`.
pub type Offers<'a> = &'a dyn Fn(&str, &str, &str, &str) -> bool;

/// The reason why a board can never have a metric; `None` if it can.
pub type Lacks<'a> = &'a dyn Fn(&str, Metric) -> Option<String>;

impl Matrix {
    /// Arranges `rows`, the latest of each measurement. `boards` are the columns. A board that
    /// can never have a metric gets no column in the tables of that metric.
    pub fn new(
        rows: &[Row],
        boards: &[String],
        offers: Offers<'_>,
        lacks: Lacks<'_>,
        context: &Context,
    ) -> Matrix {
        let mut found: BTreeMap<Key, BTreeMap<&str, &Row>> = BTreeMap::new();
        for row in rows.iter().filter(|row| boards.contains(&row.board)) {
            let of_line = found.entry(Key::of(row)).or_default();
            of_line.insert(&row.board, row);
        }
        let mut lines: Vec<(Key, Vec<MatrixCell>)> = found
            .into_iter()
            .map(|(key, of_boards)| {
                let cells = boards.iter().map(|board| {
                    let row = of_boards.get(board.as_str()).copied();
                    let offered = offers(board, &key.library, &key.algorithm, &key.variant);
                    key.cell(board, row, offered)
                });
                let cells = cells.collect();
                (key, cells)
            })
            .collect();
        lines.sort_by(|(a, _), (b, _)| a.order(b, context));
        let mut matrix = Matrix {
            boards: boards.to_vec(),
            lines,
            lacking: BTreeMap::new(),
        };
        matrix.find_lacking(lacks);
        matrix
    }

    /// Finds the boards that can never have a metric. A board with a figure of it, for example
    /// from another runner, keeps the metric.
    fn find_lacking(&mut self, lacks: Lacks<'_>) {
        let metrics: BTreeSet<Metric> = self.cells().map(|cell| cell.metric).collect();
        for metric in metrics {
            for board in &self.boards {
                let of_board = |cell: &&MatrixCell| cell.metric == metric && cell.board == *board;
                let valued = |cell: &MatrixCell| cell.value.is_some();
                if self.cells().filter(of_board).any(valued) {
                    continue;
                }
                if let Some(reason) = lacks(board, metric) {
                    self.lacking.insert((metric, board.clone()), reason);
                }
            }
        }
        for (_, cells) in &mut self.lines {
            for cell in cells.iter_mut().filter(|cell| cell.reason.is_none()) {
                let reason = self.lacking.get(&(cell.metric, cell.board.clone()));
                cell.reason = reason.cloned();
            }
        }
    }

    /// Every cell, in the order of the tables.
    pub fn cells(&self) -> impl Iterator<Item = &MatrixCell> {
        self.lines.iter().flat_map(|(_, cells)| cells)
    }

    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// One table per algorithm and metric.
    pub fn tables(&self) -> Vec<Table> {
        let mut tables: Vec<Table> = Vec::new();
        let mut last = None;
        for (key, cells) in &self.lines {
            let subject = (&key.algorithm, key.metric);
            if last != Some(subject) {
                last = Some(subject);
                tables.push(self.blank(key));
            }
            let Some(table) = tables.last_mut() else {
                continue;
            };
            let mut line = vec![
                Cell::text(&key.operation),
                key.bytes.map_or_else(Cell::none, |bytes| {
                    Cell::number(format::count(bytes.into()), bytes.into())
                }),
                Cell::text(&key.library),
                Cell::text(&key.variant),
                Cell::text(key.sweep.clone().unwrap_or_default()),
            ];
            let shown = cells.iter().filter(|cell| !self.lacks(cell));
            line.extend(shown.map(MatrixCell::shown));
            table.push(line);
        }
        tables
            .into_iter()
            .map(Table::without_empty_columns)
            .collect()
    }

    fn blank(&self, key: &Key) -> Table {
        let title = format!("{}: {}", key.algorithm, format::metric_phrase(key.metric));
        let mut columns = vec![
            Column::text("Operation"),
            Column::number("Bytes", ""),
            Column::text("Library"),
            Column::text("Variant"),
            Column::text("Built with"),
        ];
        let has = |board: &&String| !self.lacking.contains_key(&(key.metric, (*board).clone()));
        let boards = self.boards.iter().filter(has);
        columns.extend(boards.map(|board| Column::number(board, "")));
        let mut table = Table::new(title, columns);
        table.remarks.extend(self.left_out(key.metric));
        table
    }

    fn lacks(&self, cell: &MatrixCell) -> bool {
        let of_cell = (cell.metric, cell.board.clone());
        self.lacking.contains_key(&of_cell)
    }

    /// One line that names the boards without a column, with the reasons.
    fn left_out(&self, metric: Metric) -> Option<String> {
        let mut by_reason: Vec<(&str, Vec<&str>)> = Vec::new();
        for board in &self.boards {
            let Some(reason) = self.lacking.get(&(metric, board.clone())) else {
                continue;
            };
            match by_reason.iter_mut().find(|(known, _)| known == reason) {
                Some((_, boards)) => boards.push(board),
                None => by_reason.push((reason, vec![board])),
            }
        }
        let parts: Vec<String> = by_reason
            .iter()
            .map(|(reason, boards)| format!("{} ({reason})", boards.join(", ")))
            .collect();
        let name = format::metric_phrase(metric);
        (!parts.is_empty()).then(|| format!("Without {name}: {}.", parts.join("; ")))
    }

    /// Explains the signs behind the figures.
    pub fn legend(&self) -> String {
        let figures = self
            .cells()
            .filter_map(|cell| Some((cell.metric, cell.fidelity?)));
        let mut parts = vec![format::fidelity_legend(figures)];
        let valued = self.cells().filter(|cell| cell.value.is_some());
        let cautions: BTreeSet<String> = valued
            .filter(|cell| cell.fidelity == Some(Fidelity::CycleModel))
            .filter_map(|cell| cell.caution.clone())
            .collect();
        parts.extend(cautions);
        parts.join(". ")
    }

    /// The number of cells per state.
    pub fn counts(&self) -> Vec<(State, usize)> {
        let mut counts = BTreeMap::new();
        for cell in self.cells() {
            *counts.entry(cell.state).or_default() += 1;
        }
        counts.into_iter().collect()
    }

    /// One line per cell with raw values [RFC4180].
    pub fn to_csv(&self) -> String {
        let mut text = csv::line([
            "algorithm",
            "operation",
            "bytes",
            "metric",
            "library",
            "variant",
            "sweep",
            "board",
            "state",
            "value",
            "unit",
            "ci95",
            "fidelity",
            "reason",
        ]);
        let number = |value: Option<f64>| value.map_or_else(String::new, |v| v.to_string());
        for cell in self.cells() {
            text.push_str(&csv::line([
                cell.algorithm.clone(),
                cell.operation.clone(),
                cell.bytes.map_or_else(String::new, |b| b.to_string()),
                cell.metric.name().to_owned(),
                cell.library.clone(),
                cell.variant.clone(),
                cell.sweep.clone().unwrap_or_default(),
                cell.board.clone(),
                cell.state.words().to_owned(),
                number(cell.value),
                cell.unit.clone(),
                number(cell.ci95),
                cell.fidelity.map_or_else(String::new, |f| f.name().into()),
                cell.reason.clone().unwrap_or_default(),
            ]));
        }
        text
    }
}

impl Key {
    fn of(row: &Row) -> Key {
        Key {
            algorithm: row.algorithm.clone(),
            metric: row.metric,
            operation: row.operation.clone(),
            bytes: row.bytes,
            library: row.library.clone(),
            variant: row.variant.clone(),
            sweep: row.sweep.clone(),
        }
    }

    /// Sorts by algorithm and metric, then by operation, so that libraries stand side by side.
    fn order(&self, other: &Key, context: &Context) -> std::cmp::Ordering {
        let line = |key: &Key, whole: bool| Line {
            board: String::new(),
            library: String::new(),
            algorithm: key.algorithm.clone(),
            variant: String::new(),
            operation: if whole {
                key.operation.clone()
            } else {
                String::new()
            },
            bytes: key.bytes.filter(|_| whole),
            rows: BTreeMap::new(),
        };
        let by = |whole| pivot::order(&line(self, whole), &line(other, whole), context);
        by(false)
            .then_with(|| self.metric.cmp(&other.metric))
            .then_with(|| by(true))
            .then_with(|| self.cmp(other))
    }

    fn cell(&self, board: &str, row: Option<&Row>, offered: bool) -> MatrixCell {
        let state = match row {
            Some(row) => State::of(row),
            None if offered => State::NotMeasured,
            None => State::NotOffered,
        };
        MatrixCell {
            algorithm: self.algorithm.clone(),
            operation: self.operation.clone(),
            bytes: self.bytes,
            metric: self.metric,
            library: self.library.clone(),
            variant: self.variant.clone(),
            sweep: self.sweep.clone(),
            board: board.to_owned(),
            state,
            value: row.and_then(|row| row.value),
            unit: self.metric.unit().to_owned(),
            ci95: row.and_then(|row| row.ci95),
            fidelity: row
                .filter(|row| row.value.is_some())
                .map(|row| row.fidelity),
            reason: row.and_then(Row::reason),
            caution: row.and_then(format::caution),
            over: row.and_then(|row| row.cause.as_ref()?.bytes_over()),
        }
    }
}
