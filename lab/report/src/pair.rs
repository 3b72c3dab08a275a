//! Compares two implementations on any two boards: the figures of both, their ratio, and the
//! fidelity of that ratio.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use selo_base::stats::{self, Estimate, Ratio};
use selo_engine::row::{Fidelity, Metric, Row, Status};
use serde::Serialize;

use crate::context::Context;
use crate::format;
use crate::pivot::{self, Line, distinct};
use crate::table::{Cell, Column, Table, Tone};

/// An implementation on a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    pub board: String,
    pub library: String,
    pub algorithm: String,
    /// Default: `fast` if it exists, else the first by name.
    pub variant: Option<String>,
}

/// A figure of one side.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Figure {
    pub value: Option<f64>,
    /// Half width of the 95 % interval of the mean, where the figure varies.
    pub ci95: Option<f64>,
    pub samples: u32,
    pub fidelity: Fidelity,
    pub status: Status,
    pub reason: Option<String>,
    /// The error of the cycle model behind the figure.
    #[serde(skip)]
    caution: Option<String>,
}

/// The left figure divided by the right one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Quotient {
    pub value: f64,
    /// Ends of the 95 % interval; both equal the value if both figures are exact.
    pub low: f64,
    pub high: f64,
}

/// One line of `selo lab compare LEFT RIGHT --json`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PairLine {
    /// `board:library:algorithm:variant`.
    pub left_of: String,
    pub right_of: String,
    pub operation: String,
    pub bytes: Option<u32>,
    pub metric: Metric,
    pub unit: String,
    pub left: Option<Figure>,
    pub right: Option<Figure>,
    pub ratio: Option<Quotient>,
    /// A remark about the ratio, or the reason why there is none.
    pub note: Option<String>,
}

/// Two sides compared.
#[derive(Clone, Debug, Default)]
pub struct Pair {
    pub left: String,
    pub right: String,
    pub lines: Vec<PairLine>,
}

impl Side {
    /// Reads `uno:selo:aes-128:fast` or `board=uno,library=selo,algorithm=aes-128`.
    pub fn parse(text: &str) -> Result<Side, String> {
        let mistake = || {
            format!(
                "'{text}' is not BOARD:LIBRARY:ALGORITHM[:VARIANT] or \
                 board=..,library=..,algorithm=..[,variant=..]"
            )
        };
        let mut parts: BTreeMap<&str, &str> = BTreeMap::new();
        const NAMES: [&str; 4] = ["board", "library", "algorithm", "variant"];
        if text.contains('=') {
            for part in text.split(',') {
                let (name, value) = part.split_once('=').ok_or_else(mistake)?;
                let name = name.trim();
                if !NAMES.contains(&name) || parts.insert(name, value.trim()).is_some() {
                    return Err(mistake());
                }
            }
        } else {
            let values: Vec<&str> = text.split(':').collect();
            if values.len() > NAMES.len() {
                return Err(mistake());
            }
            parts.extend(NAMES.into_iter().zip(values));
        }
        let get = |name: &str| {
            let value = parts.get(name).filter(|value| !value.is_empty());
            value.map(|&value| value.to_owned())
        };
        Ok(Side {
            board: get("board").ok_or_else(mistake)?,
            library: get("library").ok_or_else(mistake)?,
            algorithm: get("algorithm").ok_or_else(mistake)?,
            variant: get("variant"),
        })
    }

    /// The rows of this side, and their variant.
    fn rows<'a>(&self, rows: &'a [Row]) -> (Vec<&'a Row>, Option<&'a str>) {
        let mut own: Vec<&Row> = rows
            .iter()
            .filter(|row| {
                row.board == self.board
                    && row.library == self.library
                    && row.algorithm == self.algorithm
                    && row.sweep.is_none()
            })
            .collect();
        let mut known = distinct(own.iter().map(|row| row.variant.as_str()));
        known.sort_unstable();
        let variant = match &self.variant {
            Some(named) => known.into_iter().find(|variant| variant == named),
            None => known
                .iter()
                .find(|variant| **variant == "fast")
                .or(known.first())
                .copied(),
        };
        own.retain(|row| Some(row.variant.as_str()) == variant);
        (own, variant)
    }

    fn name(&self, variant: Option<&str>) -> String {
        let mut name = format!("{}:{}:{}", self.board, self.library, self.algorithm);
        if let Some(variant) = variant.or(self.variant.as_deref()) {
            name.push_str(&format!(":{variant}"));
        }
        name
    }
}

