//! A paper, checked: every cell knows what it is compared with.

use std::fmt;

use selo_engine::battery::Battery;
use selo_engine::row::Metric;
use serde::Deserialize;

/// A paper, checked: every cell knows what it is compared with.
#[derive(Clone, Debug)]
pub struct Paper {
    /// The name on the command line; equals the file's name.
    pub name: String,
    pub title: String,
    pub authors: Vec<String>,
    pub year: Option<u16>,
    pub venue: String,
    /// What a reader must know of the paper as a whole, inconsistencies included.
    pub notes: Vec<String>,
    /// What competes in tables of winners.
    pub candidates: Vec<Candidate>,
    /// What stands behind columns that no simulator here can fill.
    pub hardware: Vec<Hardware>,
    pub tables: Vec<PaperTable>,
}

/// A device that must be there for the figures of a board.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hardware {
    /// As columns name it.
    pub board: String,
    /// Such as "a Raspberry Pi 3".
    pub needs: String,
    /// What to run once it is there.
    pub fill: String,
}

/// A competitor, under the name that the paper gives it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Candidate {
    pub name: String,
    pub algorithm: String,
    pub variant: String,
}

/// A table, a figure, or figures given in the text.
#[derive(Clone, Debug)]
pub struct PaperTable {
    /// Such as `table-2-time` or `figure-3`; what `--table` matches.
    pub id: String,
    /// As the paper counts it: `Table II`, `Figure 3`, `Section IV-C`.
    pub label: String,
    pub title: String,
    /// How the published figures were taken, in our words.
    pub method: String,
    /// Inconsistencies and limits of the comparison.
    pub notes: Vec<String>,
    pub columns: Vec<PaperColumn>,
    /// Row by row, each in the order of the columns.
    pub cells: Vec<PaperCell>,
}

/// A column: a board, a part of the system, a metric.
#[derive(Clone, Debug)]
pub struct PaperColumn {
    pub label: String,
    /// The library behind the published figures, where the paper names it.
    pub published_library: Option<String>,
}

/// One published figure.
#[derive(Clone, Debug)]
pub struct PaperCell {
    pub row: String,
    pub column: String,
    pub published: Published,
    /// Absent for words.
    pub unit: Option<String>,
    pub note: Option<String>,
    pub measured_by: MeasuredBy,
}

/// What the paper prints.
#[derive(Clone, Debug, PartialEq)]
pub enum Published {
    Number(f64),
    /// A winner, a verdict, a part's name.
    Words(String),
    /// A dash: the authors have no figure.
    Dash,
    /// Drawn in a picture without a number.
    Plotted,
}

/// What of ours a cell is compared with.
#[derive(Clone, Debug, PartialEq)]
pub enum MeasuredBy {
    Value(Expression),
    /// The first less the second.
    Difference(Expression, Expression),
    /// The first divided by the second.
    Quotient(Expression, Expression),
    /// The candidate with the least value; of packets a second, with the most.
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
    /// What `selo exchange` measures: rows of its own, compared by `selo exchange compare`.
    Exchange(ExchangeLink),
    /// Nothing that the lab measures; the reason says what it would take.
    Nothing {
        reason: String,
    },
}

/// A figure of exchanges between two machines: the mean of the rows that agree with what is
/// named here.
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
    /// What differs in the second value: a quotient, or how many per cent more or less.
    pub over: Option<Box<ExchangeLink>>,
    pub more: Option<Box<ExchangeLink>>,
    pub less: Option<Box<ExchangeLink>>,
}

impl ExchangeLink {
    /// This link, changed by what another says.
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
    /// Absent: the library that the reader asks for, Selo by default.
    pub library: Option<String>,
    pub algorithm: String,
    /// Absent: `fast` if there is one, else the first by name.
    pub variant: Option<String>,
    pub bytes: Option<u32>,
    pub sum: Vec<Term>,
    pub max: Vec<Term>,
    /// The power profile for energies; absent: energies as the rows have them.
    pub power: Option<String>,
    /// How long a battery lasts of which the energy is drawn once a period, and rest.
    pub life: Option<BatteryLife>,
}

/// A battery, and how often it gives the energy of an [`Expression`].
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
    /// Absent: the expression's algorithm.
    pub algorithm: Option<String>,
}

impl PaperTable {
    /// Whether `--table wanted` means this table: its id, or its number with any
    /// suffix: `2` and `table-2` are `table-2-time` too, `figure-1` is `figure-1a`.
    pub fn answers_to(&self, wanted: &str) -> bool {
        let wanted = wanted.trim().to_lowercase().replace([' ', '_'], "-");
        let begins = |prefix: &str| {
            // After a number another digit would be another number.
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
    /// The tables meant by `--table`; a bare number that no table has means a figure.
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
