//! A checked paper: every cell has a source for its measured figure.

use std::collections::BTreeSet;
use std::fmt;

use selo_engine::battery::Battery;
use selo_engine::row::Metric;
use serde::Deserialize;

/// A checked paper: every cell has a source for its measured figure.
#[derive(Clone, Debug)]
pub struct Paper {
    /// The name on the command line, equal to the file's name.
    pub name: String,
    pub title: String,
    pub authors: Vec<String>,
    pub year: Option<u16>,
    pub venue: String,
    /// Notes on the paper as a whole, including its inconsistencies.
    pub notes: Vec<String>,
    /// The candidates of tables of winners.
    pub candidates: Vec<Candidate>,
    /// Devices for columns that no simulator can fill.
    pub hardware: Vec<Hardware>,
    pub tables: Vec<PaperTable>,
}

/// A device that the figures of a board require.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hardware {
    /// The board's name in columns.
    pub board: String,
    /// For example "a Raspberry Pi 3".
    pub needs: String,
    /// The command to run once the device is there.
    pub fill: String,
}

/// A candidate under its name in the paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Candidate {
    pub name: String,
    pub algorithm: String,
    pub variant: String,
}

/// A table, a figure, or values from the text.
#[derive(Clone, Debug)]
pub struct PaperTable {
    /// Such as `table-2-time` or `figure-3`; `--table` matches it.
    pub id: String,
    /// The paper's own numbering: `Table II`, `Figure 3`, `Section IV-C`.
    pub label: String,
    pub title: String,
    /// The method behind the published figures, in our words.
    pub method: String,
    /// Inconsistencies and limits of the comparison.
    pub notes: Vec<String>,
    pub columns: Vec<PaperColumn>,
    /// Row by row; the cells of a row are in the order of the columns.
    pub cells: Vec<PaperCell>,
}

/// A column: a board, a part of the system, a metric.
#[derive(Clone, Debug)]
pub struct PaperColumn {
    pub label: String,
    /// The library behind the published figures, if the paper names it.
    pub published_library: Option<String>,
}

/// One published figure.
#[derive(Clone, Debug)]
pub struct PaperCell {
    pub row: String,
    pub column: String,
    pub published: Published,
    /// `None` for words.
    pub unit: Option<String>,
    pub note: Option<String>,
    pub measured_by: MeasuredBy,
    /// A second measured figure, to show beside the first: the same of another implementation.
    pub beside: Option<Expression>,
}

/// The content of a cell in the paper.
#[derive(Clone, Debug, PartialEq)]
pub enum Published {
    Number(f64),
    /// A winner, a verdict, or the name of a part.
    Words(String),
    /// A dash: the authors give no figure.
    Dash,
    /// Drawn in a picture without a number.
    Plotted,
}

/// The source of a cell's measured figure.
#[derive(Clone, Debug, PartialEq)]
pub enum MeasuredBy {
    Value(Expression),
    /// The first minus the second.
    Difference(Expression, Expression),
    /// The first divided by the second.
    Quotient(Expression, Expression),
    /// The candidate with the least value, or with the most packets a second.
    Winner {
        board: String,
        library: Option<String>,
        term: Term,
        bytes: Option<u32>,
    },
    /// The clock of the board.
    Clock {
        board: String,
    },
    /// A word that a survey of a library gives.
    Survey {
        board: String,
        library: String,
        question: SurveyQuestion,
    },
    /// A figure of `selo exchange`. It has rows of its own, which `selo exchange compare` compares.
    Exchange(ExchangeLink),
    /// The lab does not measure this; the reason says what it would take.
    Nothing {
        reason: String,
    },
}

/// A column of a table of libraries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SurveyQuestion {
    /// The key sizes of its AES, in bits.
    Keys,
    /// Its modes: ECB (single blocks), CBC, CTR.
    Modes,
    /// Its licence, as an SPDX expression.
    Licence,
    /// `OK` if all that was found in it fits the board, else `X`.
    Fits,
    /// `OK` if all official vectors of its block cipher pass, else `X`.
    Cipher,
    /// `OK` if every message of its CBC mode has a fresh IV, else `X`.
    FreshIv,
}

impl PaperCell {
    /// The library that the file names for the measured figure.
    pub fn library(&self) -> Option<&str> {
        match &self.measured_by {
            MeasuredBy::Value(value)
            | MeasuredBy::Difference(value, _)
            | MeasuredBy::Quotient(value, _) => value.library.as_deref(),
            MeasuredBy::Winner { library, .. } => library.as_deref(),
            MeasuredBy::Survey { library, .. } => Some(library),
            MeasuredBy::Clock { .. } | MeasuredBy::Exchange(_) | MeasuredBy::Nothing { .. } => None,
        }
    }
}

