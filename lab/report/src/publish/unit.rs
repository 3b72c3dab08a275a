//! The page of one variant of an algorithm: each figure with its row and the command that
//! measures it again.

use std::collections::BTreeMap;

use maud::{Markup, html};
use selo_engine::row::{Metric, Row};
use selo_engine::store;

use super::address::{Unit, anchor};
use super::frame::{self, Page, Place};
use crate::context::Context;
use crate::format;
use crate::gate::Key;
use crate::pivot::distinct;

/// The rows of each page, in the order of its table: operations as they were measured, then
/// sizes, then metrics. Of two rows with the same address the later one counts.
pub fn units(rows: &[Row]) -> BTreeMap<Unit, Vec<&Row>> {
    let mut units: BTreeMap<Unit, Vec<(String, &Row)>> = BTreeMap::new();
    for row in rows {
        let key = Key::of(row);
        let (page, anchor) = (units.entry(Unit::of(&key)).or_default(), anchor(&key));
        match page.iter_mut().find(|(other, _)| *other == anchor) {
            Some(place) => place.1 = row,
            None => page.push((anchor, row)),
        }
    }
    units
        .into_iter()
        .map(|(unit, rows)| (unit, sorted(rows)))
        .collect()
}

fn sorted(rows: Vec<(String, &Row)>) -> Vec<&Row> {
    let mut rows: Vec<&Row> = rows.into_iter().map(|(_, row)| row).collect();
    let operations = distinct(rows.iter().map(|row| row.operation.as_str()));
    let place = |metric| Metric::ALL.iter().position(|other| *other == metric);
    rows.sort_by_cached_key(|row| {
        let operation = operations.iter().position(|name| *name == row.operation);
        (operation, row.bytes, place(row.metric))
    });
    rows
}

/// The page of a unit.
pub fn page(place: &Place, unit: &Unit, rows: &[&Row], context: &Context) -> String {
    let Some(first) = rows.first() else {
        return String::new();
    };
    let title = format!(
        "{} {} of {}",
        first.algorithm,
        variant(first),
        first.library
    );
    let subtitle = format!("on {}", context.board_title(&first.board));
    let content = html! {
        (facts(rows))
        h2 { "Figures" }
        (table(rows))
        p { "The same rows as a file: " a href="rows.jsonl" { "rows.jsonl" } }
    };
    frame::page(
        place,
        &unit.page(),
        &Page {
            title: &title,
            subtitle: &subtitle,
            path: Vec::new(),
            content,
            script: None,
        },
    )
}

/// The variant and the point of a sweep.
pub fn variant(row: &Row) -> String {
    match &row.sweep {
        Some(point) => format!("{} [{point}]", row.variant),
        None => row.variant.clone(),
    }
}

/// What the rows were measured with.
fn facts(rows: &[&Row]) -> Markup {
    let each = |pick: fn(&Row) -> String| distinct(rows.iter().map(|row| pick(row))).join(", ");
    let clock = |row: &Row| {
        row.clock_hz
            .map_or_else(|| "varies".to_owned(), format::frequency)
    };
    let facts = [
        ("Core", each(|row| row.mcu.clone())),
        ("Clock", each(clock)),
        ("Runner", each(|row| row.runner.clone())),
        ("Library's version", each(|row| row.library_version.clone())),
        ("Compiler", each(|row| row.compiler.clone())),
        ("Flags", each(|row| row.flags.clone())),
        ("Measured in", each(|row| row.run.clone())),
        ("Commit of Selo", each(|row| row.commit.clone())),
    ];
    html! {
        dl { @for (name, value) in &facts { @if !value.is_empty() { dt { (name) } dd { (value) } } } }
    }
}

fn table(rows: &[&Row]) -> Markup {
    html! {
        div .scroll role="region" aria-label="Figures" tabindex="0" {
            table {
                thead { tr {
                    th scope="col" { "Operation" } th .n scope="col" { "Message" span .unit { "bytes" } }
                    th scope="col" { "Metric" } th .n scope="col" { "Value" }
                    th scope="col" { "Fidelity" } th scope="col" { "Behind it" }
                } }
                tbody { @for row in rows { (line(row)) } }
            }
        }
    }
}

fn line(row: &Row) -> Markup {
    let anchor = anchor(&Key::of(row));
    html! {
        tr id=(anchor) {
            th scope="row" { a href={ "#" (anchor) } { (row.operation) } }
            td .n { @if let Some(bytes) = row.bytes { (bytes) } }
            td { (format::metric_title(row.metric)) }
            td .n { (value(row)) }
            td { span .badge { (row.fidelity.name()) } }
            td { (behind(row)) }
        }
    }
}

/// The figure with its unit, or the reason why there is none.
pub fn value(row: &Row) -> Markup {
    let Some(value) = row.value else {
        return html! { span .bad { (format::status_words(row.status)) } };
    };
    let range = row.min.zip(row.max).filter(|(min, max)| min < max);
    html! {
        (format::interval(row.metric, value, row.ci95))
        @if let Some((min, max)) = range {
            small { (format::quantity(row.metric, min)) " to " (format::quantity(row.metric, max)) }
        }
    }
}

/// The command that measures the figure again, the row, and its remarks.
fn behind(row: &Row) -> Markup {
    let remarks = [row.why(), row.remarks()].into_iter().flatten();
    html! {
        details {
            summary { "row and command" }
            @for remark in remarks { p { (remark) } }
            pre { (command(row)) }
            pre { (store::to_line(row)) }
        }
    }
}

/// The command that measures a row again.
pub fn command(row: &Row) -> String {
    let mut words = vec!["selo", "lab", "run", "--board", &row.board];
    let selected = [
        ("--library", &row.library),
        ("--algorithm", &row.algorithm),
        ("--variant", &row.variant),
    ];
    for (option, name) in selected {
        words.extend([option, name.as_str()]);
    }
    if !matches!(row.operation.as_str(), "both" | "all") {
        words.extend(["--operation", &row.operation]);
    }
    words.extend(["--metric", row.metric.name(), "--fresh"]);
    let words: Vec<String> = words.into_iter().map(quoted).collect();
    words.join(" ")
}

/// A word of a command line, in quotes if a shell would not take it as it is.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=+,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
