//! A static site of results: a page for each variant of an algorithm of a library on a board, an
//! anchor for each figure, and a folder for each run that was published. [`address`] has the
//! addresses, [`run`] reads the runs of earlier publications, and [`draft`] puts the new pages in
//! place without a moment in which a page is missing.

pub mod address;
mod draft;
mod error;
mod frame;
mod overview;
mod run;
mod unit;

use std::path::Path;

use selo_engine::check::CheckLine;
use selo_engine::row::Row;

use crate::context::Context;
use draft::Draft;
use frame::Place;

pub use error::PublishError;
pub use run::{About, LeftOut, SCHEMA, valid_name};

type Result<T> = std::result::Result<T, PublishError>;

/// What is published.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    pub rows: &'a [Row],
    pub checks: &'a [CheckLine],
    pub context: &'a Context,
    /// The name of the run; `None` takes that of a published run with the same rows, or else
    /// makes one of the date and the rows.
    pub name: Option<&'a str>,
    /// The moment of publication, as RFC 3339 writes it.
    pub now: &'a str,
}

/// What was published.
#[derive(Clone, Debug)]
pub struct Published {
    pub about: About,
    /// False if the same run had been published before.
    pub is_new: bool,
    /// Pages written now: those of the run, if it is new, and the newest ones.
    pub pages: usize,
    pub figures: usize,
    /// All runs of the site that could be read, the newest first.
    pub runs: Vec<About>,
    pub left_out: Vec<LeftOut>,
}

/// Publishes rows in `folder`, which is made if needed.
pub fn publish(given: Given<'_>, folder: &Path) -> Result<Published> {
    let mut draft = Draft::begin(folder)?;
    let (mut runs, left_out) = run::read_all(&folder.join(draft::RUNS));
    let content = run::lines(given.rows);
    let known = run::place(&given, &content, folder, &runs)?;
    let about = match &known {
        run::Known::Published(at) => runs[*at].about.clone(),
        run::Known::New(about) => about.clone(),
    };
    let is_new = matches!(known, run::Known::New(_));
    if is_new {
        runs.insert(0, run::Run::of(about.clone(), given.rows));
        write_run(&mut draft, &given, &about, &content)?;
    }
    let names: Vec<About> = runs.iter().map(|run| run.about.clone()).collect();
    write_latest(&mut draft, &given, &names[0])?;
    draft.put("index.html", &overview::front(&given, &names, &left_out))?;
    let pages = draft.pages();
    draft.finish(is_new.then_some(about.name.as_str()))?;
    Ok(Published {
        about,
        is_new,
        pages,
        figures: given.rows.len(),
        runs: names,
        left_out,
    })
}

/// The pages of a new run, and the rows that later publications read.
fn write_run(draft: &mut Draft, given: &Given<'_>, about: &About, content: &str) -> Result<()> {
    let place = Place::of_run(&about.name);
    draft.put("run/rows.jsonl", content)?;
    draft.put("run/run.json", &about.to_json())?;
    write_view(draft, "run", &place, given)
}

fn write_latest(draft: &mut Draft, given: &Given<'_>, about: &About) -> Result<()> {
    write_view(draft, "latest", &Place::latest(&about.name), given)
}

/// The pages of one view of the rows.
fn write_view(draft: &mut Draft, folder: &str, place: &Place, given: &Given<'_>) -> Result<()> {
    for (unit, rows) in &unit::units(given.rows) {
        let page = unit::page(place, unit, rows, given.context);
        draft.put(&format!("{folder}/{}", unit.page()), &page)?;
        let lines: Vec<Row> = rows.iter().map(|row| (*row).clone()).collect();
        let path = format!("{folder}/{}/rows.jsonl", unit.folder());
        draft.put(&path, &run::lines(&lines))?;
    }
    draft.put(
        &format!("{folder}/index.html"),
        &overview::page(place, given),
    )
}
