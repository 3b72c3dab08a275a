//! The report's tables on a published page: each figure is a link to its own address.

use maud::{Markup, html};
use selo_base::table::{Cell, Column, Table, Tone, letters, mark};
use selo_engine::row::Row;

use super::address::figure;
use crate::gate::Key;

/// The most lines of a table on a page; its file has all of them.
pub const MOST: usize = 300;

/// A table below its caption. `rows` are those that its cells name, and `prefix` leads to the
/// folder of the view.
pub fn linked(table: &Table, rows: &[Row], prefix: &str) -> Markup {
    whole(table, true, rows, prefix)
}

/// The table without its caption, where a heading says the same.
pub fn untitled(table: &Table, rows: &[Row], prefix: &str) -> Markup {
    whole(table, false, rows, prefix)
}

fn whole(table: &Table, titled: bool, rows: &[Row], prefix: &str) -> Markup {
    let notes = table.footnotes();
    let shown = table.body.len().min(MOST);
    html! {
        div .scroll role="region" aria-label=(table.caption) tabindex="0" {
            table {
                @if titled { caption { (table.caption) } }
                thead { tr { @for column in &table.columns { (head(column, &notes)) } } }
                tbody {
                    @for line in &table.body[..shown] {
                        tr {
                            @for (at, cell) in line.iter().enumerate() {
                                @let class = class(cell, &table.columns[at]);
                                @let content = content(cell, &notes, rows, prefix);
                                @if at == 0 { th scope="row" class=[class] { (content) } }
                                @else { td class=[class] { (content) } }
                            }
                        }
                    }
                }
            }
        }
        @if shown < table.body.len() {
            p .quiet { "The first " (shown) " of " (table.body.len()) " lines; the files have all of them." }
        }
        div .notes {
            @for remark in &table.remarks { p { (remark) } }
            @for (at, note) in notes.iter().enumerate() { p { sup { (letters(at)) } " " (note) } }
        }
    }
}

fn head(column: &Column, notes: &[&str]) -> Markup {
    let mark = mark(notes, column.note.as_ref());
    let unit = !column.unit.is_empty() && !column.unit.eq_ignore_ascii_case(&column.head);
    html! {
        th scope="col" .n[column.numeric] {
            (column.head)
            @if !mark.is_empty() { sup { (mark) } }
            @if unit { " " span .unit { (column.unit) } }
        }
    }
}

fn content(cell: &Cell, notes: &[&str], rows: &[Row], prefix: &str) -> Markup {
    let mark = mark(notes, cell.note.as_ref());
    let row = cell.rows.first().and_then(|index| rows.get(*index));
    html! {
        @if let Some(row) = row.filter(|_| !cell.text.is_empty()) {
            a href={ (prefix) (figure(&Key::of(row))) } { (cell.text) }
        } @else if cell.badge { span .badge { (cell.text) } }
        @else { (cell.text) }
        @if let Some(detail) = &cell.detail { small { (detail) } }
        @if !mark.is_empty() { sup { (mark) } }
    }
}

fn class(cell: &Cell, column: &Column) -> Option<String> {
    let tone = match cell.tone {
        Tone::Plain => "",
        Tone::Quiet => "quiet",
        Tone::Good => "good",
        Tone::Warn => "warn",
        Tone::Bad => "bad",
    };
    let words = [if column.numeric { "n" } else { "" }, tone];
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// The table as JSON: an array with an object for each line, from head to raw value or text.
pub fn json(table: &Table) -> String {
    let object = |line: &Vec<Cell>| {
        let fields = line.iter().zip(&table.columns).map(|(cell, column)| {
            let value = match cell.value {
                Some(value) => serde_json::json!(value),
                None if cell.is_empty() => serde_json::Value::Null,
                None => serde_json::json!(cell.one_line()),
            };
            (column.full_head(), value)
        });
        serde_json::Value::Object(fields.collect())
    };
    let lines: Vec<serde_json::Value> = table.body.iter().map(object).collect();
    serde_json::to_string_pretty(&lines).unwrap_or_default() + "\n"
}
