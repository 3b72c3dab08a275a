//! What changed between a run and the one before it: worst first.

use maud::{Markup, html};
use schemars::JsonSchema;
use selo_base::table::{Cell, Column, Table};
use selo_engine::row::Metric;
use serde::Serialize;

use super::address::{Unit, anchor};
use super::frame::{self, Page, Place};
use super::history::{difference, name, text};
use super::run::Run;
use crate::format;
use crate::gate::{self, Gate, GateLine, GateResult, Limits};

/// The address of the page in a view.
pub const PAGE: &str = "changes/index.html";

/// The most lines on the page; the files have all of them.
const MOST: usize = 400;

/// The parts of the page, in its order.
const PARTS: [(&str, &[GateResult]); 4] = [
    (
        "Worse",
        &[
            GateResult::Failed,
            GateResult::Regressed,
            GateResult::Within,
            GateResult::Unclear,
        ],
    ),
    ("Gone", &[GateResult::Missing]),
    ("Better", &[GateResult::Improved, GateResult::Recovered]),
    ("Not comparable", &[GateResult::NotComparable]),
];

/// How many figures changed, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counts {
    pub worse: usize,
    /// In the run before, and not in this one.
    pub gone: usize,
    pub better: usize,
    /// Measured in another way than before.
    pub not_comparable: usize,
    pub new: usize,
    pub unchanged: usize,
}

impl Counts {
    pub fn words(self) -> String {
        let counts = [
            (self.worse, "worse"),
            (self.gone, "gone"),
            (self.better, "better"),
            (self.not_comparable, "not comparable"),
            (self.new, "new"),
            (self.unchanged, "unchanged"),
        ];
        let counts = counts.into_iter().filter(|(count, _)| *count > 0);
        let words = counts.map(|(count, word)| format!("{} {word}", format::count(count as f64)));
        words.collect::<Vec<_>>().join(", ")
    }
}

/// Two runs compared.
pub struct Changes {
    pub before: Option<String>,
    gate: Gate,
}

impl Changes {
    /// Compares a run with the one before it. The first run has only new figures.
    pub fn between(before: Option<&Run>, now: &Run) -> Changes {
        let mut gate = match before {
            Some(run) => gate::gate(&run.figures, &now.figures, &Limits::default(), |_| true),
            None => Gate::default(),
        };
        gate.lines.sort_by(|a, b| {
            let place = |line: &GateLine| (line.verdict, line.key.clone());
            // Within a verdict the largest change comes first.
            let size = |line: &GateLine| line.change.map_or(f64::INFINITY, f64::abs);
            (a.verdict.cmp(&b.verdict))
                .then(size(b).total_cmp(&size(a)))
                .then_with(|| place(a).cmp(&place(b)))
        });
        Changes {
            before: before.map(|run| run.about.name.clone()),
            gate,
        }
    }

    /// The lines of some verdicts, worst first.
    fn of<'a>(&'a self, verdicts: &'a [GateResult]) -> impl Iterator<Item = &'a GateLine> {
        let lines = self.gate.lines.iter();
        lines.filter(move |line| verdicts.contains(&line.verdict))
    }

    pub fn counts(&self) -> Counts {
        let count = |verdicts: &[GateResult]| self.of(verdicts).count();
        let [worse, gone, better, not_comparable] = PARTS.map(|(_, verdicts)| count(verdicts));
        Counts {
            worse,
            gone,
            better,
            not_comparable,
            new: count(&[GateResult::New]),
            unchanged: count(&[GateResult::Same]),
        }
    }

    /// `2 worse, 1 gone, 3 better, 4 new, 120 unchanged`.
    pub fn summary(&self) -> String {
        if self.before.is_none() {
            return "the first run".to_owned();
        }
        self.counts().words()
    }

    /// Every figure that is not the same, as comma-separated values.
    pub fn csv(&self) -> String {
        let heads = [
            "result",
            "board",
            "library",
            "algorithm",
            "variant",
            "sweep",
            "operation",
            "bytes",
            "metric",
            "unit",
            "before",
            "now",
            "change",
        ];
        let mut table = Table::new("", heads.map(Column::text).to_vec());
        for line in self.changed() {
            let key = &line.key;
            let figure = |kept: Option<&gate::Kept>| {
                let value = kept.and_then(|kept| kept.value);
                value.map_or_else(Cell::none, |value| Cell::number(value.to_string(), value))
            };
            table.push(vec![
                Cell::text(line.verdict.words()),
                Cell::text(&key.board),
                Cell::text(&key.library),
                Cell::text(&key.algorithm),
                Cell::text(&key.variant),
                Cell::text(key.sweep.clone().unwrap_or_default()),
                Cell::text(&key.operation),
                Cell::text(key.bytes.map(|bytes| bytes.to_string()).unwrap_or_default()),
                Cell::text(key.metric.name()),
                Cell::text(key.metric.unit()),
                figure(line.before.as_ref()),
                figure(line.now.as_ref()),
                line.change
                    .map_or_else(Cell::none, |share| Cell::number(share.to_string(), share)),
            ]);
        }
        table.to_csv()
    }

