//! The page of one variant of an algorithm: each figure with its row and the command that
//! measures it again.

use maud::{Markup, html};
use selo_engine::check::CheckLine;
use selo_engine::row::Row;
use selo_engine::store;

use super::address::{Unit, anchor};
use super::frame::{self, Page};
use super::lists::{self, files_line};
use super::view::{LARGEST, View};
use super::{figure, history};
use crate::format;
use crate::gate::Key;
use crate::pivot::distinct;

/// The page of a unit.
pub fn page(view: &View<'_>, unit: &Unit, rows: &[&Row]) -> String {
    let whole = page_with(view, unit, rows, true);
    if whole.len() <= LARGEST {
        return whole;
    }
    page_with(view, unit, rows, false)
}

/// The page, with the rows in it or only in the file beside it.
fn page_with(view: &View<'_>, unit: &Unit, rows: &[&Row], inside: bool) -> String {
    let Some(first) = rows.first() else {
        return String::new();
    };
    let address = unit.page();
    let title = format!(
        "{} {} of {}",
        first.algorithm,
        figure::variant(first),
        first.library
    );
    let subtitle = format!("on {}", view.given.context.board_title(&first.board));
    let content = html! {
        (table(view, rows, inside))
        (files_line(&["rows.jsonl"]))
        h2 { "Measured with" }
        (facts(rows))
        (vectors(view, first))
        @if let Some(history) = &view.history {
            h2 #runs { "In every run" }
            (history::table(history, &view.keys(unit), rows.len(), &view.place.to_top(&address), &address))
        }
    };
    let mut path = lists::path(unit, first);
    path.push(("variants", unit.choice_page()));
    let page = Page {
        title: &title,
        subtitle: &subtitle,
        path,
        content,
        script: None,
    };
    frame::page(&view.place, &address, &page)
}

/// What `selo lab check` found for the variant.
fn vectors(view: &View<'_>, row: &Row) -> Markup {
    let of = |line: &&CheckLine| {
        (&line.board, &line.library, &line.algorithm, &line.variant)
            == (&row.board, &row.library, &row.algorithm, &row.variant)
    };
    let lines: Vec<&CheckLine> = view.given.checks.iter().filter(of).collect();
    html! {
        @if !lines.is_empty() && row.sweep.is_none() {
            h2 #vectors { "Checked against" }
            ul {
                @for line in lines {
                    li .bad[line.failed > 0] {
                        (line.source) ": " (line.passed) " of " (line.tried) " passed"
                        @if let Some(failure) = &line.first_failure { ": " (failure) }
                    }
                }
            }
        }
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

fn table(view: &View<'_>, rows: &[&Row], inside: bool) -> Markup {
    let compared = view
        .history
        .as_ref()
        .is_some_and(|history| history.runs.len() > 1);
    html! {
        div .scroll role="region" aria-label="Figures" tabindex="0" {
            table {
                thead { tr {
                    th scope="col" { "Operation" } th .n scope="col" { "Message" span .unit { "bytes" } }
                    th scope="col" { "Metric" } th .n scope="col" { "Value" }
                    @if compared { th .n scope="col" { "Since the run before" } }
                    th scope="col" { "Fidelity" } th scope="col" { "Behind it" }
                } }
                tbody { @for row in rows { (line(view, row, compared, inside)) } }
            }
        }
        @if !inside { p { "A line of the file " code { "rows.jsonl" } " is the row of the same line of the table." } }
    }
}

fn line(view: &View<'_>, row: &Row, compared: bool, inside: bool) -> Markup {
    let key = Key::of(row);
    let anchor = anchor(&key);
    let change = view
        .history
        .as_ref()
        .and_then(|history| history.change(&key));
    html! {
        tr id=(anchor) {
            th scope="row" { a href={ "#" (anchor) } { (row.operation) } }
            td .n { @if let Some(bytes) = row.bytes { (bytes) } }
            td { (format::metric_title(row.metric)) }
            td .n { (figure::value(row)) }
            @if compared {
                td .n { @match &change { Some(line) => (history::difference(line)), None if row.value.is_some() => "new", None => "" } }
            }
            td { span .badge { (row.fidelity.name()) } }
            td { @if inside { (behind(row)) } @else { code { (command(row)) } } }
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

/// The command that measures a row again. Its rows go to a folder of their own, because `--fresh`
/// discards those that are there.
pub fn command(row: &Row) -> String {
    let mut words = vec!["selo", "lab", "run"];
    let selected = [
        ("--board", &row.board),
        ("--runner", &row.runner),
        ("--library", &row.library),
        ("--algorithm", &row.algorithm),
        ("--variant", &row.variant),
    ];
    for (option, name) in selected {
        words.extend([option, name.as_str()]);
    }
    // An image with every operation is not an operation to choose.
    if !matches!(row.operation.as_str(), "both" | "all") {
        words.extend(["--operation", &row.operation]);
    }
    words.extend(["--metric", row.metric.name()]);
    for (option, name) in [("--compilers", &row.sweep), ("--power", &row.power)] {
        if let Some(name) = name {
            words.extend([option, name]);
        }
    }
    words.extend(["--fresh", "--out", "out/again"]);
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
