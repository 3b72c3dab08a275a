//! The pages between the overview and the figures: of a board, a library, an algorithm, and of an
//! algorithm of a library on a board with its variants side by side.

use std::collections::BTreeMap;

use maud::{Markup, html};
use selo_base::table::{Cell, Column, Table};
use selo_engine::row::{Metric, Row};

use super::address::{Unit, figure, list, up};
use super::figure::{value, variant};
use super::frame::{self, Page};
use super::table;
use super::view::View;
use crate::context::Context;
use crate::format;
use crate::gate::Key;
use crate::pivot::{Line, Lines, distinct};
use crate::{csv, pqm4, sections};

/// A file of a view: its path and text.
pub type File = (String, String);

/// The pages of the boards, libraries and algorithms of a view.
pub fn files(view: &View<'_>) -> Vec<File> {
    let mut files = Vec::new();
    for board in view.names(|row| &row.board) {
        files.extend(self::board(view, board));
    }
    for library in view.names(|row| &row.library) {
        files.push(self::library(view, library));
    }
    for algorithm in view.names(|row| &row.algorithm) {
        files.extend(self::algorithm(view, algorithm));
    }
    files.extend(choices(view));
    files
}

/// The rows with a name.
fn of<'a>(view: &View<'a>, keep: impl Fn(&Row) -> bool) -> Vec<Row> {
    let rows = view.given.rows.iter();
    rows.filter(|row| keep(row)).cloned().collect()
}

fn board(view: &View<'_>, name: &str) -> Vec<File> {
    let slug = super::address::slug(name);
    let address = list("board", &slug);
    let context = view.given.context;
    let rows = of(view, |row| row.board == name);
    let lines = Lines::new(&rows, context);
    let prefix = up(&address);
    let pqm4 = pqm4::table(&rows, context);
    let best = sections::best::section(&lines);
    let best = best.blocks.iter().filter_map(|block| match block {
        crate::document::Block::Table { table, .. } => Some(table),
        _ => None,
    });
    let title = context.board_title(name);
    let content = html! {
        (facts(&rows))
        (files_line(&["rows.csv", "rows.jsonl"]))
        h2 { "Algorithms and libraries" }
        (grouped(view, &prefix, |row| row.board == name, |row| &row.algorithm, |row| &row.library))
        @for table in best { h2 { "Least of each operation" } (table::untitled(table, &rows, &prefix)) }
        @if let Some(table) = &pqm4 {
            h2 #pqm4 { "Key encapsulations and signatures, as pqm4 shows them" }
            (table::untitled(table, &rows, &prefix))
            (files_line(&["pqm4.csv", "pqm4.json"]))
        }
    };
    let subtitle = format!(
        "The board {name}: {}",
        format::things(rows.len(), "figure", "figures")
    );
    let page = whole(
        view,
        &address,
        title,
        &subtitle,
        vec![("boards", boards())],
        content,
    );
    let beside = |file: &str| format!("board/{slug}/{file}");
    let mut files = vec![
        (address, page),
        (beside("rows.csv"), csv::rows(&rows)),
        (beside("rows.jsonl"), super::run::lines(&rows)),
    ];
    if let Some(table) = &pqm4 {
        files.push((beside("pqm4.csv"), table.to_csv()));
        files.push((beside("pqm4.json"), table::json(table)));
    }
    files
}

fn library(view: &View<'_>, name: &str) -> File {
    let address = list("library", &super::address::slug(name));
    let context: &Context = view.given.context;
    let note = context.libraries.iter().find(|note| note.name == name);
    let prefix = up(&address);
    let versions = view.given.rows.iter().filter(|row| row.library == name);
    let versions = distinct(versions.map(|row| row.library_version.as_str())).join(", ");
    let content = html! {
        dl {
            @if !versions.is_empty() { dt { "Version" } dd { (versions) } }
            @if let Some(note) = note {
                @for (head, text) in [("Licence", &note.licence), ("Sources", &note.source), ("Note", &note.note)] {
                    @if !text.is_empty() { dt { (head) } dd { (text) } }
                }
            }
        }
        h2 { "Algorithms and boards" }
        (grouped(view, &prefix, |row| row.library == name, |row| &row.algorithm, |row| &row.board))
    };
    let title = note.map_or(name, |note| &note.title);
    let page = whole(
        view,
        &address,
        title,
        &format!("The library {name}"),
        vec![("libraries", "index.html#libraries".to_owned())],
        content,
    );
    (address, page)
}

fn boards() -> String {
    "index.html#boards".to_owned()
}