/// Compares two sides. An error lists the names of the sides without rows.
pub fn compare(
    left: &Side,
    right: &Side,
    rows: &[Row],
    context: &Context,
) -> Result<Pair, Vec<String>> {
    let ((ours, a), (theirs, b)) = (left.rows(rows), right.rows(rows));
    let empty = [(&ours, left, a), (&theirs, right, b)];
    let empty: Vec<String> = empty
        .iter()
        .filter(|(rows, ..)| rows.is_empty())
        .map(|(_, side, variant)| side.name(*variant))
        .collect();
    if !empty.is_empty() {
        return Err(empty);
    }
    let mut pair = Pair {
        left: left.name(a),
        right: right.name(b),
        lines: Vec::new(),
    };
    for (operation, bytes, metric) in keys(&ours, &theirs, context) {
        let find = |rows: &[&Row], metric: Metric| -> Option<Row> {
            let wanted = |row: &&&Row| {
                row.operation == operation && row.bytes == bytes && row.metric == metric
            };
            rows.iter().find(wanted).map(|row| (*row).clone())
        };
        let (one, other) = (find(&ours, metric), find(&theirs, metric));
        let (ratio, mut note) = match (&one, &other) {
            (Some(one), Some(other)) => quotient(one, other),
            _ => (None, None),
        };
        if ratio.is_none() && note.is_none() {
            // Instructions are not cycles: both are shown, but without a ratio.
            let missing = if valued(&one) { &theirs } else { &ours };
            note = counts_instead(metric, |metric| valued(&find(missing, metric)));
        }
        pair.lines.push(PairLine {
            left_of: pair.left.clone(),
            right_of: pair.right.clone(),
            operation: operation.to_owned(),
            bytes,
            metric,
            unit: metric.unit().to_owned(),
            left: one.map(Figure::of),
            right: other.map(Figure::of),
            ratio,
            note,
        });
    }
    Ok(pair)
}

