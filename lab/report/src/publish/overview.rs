//! The first page of a view, and the front page of the site.

use maud::{Markup, html};

use super::Given;
use super::frame::{self, Page, Place};
use super::run::{About, LeftOut};
use super::unit;
use crate::format;

/// The overview of a view.
pub fn page(place: &Place, given: &Given<'_>) -> String {
    let subtitle = format!("The run {}", place.run);
    let page = Page {
        title: "Overview",
        subtitle: &subtitle,
        path: Vec::new(),
        content: content("", given),
        script: None,
    };
    frame::page(place, "index.html", &page)
}

/// The front page: the newest figures, and the runs.
pub fn front(given: &Given<'_>, runs: &[About], left_out: &[LeftOut]) -> String {
    let content = html! {
        (content("latest/", given))
        (list_of_runs(runs, left_out))
    };
    frame::front(&Page {
        title: "What cryptography costs",
        subtitle: "Measured by Selo",
        path: Vec::new(),
        content,
        script: None,
    })
}

fn content(prefix: &str, given: &Given<'_>) -> Markup {
    html! {
        h2 #search { "Figures" }
        ul .list {
            @for (unit, rows) in &unit::units(given.rows) {
                @if let Some(row) = rows.first() {
                    li { a href={ (prefix) (unit.page()) } { (row.board) " " (row.library) " " (row.algorithm) " " (unit::variant(row)) } }
                }
            }
        }
    }
}

fn list_of_runs(runs: &[About], left_out: &[LeftOut]) -> Markup {
    html! {
        h2 #runs { "Runs" }
        table {
            thead { tr { th scope="col" { "Run" } th scope="col" { "Published" } th .n scope="col" { "Figures" } th scope="col" { "Commit" } } }
            tbody {
                @for run in runs {
                    tr {
                        th scope="row" { a href={ "runs/" (run.name) "/index.html" } { (run.name) } }
                        td { (run.published) }
                        td .n { (format::count(run.rows as f64)) }
                        td { (run.commits.iter().map(|commit| format::short(commit)).collect::<Vec<_>>().join(", ")) }
                    }
                }
            }
        }
        @for run in left_out { p .bad { "Left out: " (run.name) ": " (run.reason) } }
    }
}
