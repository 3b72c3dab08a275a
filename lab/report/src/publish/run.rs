//! The published runs of a site. Their files are input: somebody may have edited, cut or replaced
//! them, so a run that cannot be read is named and left out.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use schemars::JsonSchema;
use selo_engine::row::{self, Metric, Row};
use selo_engine::store;
use serde::{Deserialize, Serialize};

use super::error::{PublishError, Result};
use super::given::Given;
use crate::format;
use crate::gate::Baseline;

/// The schema of `run.json`.
pub const SCHEMA: &str = "selo.published/1";

/// The files of a run that later publications read.
const ABOUT: &str = "run.json";

/// The most runs that a page compares. Older ones keep their own pages.
pub const MOST: usize = 12;

/// The most bytes that are read of `rows.jsonl` and of `run.json`.
const LARGEST: u64 = 256 << 20;
const SMALL: u64 = 64 << 10;

/// The file `run.json` of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct About {
    pub schema: String,
    pub name: String,
    /// 1 for the first run of the site, and one more for each later one.
    pub number: u64,
    /// The moment of publication, in RFC 3339.
    pub published: String,
    pub rows: usize,
    /// The commits of Selo that measured the rows.
    pub commits: Vec<String>,
}

/// A published run: what later pages need of it.
#[derive(Clone, Debug)]
pub struct Run {
    pub about: About,
    pub figures: Baseline,
}

/// A folder in `runs/` that is not a readable run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LeftOut {
    pub name: String,
    pub reason: String,
}

/// Where the rows to publish belong.
pub enum Known {
    /// They are those of the run at this place in the list.
    Published(usize),
    New(About),
}

impl Run {
    pub fn of(about: About, rows: &[Row]) -> Run {
        Run {
            about,
            figures: Baseline::of(rows, &Metric::ALL),
        }
    }
}

impl About {
    pub fn to_json(&self) -> String {
        // Strings and numbers only, so serialisation cannot fail.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

/// Rows as JSON Lines.
pub fn lines(rows: &[Row]) -> String {
    rows.iter().map(|row| store::to_line(row) + "\n").collect()
}

/// True for a name of a run. It is a folder's name, and stands in addresses as it is.
pub fn valid_name(name: &str) -> bool {
    let first = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    let kept = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    first && name.len() <= 64 && name.chars().all(kept)
}

/// The runs in a folder, the newest first, and those that cannot be read. Only the figures of the
/// newest [`MOST`] are read; of older ones a page shows the name.
pub fn read_all(folder: &Path) -> (Vec<Run>, Vec<LeftOut>) {
    let (mut found, mut left_out) = (Vec::new(), Vec::new());
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        let name = entry.file_name().to_string_lossy().into_owned();
        match about(&entry.path(), &name) {
            Ok(about) => found.push(about),
            Err(reason) => left_out.push(LeftOut { name, reason }),
        }
    }
    found.sort_by_cached_key(|about| std::cmp::Reverse((about.number, about.name.clone())));
    let mut runs = Vec::new();
    for about in found {
        let read = match runs.len() < MOST {
            true => figures(&folder.join(&about.name), &about),
            false => Ok(Baseline::default()),
        };
        match read {
            Ok(figures) => runs.push(Run { about, figures }),
            Err(reason) => {
                let name = about.name;
                left_out.push(LeftOut { name, reason });
            }
        }
    }
    left_out.sort_by(|a, b| a.name.cmp(&b.name));
    (runs, left_out)
}

/// Reads what a run's folder says about the run.
fn about(folder: &Path, name: &str) -> std::result::Result<About, String> {
    if !valid_name(name) {
        return Err("its name is not one of a run".to_owned());
    }
    let text = read_file(&folder.join(ABOUT), SMALL)?;
    let about: About = serde_json::from_str(&text).map_err(|error| format!("{ABOUT}: {error}"))?;
    if about.schema != SCHEMA {
        return Err(format!("{ABOUT}: its schema is not {SCHEMA}"));
    }
    if about.name != name {
        return Err(format!("{ABOUT}: it has the name of another run"));
    }
    Ok(about)
}

/// Reads the figures of a run.
fn figures(folder: &Path, about: &About) -> std::result::Result<Baseline, String> {
    let text = read_file(&folder.join(store::ROWS), LARGEST)?;
    let mut rows = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let row = row::old::read(line)
            .map_err(|error| format!("{}, line {}: {error}", store::ROWS, index + 1))?;
        rows.push(row);
    }
    if rows.len() != about.rows || !(text.is_empty() || text.ends_with('\n')) {
        let (found, said) = (rows.len(), about.rows);
        return Err(format!(
            "{}: {found} rows, and {ABOUT} says {said}",
            store::ROWS
        ));
    }
    Ok(Baseline::of(&rows, &Metric::ALL))
}

