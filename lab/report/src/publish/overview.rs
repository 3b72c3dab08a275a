//! The first page of a view, and the front page of the site: answers first, then the ways to every
//! figure.

use maud::{Markup, html};

use super::address::{list, slug};
use super::frame::{self, Page};
use super::run::{About, LeftOut};
use super::view::View;
use super::{changes, search, table};
use crate::document::{Block, Section};
use crate::format;
use crate::pivot::Lines;
use crate::sections::{best, summary};

/// The overview of a view.
pub fn page(view: &View<'_>) -> String {
    let subtitle = format!(
        "The run {}: {}",
        view.place.run,
        format::things(view.given.rows.len(), "figure", "figures")
    );
    let page = Page {
        title: "What cryptography costs",
        subtitle: &subtitle,
        path: Vec::new(),
        content: html! { (content("", view)) (files(&["rows.jsonl", "rows.csv"])) },
        script: Some(search::SCRIPT),
    };
    frame::page(&view.place, "index.html", &page)
}

/// The front page: the newest figures, and the runs.
pub fn front(view: &View<'_>, runs: &[About], left_out: &[LeftOut]) -> String {
    let content = html! {
        (content("latest/", view))
        (list_of_runs(runs, left_out))
        (files(&["latest/rows.jsonl", "latest/rows.csv"]))
    };
    let subtitle = format!(
        "Newest run: {}, {}. {} in all.",
        view.place.run,
        format::things(view.given.rows.len(), "figure", "figures"),
        format::things(runs.len(), "run", "runs")
    );
    frame::front(&Page {
        title: "What cryptography costs",
        subtitle: &subtitle,
        path: Vec::new(),
        content,
        script: Some(search::SCRIPT),
    })
}

fn files(names: &[&str]) -> Markup {
    super::lists::files_line(names)
}

fn content(prefix: &str, view: &View<'_>) -> Markup {
    let given = &view.given;
    let lines = Lines::new(given.rows, given.context);
    let summary = summary::section(&lines, &[], given.checks);
    html! {
        @for block in &summary.blocks { @if let Block::List(items) = block { ol .findings { @for item in items { li { (item) } } } } }
        @if view.changes.before.is_some() {
            p { "Since the run before: " a href={ (prefix) (changes::PAGE) } { (view.changes.summary()) } "." }
        }
        (search::field(view, prefix))
        (names("boards", "Boards", "board", prefix, &view.names(|row| &row.board), |name| given.context.board_title(name)))
        (names("libraries", "Libraries", "library", prefix, &view.names(|row| &row.library), |name| name))
        (names("algorithms", "Algorithms", "algorithm", prefix, &view.names(|row| &row.algorithm), |name| name))
        (least(&lines, prefix))
        @for table in tables(&summary) { h2 { "Boards and tools" } (table::untitled(table, given.rows, prefix)) }
    }
}

/// The best choices on the board with the most rows; the pages of the others have theirs.
fn least(lines: &Lines<'_>, prefix: &str) -> Markup {
    let section = best::section(lines);
    let Some(table) = tables(&section).next() else {
        return html! {};
    };
    let others = tables(&section).count() > 1;
    html! {
        h2 { "Least of each operation" }
        (table::linked(table, lines.rows, prefix))
        @if others { p { "The pages of the other " a href="#boards" { "boards" } " have theirs." } }
    }
}

fn tables(section: &Section) -> impl Iterator<Item = &crate::table::Table> {
    section.blocks.iter().filter_map(|block| match block {
        Block::Table { table, .. } => Some(table),
        _ => None,
    })
}

fn names<'a>(
    id: &str,
    title: &str,
    kind: &str,
    prefix: &str,
    names: &[&'a str],
    shown: impl Fn(&'a str) -> &'a str,
) -> Markup {
    html! {
        h2 id=(id) { (title) }
        ul .list { @for name in names { li { a href={ (prefix) (list(kind, &slug(name))) } { (shown(name)) } } } }
    }
}

fn list_of_runs(runs: &[About], left_out: &[LeftOut]) -> Markup {
    html! {
        h2 #runs { "Runs" }
        div .scroll role="region" aria-label="Runs" tabindex="0" {
            table {
                thead { tr {
                    th scope="col" { "Run" } th scope="col" { "Published" } th .n scope="col" { "Figures" }
                    th scope="col" { "Commit of Selo" } th scope="col" { "Changes" }
                } }
                tbody { @for run in runs { (run_line(run)) } }
            }
        }
        @if !left_out.is_empty() {
            p { "Left out, because they cannot be read:" }
            ul { @for run in left_out { li .bad { (run.name) ": " (run.reason) } } }
        }
    }
}

fn run_line(run: &About) -> Markup {
    let commits: Vec<&str> = run
        .commits
        .iter()
        .map(|commit| format::short(commit))
        .collect();
    html! {
        tr {
            th scope="row" { a href={ "runs/" (run.name) "/index.html" } { (run.name) } }
            td { (run.published) }
            td .n { (format::count(run.rows as f64)) }
            td { (commits.join(", ")) }
            td { a href={ "runs/" (run.name) "/" (changes::PAGE) } { "since the run before" } }
        }
    }
}
