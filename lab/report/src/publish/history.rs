//! The values of a figure in the runs of a site, and their difference from run to run.

use maud::{Markup, html};
use selo_engine::row::Metric;

use super::run::{MOST, Run};
use crate::format;
use crate::gate::{GateLine, GateResult, Kept, Key, Limits};

/// The runs of a site, the newest first.
#[derive(Clone, Copy, Debug)]
pub struct History<'a> {
    pub runs: &'a [Run],
}

impl<'a> History<'a> {
    pub fn new(runs: &'a [Run]) -> History<'a> {
        let runs = &runs[..runs.len().min(MOST)];
        History { runs }
    }

    /// The figure in each run, the newest first.
    pub fn of(&self, key: &Key) -> Vec<Option<&'a Kept>> {
        let runs = self.runs.iter();
        runs.map(|run| run.figures.figures.get(key)).collect()
    }

    /// The difference between the newest run and the one before it; nothing if there is no such
    /// run, or it has no such figure.
    pub fn change(&self, key: &Key) -> Option<GateLine> {
        let [now, before, ..] = self.runs else {
            return None;
        };
        let (now, before) = (
            now.figures.figures.get(key)?,
            before.figures.figures.get(key)?,
        );
        Some(compare(key, before, now))
    }
}

/// Compares two figures as `selo lab gate` does without limits: an exact figure differs if it is
/// not the same, one that varies if it is beyond the usual 5 % and the intervals do not overlap.
pub fn compare(key: &Key, before: &Kept, now: &Kept) -> GateLine {
    GateLine::compare(key, before, now, &Limits::default())
}

/// A difference in per cent, coloured by what it means; in words where there is none.
pub fn difference(line: &GateLine) -> Markup {
    let tone = tone(line.verdict);
    html! {
        span class=[tone] {
            @match (line.verdict, line.change) {
                (GateResult::Same, None | Some(0.0)) => "same",
                (GateResult::NotComparable, _) => "not comparable",
                (GateResult::Failed, _) => "no figure now",
                (GateResult::Recovered, _) => "has a figure now",
                (_, Some(change)) => (format::change(change)),
                (verdict, None) => (verdict.words()),
            }
        }
    }
}

fn tone(verdict: GateResult) -> Option<&'static str> {
    match verdict {
        GateResult::Regressed | GateResult::Failed | GateResult::Missing => Some("bad"),
        GateResult::Improved | GateResult::Recovered => Some("good"),
        GateResult::Within | GateResult::Unclear | GateResult::NotComparable => Some("warn"),
        GateResult::New | GateResult::Same => None,
    }
}

/// A figure of a run in words: its value, or the reason why there is none.
pub fn text(metric: Metric, kept: &Kept) -> String {
    match kept.value {
        Some(value) => format::interval(metric, value, kept.ci95),
        None => format::status_words(kept.status).to_owned(),
    }
}

/// Each figure of a page in each run: a line for a figure, a column for a run, and the difference
/// from the run before it. The first `here` figures have their address in a table above; this one
/// has those of the others. `to_top` leads from the page to the top of the site.
pub fn table(history: &History<'_>, keys: &[Key], here: usize, to_top: &str, page: &str) -> Markup {
    html! {
        div .scroll role="region" aria-label="Runs" tabindex="0" {
            table {
                thead { tr {
                    th scope="col" { "Figure" }
                    @for run in history.runs {
                        th .n scope="col" { (run_link(run, keys, to_top, page)) }
                    }
                } }
                tbody { @for (at, key) in keys.iter().enumerate() { (line(history, key, at >= here)) } }
            }
        }
    }
}

/// The name of a run, linked to its page if it has one.
fn run_link(run: &Run, keys: &[Key], to_top: &str, page: &str) -> Markup {
    let has = keys.iter().any(|key| run.figures.figures.contains_key(key));
    html! {
        @if has { a href={ (to_top) "runs/" (run.about.name) "/" (page) } { (run.about.name) } }
        @else { (run.about.name) }
    }
}

fn line(history: &History<'_>, key: &Key, own: bool) -> Markup {
    let figures = history.of(key);
    let anchor = super::address::anchor(key);
    html! {
        tr id=[own.then_some(&anchor)] {
            th scope="row" { a href={ "#" (anchor) } { (name(key)) } }
            @for (at, kept) in figures.iter().enumerate() {
                td .n {
                    @if let Some(kept) = kept {
                        (text(key.metric, kept))
                        // The run before it is the next column.
                        @if let Some(Some(before)) = figures.get(at + 1) {
                            small { (difference(&compare(key, before, kept))) }
                        }
                    } @else { span .quiet { "–" } }
                }
            }
        }
    }
}

/// A figure on its page: operation, size, metric.
pub fn name(key: &Key) -> String {
    let metric = format::metric_phrase(key.metric);
    match key.bytes {
        Some(bytes) => format!("{}, {bytes} bytes: {metric}", key.operation),
        None => format!("{}: {metric}", key.operation),
    }
}
