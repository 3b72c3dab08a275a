//! Everything measured on a board: per interface the charts, and one table with every metric
//! of every operation.

use selo_engine::interface::Interface;
use selo_engine::row::{Metric, Note, Row, Status};

use crate::context::{PowerNote, interface_title};
use crate::document::{Section, slug};
use crate::format::{self, Scale};
use crate::pivot::{Line, Lines, distinct};
use crate::table::{Cell, Column, Table, Tone};

use super::{figures, provenance};

/// Number of lines that makes a table searchable.
const LONG: usize = 16;
/// Metrics that charts show. CPU share and stack are only in the tables.
const DRAWN: [Metric; 4] = [Metric::Time, Metric::Energy, Metric::Flash, Metric::Ram];

pub fn section(lines: &Lines<'_>, board: &str) -> Section {
    let title = lines.context.board_title(board);
    let mut section = Section::new(
        format!("board-{}", slug(board)),
        format!("All figures: {title}"),
    );
    section.short = Some(title.to_owned());
    section.board = Some(board.to_owned());
    if let Some(note) = lines.context.board(board) {
        let limits: Vec<String> = [("flash", note.flash), ("RAM", note.ram)]
            .into_iter()
            .filter_map(|(what, bytes)| {
                bytes.map(|bytes| format!("{} bytes of {what}", format::count(bytes as f64)))
            })
            .collect();
        if !limits.is_empty() {
            section.text(format!("The board has {}.", limits.join(" and ")));
        }
    }
    section.text(
        "Cycles and time are for one call through the C ABI. Flash and static RAM are the growth of a program that calls the operation (with key setup, if any) over an empty program; \u{201c}both\u{201d} is a program that calls all operations. Stack is the maximum depth during the call.",
    );
    let rows = lines.rows.iter().filter(|row| row.board == board);
    for caution in format::model_cautions(rows) {
        section.text(format!(
            "Cycles, time and energy come from the {caution}. If the flash has wait states, they are also lower bounds."
        ));
    }
    for interface in lines.interfaces(board) {
        let chosen: Vec<&Line> = lines.of(board, interface).collect();
        let mut part = Section::new(
            format!("{}-{}", section.id, slug(interface_title(interface))),
            interface_title(interface),
        );
        let drawn: Vec<&Line> = chosen
            .iter()
            .copied()
            .filter(|line| line.operation != "key-setup")
            .collect();
        let name = format!("{}, {board}", interface_title(interface));
        part.figures(
            DRAWN
                .iter()
                .filter_map(|metric| figures::of_metric(lines, &drawn, *metric, &part.id, &name))
                .collect(),
        );
        part.table("table", table(lines, board, interface, &chosen));
        section.subsections.push(part);
    }
    section
}

fn table(lines: &Lines<'_>, board: &str, interface: Option<Interface>, chosen: &[&Line]) -> Table {
    let metrics: Vec<(Metric, Scale)> = Metric::ALL
        .into_iter()
        .map(|metric| {
            let largest = chosen
                .iter()
                .filter_map(|line| lines.value(line, metric))
                .fold(0.0, f64::max);
            (metric, format::column_scale(metric, largest))
        })
        .collect();
    let mut columns = vec![Column::text("Algorithm"), Column::text("Variant")];
    let rivals = distinct(chosen.iter().map(|line| line.library.as_str())).len() > 1;
    if rivals {
        columns.push(Column::text("Library"));
    }
    columns.push(Column::text("Operation"));
    columns.push(Column::number("Bytes", ""));
    columns.extend(metrics.iter().map(|(metric, scale)| {
        let column = Column::number(format::metric_title(*metric), scale.symbol);
        match energy_note(lines, board, *metric, chosen) {
            Some(note) => column.with_note(note),
            None => column,
        }
    }));
    columns.extend([
        Column::text("Fidelity"),
        Column::text("Status"),
        Column::text("Image"),
    ]);
    let mut table = Table::new(
        format!(
            "{} on {}",
            interface_title(interface),
            lines.context.board_title(board)
        ),
        columns,
    );
    for line in chosen {
        table.push(cells(lines, line, &metrics, rivals));
    }
    table.filter = table.body.len() >= LONG;
    table.without_empty_columns()
}

