//! Groups rows: one line per measured operation, with the rows of all its metrics, in the
//! order of the tables.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use selo_engine::interface::Interface;
use selo_engine::row::{Fidelity, Metric, Row, Status};

use crate::context::{Context, interface_rank};

/// One operation of one implementation on one board.
#[derive(Clone, Debug)]
pub struct Line {
    pub board: String,
    pub library: String,
    pub algorithm: String,
    pub variant: String,
    pub operation: String,
    pub bytes: Option<u32>,
    /// The row of each metric, as an index into the rows.
    pub rows: BTreeMap<Metric, usize>,
}

/// The rows of a report and the lines that they form.
#[derive(Debug)]
pub struct Lines<'a> {
    pub rows: &'a [Row],
    pub context: &'a Context,
    pub all: Vec<Line>,
}

impl<'a> Lines<'a> {
    /// Groups rows into lines.
    ///
    /// Metrics that do not depend on the message size (flash, RAM) are measured once. They
    /// appear on the line of every size of the same operation. If two rows have the same figure,
    /// the later one counts, as it does for resumed runs.
    pub fn new(rows: &'a [Row], context: &'a Context) -> Lines<'a> {
        let mut all: Vec<Line> = Vec::new();
        let mut places: BTreeMap<(Key<'_>, Option<u32>), usize> = BTreeMap::new();
        for (index, row) in rows.iter().enumerate() {
            let place = *places.entry((key(row), row.bytes)).or_insert_with(|| {
                all.push(Line::of(row));
                all.len() - 1
            });
            all[place].rows.insert(row.metric, index);
        }
        spread_sizeless(&mut all, &places);
        all.sort_by(|a, b| order(a, b, context));
        Lines { rows, context, all }
    }

    /// The boards; the one with the most rows comes first.
    pub fn boards(&self) -> Vec<&'a str> {
        let mut boards = distinct(self.rows.iter().map(|row| row.board.as_str()));
        boards.sort_by_key(|board| {
            std::cmp::Reverse(self.rows.iter().filter(|row| row.board == *board).count())
        });
        boards
    }

    /// The lines of a board and interface.
    pub fn of<'b>(
        &'b self,
        board: &'b str,
        interface: Option<Interface>,
    ) -> impl Iterator<Item = &'b Line> {
        self.all.iter().filter(move |line| {
            line.board == board && self.context.interface(&line.algorithm) == interface
        })
    }

    /// The interfaces measured on a board; unknown interfaces come last.
    pub fn interfaces(&self, board: &str) -> Vec<Option<Interface>> {
        let mut interfaces = distinct(
            self.all
                .iter()
                .filter(|line| line.board == board)
                .map(|line| self.context.interface(&line.algorithm)),
        );
        interfaces.sort_by_key(|interface| interface_rank(*interface));
        interfaces
    }

    /// The row of a metric of a line.
    pub fn row(&self, line: &Line, metric: Metric) -> Option<&'a Row> {
        line.rows.get(&metric).map(|index| &self.rows[*index])
    }

    /// The value of a metric of a line.
    pub fn value(&self, line: &Line, metric: Metric) -> Option<f64> {
        self.row(line, metric).and_then(|row| row.value)
    }

    /// True if pictures and findings show the message size of this line.
    pub fn is_headline(&self, line: &Line) -> bool {
        let Some(bytes) = line.bytes else { return true };
        let preferred = self
            .context
            .algorithm(&line.algorithm)
            .and_then(|note| note.bytes);
        let mut sizes = self
            .all
            .iter()
            .filter(|other| same_operation(other, line))
            .filter_map(|other| other.bytes);
        match preferred {
            Some(size) if sizes.clone().any(|other| other == size) => bytes == size,
            _ => sizes.all(|other| bytes <= other),
        }
    }

    /// The name of a choice: algorithm, variant, and the library if several offer the algorithm.
    pub fn name(&self, line: &Line) -> String {
        let mut name = format!("{} {}", line.algorithm, line.variant);
        let rival =
            |other: &Line| other.algorithm == line.algorithm && other.library != line.library;
        if self.all.iter().any(rival) {
            name.push_str(&format!(" ({})", line.library));
        }
        name
    }
}

