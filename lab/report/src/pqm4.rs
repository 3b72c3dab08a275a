//! The figures of key encapsulations and signatures in one table, as pqm4 prints them: for each
//! scheme, implementation, board and operation the mean, the least and the most, the memory, and the
//! size of the code. Each figure of time has its fidelity.

use selo_engine::interface::Interface;
use selo_engine::row::cause::Note;
use selo_engine::row::{Fidelity, Metric, Row, Status};

use crate::context::Context;
use crate::format;
use crate::pivot::{Line, Lines};
use crate::table::{Cell, Column, Table, Tone};

/// The interfaces of the table.
const INTERFACES: [Interface; 3] = [
    Interface::Kem,
    Interface::LargeSignature,
    Interface::Signature,
];

/// The table of the rows; `None` if none of them is of a key encapsulation or a signature.
pub fn table(rows: &[Row], context: &Context) -> Option<Table> {
    let lines = Lines::new(rows, context);
    let mut table = Table::new("Key encapsulations and signatures", columns());
    let mut fidelities: Vec<Fidelity> = Vec::new();
    for interface in INTERFACES {
        let of = |line: &&Line| context.interface(&line.algorithm) == Some(interface);
        let mut chosen: Vec<&Line> = lines.all.iter().filter(of).collect();
        chosen.sort_by_cached_key(|line| {
            let names = [&line.library, &line.variant, &line.board].map(Clone::clone);
            let operations = interface.timed_operations();
            let place = operations.iter().position(|name| *name == line.operation);
            let place = (place.unwrap_or(operations.len()), line.bytes);
            (by_number(&line.algorithm), names, place)
        });
        for line in chosen {
            if let Some(row) = time(&lines, line)
                && !fidelities.contains(&row.fidelity)
            {
                fidelities.push(row.fidelity);
            }
            table.push(cells(&lines, line));
        }
    }
    if table.body.is_empty() {
        return None;
    }
    for fidelity in fidelities {
        let meaning = format::fidelity_meaning(fidelity);
        table
            .remarks
            .push(format!("{}: {meaning}.", fidelity.name()));
    }
    table.remarks.push(
        "Mean, least and most are those of several keys or signatures. Stack: the deepest of the operation, without keys and messages. \
         Hashing: the share of functions whose names are those of SHA-2, SHA-3 and SHAKE. Heap: most in use at once. Flash and RAM: growth over an empty program; RAM has the keys and the ciphertext or the signature."
            .to_owned(),
    );
    Some(table.without_empty_columns())
}

/// A name and the number at its end, so that 512 comes before 1024.
fn by_number(name: &str) -> (String, u32) {
    let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = name[letters.len()..].parse().unwrap_or(0);
    (letters.to_owned(), number)
}

fn columns() -> Vec<Column> {
    let mut columns: Vec<Column> = ["Scheme", "Implementation", "Board", "Operation"]
        .map(Column::text)
        .to_vec();
    columns.extend(["Mean", "Least", "Most"].map(|head| Column::number(head, "")));
    columns.push(Column::text("Counted"));
    columns.push(Column::number("Hashing", "%"));
    let memory = [Metric::Stack, Metric::Heap, Metric::Flash, Metric::Ram];
    columns.extend(memory.map(|metric| Column::number(format::metric_title(metric), "bytes")));
    columns
}

/// The row of cycles, or else of instructions, which are never called cycles, or of time.
fn time<'a>(lines: &Lines<'a>, line: &Line) -> Option<&'a Row> {
    let metrics = [Metric::Cycles, Metric::Instructions, Metric::Time].into_iter();
    let mut rows = metrics.filter_map(|metric| lines.row(line, metric));
    rows.find(|row| row.value.is_some())
}

fn cells(lines: &Lines<'_>, line: &Line) -> Vec<Cell> {
    let implementation = match line.library.strip_prefix("pqm4-") {
        Some(rest) => {
            let rest = rest.strip_prefix(line.algorithm.as_str()).unwrap_or(rest);
            rest.trim_start_matches('-').to_owned()
        }
        None => format!("{} {}", line.library, line.variant),
    };
    let operation = match line.bytes {
        Some(bytes) => format!("{}, {bytes} bytes", line.operation),
        None => line.operation.clone(),
    };
    let mut cells = vec![
        Cell::text(&line.algorithm),
        Cell::text(implementation),
        Cell::text(&line.board),
        Cell::text(operation),
    ];
    match time(lines, line) {
        Some(row) => {
            let behind: Vec<usize> = line.rows.get(&row.metric).copied().into_iter().collect();
            let values = [row.value, row.min, row.max];
            cells.extend(values.map(|value| {
                let cell = value.map_or_else(Cell::none, |value| of(row.metric, value));
                Cell {
                    rows: behind.clone(),
                    ..cell
                }
            }));
            let counted = format!("{}, {}", row.metric.name(), row.fidelity.name());
            let counted = match row.status {
                Status::VariableTime => format!("{counted}, depends on inputs"),
                _ => counted,
            };
            cells.push(Cell {
                note: without_share(row).remarks(),
                ..Cell::text(counted)
            });
            cells.push(share(row).map_or_else(Cell::none, |percent| {
                Cell::number(format!("{percent:.0}"), (percent * 10.0).round() / 10.0)
            }));
        }
        None => {
            cells.extend([Cell::none(), Cell::none(), Cell::none()]);
            cells.push(Cell::label(reason(lines, line), Tone::Warn));
            cells.push(Cell::none());
        }
    }
    for metric in [Metric::Stack, Metric::Heap, Metric::Flash, Metric::Ram] {
        let value = lines.value(line, metric);
        cells.push(Cell {
            rows: line.rows.get(&metric).copied().into_iter().collect(),
            ..value.map_or_else(Cell::none, |value| of(metric, value))
        });
    }
    cells
}

