//! One operation built with many compilers and flags: one line per build, the best marked.

use std::cmp::Ordering;

use selo_engine::row::{Metric, Row};

use crate::format;
use crate::pivot::distinct;
use crate::table::{Cell, Column, Table, Tone};

/// One table per operation in the rows of a sweep, sorted by its first metric. An empty
/// `metrics` means all metrics.
pub fn tables(rows: &[Row], metrics: &[Metric]) -> Vec<Table> {
    let sized = |row: &Row| !of_image(row.metric);
    let subjects = distinct(rows.iter().filter(|row| sized(row)).map(Subject::of));
    // Operations that only have memory rows get a table too.
    let only = distinct(rows.iter().filter(|row| !sized(row)).map(Subject::of))
        .into_iter()
        .filter(|subject| !subjects.iter().any(|other| other.same_operation(subject)));
    let subjects: Vec<Subject<'_>> = subjects.iter().copied().chain(only).collect();
    subjects
        .iter()
        .map(|subject| {
            let own: Vec<&Row> = rows
                .iter()
                .filter(|row| {
                    let other = Subject::of(row);
                    other == *subject || (of_image(row.metric) && other.same_operation(subject))
                })
                .collect();
            table(subject, &own, metrics)
        })
        .collect()
}

/// True for flash and RAM, which belong to an operation of any size.
fn of_image(metric: Metric) -> bool {
    metric.is_of_image()
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Subject<'a> {
    board: &'a str,
    library: &'a str,
    algorithm: &'a str,
    variant: &'a str,
    operation: &'a str,
    bytes: Option<u32>,
}

impl<'a> Subject<'a> {
    fn of(row: &'a Row) -> Subject<'a> {
        Subject {
            board: &row.board,
            library: &row.library,
            algorithm: &row.algorithm,
            variant: &row.variant,
            operation: &row.operation,
            bytes: row.bytes,
        }
    }

    fn same_operation(&self, other: &Subject<'_>) -> bool {
        let bytes = self.bytes;
        *self == Subject { bytes, ..*other }
    }

    fn title(&self) -> String {
        let bytes = self.bytes.map(|bytes| format!(" {bytes}"));
        format!(
            "{} {} {} on {}: {}{}",
            self.library,
            self.algorithm,
            self.variant,
            self.board,
            self.operation,
            bytes.unwrap_or_default()
        )
    }
}

fn table(subject: &Subject<'_>, rows: &[&Row], metrics: &[Metric]) -> Table {
    let there = |metric: &Metric| rows.iter().any(|row| row.metric == *metric);
    let metrics: Vec<Metric> = Metric::ALL
        .into_iter()
        .filter(|metric| metrics.is_empty() || metrics.contains(metric))
        .filter(there)
        .collect();
    let mut columns = vec![Column::text("Built with")];
    columns.extend(
        metrics
            .iter()
            .map(|metric| Column::number(format::metric_title(*metric), "")),
    );
    columns.push(Column::text("Fidelity"));
    let mut points = distinct(rows.iter().map(|row| row.sweep.as_deref()));
    let value = |sweep: Option<&str>, metric: Metric| -> Option<&Row> {
        let is = |row: &&&Row| row.sweep.as_deref() == sweep && row.metric == metric;
        rows.iter().find(is).copied()
    };
    let first = metrics.first().copied().unwrap_or(Metric::Cycles);
    // Points without a figure come last.
    points.sort_by(|a, b| {
        let of = |sweep: &Option<&str>| value(*sweep, first).and_then(|row| row.value);
        match (of(a), of(b)) {
            (Some(a), Some(b)) => better(first, a, b),
            (a, b) => b.is_some().cmp(&a.is_some()),
        }
    });
    let best = |metric: Metric| {
        let values = rows.iter().filter(|row| row.metric == metric);
        values
            .filter_map(|row| row.value)
            .min_by(|a, b| better(metric, *a, *b))
    };
    let mut table = Table::new(subject.title(), columns);
    for sweep in points {
        let mut line = vec![Cell::text(sweep.unwrap_or("unchanged flags"))];
        let mut fidelity = None;
        for &metric in &metrics {
            line.push(match value(sweep, metric) {
                None => Cell::none(),
                Some(row) => match row.value {
                    None => Cell::label(format::status_words(row.status), Tone::Warn),
                    Some(value) => {
                        fidelity = Some(row.fidelity);
                        let text = format::interval(metric, value, row.ci95);
                        if best(metric) == Some(value) {
                            Cell::number(format!("{text} *"), value).with_tone(Tone::Good)
                        } else {
                            Cell::number(text, value)
                        }
                    }
                },
            });
        }
        line.push(Cell::text(fidelity.map_or("", |f| f.name())));
        table.push(line);
    }
    table
}

/// Orders the better value first: the smaller, or the larger for packets a second.
fn better(metric: Metric, a: f64, b: f64) -> Ordering {
    if metric == Metric::Rate {
        b.total_cmp(&a)
    } else {
        a.total_cmp(&b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use crate::table::TerminalStyle;

    #[test]
    fn the_best_stands_first_and_is_marked() {
        let mut rows = Vec::new();
        for (sweep, cycles, flash) in [
            ("cc -O1", 3000.0, 900.0),
            ("cc -O3", 2000.0, 1500.0),
            ("cc -Os", 4000.0, 700.0),
        ] {
            for (metric, value) in [(Metric::Cycles, cycles), (Metric::Flash, flash)] {
                let mut row = sample::row("aes-128", "fast", "encrypt", metric, value);
                row.sweep = Some(sweep.to_owned());
                rows.push(row);
            }
        }
        let tables = tables(&rows, &[]);
        assert_eq!(tables.len(), 1);
        let text = tables[0].to_terminal(TerminalStyle::default());
        let order: Vec<usize> = ["-O3", "-O1", "-Os"]
            .iter()
            .map(|name| text.find(name).unwrap_or(usize::MAX))
            .collect();
        assert!(order.is_sorted(), "{text}");
        assert!(
            text.contains("2,000 cycles *") && text.contains("700 bytes *"),
            "{text}"
        );
        assert_eq!(text.matches('*').count(), 2, "{text}");
        let by_flash = super::tables(&rows, &[Metric::Flash]);
        assert_eq!(by_flash[0].body[0][0].text, "cc -Os");
    }
}