    /// Every figure that is not the same, as JSON Lines of `selo lab gate --json`.
    pub fn json_lines(&self) -> String {
        let line = |line: &GateLine| serde_json::to_string(line).unwrap_or_default() + "\n";
        self.changed().map(line).collect()
    }

    fn changed(&self) -> impl Iterator<Item = &GateLine> {
        let lines = self.gate.lines.iter();
        lines.filter(|line| line.verdict != GateResult::Same)
    }
}

/// The page of the changes.
pub fn page(place: &Place, changes: &Changes) -> String {
    let title = match &changes.before {
        Some(before) => format!("What changed since {before}"),
        None => "What changed".to_owned(),
    };
    let subtitle = format!("In the run {}: {}", place.run, changes.summary());
    let page = Page {
        title: &title,
        subtitle: &subtitle,
        path: vec![("changes", PAGE.to_owned())],
        content: content(place, changes),
        script: None,
    };
    frame::page(place, PAGE, &page)
}

fn content(place: &Place, changes: &Changes) -> Markup {
    if changes.before.is_none() {
        return html! { p { "Nothing to compare: this is the first run of the site. The next publication compares its figures with these." } };
    }
    let same = changes.changed().next().is_none();
    let mut left = MOST;
    html! {
        p { "An exact figure is worse if it is not the same and not better. A figure that varies is worse if it is more than the usual limit of " code { "selo lab gate" } " above the earlier one, and the two 95 % intervals do not overlap. More packets a second are better; of everything else less is better." }
        @for remark in &changes.gate.remarks { p .old { (remark) } }
        @if same { p { "Every figure is the same." } }
        @for (title, verdicts) in PARTS { (part(title, &changes.of(verdicts).collect::<Vec<_>>(), place, &mut left)) }
        (part("New", &changes.of(&[GateResult::New]).collect::<Vec<_>>(), place, &mut left))
        @if !same {
            p { "All of them as files: " a href="changes.csv" { "changes.csv" } ", " a href="changes.jsonl" { "changes.jsonl" } }
        }
    }
}

/// A part of the page, if it has lines. `left` lines may still be shown.
fn part(title: &str, lines: &[&GateLine], place: &Place, left: &mut usize) -> Markup {
    if lines.is_empty() {
        return html! {};
    }
    let shown = lines.len().min(*left);
    *left -= shown;
    let hidden = lines.len() - shown;
    html! {
        h2 { (title) ": " (format::count(lines.len() as f64)) }
        @if shown > 0 {
            div .scroll role="region" aria-label=(title) tabindex="0" {
                table {
                    thead { tr {
                        th scope="col" { "Figure" } th .n scope="col" { "Change" }
                        th .n scope="col" { "Before" } th .n scope="col" { "Now" } th scope="col" { "Fidelity" }
                    } }
                    tbody { @for line in &lines[..shown] { (row(line, place)) } }
                }
            }
        }
        @if hidden > 0 { p .quiet { (format::things(hidden, "more figure is", "more figures are")) " in the files below." } }
    }
}

fn row(line: &GateLine, place: &Place) -> Markup {
    let key = &line.key;
    let metric: Metric = key.metric;
    let kept = line.now.as_ref().or(line.before.as_ref());
    let figure =
        |kept: Option<&gate::Kept>| kept.map_or_else(|| "–".to_owned(), |kept| text(metric, kept));
    html! {
        tr {
            th scope="row" {
                // The newest pages have gone figures too; those of a run have only its own.
                @if line.now.is_some() || place.is_latest() { a href=(address(line)) { (name(key)) } }
                @else { (name(key)) }
                small { (key.board) " · " (key.library) " " (key.algorithm) " " (key.variant) @if let Some(point) = &key.sweep { " [" (point) "]" } }
            }
            td .n { (difference(line)) @if let Some(note) = &line.note { small { (note) } } }
            td .n { (figure(line.before.as_ref())) }
            td .n { (figure(line.now.as_ref())) }
            td { @if let Some(kept) = kept { span .badge { (kept.fidelity.name()) } } }
        }
    }
}

/// The figure's address from this page.
fn address(line: &GateLine) -> String {
    format!("../{}#{}", Unit::of(&line.key).page(), anchor(&line.key))
}