impl Line {
    pub(crate) fn of(row: &Row) -> Line {
        Line {
            board: row.board.clone(),
            library: row.library.clone(),
            algorithm: row.algorithm.clone(),
            variant: row.variant.clone(),
            operation: row.operation.clone(),
            bytes: row.bytes,
            rows: BTreeMap::new(),
        }
    }

    /// The worst status among the rows of the line.
    pub fn status(&self, rows: &[Row]) -> Status {
        let statuses = self.rows.values().map(|index| rows[*index].status);
        statuses
            .max_by_key(|status| severity(*status))
            .unwrap_or(Status::Ok)
    }

    /// The fidelities of the rows that have values.
    pub fn fidelities(&self, rows: &[Row]) -> Vec<Fidelity> {
        let valued = self.rows.values().map(|index| &rows[*index]);
        distinct(
            valued
                .filter(|row| row.value.is_some())
                .map(|row| row.fidelity),
        )
    }
}

/// Rank of a status by severity.
pub fn severity(status: Status) -> u8 {
    match status {
        Status::Ok => 0,
        Status::NotSupported => 1,
        Status::OverLimit => 2,
        Status::DoesNotFit => 3,
        Status::VariableTime => 4,
        Status::Crashed => 5,
        Status::Failed => 6,
    }
}

/// The values of an iterator, each once, in the order of first appearance.
pub fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    for value in values {
        if !seen.contains(&value) {
            seen.push(value);
        }
    }
    seen
}

type Key<'a> = (&'a str, &'a str, &'a str, &'a str, &'a str);

fn key(row: &Row) -> Key<'_> {
    (
        &row.board,
        &row.library,
        &row.algorithm,
        &row.variant,
        &row.operation,
    )
}

fn same_operation(a: &Line, b: &Line) -> bool {
    a.board == b.board
        && a.library == b.library
        && a.algorithm == b.algorithm
        && a.variant == b.variant
        && a.operation == b.operation
}

