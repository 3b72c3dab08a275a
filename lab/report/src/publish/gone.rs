//! The newest address of what the newest run does not have any more. An address that was linked
//! once leads on: to the runs that have the figures.

use std::collections::BTreeMap;
use std::path::Path;

use maud::html;

use super::draft::Draft;
use super::error::Result;
use super::frame::{self, Page};
use super::history;
use super::run::valid_name;
use super::view::View;

/// Folders between a run's folder and its pages, and pages of a run: more are not looked at.
const DEPTH: usize = 5;
const MOST: usize = 100_000;

/// Writes a page for each address that some run has and the newest one does not.
pub fn write(draft: &mut Draft, view: &View<'_>, runs: &Path) -> Result<()> {
    let mut pages: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in folders(runs).into_iter().filter(|name| valid_name(name)) {
        let mut found = Vec::new();
        find(&runs.join(&name), "", DEPTH, &mut found);
        for page in found {
            if !draft.has(&format!("latest/{page}")) {
                pages.entry(page).or_default().push(name.clone());
            }
        }
    }
    for (page, runs) in &pages {
        draft.put(&format!("latest/{page}"), &stub(view, page, runs))?;
    }
    Ok(())
}

/// The names of the folders in a folder, sorted. Links are not followed.
fn folders(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut names: Vec<String> = folders
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    names
}

/// Collects the pages below a folder whose names are those that [`super::address`] gives.
fn find(folder: &Path, path: &str, depth: usize, found: &mut Vec<String>) {
    let page = format!("{path}index.html");
    if folder.join("index.html").is_file() && found.len() < MOST {
        found.push(page);
    }
    if depth == 0 {
        return;
    }
    let is_slug = |name: &String| {
        let kept = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        !name.starts_with('.') && name.chars().all(kept)
    };
    for name in folders(folder).into_iter().filter(is_slug) {
        find(
            &folder.join(&name),
            &format!("{path}{name}/"),
            depth - 1,
            found,
        );
    }
}

fn stub(view: &View<'_>, address: &str, runs: &[String]) -> String {
    let top = view.place.to_top(address);
    let unit = view.keys.keys().find(|unit| unit.page() == address);
    let title = address.trim_end_matches("/index.html").replace('/', " ");
    let content = html! {
        p { "The newest run has nothing here. These runs have:" }
        ul { @for run in runs { li { a href={ (top) "runs/" (run) "/" (address) } { (run) } } } }
        @if let (Some(unit), Some(history)) = (unit, &view.history) {
            h2 #runs { "In every run" }
            (history::table(history, &view.keys(unit), 0, &top, address))
        }
    };
    let page = Page {
        title: &title,
        subtitle: "Not in the newest run",
        path: Vec::new(),
        content,
        script: None,
    };
    frame::page(&view.place, address, &page)
}
