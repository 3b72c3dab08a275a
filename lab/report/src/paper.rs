//! A published paper as data: its tables and figures cell by cell, how each was measured,
//! and which rows of this project correspond.
//!
//! One file of `lab/papers/` is one paper; lab/papers/README.md explains the format.
//! Adding a paper changes no code. Mistakes are reported with file and line.

mod file;
mod link;
mod model;
mod parse;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use thiserror::Error;

pub use model::{
    BatteryLife, Candidate, ExchangeLink, Expression, Hardware, MeasuredBy, Paper, PaperCell,
    PaperColumn, PaperTable, Published, SurveyQuestion, Term,
};
use parse::parse;

/// A mistake in a paper's file, with its place.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PaperError {
    /// cannot read {path}: {source}
    #[error("cannot read {}: {source}", path.display())]
    Read {
        path: PathBuf,
        source: std::io::Error,
    },
    /// {path}:{line}: {message}
    #[error("{}:{line}: {message}", path.display())]
    Data {
        path: PathBuf,
        line: usize,
        message: String,
    },
}

impl selo_base::report::Failure for PaperError {}

/// The names of the papers in a folder, sorted.
pub fn names(folder: &Path) -> Result<Vec<String>, PaperError> {
    let read_error = |source| PaperError::Read {
        path: folder.to_owned(),
        source,
    };
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(read_error)? {
        let path = entry.map_err(read_error)?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "toml")
            && let Some(stem) = path.file_stem().and_then(|stem| stem.to_str())
        {
            names.push(stem.to_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// Reads every paper of a folder, in the order of [`names`].
pub fn read_all(folder: &Path) -> Result<Vec<Paper>, PaperError> {
    names(folder)?
        .iter()
        .map(|name| read(&folder.join(format!("{name}.toml"))))
        .collect()
}

/// Reads one paper.
pub fn read(path: &Path) -> Result<Paper, PaperError> {
    let text = std::fs::read_to_string(path).map_err(|source| PaperError::Read {
        path: path.to_owned(),
        source,
    })?;
    let paper = parse(&text).map_err(|mistake| PaperError::Data {
        path: path.to_owned(),
        line: mistake.line(&text),
        message: mistake.message,
    })?;
    let stem = path
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or_default();
    if paper.name != stem {
        return Err(PaperError::Data {
            path: path.to_owned(),
            line: 1,
            message: format!(
                "name = \"{}\" must equal the file's name, '{stem}'",
                paper.name
            ),
        });
    }
    Ok(paper)
}
