//! The best choice per metric, in the form of Table 1 of ramalho2024, for every operation
//! with more than one implementation.

use selo_engine::row::Metric;

use crate::context::interface_title;
use crate::document::Section;
use crate::findings::minimum;
use crate::format;
use crate::pivot::{Line, Lines, distinct};
use crate::table::{Cell, Column, Table};

/// Metrics where less is better, in the order of the columns.
const METRICS: [Metric; 5] = [
    Metric::Time,
    Metric::Energy,
    Metric::Flash,
    Metric::Ram,
    Metric::Stack,
];

pub fn section(lines: &Lines<'_>) -> Section {
    let mut section = Section::new("best", "Best choice per metric");
    for board in lines.boards() {
        let table = table(lines, board);
        if !table.body.is_empty() {
            section.table(board, table.without_empty_columns());
        }
    }
    if !section.is_empty() {
        let text = "The implementation that needs least, for every operation with more than one implementation. In ramalho2024 the transmitter encrypts and the receiver decrypts.";
        section
            .blocks
            .insert(0, crate::document::Block::Text(text.to_owned()));
    }
    section
}

fn table(lines: &Lines<'_>, board: &str) -> Table {
    let mut columns = vec![Column::text("Operation"), Column::number("Choices", "")];
    columns.extend(
        METRICS.map(|metric| Column::text(format!("Least {}", format::metric_phrase(metric)))),
    );
    columns.push(Column::text("Fidelity"));
    let mut table = Table::new(lines.context.board_title(board), columns);
    let rows = lines.rows.iter().filter(|row| row.board == board);
    let cautions = format::model_cautions(rows).into_iter();
    table
        .remarks
        .extend(cautions.map(|caution| format!("{caution}.")));
    for interface in lines.interfaces(board) {
        let operations = lines
            .of(board, interface)
            .map(|line| line.operation.as_str());
        // The key set-up happens once per key, and its memory is part of the encryption's.
        for operation in distinct(operations.filter(|operation| *operation != "key-setup")) {
            let candidates: Vec<&Line> = lines
                .of(board, interface)
                .filter(|line| line.operation == operation && lines.is_headline(line))
                .filter(|line| {
                    line.rows
                        .values()
                        .any(|index| lines.rows[*index].value.is_some())
                })
                .collect();
            if candidates.len() < 2 {
                continue;
            }
            let mut cells = vec![
                Cell::text(operation).with_detail(interface_title(interface)),
                Cell::number(
                    format::count(candidates.len() as f64),
                    candidates.len() as f64,
                ),
            ];
            cells.extend(METRICS.map(|metric| winner(lines, &candidates, metric)));
            let fidelities = distinct(
                candidates
                    .iter()
                    .flat_map(|line| line.fidelities(lines.rows)),
            );
            let names: Vec<&str> = fidelities.iter().map(|fidelity| fidelity.name()).collect();
            cells.push(Cell::label(names.join(", "), crate::table::Tone::Plain));
            table.push(cells);
        }
    }
    table
}

/// The winner of a metric and its figure; `draw` if all are equal.
fn winner(lines: &Lines<'_>, candidates: &[&Line], metric: Metric) -> Cell {
    let Some(least) = minimum(lines, candidates, metric) else {
        return Cell::none();
    };
    let equal: Vec<&&Line> = candidates
        .iter()
        .filter(|line| {
            lines
                .value(line, metric)
                .is_some_and(|value| value <= least.value)
        })
        .collect();
    let figure = format::quantity(metric, least.value);
    let rows = equal
        .iter()
        .filter_map(|line| line.rows.get(&metric).copied())
        .collect();
    let text = match equal.len() {
        1 => lines.name(least.line),
        n if n == candidates.len() => "draw".to_owned(),
        2 => format!("{}, {}", lines.name(equal[0]), lines.name(equal[1])),
        n => format!("{} and {} more", lines.name(equal[0]), n - 1),
    };
    let names: Vec<String> = equal.iter().map(|line| lines.name(line)).collect();
    Cell::text(text)
        .with_detail(figure)
        .with_source(names.join(", "), rows)
}
