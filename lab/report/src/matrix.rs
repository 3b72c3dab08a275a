//! Many libraries on many boards: one table for each algorithm and metric, with a line for
//! each operation of each library and a column for each board. No cell is empty: it has a
//! figure with the sign of its fidelity, or says why it has none.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use selo_engine::row::{Cause, Fidelity, Metric, Row, Status};
use serde::Serialize;

use crate::context::Context;
use crate::csv;
use crate::format;
use crate::pivot::{self, Line};
use crate::table::{Cell, Column, Table, Tone};

/// How a cell ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Checked, and measured.
    Measured,
    /// Measured; its time depends on its inputs.
    VariableTime,
    DoesNotFit,
    /// Its outputs are wrong.
    Wrong,
    DoesNotBuild,
    Crashed,
    /// A call took more cycles or instructions than it may.
    OverLimit,
    /// The library does not have it, or not on this board.
    NotOffered,
    /// No row yet, or a metric that the board does not give.
    NotMeasured,
}

/// One cell: a line of `selo lab matrix --json`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct MatrixCell {
    pub algorithm: String,
    pub operation: String,
    /// Size of the message, where the operation takes one.
    pub bytes: Option<u32>,
    pub metric: Metric,
    pub library: String,
    pub variant: String,
    /// What a sweep chose; null elsewhere.
    pub sweep: Option<String>,
    pub board: String,
    pub state: State,
    pub value: Option<f64>,
    pub unit: String,
    /// Half width of the 95 % interval of the mean, where the figure varies.
    pub ci95: Option<f64>,
    pub fidelity: Option<Fidelity>,
    pub reason: Option<String>,
    /// What a reader of a model's cycles must know.
    #[serde(skip)]
    caution: Option<String>,
    /// The bytes over budget.
    #[serde(skip)]
    over: Option<u64>,
}

/// A line of a table: what is measured, whatever the board.
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

/// All cells: for each line one for each board.
#[derive(Clone, Debug, Default)]
pub struct Matrix {
    pub boards: Vec<String>,
    lines: Vec<(Key, Vec<MatrixCell>)>,
    /// Boards that can never have a metric, and have no figure of it, with the reason.
    lacking: BTreeMap<(Metric, String), String>,
}

/// Whether a library has an algorithm by a variant on a board: `(board, library,
/// algorithm, variant)`.
pub type Offers<'a> = &'a dyn Fn(&str, &str, &str, &str) -> bool;

/// Why a board can never have a metric, whatever is measured on it; `None` if it can.
pub type Lacks<'a> = &'a dyn Fn(&str, Metric) -> Option<String>;

impl Matrix {
    /// Arranges `rows`, the latest of each measurement. `boards` are the columns; those that
    /// lack a metric are left out of its tables.
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

    /// Finds the boards without a metric. One that has a figure of it, such as a row of
    /// another runner, has the metric whatever its runner here gives.
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

    /// A table for each algorithm and metric.
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

    /// One line: which boards have no column, and why.
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

    /// What the signs mean that stand behind the figures.
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

    /// How many cells ended how.
    pub fn counts(&self) -> Vec<(State, usize)> {
        let mut counts = BTreeMap::new();
        for cell in self.cells() {
            *counts.entry(cell.state).or_default() += 1;
        }
        counts.into_iter().collect()
    }

    /// One line a cell, raw values [RFC4180].
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

    /// By algorithm and metric, then operation by operation, libraries beside each other.
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

impl State {
    fn of(row: &Row) -> State {
        let cause = row.cause.as_ref().map(Cause::root);
        match row.status {
            Status::Ok => State::Measured,
            Status::VariableTime => State::VariableTime,
            Status::DoesNotFit => State::DoesNotFit,
            Status::Failed if matches!(cause, Some(Cause::DoesNotBuild { .. })) => {
                State::DoesNotBuild
            }
            Status::Failed => State::Wrong,
            Status::Crashed => State::Crashed,
            Status::OverLimit => State::OverLimit,
            Status::NotSupported if matches!(cause, Some(Cause::Lacks { .. })) => State::NotOffered,
            // A metric that the board does not give.
            Status::NotSupported => State::NotMeasured,
        }
    }

    /// As cells say it.
    pub fn words(self) -> &'static str {
        match self {
            State::Measured => "measured",
            State::VariableTime => "variable time",
            State::DoesNotFit => "does not fit",
            State::Wrong => "wrong",
            State::DoesNotBuild => "does not build",
            State::Crashed => "crashed",
            State::OverLimit => "over the limit",
            State::NotOffered => "not offered",
            State::NotMeasured => "not measured",
        }
    }