/// A file's text. Anything but a file of a sensible size is an error: a pipe would never end.
fn read_file(path: &Path, largest: u64) -> std::result::Result<String, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // A link may lead out of the site, so it is not followed.
    let about = std::fs::symlink_metadata(path).map_err(|error| format!("{name}: {error}"))?;
    if !about.is_file() {
        return Err(format!("{name} is not a file"));
    }
    if about.len() > largest {
        return Err(format!("{name} is larger than {largest} bytes"));
    }
    let mut text = String::new();
    let opened = File::open(path).map_err(|error| format!("{name}: {error}"))?;
    let read = opened.take(largest).read_to_string(&mut text);
    read.map_err(|error| format!("{name}: {error}"))?;
    Ok(text)
}

/// Decides whether the rows are a new run, and under which name. `folder` has the runs.
pub fn place(given: &Given<'_>, content: &str, folder: &Path, runs: &[Run]) -> Result<Known> {
    let same = |name: &str| {
        let path = folder.join(name).join(store::ROWS);
        read_file(&path, LARGEST).is_ok_and(|text| text == content)
    };
    if given.name.is_none()
        && let Some(newest) = runs.first()
        && same(&newest.about.name)
    {
        return Ok(Known::Published(0));
    }
    let name = given
        .name
        .map_or_else(|| default_name(given), str::to_owned);
    if !valid_name(&name) {
        return Err(PublishError::BadName { name });
    }
    let path = folder.join(&name);
    if let Some(at) = runs.iter().position(|run| run.about.name == name) {
        return match same(&name) {
            true => Ok(Known::Published(at)),
            false => Err(PublishError::Taken { name, path }),
        };
    }
    if path.symlink_metadata().is_ok() {
        let read = about(&path, &name).and_then(|about| figures(&path, &about));
        let reason = read
            .err()
            .unwrap_or_else(|| "it is not a folder".to_owned());
        return Err(PublishError::Damaged { name, path, reason });
    }
    let newest = runs.iter().map(|run| run.about.number).max();
    Ok(Known::New(About {
        schema: SCHEMA.to_owned(),
        name,
        number: newest.unwrap_or(0).saturating_add(1),
        published: given.now.to_owned(),
        rows: given.rows.len(),
        commits: commits(given.rows),
    }))
}

fn commits(rows: &[Row]) -> Vec<String> {
    let mut commits: Vec<String> = rows.iter().map(|row| row.commit.clone()).collect();
    commits.sort();
    commits.dedup();
    commits
}

/// The date, the version of the row schema, and the commit of the rows:
/// `2026-11-27-rows2-0123456789`.
fn default_name(given: &Given<'_>) -> String {
    let day = given.now.get(..10).unwrap_or(given.now);
    let version = row::SCHEMA.rsplit('/').next().unwrap_or_default();
    let commit = match commits(given.rows).as_slice() {
        [one] => {
            let changed = if one.ends_with('+') { "-changed" } else { "" };
            format!("{}{changed}", format::short(one.trim_end_matches('+')))
        }
        _ => "several-commits".to_owned(),
    };
    format!("{day}-rows{version}-{commit}")
}