/// Operation, size and metric of every line of the comparison, in the order of the tables.
fn keys<'a>(
    ours: &[&'a Row],
    theirs: &[&'a Row],
    context: &Context,
) -> Vec<(&'a str, Option<u32>, Metric)> {
    let mut keys = distinct(
        ours.iter()
            .chain(theirs)
            .map(|row| (row.operation.as_str(), row.bytes, row.metric)),
    );
    let place = |operation: &str, bytes| Line {
        board: String::new(),
        library: String::new(),
        algorithm: String::new(),
        variant: String::new(),
        operation: operation.to_owned(),
        bytes,
        rows: BTreeMap::new(),
    };
    keys.sort_by(|a, b| {
        pivot::order(&place(a.0, a.1), &place(b.0, b.1), context).then(a.2.cmp(&b.2))
    });
    keys
}

/// The remark if one side counts cycles and the other, which `has` asks, instructions.
fn counts_instead(metric: Metric, has: impl Fn(Metric) -> bool) -> Option<String> {
    let counted = match metric {
        Metric::Cycles if has(Metric::Instructions) => Metric::Instructions,
        Metric::Instructions if has(Metric::Cycles) => Metric::Cycles,
        _ => return None,
    };
    Some(format!(
        "the other side counts {}: {} and {} give no ratio",
        counted.name(),
        Metric::Cycles.name(),
        Metric::Instructions.name()
    ))
}

fn valued(row: &Option<Row>) -> bool {
    row.as_ref().is_some_and(|row| row.value.is_some())
}

/// The ratio of two rows of the same metric, and the remark that belongs to it.
fn quotient(left: &Row, right: &Row) -> (Option<Quotient>, Option<String>) {
    let (Some(a), Some(b)) = (left.value, right.value) else {
        return (None, None);
    };
    let estimate = |row: &Row, mean: f64| Estimate {
        mean,
        sd: row.sd,
        count: row.samples,
    };
    let ratio = stats::ratio(estimate(left, a), estimate(right, b));
    let mut notes = Vec::new();
    // Flash and static RAM come from the image and do not depend on the runner.
    let of_image = left.metric.is_of_image();
    if left.fidelity != right.fidelity && !of_image {
        notes.push(format!(
            "{} over {}",
            left.fidelity.name(),
            right.fidelity.name()
        ));
    }
    if left.metric == Metric::Instructions && left.mcu != right.mcu {
        notes.push("instructions of different cores do not do the same work".to_owned());
    }
    if ratio.is_none() {
        notes.push("no ratio: the right figure may be zero".to_owned());
    }
    let ratio = ratio.map(|Ratio { value, low, high }| Quotient { value, low, high });
    (ratio, (!notes.is_empty()).then(|| notes.join("; ")))
}

impl Figure {
    fn of(row: Row) -> Figure {
        Figure {
            value: row.value,
            ci95: row.ci95,
            samples: row.samples,
            fidelity: row.fidelity,
            status: row.status,
            reason: row.reason(),
            caution: format::caution(&row),
        }
    }

    fn shown(&self, metric: Metric) -> Cell {
        match self.value {
            Some(value) => {
                let text = format::signed(metric, value, self.ci95, self.fidelity);
                Cell::number(text, value)
            }
            None => Cell::label(format::status_words(self.status), Tone::Warn),
        }
    }
}

impl Quotient {
    fn interval(&self) -> String {
        if self.low == self.high {
            "exact".to_owned()
        } else {
            format!(
                "{} to {}",
                format::ratio(self.low),
                format::ratio(self.high)
            )
        }
    }
}

impl PairLine {
    fn cells(&self) -> Vec<Cell> {
        let figure = |figure: &Option<Figure>| match figure {
            Some(figure) => figure.shown(self.metric),
            None => Cell::text("–").with_tone(Tone::Quiet),
        };
        let interval = self.ratio.map(|ratio| ratio.interval());
        vec![
            Cell::text(&self.operation),
            self.bytes.map_or_else(Cell::none, |bytes| {
                Cell::number(format::count(bytes.into()), bytes.into())
            }),
            Cell::text(format::metric_phrase(self.metric)),
            figure(&self.left),
            figure(&self.right),
            self.ratio.map_or_else(Cell::none, |ratio| {
                Cell::number(format::ratio(ratio.value), ratio.value)
            }),
            Cell::text(interval.unwrap_or_default()),
            Cell::text(self.note.clone().unwrap_or_default()),
        ]
    }
}

impl Pair {
    /// Both sides as a table.
    pub fn table(&self) -> Table {
        let mut table = Table::new(
            format!("{} over {}", self.left, self.right),
            vec![
                Column::text("Operation"),
                Column::number("Bytes", ""),
                Column::text("Metric"),
                Column::number(self.left.clone(), ""),
                Column::number(self.right.clone(), ""),
                Column::number("Ratio", ""),
                Column::text("95 % interval"),
                Column::text("Note"),
            ],
        );
        for line in &self.lines {
            table.push(line.cells());
        }
        let valued = self.lines.iter().flat_map(|line| {
            let figures = [&line.left, &line.right].into_iter().flatten();
            let valued = figures.filter(|figure| figure.value.is_some());
            valued.map(|figure| (line.metric, figure.fidelity))
        });
        let legend = format::fidelity_legend(valued);
        table.remarks.push(legend);
        let figures = self.lines.iter().flat_map(|line| [&line.left, &line.right]);
        let cautions: BTreeSet<String> = figures
            .flatten()
            .filter(|figure| figure.value.is_some() && figure.fidelity == Fidelity::CycleModel)
            .filter_map(|figure| figure.caution.clone())
            .collect();
        let cautions = cautions.into_iter().map(|caution| format!("{caution}."));
        table.remarks.extend(cautions);
        table.without_empty_columns()
    }
}

#[cfg(test)]
mod tests;