    fn tone(self) -> Tone {
        match self {
            State::Measured => Tone::Plain,
            State::VariableTime | State::DoesNotFit | State::OverLimit => Tone::Warn,
            State::Wrong | State::DoesNotBuild | State::Crashed => Tone::Bad,
            State::NotOffered | State::NotMeasured => Tone::Quiet,
        }
    }
}

impl MatrixCell {
    fn shown(&self) -> Cell {
        if let (Some(value), Some(fidelity)) = (self.value, self.fidelity) {
            let mut text = format::signed(self.metric, value, self.ci95, fidelity);
            if self.state == State::VariableTime {
                text.push_str(" varies");
            }
            return Cell::number(text, value).with_tone(self.state.tone());
        }
        let mut words = self.state.words().to_owned();
        if let (State::DoesNotFit, Some(bytes)) = (self.state, self.over) {
            words.push_str(&format!(": {} over", format::count(bytes as f64)));
        }
        Cell::label(words, self.state.tone())
    }
}

#[cfg(test)]
mod tests {
    use selo_engine::row::Note;
    use selo_engine::row::cause::{Caution, Excess, Memory, ModelError, Step};

    use super::*;
    use crate::sample;
    use crate::table::TerminalStyle;

    fn matrix(rows: &[Row], boards: &[&str]) -> Matrix {
        let boards: Vec<String> = boards.iter().map(|&b| b.to_owned()).collect();
        // Nobody has the small variant on the second board.
        let offers =
            |board: &str, _: &str, _: &str, variant: &str| board == "uno" || variant != "small";
        Matrix::new(rows, &boards, &offers, &|_, _| None, &sample::context())
    }

