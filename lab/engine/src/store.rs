//! Row files in JSON Lines. Rows are written as soon as they are measured, so that an interrupted
//! run keeps them and can continue.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::row::{self, Metric, Row};

/// The row file of a run, `<folder>/rows.jsonl`.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    file: File,
    rows: Vec<Row>,
}

/// The name of the row file in a run's folder.
pub const ROWS: &str = "rows.jsonl";

impl Store {
    /// Opens the row file in `folder`, keeping the rows of an earlier run.
    pub fn open(folder: &Path) -> Result<Store> {
        let path = folder.join(ROWS);
        let write_error = |source| Error::Write {
            path: path.clone(),
            source,
        };
        std::fs::create_dir_all(folder).map_err(write_error)?;
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .map_err(write_error)?;
        let regular = file.metadata().map_err(write_error)?.is_file();
        let rows = if regular {
            recover(&path, &mut file)?
        } else {
            Vec::new()
        };
        Ok(Store { path, file, rows })
    }

    /// Removes the rows of an earlier run.
    pub fn discard(folder: &Path) -> Result<()> {
        let path = folder.join(ROWS);
        match std::fs::remove_file(&path) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                Err(Error::Write { path, source })
            }
            _ => Ok(()),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The rows so far, in the order of their measurement.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Appends rows in one write. Existing rows stay intact if it fails.
    pub fn append(&mut self, rows: Vec<Row>) -> Result<()> {
        let mut text = String::new();
        for row in &rows {
            text.push_str(&to_line(row));
            text.push('\n');
        }
        self.file
            .write_all(text.as_bytes())
            .map_err(|source| Error::Write {
                path: self.path.clone(),
                source,
            })?;
        self.rows.extend(rows);
        Ok(())
    }
}

/// One row as a line of JSON.
pub fn to_line(row: &Row) -> String {
    // A row has only strings and finite numbers, so serialisation cannot fail.
    serde_json::to_string(row).unwrap_or_default()
}

/// Reads a row file. Fails with the line number of an invalid row.
pub fn read(path: &Path) -> Result<Vec<Row>> {
    let read_error = |source| Error::Read {
        path: path.to_owned(),
        source,
    };
    let file = File::open(path).map_err(read_error)?;
    let mut rows = Vec::new();
    for (index, line) in BufReader::new(file).lines().enumerate() {
        let line = line.map_err(read_error)?;
        if line.trim().is_empty() {
            continue;
        }
        rows.push(row::old::read(&line).map_err(|error| Error::BadRow {
            path: path.to_owned(),
            line: index + 1,
            message: error.to_string(),
        })?);
    }
    Ok(rows)
}

/// Reads the rows of an earlier run. A last line without a newline was cut off during its write: it
/// is removed from the file.
fn recover(path: &Path, file: &mut File) -> Result<Vec<Row>> {
    let text = std::fs::read(path).map_err(|source| Error::Read {
        path: path.to_owned(),
        source,
    })?;
    let whole = text
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |end| end + 1);
    if whole < text.len() {
        file.set_len(whole as u64).map_err(|source| Error::Write {
            path: path.to_owned(),
            source,
        })?;
    }
    read(path)
}

/// The latest row of each measurement, in the order of the first rows. Later rows replace earlier
/// ones.
pub fn latest(rows: Vec<Row>) -> Vec<Row> {
    let mut places = std::collections::HashMap::new();
    let mut out: Vec<Row> = Vec::new();
    for row in rows {
        match places.entry(key(&row)) {
            std::collections::hash_map::Entry::Occupied(place) => {
                let index: usize = *place.get();
                out[index] = row;
            }
            std::collections::hash_map::Entry::Vacant(place) => {
                place.insert(out.len());
                out.push(row);
            }
        }
    }
    out
}

/// The identity of a measurement: two rows with the same key measure the same thing. Compiler and
/// flags are part of it only in a sweep. Elsewhere, rows of a new compiler replace the old ones.
pub type Key = (
    String,
    String,
    String,
    String,
    Option<String>,
    String,
    Option<u32>,
    Metric,
);

/// The [`Key`] of a row.
pub fn key(row: &Row) -> Key {
    (
        row.board.clone(),
        row.library.clone(),
        row.algorithm.clone(),
        row.variant.clone(),
        row.sweep.clone(),
        row.operation.clone(),
        row.bytes,
        row.metric,
    )
}
