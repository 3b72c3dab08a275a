//! The data of a compared cell, table and paper, and their counts.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use selo_engine::row::Fidelity;
use serde::Serialize;

use crate::table::Tone;

/// The status of a compared cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CellStatus {
    /// Both figures exist.
    Ok,
    /// We measured it; the paper prints a dash, or draws it without a number.
    NotPrinted,
    /// No row yet, or only failed ones; the reason has the command that makes one.
    NotMeasured,
    /// No simulator gives this; the reason names the device and the command to run.
    NeedsHardware,
    /// The board has no file in `lab/boards/` yet.
    NeedsBoard,
    /// Measured: it does not fit the board's memory.
    DoesNotFit,
    /// Measured: a call exceeds its limit.
    OverLimit,
    /// The implementation does not offer the operation.
    NotSupported,
    /// The sources of the library are not on this machine; the reason has the command that fetches
    /// them.
    NotFetched,
    /// The lab does not measure this; the reason explains it.
    PublishedOnly,
}

/// Start of the reason of a missing row.
pub(super) const NO_ROW: &str = "no row for";

/// A figure or words.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Figure {
    Number(f64),
    Words(String),
}

/// One cell of `selo lab compare --json`: one line of JSON.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CellLine {
    /// Name of the paper.
    pub paper: String,
    /// Id of the table or figure, such as `table-2-time`.
    pub table: String,
    /// Row and column of the table, `AES128: Encrypt | Arduino`.
    pub cell: String,
    /// The paper's figure; null if it prints none.
    pub published: Option<Figure>,
    pub published_unit: Option<String>,
    /// Our figure; null unless the status is `ok` or `not-printed`.
    pub measured: Option<Figure>,
    /// Unit of `measured`: that of the paper.
    pub unit: Option<String>,
    /// Measured over published, where both are numbers.
    pub ratio: Option<f64>,
    pub board: Option<String>,
    /// The weakest fidelity among the rows behind `measured`.
    pub fidelity: Option<Fidelity>,
    pub status: CellStatus,
    /// The reason if the status is not `ok`, or the origin of `measured`.
    pub reason: Option<String>,
    /// The error of the cycle model behind the measured figure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caution: Option<String>,
    /// The same figure of another implementation, where the paper's file names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beside: Option<Beside>,
}

/// A second measured figure of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Beside {
    /// Library, algorithm and variant.
    pub implementation: String,
    /// In the unit of the paper; null if there is none.
    pub measured: Option<Figure>,
    pub status: CellStatus,
    /// The reason if there is no figure, or its origin.
    pub reason: String,
}

/// A compared paper.
#[derive(Clone, Debug)]
pub struct Comparison {
    pub paper: String,
    pub title: String,
    pub notes: Vec<String>,
    pub tables: Vec<ComparedTable>,
}

/// A compared table, cells in the order of the paper.
#[derive(Clone, Debug)]
pub struct ComparedTable {
    pub id: String,
    pub label: String,
    pub title: String,
    pub method: String,
    pub notes: Vec<String>,
    pub columns: usize,
    pub cells: Vec<ComparedCell>,
}

/// A compared cell, with the data that tables need and JSON does not have.
#[derive(Clone, Debug)]
pub struct ComparedCell {
    pub row: String,
    pub column: String,
    pub note: Option<String>,
    /// The first operation behind it, if there is one.
    pub operation: Option<String>,
    /// Indices of the rows behind the measured figure.
    pub rows: Vec<usize>,
    /// Indices of the rows behind the figure beside it.
    pub rows_beside: Vec<usize>,
    pub line: CellLine,
}

// ---- for readers -------------------------------------------------------------

impl CellStatus {
    /// Every status, in the order of summaries.
    pub const ALL: [CellStatus; 10] = [
        CellStatus::Ok,
        CellStatus::NotPrinted,
        CellStatus::NotMeasured,
        CellStatus::NeedsHardware,
        CellStatus::NeedsBoard,
        CellStatus::DoesNotFit,
        CellStatus::OverLimit,
        CellStatus::NotSupported,
        CellStatus::NotFetched,
        CellStatus::PublishedOnly,
    ];

    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            CellStatus::Ok => "ok",
            CellStatus::NotPrinted => "not-printed",
            CellStatus::NotMeasured => "not-measured",
            CellStatus::NeedsHardware => "needs-hardware",
            CellStatus::NeedsBoard => "needs-board",
            CellStatus::DoesNotFit => "does-not-fit",
            CellStatus::OverLimit => "over-limit",
            CellStatus::NotSupported => "not-supported",
            CellStatus::NotFetched => "not-fetched",
            CellStatus::PublishedOnly => "published-only",
        }
    }

    pub(super) fn tone(self) -> Tone {
        match self {
            CellStatus::Ok => Tone::Good,
            CellStatus::NotPrinted => Tone::Plain,
            CellStatus::NotMeasured | CellStatus::OverLimit => Tone::Warn,
            CellStatus::DoesNotFit => Tone::Bad,
            CellStatus::NeedsHardware
            | CellStatus::NeedsBoard
            | CellStatus::NotSupported
            | CellStatus::NotFetched
            | CellStatus::PublishedOnly => Tone::Quiet,
        }
    }
}

impl Comparison {
    /// Every cell, in the order of the JSON lines.
    pub fn lines(&self) -> impl Iterator<Item = &CellLine> {
        self.tables
            .iter()
            .flat_map(|table| table.cells.iter().map(|cell| &cell.line))
    }

    /// The number of cells per status, without statuses that do not occur.
    pub fn counts(&self) -> Vec<(CellStatus, usize)> {
        CellStatus::ALL
            .into_iter()
            .map(|status| {
                (
                    status,
                    self.lines().filter(|line| line.status == status).count(),
                )
            })
            .filter(|(_, count)| *count > 0)
            .collect()
    }

    /// True if any cell has a measured figure, its own or one beside it.
    pub fn has_measurements(&self) -> bool {
        let beside = |line: &CellLine| line.beside.as_ref().is_some_and(|b| b.measured.is_some());
        self.lines()
            .any(|line| line.measured.is_some() || beside(line))
    }

    /// Boards that have a board file but still lack rows for some cells.
    pub fn boards_to_run(&self) -> BTreeSet<&str> {
        let beside = |line: &CellLine| line.beside.as_ref().map(|beside| beside.status);
        self.lines()
            .filter(|line| {
                line.status == CellStatus::NotMeasured
                    || beside(line) == Some(CellStatus::NotMeasured)
            })
            .filter_map(|line| line.board.as_deref())
            .collect()
    }
}