    #[test]
    fn a_board_that_lacks_a_metric_has_no_column_of_it() {
        let cycles = sample::row("aes-128", "fast", "encrypt", Metric::Cycles, 2228.0);
        let mut counted = sample::row("aes-128", "fast", "encrypt", Metric::Instructions, 700.0);
        (counted.board, counted.fidelity) = ("emulated".into(), Fidelity::Instructions);
        // An image that does not fit has a row of every metric that was asked for.
        let mut large = cycles.clone();
        (large.board, large.status) = ("emulated".into(), Status::DoesNotFit);
        (large.library, large.value) = ("large".into(), None);
        let rows = [cycles, counted, large];
        let boards = ["uno", "emulated", "other"].map(str::to_owned);
        let lacks = |board: &str, metric: Metric| match (board, metric) {
            ("uno", Metric::Instructions) => Some("cycles are counted".to_owned()),
            ("emulated", Metric::Cycles) => Some("instructions are counted".to_owned()),
            ("other", Metric::Cycles) => Some("instructions are counted".to_owned()),
            _ => None,
        };
        let arranged = |lacks: Lacks<'_>| {
            Matrix::new(
                &rows,
                &boards,
                &|_, _, _, _| true,
                lacks,
                &sample::context(),
            )
        };
        let matrix = arranged(&lacks);
        let tables = matrix.tables();
        let heads = |table: &Table| -> Vec<String> {
            let names = table.columns.iter().map(|column| column.head.clone());
            names.filter(|name| boards.contains(name)).collect()
        };
        assert_eq!(heads(&tables[0]), ["uno"]);
        assert_eq!(
            tables[0].remarks,
            ["Without cycles: emulated, other (instructions are counted)."]
        );
        assert_eq!(heads(&tables[1]), ["emulated", "other"]);
        assert_eq!(
            tables[1].remarks,
            ["Without instructions: uno (cycles are counted)."]
        );
        // Each figure stands below its board.
        let figure = |table: &Table, board: &str| {
            let at = table.columns.iter().position(|column| column.head == board);
            let mine = |line: &&Vec<Cell>| line.iter().any(|cell| cell.text == "selo");
            let line = table.body.iter().find(mine).expect("a line");
            line[at.expect("a column")].value
        };
        assert_eq!(figure(&tables[0], "uno"), Some(2228.0));
        assert_eq!(figure(&tables[1], "emulated"), Some(700.0));
        assert_eq!(figure(&tables[1], "other"), None);
        // Every cell is still there, and the empty ones say why.
        assert_eq!(matrix.cells().count(), 9);
        let silent = |cell: &&MatrixCell| cell.value.is_none() && cell.reason.is_none();
        let silent: Vec<_> = matrix.cells().filter(silent).collect();
        assert!(
            silent
                .iter()
                .all(|cell| cell.board == "other" || cell.library == "large")
        );
        // What has a figure keeps its column, whatever is said of the board.
        let tables = arranged(&|_, _| Some("nothing is known".to_owned())).tables();
        assert_eq!(heads(&tables[0]), ["uno"]);
        assert_eq!(heads(&tables[1]), ["emulated"]);
        // Without such boards every one has its column.
        assert_eq!(heads(&arranged(&|_, _| None).tables()[0]), boards);
    }

    #[test]
    fn what_was_not_waited_for_says_so() {
        let mut row = sample::row("aes-128", "fast", "encrypt", Metric::Cycles, 1.0);
        (row.status, row.value) = (Status::OverLimit, None);
        let matrix = matrix(&[row], &["uno"]);
        assert_eq!(matrix.counts(), [(State::OverLimit, 1)]);
        let text = matrix.tables()[0].to_terminal(TerminalStyle::default());
        assert!(text.contains("over the limit"), "{text}");
    }

    #[test]
    fn the_legend_says_how_far_a_model_is_off() {
        let mut row = sample::row("aes-128", "fast", "encrypt", Metric::Energy, 1e-6);
        row.fidelity = Fidelity::CycleModel;
        let caution = Caution {
            model: "core".into(),
            memory: "no wait states".into(),
            error: ModelError {
                figures: 5,
                lowest: -1.0,
                highest: 2.0,
                half_within: 1.0,
            },
        };
        let name = "p".to_owned();
        row.notes = vec![
            Note::PowerProfile { name },
            Note::Model(caution.clone()),
            Note::Steps { cycles: 3 },
        ];
        let caution = caution.to_string();
        let legend = matrix(&[row.clone()], &["uno"]).legend();
        assert!(legend.ends_with(&format!(". {caution}")), "{legend}");
        // Neither of another fidelity, nor where there is no figure.
        let mut exact = row.clone();
        exact.fidelity = Fidelity::CycleExact;
        row.value = None;
        for other in [exact, row] {
            assert!(!matrix(&[other], &["uno"]).legend().contains(&caution));
        }
    }

    #[test]
    fn every_cell_has_a_figure_or_says_why_not() {
        let mut rows = vec![
            sample::row("aes-128", "fast", "encrypt", Metric::Cycles, 2228.0),
            sample::row("aes-128", "small", "encrypt", Metric::Cycles, 2903.0),
        ];
        let mut other = rows[0].clone();
        other.library = "other".into();
        other.status = Status::DoesNotFit;
        other.value = None;
        let excess = Excess {
            memory: Memory::Flash,
            used: 40_000,
            size: 32_768,
            largest: Vec::new(),
        };
        let over = Cause::OverBudget {
            excess: vec![excess],
        };
        other.cause = Some(over.at(Step::WithAgent));
        let mut wrong = rows[0].clone();
        (wrong.library, wrong.status, wrong.value) = ("wrong".into(), Status::Failed, None);
        let mut refused = wrong.clone();
        refused.library = "refused".into();
        refused.cause = Some(Cause::DoesNotBuild {
            message: "error: no".into(),
        });
        let mut elsewhere = rows[0].clone();
        (elsewhere.board, elsewhere.fidelity) = ("esp".into(), Fidelity::CycleModel);
        elsewhere.value = Some(700.0);
        rows.extend([other, wrong, refused, elsewhere]);
        let matrix = matrix(&rows, &["uno", "esp"]);
        let tables = matrix.tables();
        assert_eq!(tables.len(), 1);
        let text = tables[0].to_terminal(TerminalStyle::default());
        let lines: Vec<String> = text
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        let line = |with: &str| {
            let found = lines.iter().find(|line| line.contains(with));
            found
                .unwrap_or_else(|| panic!("no {with} in {text}"))
                .clone()
        };
        assert_eq!(
            line("selo fast"),
            "encrypt 16 selo fast 2,228 cycles = 700 cycles ≈"
        );
        assert!(line("small").ends_with("2,903 cycles = not offered"));
        assert!(line("other").ends_with("does not fit: 7,232 over not measured"));
        assert!(line("wrong").ends_with("wrong not measured"));
        assert!(line("refused").ends_with("does not build not measured"));
        assert!(matrix.legend().contains("≈ cycle-model"));
        assert_eq!(matrix.cells().count(), 10);
        assert!(matrix.to_csv().lines().count() == 11);
    }
}