/// The page of an algorithm: its usual message size in every variant, library and board.
fn algorithm(view: &View<'_>, name: &str) -> Vec<File> {
    let slug = super::address::slug(name);
    let address = list("algorithm", &slug);
    let context = view.given.context;
    let rows = of(view, |row| row.algorithm == name);
    let lines = Lines::new(&rows, context);
    let mut table = Table::new("Side by side", columns());
    for line in lines.all.iter().filter(|line| lines.is_headline(line)) {
        table.push(cells(&lines, line));
    }
    let table = table.without_empty_columns();
    let prefix = up(&address);
    let content = html! {
        h2 { "Boards and libraries" }
        (grouped(view, &prefix, |row| row.algorithm == name, |row| &row.board, |row| &row.library))
        h2 { "Side by side" }
        p { "At the usual size of the message. Each figure leads to its row." }
        (table::untitled(&with_own_units(&table), &rows, &prefix))
        (files_line(&["table.csv", "table.json"]))
    };
    let title = context.algorithm(name).map_or(name, |note| &note.title);
    let page = whole(
        view,
        &address,
        title,
        &format!("The algorithm {name}"),
        vec![("algorithms", "index.html#algorithms".to_owned())],
        content,
    );
    vec![
        (address, page),
        (format!("algorithm/{slug}/table.csv"), table.to_csv()),
        (format!("algorithm/{slug}/table.json"), table::json(&table)),
    ]
}

/// The metrics of the table of an algorithm.
const METRICS: [Metric; 7] = [
    Metric::Cycles,
    Metric::Instructions,
    Metric::Time,
    Metric::Flash,
    Metric::Ram,
    Metric::Stack,
    Metric::Heap,
];

fn columns() -> Vec<Column> {
    let mut columns: Vec<Column> = ["Board", "Library", "Variant", "Operation"]
        .map(Column::text)
        .to_vec();
    columns.push(Column::number("Message", "bytes"));
    columns
        .extend(METRICS.map(|metric| Column::number(format::metric_title(metric), metric.unit())));
    columns.push(Column::text("Fidelity"));
    columns
}

/// The table for a page: times have their own units there, and seconds in files.
fn with_own_units(table: &Table) -> Table {
    let mut table = table.clone();
    let is_time = |column: &&mut Column| column.unit == Metric::Time.unit();
    for column in table.columns.iter_mut().filter(is_time) {
        column.unit.clear();
    }
    table
}

fn cells(lines: &Lines<'_>, line: &Line) -> Vec<Cell> {
    let bytes = line.bytes.map_or_else(Cell::none, |bytes| {
        Cell::number(bytes.to_string(), f64::from(bytes))
    });
    let mut cells = vec![
        Cell::text(&line.board),
        Cell::text(&line.library),
        Cell::text(&line.variant),
        Cell::text(&line.operation),
        bytes,
    ];
    for metric in METRICS {
        let value = lines.value(line, metric);
        let text = |value| match metric {
            Metric::Time => format::quantity(metric, value),
            _ => format::count(value),
        };
        cells.push(Cell {
            rows: line.rows.get(&metric).copied().into_iter().collect(),
            ..value.map_or_else(Cell::none, |value| Cell::number(text(value), value))
        });
    }
    let names = line
        .fidelities(lines.rows)
        .into_iter()
        .map(|fidelity| fidelity.name());
    cells.push(Cell::text(names.collect::<Vec<_>>().join(", ")));
    cells
}

/// The pages with the variants side by side, and their tables as files.
fn choices(view: &View<'_>) -> Vec<File> {
    let mut groups: BTreeMap<String, Vec<(&Unit, &Vec<&Row>)>> = BTreeMap::new();
    for (unit, rows) in &view.units {
        groups
            .entry(unit.choice_page())
            .or_default()
            .push((unit, rows));
    }
    let pages = groups.into_iter();
    pages
        .filter_map(|(address, units)| Some((address.clone(), choice(view, &address, &units)?)))
        .collect()
}

fn choice(view: &View<'_>, address: &str, units: &[(&Unit, &Vec<&Row>)]) -> Option<String> {
    let (unit, rows) = units.first()?;
    let first = rows.first()?;
    // A line for each operation, size and metric of any variant.
    let all = units.iter().flat_map(|(_, rows)| rows.iter());
    let figures = distinct(all.map(|row| (row.operation.as_str(), row.bytes, row.metric)));
    let content = html! {
        p { "Each figure leads to its row, and to the command that measures it again. The best of a line is bold." }
        div .scroll role="region" aria-label="Variants" tabindex="0" {
            table {
                thead { tr {
                    th scope="col" { "Operation" } th .n scope="col" { "Message" span .unit { "bytes" } } th scope="col" { "Metric" }
                    @for (unit, rows) in units {
                        th .n scope="col" { a href={ (unit.variant) "/index.html" } { (rows.first().map_or_else(String::new, |row| variant(row))) } }
                    }
                } }
                tbody { @for (operation, bytes, metric) in &figures {
                    (side_by_side(units, |row| row.operation == *operation && row.bytes == *bytes && row.metric == *metric, address))
                } }
            }
        }
    };
    let title = format!("{} of {}", first.algorithm, first.library);
    let subtitle = format!(
        "on {}, the variants side by side",
        view.given.context.board_title(&first.board)
    );
    Some(whole(
        view,
        address,
        &title,
        &subtitle,
        path(unit, first),
        content,
    ))
}

