//! Finds the rows that a command reads: those given by `--rows`, else the latest
//! of every board measured in this project.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use selo_engine::derive;
use selo_engine::project::Project;
use selo_engine::row::Row;
use selo_engine::store;

/// Exit code if something must be measured or fetched first; see docs/reference.md.
pub const MISSING: u8 = 3;

/// Reads rows from files and folders, or from `out/lab/*/rows.jsonl` of the project if none is
/// named. If a measurement has two rows, the later one counts. Derives energies and modelled
/// cycles.
pub fn read(named: &[PathBuf], root: &Path) -> selo_base::report::Result<Vec<Row>> {
    read_of(named, &Project::load(root)?)
}

fn read_of(named: &[PathBuf], project: &Project) -> selo_base::report::Result<Vec<Row>> {
    let mut files = Vec::new();
    if named.is_empty() {
        files = row_files(&project.root.join("out/lab"));
    }
    let mut renamed = Vec::new();
    for path in named {
        if let Some((board, path)) = taken_for(path) {
            let of_other = read_of(&[path], project)?;
            renamed.extend(of_other.into_iter().map(|row| Row {
                board: board.clone(),
                ..row
            }));
            continue;
        }
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let inside = row_files(path);
        let own = path.join(store::ROWS);
        if own.is_file() {
            files.push(own);
        } else if inside.is_empty() {
            selo_base::bail!("no {} in {} or its folders", store::ROWS, path.display());
        }
        files.extend(inside);
    }
    let mut rows = Vec::new();
    for file in files {
        rows.extend(store::read(&file)?);
    }
    let mut rows = derive::complete(project, store::latest(rows));
    rows.extend(renamed);
    Ok(store::latest(rows))
}

/// Parses `BOARD=PATH`: rows from elsewhere, to be read as rows of another board.
fn taken_for(named: &Path) -> Option<(String, PathBuf)> {
    let (board, path) = named.to_str()?.split_once('=')?;
    let is_name = board.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    (is_name && !board.is_empty() && !named.exists()).then(|| (board.to_owned(), path.into()))
}

/// The row files in the subfolders of a folder, sorted by name.
fn row_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path().join(store::ROWS))
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    files
}

/// Prints that rows are missing and how to make them.
pub fn none(board: &str) -> ExitCode {
    eprintln!("selo: no rows for board '{board}'");
    eprintln!("hint: measure it first: selo lab run --board {board}");
    ExitCode::from(MISSING)
}

/// Prints values as JSON Lines.
pub fn print_lines<T: serde::Serialize>(
    values: impl IntoIterator<Item = T>,
) -> selo_base::report::Result<()> {
    let mut out = std::io::stdout().lock();
    for value in values {
        serde_json::to_writer(&mut out, &value)?;
        out.write_all(b"\n")?;
    }
    out.flush()?;
    Ok(())
}

/// Prints text; a closed pipe is not an error.
pub fn print(text: &str) -> selo_base::report::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Writes a file and creates its folder if needed.
pub fn write(path: &Path, text: &str) -> selo_engine::Result<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    folder
        .map_or(Ok(()), std::fs::create_dir_all)
        .and_then(|()| std::fs::write(path, text))
        .map_err(|source| selo_engine::Error::Write {
            path: path.to_owned(),
            source,
        })
}
