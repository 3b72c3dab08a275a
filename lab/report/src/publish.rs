//! A static site of results: a page for each variant of an algorithm of a library on a board, an
//! anchor for each figure, and a folder for each run that was published. [`address`] has the
//! addresses, [`run`] reads the runs of earlier publications, and [`draft`] puts the new pages in
//! place without a moment in which a page is missing.

pub mod address;
mod changes;
mod draft;
mod error;
mod figure;
mod frame;
mod given;
mod gone;
mod history;
mod lists;
mod overview;
mod run;
mod search;
mod table;
mod unit;
mod view;

use std::path::Path;

use schemars::JsonSchema;
use selo_engine::check::CheckLine;
use selo_engine::row::Row;
use serde::Serialize;

use crate::csv;
use changes::Changes;
use draft::Draft;
use error::Result;
use frame::Place;
use run::Run;
use view::View;

pub use changes::Counts;
pub use error::PublishError;
pub use given::Given;
pub use run::{About, LeftOut, SCHEMA, valid_name};

/// What was published: the line of `selo lab publish --json`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Published {
    /// The run of the rows.
    pub run: About,
    /// False if the same run had been published before.
    pub is_new: bool,
    /// Pages written now: those of the run, if it is new, and the newest ones. 0 if everything
    /// stood already.
    pub pages: usize,
    /// Rows of the run; each has an address.
    pub figures: usize,
    /// All runs of the site that can be read, the newest first.
    pub runs: Vec<String>,
    pub left_out: Vec<LeftOut>,
    /// Against the run before it; zeros for an older run that is published again.
    pub changes: Counts,
}

/// The steps of a publication, for progress.
pub const STEPS: [&str; 4] = [
    "reading the earlier runs",
    "writing the run",
    "writing the newest pages",
    "putting them in place",
];

/// Publishes rows in `folder`, which is made if needed. `step` hears when each of [`STEPS`] begins.
pub fn publish(given: Given<'_>, folder: &Path, mut step: impl FnMut(usize)) -> Result<Published> {
    step(0);
    let mut draft = Draft::begin(folder)?;
    let place = folder.join(draft::RUNS);
    let (mut runs, left_out) = run::read_all(&place);
    let content = run::lines(given.rows);
    let known = run::place(&given, &content, &place, &runs)?;
    let is_new = matches!(known, run::Known::New(_));
    let at = match known {
        run::Known::Published(at) => at,
        run::Known::New(about) => {
            step(1);
            runs.insert(0, Run::of(about, given.rows));
            write_run(&mut draft, given, &runs, &content)?;
            0
        }
    };
    let run = runs[at].about.clone();
    // An older run again: its rows are not the newest, and everything stands already.
    if at == 0 {
        step(2);
        let names: Vec<About> = runs.iter().map(|run| run.about.clone()).collect();
        let view = View::new(Place::latest(&run.name), given, &runs, true);
        write_view(&mut draft, "latest", &view, &content)?;
        gone::write(&mut draft, &view, &place)?;
        draft.put("index.html", &overview::front(&view, &names, &left_out))?;
    }
    let pages = draft.pages();
    let mut changes = Counts::default();
    if at == 0 {
        step(3);
        changes = Changes::between(runs.get(1), &runs[0]).counts();
        draft.finish(is_new.then_some(run.name.as_str()))?;
    }
    Ok(Published {
        run,
        is_new,
        pages,
        figures: given.rows.len(),
        runs: runs.into_iter().map(|run| run.about.name).collect(),
        left_out,
        changes,
    })
}

/// The pages of a new run, which is the first of `runs`, and what later publications read of it.
fn write_run(draft: &mut Draft, given: Given<'_>, runs: &[Run], content: &str) -> Result<()> {
    let about = &runs[0].about;
    let view = View::new(Place::of_run(&about.name), given, runs, false);
    draft.put("run/run.json", &about.to_json())?;
    draft.put("run/check.jsonl", &checks(&given))?;
    write_view(draft, "run", &view, content)
}

/// The pages and files of one view.
fn write_view(draft: &mut Draft, folder: &str, view: &View<'_>, content: &str) -> Result<()> {
    let mut put = |path: &str, text: &str| draft.put(&format!("{folder}/{path}"), text);
    for (unit, rows) in &view.units {
        put(&unit.page(), &unit::page(view, unit, rows))?;
        let rows: Vec<Row> = rows.iter().map(|row| (*row).clone()).collect();
        put(&format!("{}/rows.jsonl", unit.folder()), &run::lines(&rows))?;
    }
    for (path, text) in lists::files(view) {
        put(&path, &text)?;
    }
    put(changes::PAGE, &changes::page(&view.place, &view.changes))?;
    put("changes/changes.csv", &view.changes.csv())?;
    put("changes/changes.jsonl", &view.changes.json_lines())?;
    put("rows.jsonl", content)?;
    put("rows.csv", &csv::rows(view.given.rows))?;
    put("index.html", &overview::page(view))
}

/// The lines of `selo lab check`, as JSON Lines.
fn checks(given: &Given<'_>) -> String {
    let line = |line: &CheckLine| serde_json::to_string(line).unwrap_or_default() + "\n";
    given.checks.iter().map(line).collect()
}

#[cfg(test)]
mod tests;