/// Adds the rows without a message size to the lines that have one, and drops the lines
/// that only had such rows.
fn spread_sizeless(all: &mut Vec<Line>, places: &BTreeMap<(Key<'_>, Option<u32>), usize>) {
    let mut spent = vec![false; all.len()];
    for ((key, bytes), from) in places {
        if bytes.is_some() {
            continue;
        }
        for ((_, _), to) in places.range((*key, Some(0))..=(*key, Some(u32::MAX))) {
            spent[*from] = true;
            let shared = all[*from].rows.clone();
            for (metric, index) in shared {
                all[*to].rows.entry(metric).or_insert(index);
            }
        }
    }
    let mut spent = spent.into_iter();
    all.retain(|_| !spent.next().unwrap_or(false));
}

/// The order in which tables show lines.
pub(crate) fn order(a: &Line, b: &Line, context: &Context) -> Ordering {
    let file_order = |line: &Line| {
        context
            .algorithms
            .iter()
            .position(|algorithm| algorithm.name == line.algorithm)
            .unwrap_or(usize::MAX)
    };
    a.board
        .cmp(&b.board)
        .then_with(|| file_order(a).cmp(&file_order(b)))
        .then_with(|| natural(&a.algorithm, &b.algorithm))
        .then_with(|| variant_rank(&a.variant).cmp(&variant_rank(&b.variant)))
        .then_with(|| a.variant.cmp(&b.variant))
        .then_with(|| a.library.cmp(&b.library))
        .then_with(|| operation_rank(&a.operation).cmp(&operation_rank(&b.operation)))
        .then_with(|| a.operation.cmp(&b.operation))
        .then_with(|| a.bytes.cmp(&b.bytes))
}

/// The order in which a program calls operations; images of several come last.
fn operation_rank(operation: &str) -> usize {
    const ORDER: [&str; 10] = [
        "key-setup",
        "keygen",
        "encrypt",
        "decrypt",
        "seal",
        "open",
        "hash",
        "mac",
        "derive",
        "shared-secret",
    ];
    match operation {
        "both" => ORDER.len() + 1,
        "all" => ORDER.len() + 2,
        other => ORDER
            .iter()
            .position(|name| *name == other)
            .unwrap_or(ORDER.len()),
    }
}

fn variant_rank(variant: &str) -> usize {
    const ORDER: [&str; 3] = ["fast", "small", "tiny"];
    ORDER
        .iter()
        .position(|name| *name == variant)
        .unwrap_or(ORDER.len())
}

/// Compares names with their numbers as numbers: `sha3-256` before `sha3-512`,
/// `aes-128` before `aes-1024`.
fn natural(a: &str, b: &str) -> Ordering {
    parts(a).cmp(&parts(b))
}

/// A run of digits as a number, or a run of other characters.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Part<'a> {
    Number(u64),
    Word(&'a str),
}

fn parts(name: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let digit = first.is_ascii_digit();
        let end = rest
            .find(|c: char| c.is_ascii_digit() != digit)
            .unwrap_or(rest.len());
        let (run, tail) = rest.split_at(end);
        parts.push(match run.parse() {
            Ok(number) if digit => Part::Number(number),
            _ => Part::Word(run),
        });
        rest = tail;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn sizeless_metrics_join_every_size() {
        let context = sample::context();
        let mut rows = vec![sample::row(
            "sha-256",
            "fast",
            "hash",
            Metric::Flash,
            2000.0,
        )];
        for bytes in [32, 64] {
            let mut row = sample::row(
                "sha-256",
                "fast",
                "hash",
                Metric::Cycles,
                f64::from(bytes) * 100.0,
            );
            row.bytes = Some(bytes);
            rows.push(row);
        }
        rows[0].bytes = None;
        let lines = Lines::new(&rows, &context);
        assert_eq!(lines.all.len(), 2);
        for line in &lines.all {
            assert_eq!(lines.value(line, Metric::Flash), Some(2000.0));
        }
        assert!(lines.is_headline(&lines.all[0]));
        assert!(!lines.is_headline(&lines.all[1]));
    }

    #[test]
    fn a_later_row_replaces_an_earlier_one() {
        let context = sample::context();
        let rows = [
            sample::row("aes-128", "fast", "encrypt", Metric::Cycles, 1.0),
            sample::row("aes-128", "fast", "encrypt", Metric::Cycles, 2.0),
        ];
        let lines = Lines::new(&rows, &context);
        assert_eq!(lines.value(&lines.all[0], Metric::Cycles), Some(2.0));
    }

    #[test]
    fn lines_are_in_reading_order() {
        let context = Context::default();
        let rows: Vec<Row> = [
            ("sha-256", "fast", "hash"),
            ("aes-256", "fast", "encrypt"),
            ("aes-128", "tiny", "encrypt"),
            ("aes-128", "fast", "both"),
            ("aes-128", "fast", "decrypt"),
            ("aes-128", "fast", "key-setup"),
            ("aes-128", "small", "encrypt"),
        ]
        .iter()
        .map(|(algorithm, variant, operation)| {
            sample::row(algorithm, variant, operation, Metric::Flash, 1.0)
        })
        .collect();
        let lines = Lines::new(&rows, &context);
        let names: Vec<String> = lines
            .all
            .iter()
            .map(|line| format!("{} {} {}", line.algorithm, line.variant, line.operation))
            .collect();
        assert_eq!(
            names,
            [
                "aes-128 fast key-setup",
                "aes-128 fast decrypt",
                "aes-128 fast both",
                "aes-128 small encrypt",
                "aes-128 tiny encrypt",
                "aes-256 fast encrypt",
                "sha-256 fast hash",
            ]
        );
        assert_eq!(natural("aes-1024", "aes-128"), Ordering::Greater);
        assert_eq!(natural("x25519", "x25519"), Ordering::Equal);
    }
}
