//! Writes a report from rows: one page, Markdown with pictures, and CSV. The same rows give
//! the same bytes.

use std::path::{Path, PathBuf};

use selo_engine::check::CheckLine;
use selo_engine::row::Row;
use thiserror::Error;

use crate::compare::Comparison;
use crate::context::Context;
use crate::document::Section;
use crate::findings::findings;
use crate::language::Translator;
use crate::pivot::Lines;
use crate::{csv, html, markdown, sections};

/// The formats to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Formats {
    pub html: bool,
    pub markdown: bool,
    pub csv: bool,
}

impl Formats {
    pub const ALL: Formats = Formats {
        html: true,
        markdown: true,
        csv: true,
    };
}

/// Paths of the written parts; `None` if a part was not requested.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReportPaths {
    pub html: Option<PathBuf>,
    pub markdown: Option<PathBuf>,
    pub csv: Option<PathBuf>,
    /// The pictures of the Markdown file.
    pub pictures: Vec<PathBuf>,
}

/// Failure to write a report.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReportError {
    /// cannot write {path}: {source}
    #[error("cannot write {}: {source}", path.display())]
    Write {
        path: PathBuf,
        source: std::io::Error,
    },
}

impl selo_base::report::Failure for ReportError {}

/// The folder of the pictures of the Markdown file.
const PICTURES: &str = "pictures";

/// Writes the report of `rows` into `folder`, which is created if needed.
///
/// Each file is complete or absent: it is written under a temporary name, then renamed.
pub fn write(
    rows: &[Row],
    papers: &[Comparison],
    checks: &[CheckLine],
    context: &Context,
    formats: Formats,
    words: &Translator,
    folder: &Path,
) -> Result<ReportPaths, ReportError> {
    let lines = Lines::new(rows, context);
    let document = words.document(sections::document(&lines, papers, checks));
    let mut paths = ReportPaths::default();
    make_folder(folder)?;
    if formats.html {
        let path = folder.join("report.html");
        write_file(&path, &html::page(&document, rows, words))?;
        paths.html = Some(path);
    }
    if formats.markdown {
        let pictures = folder.join(PICTURES);
        make_folder(&pictures)?;
        for picture in document.sections.iter().flat_map(Section::pictures) {
            let path = pictures.join(format!("{}.svg", picture.id));
            write_file(&path, &picture.standalone())?;
            paths.pictures.push(path);
        }
        let path = folder.join("report.md");
        write_file(&path, &markdown::text(&document, PICTURES))?;
        paths.markdown = Some(path);
    }
    // The Markdown file contains no rows, but links to this file.
    if formats.csv || formats.markdown {
        let path = folder.join("rows.csv");
        write_file(&path, &csv::rows(rows))?;
        paths.csv = Some(path);
    }
    Ok(paths)
}

/// The key findings, at most [`crate::findings::MOST`] lines.
pub fn summary(
    rows: &[Row],
    papers: &[Comparison],
    checks: &[CheckLine],
    context: &Context,
    words: &Translator,
) -> Vec<String> {
    let found = findings(&Lines::new(rows, context), papers, checks);
    found.iter().map(|finding| words.text(finding)).collect()
}

pub(crate) fn make_folder(folder: &Path) -> Result<(), ReportError> {
    std::fs::create_dir_all(folder).map_err(|source| ReportError::Write {
        path: folder.to_owned(),
        source,
    })
}

pub(crate) fn write_file(path: &Path, content: &str) -> Result<(), ReportError> {
    let unfinished = path.with_extension("unfinished");
    let written =
        std::fs::write(&unfinished, content).and_then(|()| std::fs::rename(&unfinished, path));
    written.map_err(|source| {
        // Remove the partial file. Only the first error is reported, so ignore this one.
        let _ = std::fs::remove_file(&unfinished);
        ReportError::Write {
            path: path.to_owned(),
            source,
        }
    })
}

#[cfg(test)]
mod tests;