/// A figure of exchanges between two machines: the mean of the rows that match all fields
/// given here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExchangeLink {
    pub figure: Option<String>,
    pub scenario: Option<String>,
    pub cipher: Option<String>,
    pub payload: Option<String>,
    pub implementation: Option<String>,
    pub device: Option<String>,
    pub group: Option<String>,
    pub handshake: Option<String>,
    /// The fields that differ in the second value. `over` gives a quotient; `more` and `less` give
    /// a difference in per cent.
    pub over: Option<Box<ExchangeLink>>,
    pub more: Option<Box<ExchangeLink>>,
    pub less: Option<Box<ExchangeLink>>,
}

impl ExchangeLink {
    /// This link, with the fields of `other` taking precedence.
    #[must_use]
    pub fn with(&self, other: &ExchangeLink) -> ExchangeLink {
        fn pick<T: Clone>(upper: &Option<T>, lower: &Option<T>) -> Option<T> {
            upper.clone().or_else(|| lower.clone())
        }
        ExchangeLink {
            figure: pick(&other.figure, &self.figure),
            scenario: pick(&other.scenario, &self.scenario),
            cipher: pick(&other.cipher, &self.cipher),
            payload: pick(&other.payload, &self.payload),
            implementation: pick(&other.implementation, &self.implementation),
            device: pick(&other.device, &self.device),
            group: pick(&other.group, &self.group),
            handshake: pick(&other.handshake, &self.handshake),
            over: pick(&other.over, &self.over),
            more: pick(&other.more, &self.more),
            less: pick(&other.less, &self.less),
        }
    }
}

/// A value from rows: all terms of `sum`, plus the largest of `max`.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    pub board: String,
    /// Default: the library that the reader asks for, else Selo.
    pub library: Option<String>,
    pub algorithm: String,
    /// Algorithms to take if the library has no row of `algorithm`, in this order.
    pub otherwise: Vec<String>,
    /// Default: `fast` if it exists, else the first by name.
    pub variant: Option<String>,
    pub bytes: Option<u32>,
    pub sum: Vec<Term>,
    pub max: Vec<Term>,
    /// The power profile for energies. Default: the energies of the rows.
    pub power: Option<String>,
    /// Makes the value a battery life: the battery supplies the energy once per period, and the
    /// power at rest.
    pub life: Option<BatteryLife>,
}

/// A battery, and the period in which it supplies the energy of an [`Expression`] once.
#[derive(Clone, Debug, PartialEq)]
pub struct BatteryLife {
    pub battery: Battery,
    pub period_seconds: f64,
}

/// One metric of one operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    pub metric: Metric,
    pub operation: String,
    /// Default: the expression's algorithm.
    pub algorithm: Option<String>,
}

impl PaperTable {
    /// True if `--table wanted` selects this table: by its id, or by its number with any suffix.
    /// `2` and `table-2` also select `table-2-time`; `figure-1` selects `figure-1a`.
    pub fn answers_to(&self, wanted: &str) -> bool {
        let wanted = wanted.trim().to_lowercase().replace([' ', '_'], "-");
        let begins = |prefix: &str| {
            // After a number only a letter or a hyphen may follow: a digit makes another number.
            let part = |rest: &str| {
                let numbered = prefix.ends_with(|c: char| c.is_ascii_digit());
                rest.starts_with('-')
                    || (numbered && rest.starts_with(|c: char| c.is_ascii_lowercase()))
            };
            self.id
                .strip_prefix(prefix)
                .is_some_and(|rest| rest.is_empty() || part(rest))
        };
        if wanted.starts_with(|c: char| c.is_ascii_digit()) {
            return begins(&format!("table-{wanted}"));
        }
        !wanted.is_empty()
            && (begins(&wanted) || self.label.to_lowercase().replace(' ', "-") == wanted)
    }
}

impl Paper {
    /// The boards of the cells whose library the file names.
    pub fn library_boards(&self) -> BTreeSet<&str> {
        let cells = self.tables.iter().flat_map(|table| &table.cells);
        cells
            .filter(|cell| cell.library().is_some())
            .filter_map(|cell| match &cell.measured_by {
                MeasuredBy::Value(value) => Some(value.board.as_str()),
                MeasuredBy::Survey { board, .. } => Some(board),
                _ => None,
            })
            .collect()
    }

    /// The tables that `--table` selects. A bare number that matches no table selects figures.
    pub fn tables_named(&self, wanted: &str) -> Vec<&PaperTable> {
        let named: Vec<&PaperTable> = self
            .tables
            .iter()
            .filter(|table| table.answers_to(wanted))
            .collect();
        if named.is_empty() && wanted.trim().starts_with(|c: char| c.is_ascii_digit()) {
            let figure = format!("figure-{}", wanted.trim());
            return self
                .tables
                .iter()
                .filter(|table| table.answers_to(&figure))
                .collect();
        }
        named
    }
}

impl fmt::Display for Published {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Published::Number(number) => write!(f, "{number}"),
            Published::Words(words) => f.write_str(words),
            Published::Dash => f.write_str("-"),
            Published::Plotted => f.write_str("plotted"),
        }
    }
}