fn cells(lines: &Lines<'_>, line: &Line, metrics: &[(Metric, Scale)], rivals: bool) -> Vec<Cell> {
    let mut cells = vec![Cell::text(&line.algorithm), Cell::text(&line.variant)];
    if rivals {
        cells.push(Cell::text(&line.library));
    }
    cells.push(Cell::text(&line.operation));
    cells.push(line.bytes.map_or_else(Cell::none, |bytes| {
        Cell::number(format::count(bytes.into()), bytes.into())
    }));
    cells.extend(
        metrics
            .iter()
            .map(|(metric, scale)| match line.rows.get(metric) {
                Some(index) => figure(&lines.rows[*index], *index, *scale),
                None => Cell::none(),
            }),
    );
    let fidelities: Vec<&str> = line
        .fidelities(lines.rows)
        .iter()
        .map(|fidelity| fidelity.name())
        .collect();
    let status = line.status(lines.rows);
    let tone = match status {
        Status::Ok => Tone::Quiet,
        Status::NotSupported => Tone::Plain,
        Status::VariableTime | Status::DoesNotFit | Status::OverLimit => Tone::Warn,
        Status::Failed | Status::Crashed => Tone::Bad,
    };
    let reason = line
        .rows
        .values()
        .map(|index| &lines.rows[*index])
        .find(|row| row.status == status);
    let mut label = Cell::label(format::status_words(status), tone);
    if let Some(row) = reason.filter(|_| status != Status::Ok) {
        label.source = row.reason();
    }
    cells.push(Cell::label(fidelities.join(", "), Tone::Plain));
    cells.push(label);
    cells.push(image(lines, line));
    cells
}

/// A figure with its origin, or a dash if the row has none.
fn figure(row: &Row, index: usize, scale: Scale) -> Cell {
    let cell = match (row.value, format::row_figure(row, scale)) {
        (Some(value), Some(text)) => Cell::number(text, value / scale.factor),
        _ => Cell::text("–").with_tone(Tone::Quiet),
    };
    cell.with_source(provenance::origin(row, index), vec![index])
}

/// The image of the line's first row that has one.
fn image(lines: &Lines<'_>, line: &Line) -> Cell {
    let digests = line
        .rows
        .values()
        .map(|index| lines.rows[*index].firmware_sha256.as_str());
    match digests.into_iter().find(|digest| !digest.is_empty()) {
        Some(digest) => Cell::text(format::short(digest)).with_link(provenance::anchor(digest)),
        None => Cell::none(),
    }
}

/// Names the power figures behind the energies.
fn energy_note(lines: &Lines<'_>, board: &str, metric: Metric, chosen: &[&Line]) -> Option<String> {
    if metric != Metric::Energy {
        return None;
    }
    let rows = chosen
        .iter()
        .filter_map(|line| lines.row(line, metric))
        .filter(|row| row.status == Status::Ok);
    let valued: Vec<&Row> = rows.filter(|row| row.value.is_some()).collect();
    let reasons: Vec<String> = valued.iter().filter_map(|row| row.reason()).collect();
    let reasons = distinct(reasons.iter().map(String::as_str));
    let made_by = |power: &PowerNote| {
        let mut notes = valued.iter().flat_map(|row| &row.notes);
        notes.any(|note| matches!(note, Note::PowerProfile { name } if *name == power.name))
    };
    let mut notes: Vec<String> = reasons.iter().map(|reason| format!("{reason}.")).collect();
    let profiles = lines
        .context
        .board(board)
        .map_or(&[][..], |note| &note.power);
    let used = profiles.iter().filter(|power| made_by(power));
    notes.extend(used.map(|power| {
        format!(
            "Energy is power above idle multiplied by measured time; {}: {}.",
            power.name, power.text
        )
    }));
    (!notes.is_empty()).then(|| notes.join(" "))
}