/// The share of hashing that the row tells, in percent.
fn share(row: &Row) -> Option<f64> {
    row.notes.iter().find_map(|note| match note {
        Note::Hashing { percent } => Some(*percent),
        _ => None,
    })
}

/// The row without that note, which has a column of its own.
fn without_share(row: &Row) -> Row {
    let mut row = row.clone();
    row.notes
        .retain(|note| !matches!(note, Note::Hashing { .. }));
    row
}

fn of(metric: Metric, value: f64) -> Cell {
    match metric {
        Metric::Time => Cell::number(format::quantity(metric, value), value),
        _ => Cell::number(format::count(value), value),
    }
}

/// The reason why an operation has no figure of time, in a word.
fn reason(lines: &Lines<'_>, line: &Line) -> &'static str {
    let mut rows = line.rows.values().map(|index| &lines.rows[*index]);
    let status = rows.find(|row| row.value.is_none()).map(|row| row.status);
    match status {
        Some(Status::DoesNotFit) => "does not fit",
        Some(Status::Failed) => "wrong",
        Some(Status::Crashed) => "crashed",
        Some(Status::OverLimit) => "over the limit",
        Some(Status::NotSupported) => "not supported",
        Some(Status::Ok | Status::VariableTime) | None => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::AlgorithmNote;
    use crate::sample;

    fn row(library: &str, algorithm: &str, operation: &str, metric: Metric, value: f64) -> Row {
        let mut row = sample::row(algorithm, "plain", operation, metric, value);
        row.library = library.to_owned();
        row.bytes = None;
        (row.min, row.max) = (Some(value - 1.0), Some(value + 2.0));
        row
    }

    #[test]
    fn schemes_stand_in_order_with_their_fidelity() {
        let mut context = sample::context();
        for name in ["ml-kem-512", "ml-kem-1024"] {
            context.algorithms.push(AlgorithmNote {
                name: name.to_owned(),
                title: name.to_owned(),
                interface: Some(Interface::Kem),
                family: "ml-kem".to_owned(),
                bytes: None,
            });
        }
        let own = "pqm4-ml-kem-512-m4fspeed";
        let mut rows = vec![
            row(
                "selo",
                "ml-kem-1024",
                "keygen",
                Metric::Instructions,
                9000.0,
            ),
            row(own, "ml-kem-512", "decapsulate", Metric::Cycles, 3000.0),
            row(own, "ml-kem-512", "keygen", Metric::Cycles, 1000.0),
            row(own, "ml-kem-512", "keygen", Metric::Stack, 64.0),
            row("selo", "aes-128", "encrypt", Metric::Cycles, 10.0),
        ];
        rows[0].fidelity = Fidelity::Instructions;
        rows[1].fidelity = Fidelity::CycleModel;
        rows[2].fidelity = Fidelity::CycleModel;
        rows[2].notes.push(Note::Hashing { percent: 76.42 });
        let csv = table(&rows, &context).expect("a table").to_csv();
        let lines: Vec<&str> = csv.lines().map(str::trim).collect();
        assert_eq!(lines.len(), 4, "{csv}");
        assert!(
            lines[1].starts_with("ml-kem-512,m4fspeed,uno,keygen,1000,999,1002,"),
            "{csv}"
        );
        assert!(
            lines[1].contains("cycles, cycle-model") && lines[1].ends_with(",76.4,64"),
            "{csv}"
        );
        assert!(lines[2].contains("decapsulate"), "{csv}");
        // Instructions are never called cycles.
        assert!(
            lines[3].starts_with("ml-kem-1024,selo ")
                && lines[3].contains("instructions, instructions"),
            "{csv}"
        );
        assert!(table(&rows[4..], &context).is_none());
    }
}