/// The way to the page of a choice.
pub fn path<'a>(unit: &Unit, row: &'a Row) -> Vec<(&'a str, String)> {
    vec![
        (&row.board, list("board", &unit.board)),
        (&row.library, list("library", &unit.library)),
        (&row.algorithm, list("algorithm", &unit.algorithm)),
    ]
}

fn side_by_side(units: &[(&Unit, &Vec<&Row>)], is: impl Fn(&Row) -> bool, address: &str) -> Markup {
    let cells: Vec<Option<&Row>> = units
        .iter()
        .map(|(_, rows)| rows.iter().find(|row| is(row)).copied())
        .collect();
    let Some(first) = cells.iter().flatten().next() else {
        return html! {};
    };
    let values = || cells.iter().flatten().filter_map(|row| row.value);
    let (least, most) = (values().reduce(f64::min), values().reduce(f64::max));
    // Where all are equal, none is better.
    let best = match first.metric {
        _ if least == most => None,
        Metric::Rate => most,
        _ => least,
    };
    html! {
        tr {
            th scope="row" { (first.operation) }
            td .n { @if let Some(bytes) = first.bytes { (bytes) } }
            td { (format::metric_title(first.metric)) }
            @for row in &cells {
                td .n {
                    @if let Some(row) = row {
                        @let link = html! { a href={ (up(address)) (figure(&Key::of(row))) } { (value(row)) } };
                        @if best.is_some() && row.value == best { strong { (link) } } @else { (link) }
                    }
                }
            }
        }
    }
}

/// Links to the choices among some rows: a line for each `first` name, a link for each `second`.
fn grouped(
    view: &View<'_>,
    prefix: &str,
    keep: impl Fn(&Row) -> bool,
    first: impl Fn(&Row) -> &String,
    second: impl Fn(&Row) -> &String,
) -> Markup {
    let mut groups: BTreeMap<&str, BTreeMap<&str, String>> = BTreeMap::new();
    for (unit, rows) in &view.units {
        if let Some(row) = rows.first().filter(|row| keep(row)) {
            let group = groups.entry(first(row)).or_default();
            group.insert(second(row), unit.choice_page());
        }
    }
    html! {
        dl .groups {
            @for (name, pages) in &groups {
                dt { (name) }
                dd { @for (name, page) in pages { a href={ (prefix) (page) } { (name) } " " } }
            }
        }
    }
}

/// What the rows of a board were measured with.
fn facts(rows: &[Row]) -> Markup {
    let each = |pick: fn(&Row) -> String| distinct(rows.iter().map(pick)).join(", ");
    let clock = |row: &Row| {
        row.clock_hz
            .map_or_else(|| "varies".to_owned(), format::frequency)
    };
    let fidelities = distinct(
        rows.iter()
            .filter(|row| row.value.is_some())
            .map(|row| row.fidelity),
    );
    html! {
        dl {
            dt { "Core" } dd { (each(|row| row.mcu.clone())) ", " (each(clock)) }
            dt { "Runner" } dd { (each(|row| row.runner.clone())) }
            dt { "Compiler" } dd { (each(|row| row.compiler.clone())) }
            @for fidelity in fidelities { dt { (fidelity.name()) } dd { (format::fidelity_meaning(fidelity)) } }
        }
    }
}

/// Links to files beside the page.
pub fn files_line(names: &[&str]) -> Markup {
    html! {
        p { @if names.len() == 1 { "As a file: " } @else { "As files: " } @for (at, name) in names.iter().enumerate() { @if at > 0 { ", " } a href=(name) { (name) } } }
    }
}

fn whole(
    view: &View<'_>,
    address: &str,
    title: &str,
    subtitle: &str,
    path: Vec<(&str, String)>,
    content: Markup,
) -> String {
    let page = Page {
        title,
        subtitle,
        path,
        content,
        script: None,
    };
    frame::page(&view.place, address, &page)
}
