//! Tables for the page: a scrolling region with row and column heads. `data-v` has raw values
//! for sorting, `data-r` row numbers for provenance.

use maud::{Markup, html};
use selo_base::table::{Cell, Column, Table, Tone, letters, mark};

/// A table rendered for the page.
pub trait ToHtml {
    /// The table as HTML. `id` must be unique on the page.
    fn to_html(&self, id: &str) -> Markup;
}

impl ToHtml for Table {
    fn to_html(&self, id: &str) -> Markup {
        let notes = self.footnotes();
        let label = if self.caption.is_empty() {
            "Table"
        } else {
            &self.caption
        };
        html! {
            div .table id=(id) {
                div .scroll role="region" aria-label=(label) tabindex="0" {
                    table .filter[self.filter] {
                        @if !self.caption.is_empty() { caption { (self.caption) } }
                        thead { tr { @for column in &self.columns { (head(column, &notes)) } } }
                        tbody {
                            @for line in &self.body {
                                tr {
                                    @for (position, cell) in line.iter().enumerate() {
                                        (body(cell, &self.columns[position], position == 0, &notes))
                                    }
                                }
                            }
                        }
                    }
                }
                @if !self.remarks.is_empty() || !notes.is_empty() {
                    div .notes {
                        @for remark in &self.remarks { p { (remark) } }
                        @for (position, note) in notes.iter().enumerate() {
                            p { sup { (letters(position)) } " " (note) }
                        }
                    }
                }
            }
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

fn body(cell: &Cell, column: &Column, first: bool, notes: &[&str]) -> Markup {
    let class = class(cell, column);
    let rows = (!cell.rows.is_empty()).then(|| {
        cell.rows
            .iter()
            .map(usize::to_string)
            .collect::<Vec<_>>()
            .join(" ")
    });
    let value = cell.value.map(sorted_by);
    html! {
        @if first {
            th scope="row" id=[&cell.id] class=[class] data-v=[value] data-r=[rows] title=[&cell.source] { (content(cell, notes)) }
        } @else {
            td id=[&cell.id] class=[class] data-v=[value] data-r=[rows] title=[&cell.source] { (content(cell, notes)) }
        }
    }
}

/// The value that the page sorts by. Fractions keep seven digits: nobody sees more, and random
/// digits do not compress.
fn sorted_by(value: f64) -> String {
    let short = (value.fract() != 0.0).then(|| format!("{value:.6e}").parse().ok());
    short.flatten().unwrap_or(value).to_string()
}

fn content(cell: &Cell, notes: &[&str]) -> Markup {
    let mark = mark(notes, cell.note.as_ref());
    html! {
        @if let Some(anchor) = &cell.link {
            a href={ "#" (anchor) } { (cell.text) }
        } @else if cell.badge {
            span .badge { (cell.text) }
        } @else {
            (cell.text)
        }
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
    let number = if column.numeric { "n" } else { "" };
    let classes = [number, tone]
        .into_iter()
        .filter(|class| !class.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    (!classes.is_empty()).then_some(classes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Table {
        let mut table = Table::new(
            "Time on the Uno",
            vec![Column::text("Algorithm"), Column::number("Time", "ms")],
        );
        table.push(vec![
            Cell::text("aes-128 | <fast>"),
            Cell::number("0.532", 0.5325),
        ]);
        table.push(vec![
            Cell::text("rsa-2048"),
            Cell::label("does not fit", Tone::Bad),
        ]);
        table
    }

    #[test]
    fn data_is_escaped_and_values_are_kept() {
        let mut table = sample();
        table.body[0][1] = table.body[0][1]
            .clone()
            .with_source("run \"a\" <b>", vec![3, 4]);
        let html = table.to_html("t1").into_string();
        assert!(
            html.contains("<th scope=\"row\">aes-128 | &lt;fast&gt;</th>"),
            "{html}"
        );
        assert!(html.contains(
            "<td class=\"n\" data-v=\"0.5325\" data-r=\"3 4\" title=\"run &quot;a&quot; &lt;b&gt;\">0.532</td>"
        ), "{html}");
        assert!(
            html.contains("<span class=\"badge\">does not fit</span>"),
            "{html}"
        );
    }
}
