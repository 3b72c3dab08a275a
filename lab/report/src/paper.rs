//! A published paper as data: its tables and figures, cell by cell, how each
//! was measured, and which rows of ours correspond.
//!
//! One file of `lab/papers/` is one paper; lab/papers/README.md explains the format.
//! Adding a paper changes no code. Mistakes are reported with file and line.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use selo_base::units::{Dimension, Unit, parse_quantity};
use selo_engine::battery::Battery;
use selo_engine::row::Metric;
use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};
use thiserror::Error;
use toml::Spanned;

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

/// What is wrong with a paper's file, and where.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PaperError {
    /// cannot read {path}: {source}
    #[error("cannot read {}: {source}", path.display())]
    Read {
        path: PathBuf,
        source: std::io::Error,
    },
    /// {path}:{line}: {message}
    #[error("{}:{line}: {message}", path.display())]
    Data {
        path: PathBuf,
        line: usize,
        message: String,
    },
}

impl selo_base::report::Failure for PaperError {}

/// The names of the papers in a folder, sorted.
pub fn names(folder: &Path) -> Result<Vec<String>, PaperError> {
    let read_error = |source| PaperError::Read {
        path: folder.to_owned(),
        source,
    };
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(read_error)? {
        let path = entry.map_err(read_error)?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "toml")
            && let Some(stem) = path.file_stem().and_then(|stem| stem.to_str())
        {
            names.push(stem.to_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// Reads every paper of a folder, in the order of [`names`].
pub fn read_all(folder: &Path) -> Result<Vec<Paper>, PaperError> {
    names(folder)?
        .iter()
        .map(|name| read(&folder.join(format!("{name}.toml"))))
        .collect()
}

/// Reads one paper.
pub fn read(path: &Path) -> Result<Paper, PaperError> {
    let text = std::fs::read_to_string(path).map_err(|source| PaperError::Read {
        path: path.to_owned(),
        source,
    })?;
    let paper = parse(&text).map_err(|mistake| PaperError::Data {
        path: path.to_owned(),
        line: mistake.line(&text),
        message: mistake.message,
    })?;
    let stem = path
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or_default();
    if paper.name != stem {
        return Err(PaperError::Data {
            path: path.to_owned(),
            line: 1,
            message: format!(
                "name = \"{}\" must equal the file's name, '{stem}'",
                paper.name
            ),
        });
    }
    Ok(paper)
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

// ---- the file ---------------------------------------------------------------

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    title: String,
    authors: Vec<String>,
    year: Option<u16>,
    #[serde(default)]
    venue: String,
    #[serde(default)]
    notes: Vec<String>,
    #[serde(default)]
    candidate: Vec<Candidate>,
    #[serde(default)]
    hardware: Vec<Hardware>,
    table: Vec<Spanned<FileTable>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileTable {
    id: Spanned<String>,
    label: String,
    title: String,
    method: String,
    /// Of every figure, unless a row says otherwise.
    unit: Option<Spanned<String>>,
    #[serde(default)]
    notes: Vec<String>,
    #[serde(default)]
    measured_by: FileLink,
    column: Vec<FileColumn>,
    row: Vec<FileRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileColumn {
    label: String,
    published_library: Option<String>,
    #[serde(default)]
    measured_by: FileLink,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileRow {
    label: Spanned<String>,
    published: Spanned<Vec<FileValue>>,
    unit: Option<Spanned<String>>,
    note: Option<String>,
    #[serde(default)]
    measured_by: FileLink,
}

/// A link to our rows. Table, column and row each give a part; what the row
/// says wins over the column, and the column over the table.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileLink {
    board: Option<String>,
    library: Option<String>,
    algorithm: Option<String>,
    variant: Option<String>,
    operation: Option<String>,
    bytes: Option<u32>,
    metric: Option<Metric>,
    /// Terms such as `"ram both"`, metric and operation, or `"time hash of sha3-256"`.
    sum: Option<Vec<String>>,
    max: Option<Vec<String>>,
    power: Option<String>,
    /// A battery, such as `cr2032`, that gives the energy once a period, such as `5s`.
    battery: Option<String>,
    period: Option<String>,
    /// What differs in the value that is subtracted.
    less: Option<Box<FileLink>>,
    /// What differs in the value that divides.
    over: Option<Box<FileLink>>,
    winner: Option<bool>,
    clock: Option<bool>,
    /// A figure of `selo exchange`.
    exchange: Option<ExchangeLink>,
    /// Why the lab does not measure this.
    nothing: Option<String>,
}

struct FileValue(Published);

impl<'de> Deserialize<'de> for FileValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Value;
        impl Visitor<'_> for Value {
            type Value = Published;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, \"-\", \"plotted\" or the words that are printed")
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Published, E> {
                Ok(Published::Number(value as f64))
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Published, E> {
                Ok(Published::Number(value))
            }

            fn visit_str<E: de::Error>(self, value: &str) -> Result<Published, E> {
                Ok(match value {
                    "-" => Published::Dash,
                    "plotted" => Published::Plotted,
                    words => Published::Words(words.to_owned()),
                })
            }
        }
        deserializer.deserialize_any(Value).map(FileValue)
    }
}

/// A mistake and the bytes of the file that make it.
struct Mistake {
    message: String,
    span: Range<usize>,
}

impl Mistake {
    fn at(span: Range<usize>, message: impl Into<String>) -> Self {
        Mistake {
            message: message.into(),
            span,
        }
    }

    fn line(&self, text: &str) -> usize {
        let end = self.span.start.min(text.len());
        text.as_bytes()[..end]
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count()
            + 1
    }
}

fn parse(text: &str) -> Result<Paper, Mistake> {
    let file: File = toml::from_str(text)
        .map_err(|error| Mistake::at(error.span().unwrap_or(0..0), error.message()))?;
    let mut tables: Vec<PaperTable> = Vec::new();
    for table in file.table {
        let span = table.span();
        let table = check_table(table.into_inner(), span, &file.candidate)?;
        tables.push(table);
    }
    let mut ids = std::collections::HashSet::new();
    for table in &tables {
        if !ids.insert(table.id.clone()) {
            return Err(Mistake::at(
                0..0,
                format!("two tables have the id '{}'", table.id),
            ));
        }
    }
    Ok(Paper {
        name: file.name,
        title: file.title,
        authors: file.authors,
        year: file.year,
        venue: file.venue,
        notes: file.notes,
        candidates: file.candidate,
        hardware: file.hardware,
        tables,
    })
}

fn check_table(
    table: FileTable,
    span: Range<usize>,
    candidates: &[Candidate],
) -> Result<PaperTable, Mistake> {
    let id = table.id.get_ref();
    if id.is_empty()
        || id
            .chars()
            .any(|c| !(c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'))
    {
        return Err(Mistake::at(
            table.id.span(),
            "an id has lower-case letters, digits and '-' only",
        ));
    }
    if table.column.is_empty() || table.row.is_empty() {
        return Err(Mistake::at(
            span,
            format!("table '{id}' has no columns or no rows"),
        ));
    }
    let mut cells = Vec::new();
    let mut labels = std::collections::HashSet::new();
    for row in &table.row {
        let label = row.label.get_ref();
        if !labels.insert(label.clone()) {
            return Err(Mistake::at(
                row.label.span(),
                format!("two rows of '{id}' are named '{label}'"),
            ));
        }
        let published = row.published.get_ref();
        if published.len() != table.column.len() {
            return Err(Mistake::at(
                row.published.span(),
                format!(
                    "row '{label}' has {} values, table '{id}' has {} columns",
                    published.len(),
                    table.column.len()
                ),
            ));
        }
        let unit = row.unit.as_ref().or(table.unit.as_ref());
        let dimension = unit
            .map(|unit| {
                Unit::find(unit.get_ref())
                    .map(|known| known.dimension)
                    .map_err(|error| Mistake::at(unit.span(), error.to_string()))
            })
            .transpose()?;
        for (column, value) in table.column.iter().zip(published) {
            let link = table
                .measured_by
                .with(&column.measured_by)
                .with(&row.measured_by);
            let fault = |message: String| {
                let at = format!("row '{label}', column '{}': {message}", column.label);
                Mistake::at(row.label.span(), at)
            };
            let measured_by = check_link(&link, dimension, candidates).map_err(fault)?;
            let words = matches!(value.0, Published::Words(_));
            if matches!(value.0, Published::Number(_)) && unit.is_none() {
                return Err(fault("a number needs a unit".into()));
            }
            if words
                && !matches!(
                    measured_by,
                    MeasuredBy::Winner { .. } | MeasuredBy::Nothing { .. }
                )
            {
                return Err(fault(format!(
                    "'{}' cannot be compared with a number",
                    value.0
                )));
            }
            cells.push(PaperCell {
                row: label.clone(),
                column: column.label.clone(),
                published: value.0.clone(),
                unit: unit.filter(|_| !words).map(|unit| unit.get_ref().clone()),
                note: row.note.clone(),
                measured_by,
            });
        }
    }
    Ok(PaperTable {
        id: id.clone(),
        label: table.label,
        title: table.title,
        method: table.method,
        notes: table.notes,
        columns: table
            .column
            .into_iter()
            .map(|column| PaperColumn {
                label: column.label,
                published_library: column.published_library,
            })
            .collect(),
        cells,
    })
}

impl FileLink {
    /// This link with what `over` says put in its place.
    fn with(&self, over: &FileLink) -> FileLink {
        fn pick<T: Clone>(upper: &Option<T>, lower: &Option<T>) -> Option<T> {
            upper.clone().or_else(|| lower.clone())
        }
        // Naming an operation replaces terms, and terms replace an operation.
        let named = over.operation.is_some();
        let terms = over.sum.is_some() || over.max.is_some();
        FileLink {
            board: pick(&over.board, &self.board),
            library: pick(&over.library, &self.library),
            algorithm: pick(&over.algorithm, &self.algorithm),
            variant: pick(&over.variant, &self.variant),
            operation: if terms {
                over.operation.clone()
            } else {
                pick(&over.operation, &self.operation)
            },
            bytes: pick(&over.bytes, &self.bytes),
            metric: pick(&over.metric, &self.metric),
            sum: if named || terms {
                over.sum.clone()
            } else {
                self.sum.clone()
            },
            max: if named || terms {
                over.max.clone()
            } else {
                self.max.clone()
            },
            power: pick(&over.power, &self.power),
            battery: pick(&over.battery, &self.battery),
            period: pick(&over.period, &self.period),
            less: pick(&over.less, &self.less),
            over: pick(&over.over, &self.over),
            winner: pick(&over.winner, &self.winner),
            clock: pick(&over.clock, &self.clock),
            exchange: match (&over.exchange, &self.exchange) {
                (Some(over), Some(exchange)) => Some(exchange.with(over)),
                (over, exchange) => pick(over, exchange),
            },
            nothing: pick(&over.nothing, &self.nothing),
        }
    }
}

fn check_link(
    link: &FileLink,
    unit: Option<Dimension>,
    candidates: &[Candidate],
) -> Result<MeasuredBy, String> {
    if let Some(reason) = &link.nothing {
        return Ok(MeasuredBy::Nothing {
            reason: reason.clone(),
        });
    }
    if let Some(exchange) = &link.exchange {
        if exchange.figure.is_none() {
            return Err("an exchange needs a figure".into());
        }
        return Ok(MeasuredBy::Exchange(exchange.clone()));
    }
    let board = link
        .board
        .clone()
        .ok_or("measured_by needs a board, or nothing = \"why\"")?;
    if link.clock == Some(true) {
        return match unit {
            Some(Dimension::Frequency) => Ok(MeasuredBy::Clock { board }),
            _ => Err("a clock needs a unit of frequency".into()),
        };
    }
    if link.winner == Some(true) {
        if candidates.is_empty() {
            return Err("a winner needs [[candidate]] entries".into());
        }
        let metric = link.metric.ok_or("measured_by needs a metric")?;
        let operation = link
            .operation
            .clone()
            .ok_or("measured_by needs an operation")?;
        let term = Term {
            metric,
            operation,
            algorithm: None,
        };
        return Ok(MeasuredBy::Winner {
            board,
            library: link.library.clone(),
            term,
            bytes: link.bytes,
        });
    }
    let value = check_expression(link, board)?;
    let is = |wanted: Dimension| unit == Some(wanted);
    let natural = value
        .sum
        .iter()
        .chain(&value.max)
        .map(|term| Unit::find(term.metric.unit()).map(|unit| unit.dimension))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| error.to_string())?;
    if natural.windows(2).any(|pair| pair[0] != pair[1]) {
        return Err("the terms of a sum have different units".into());
    }
    let natural = match (&value.life, natural.first()) {
        (None, first) => first.copied(),
        (Some(_), Some(Dimension::Energy)) => Some(Dimension::Time),
        (Some(_), _) => return Err("a battery's life needs an energy".into()),
    };
    let second = |change: &FileLink| {
        let other = FileLink {
            less: None,
            over: None,
            ..link.with(change)
        };
        let board = other.board.clone().unwrap_or_else(|| value.board.clone());
        check_expression(&other, board)
    };
    let measured_by = match (&link.less, &link.over) {
        (None, None) => MeasuredBy::Value(value.clone()),
        (Some(less), None) => MeasuredBy::Difference(value.clone(), second(less)?),
        (None, Some(over)) => MeasuredBy::Quotient(value.clone(), second(over)?),
        (Some(_), Some(_)) => return Err("either less or over, not both".into()),
    };
    let fits = match measured_by {
        MeasuredBy::Quotient(..) => is(Dimension::Ratio) || is(Dimension::Share),
        _ => natural == unit,
    };
    if !fits {
        return Err("the unit does not suit what is measured".into());
    }
    Ok(measured_by)
}

fn check_expression(link: &FileLink, board: String) -> Result<Expression, String> {
    let terms = |list: &Option<Vec<String>>| -> Result<Vec<Term>, String> {
        list.iter().flatten().map(|text| term(text)).collect()
    };
    let (mut sum, max) = (terms(&link.sum)?, terms(&link.max)?);
    if sum.is_empty() && max.is_empty() {
        let metric = link.metric.ok_or("measured_by needs a metric")?;
        let operation = link
            .operation
            .clone()
            .ok_or("measured_by needs an operation")?;
        sum.push(Term {
            metric,
            operation,
            algorithm: None,
        });
    }
    let life = match (&link.battery, &link.period, &link.power) {
        (None, ..) => None,
        (Some(battery), Some(period), Some(_)) => Some(BatteryLife {
            battery: Battery::parse(battery)?,
            period_seconds: parse_quantity(period, Dimension::Time, "s")
                .map_err(|error| error.to_string())?,
        }),
        (Some(_), ..) => return Err("a battery's life needs a period and a power profile".into()),
    };
    Ok(Expression {
        life,
        board,
        library: link.library.clone(),
        algorithm: link
            .algorithm
            .clone()
            .ok_or("measured_by needs an algorithm")?,
        variant: link.variant.clone(),
        bytes: link.bytes,
        sum,
        max,
        power: link.power.clone(),
    })
}

fn term(text: &str) -> Result<Term, String> {
    let mistake =
        || format!("'{text}' is not a term; write metric and operation, such as \"ram both\"");
    let (metric, rest) = text.split_once(' ').ok_or_else(mistake)?;
    let (operation, algorithm) = match rest.split_once(" of ") {
        Some((operation, algorithm)) => (operation, Some(algorithm.trim().to_owned())),
        None => (rest, None),
    };
    let metric = Metric::ALL
        .into_iter()
        .find(|known| known.name() == metric)
        .ok_or_else(mistake)?;
    Ok(Term {
        metric,
        operation: operation.trim().to_owned(),
        algorithm,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = r#"name = "test2020"
title = "A test"
authors = ["A. Uthor"]

[[table]]
id = "table-1"
label = "Table I"
title = "Time"
method = "a stopwatch"
unit = "ms"
measured_by = { metric = "time", operation = "encrypt" }

[[table.column]]
label = "Arduino"
measured_by = { board = "uno" }

[[table.column]]
label = "Abacus"
measured_by = { board = "abacus", operation = "decrypt" }

[[table.row]]
label = "AES128"
published = [0.5, "-"]
measured_by = { algorithm = "aes-128", variant = "fast" }
"#;

    fn mistake(text: &str) -> (usize, String) {
        match parse(text) {
            Ok(_) => panic!("must be refused:\n{text}"),
            Err(mistake) => (mistake.line(text), mistake.message),
        }
    }

    fn good(text: &str) -> Paper {
        parse(text).unwrap_or_else(|mistake| panic!("{}: {}", mistake.line(text), mistake.message))
    }

    #[test]
    fn table_column_and_row_make_the_link_together() {
        let paper = good(SMALL);
        let cells = &paper.tables[0].cells;
        assert_eq!(cells.len(), 2);
        assert_eq!(cells[0].published, Published::Number(0.5));
        assert_eq!(cells[1].published, Published::Dash);
        let MeasuredBy::Value(second) = &cells[1].measured_by else {
            panic!("a value")
        };
        assert_eq!(second.board, "abacus");
        assert_eq!(
            second.sum,
            [Term {
                metric: Metric::Time,
                operation: "decrypt".into(),
                algorithm: None,
            }]
        );
    }

    #[test]
    fn mistakes_point_at_their_line() {
        let (line, message) = mistake(&SMALL.replace("[0.5, \"-\"]", "[0.5]"));
        assert_eq!(
            (line, message.as_str()),
            (
                23,
                "row 'AES128' has 1 values, table 'table-1' has 2 columns"
            )
        );
        let (line, message) = mistake(&SMALL.replace("unit = \"ms\"", "unit = \"fortnights\""));
        assert_eq!((line, message.as_str()), (10, "unknown unit 'fortnights'"));
        let (line, message) = mistake(&SMALL.replace("unit = \"ms\"", "unit = \"bytes\""));
        assert_eq!(line, 22);
        assert!(message.contains("the unit does not suit"), "{message}");
        let (line, message) = mistake(&SMALL.replace("metric = \"time\"", "metric = \"tide\""));
        assert_eq!(line, 11);
        assert!(message.contains("tide"), "{message}");
        let (line, _) = mistake(&SMALL.replace("[0.5, \"-\"]", "[0.5, \"-\""));
        assert!(line >= 23, "{line}");
        let (line, message) = mistake(&SMALL.replace("id = \"table-1\"", "id = \"Table 1\""));
        assert_eq!(line, 6);
        assert!(message.contains("lower-case"));
        let (line, message) = mistake(&SMALL.replace("algorithm = \"aes-128\", ", ""));
        assert_eq!(line, 22);
        assert!(message.contains("needs an algorithm"), "{message}");
        let (line, message) = mistake(&SMALL.replace("[0.5, \"-\"]", "[0.5, \"fast\"]"));
        assert_eq!(line, 22);
        assert!(message.contains("cannot be compared"), "{message}");
        let (line, message) = mistake(&SMALL.replace("method", "methode"));
        assert_eq!(line, 9);
        assert!(message.contains("methode"), "{message}");
    }

    #[test]
    fn sums_differences_and_quotients() {
        let with = |unit: &str, link: &str| {
            let text = SMALL
                .replace("unit = \"ms\"", &format!("unit = \"{unit}\""))
                .replace("variant = \"fast\"", &format!("variant = \"fast\", {link}"));
            good(&text).tables[0].cells[0].measured_by.clone()
        };
        let MeasuredBy::Value(total) = with(
            "bytes",
            "sum = [\"ram both\"], max = [\"stack encrypt\", \"stack decrypt\"]",
        ) else {
            panic!("a value")
        };
        assert_eq!((total.sum.len(), total.max.len()), (1, 2));
        let MeasuredBy::Value(path) =
            with("ms", "sum = [\"time encrypt\", \"time hash of sha-256\"]")
        else {
            panic!("a value")
        };
        let algorithms: Vec<Option<&str>> = path
            .sum
            .iter()
            .map(|term| term.algorithm.as_deref())
            .collect();
        assert_eq!(algorithms, [None, Some("sha-256")]);
        assert_eq!(path.sum[1].operation, "hash");
        let MeasuredBy::Quotient(a, b) = with("x", "over = { variant = \"small\" }") else {
            panic!("a quotient")
        };
        assert_eq!(
            (a.variant.as_deref(), b.variant.as_deref()),
            (Some("fast"), Some("small"))
        );
        assert_eq!(a.sum, b.sum);
        let MeasuredBy::Difference(_, b) = with("us", "less = { algorithm = \"aes-256\" }") else {
            panic!("a difference")
        };
        assert_eq!(b.algorithm, "aes-256");
        let mixed = SMALL.replace(
            "variant = \"fast\"",
            "sum = [\"ram both\", \"time encrypt\"]",
        );
        assert!(mistake(&mixed).1.contains("different units"));
    }

    #[test]
    fn a_batterys_life_needs_an_energy_a_period_and_a_profile() {
        let with = |link: &str| {
            SMALL
                .replace("unit = \"ms\"", "unit = \"years\"")
                .replace("metric = \"time\"", "metric = \"energy\"")
                .replace("variant = \"fast\"", &format!("variant = \"fast\", {link}"))
        };
        let whole = "power = \"p\", battery = \"cr2032\", period = \"5s\"";
        let MeasuredBy::Value(value) = &good(&with(whole)).tables[0].cells[0].measured_by else {
            panic!("a value")
        };
        let life = value.life.as_ref().expect("a life");
        assert_eq!(
            (life.battery.milliamp_hours, life.period_seconds),
            (225.0, 5.0)
        );
        for (link, words) in [
            ("power = \"p\", battery = \"cr2032\"", "needs a period"),
            ("battery = \"cr2032\", period = \"5s\"", "a power profile"),
            (
                "power = \"p\", battery = \"lemon\", period = \"5s\"",
                "unknown battery",
            ),
            (
                "power = \"p\", battery = \"cr2032\", period = \"5 W\"",
                "cannot be converted",
            ),
        ] {
            let (_, message) = mistake(&with(link));
            assert!(message.contains(words), "{link}: {message}");
        }
        let (_, message) = mistake(&with(whole).replace("\"energy\"", "\"time\""));
        assert!(message.contains("needs an energy"), "{message}");
        let (_, message) = mistake(&with(whole).replace("\"years\"", "\"nJ\""));
        assert!(message.contains("does not suit"), "{message}");
    }

    #[test]
    fn tables_answer_to_numbers() {
        let paper = good(&SMALL.replace("table-1", "table-1-time"));
        for wanted in ["1", "table-1", "Table I", "table 1", "table-1-time"] {
            assert_eq!(paper.tables_named(wanted).len(), 1, "{wanted}");
        }
        for wanted in ["2", "table-10", "figure-1", "", "t"] {
            assert_eq!(paper.tables_named(wanted).len(), 0, "{wanted}");
        }
        let figure = good(&SMALL.replace("table-1", "figure-1a"));
        for wanted in ["1", "1a", "figure-1", "figure-1a"] {
            assert_eq!(figure.tables_named(wanted).len(), 1, "{wanted}");
        }
        assert_eq!(figure.tables_named("1b").len(), 0);
    }
}
