//! Files of rows: JSON Lines, one row a line.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::record::{Row, SCHEMA, SERVED, Served};
use crate::error::{Error, Result};

/// A kind of line: a row, or the counts of a server.
pub trait Line: Serialize + serde::de::DeserializeOwned {
    /// The only accepted value of `schema`.
    const SCHEMA: &str;
    /// The commands that make such files: the hint for an invalid line.
    const SOURCE: &str;
    fn schema(&self) -> &str;
}

impl Line for Row {
    const SCHEMA: &str = SCHEMA;
    const SOURCE: &str = "give a file of rows (JSON Lines), as `selo exchange run`, `tls` and `link` write with --out";
    fn schema(&self) -> &str {
        &self.schema
    }
}

impl Line for Served {
    const SCHEMA: &str = SERVED;
    const SOURCE: &str =
        "give a file of server counts (JSON Lines), as `selo exchange peer` writes with --served";
    fn schema(&self) -> &str {
        &self.schema
    }
}

/// A file of lines, open for appending.
#[derive(Debug)]
pub struct Rows {
    path: PathBuf,
    file: File,
}

fn wrong<L: Line>(path: &Path, why: impl Into<String>) -> Error {
    Error::File {
        path: path.to_owned(),
        why: why.into(),
        hint: L::SOURCE.into(),
    }
}

/// An error of the disk. The content of the file is not the cause.
fn refused(path: &Path, error: &std::io::Error) -> Error {
    Error::File {
        path: path.to_owned(),
        why: error.to_string(),
        hint: "give a file that you can write; its folder is created".into(),
    }
}

/// Reads the rows of a file. Leaves out a last line that is incomplete.
pub fn read<L: Line>(path: &Path) -> Result<Vec<L>> {
    let text =
        std::fs::read_to_string(path).map_err(|error| wrong::<L>(path, error.to_string()))?;
    parse(path, &text).map(|(rows, _)| rows)
}

/// The rows, and the number of bytes of `text` that they occupy.
fn parse<L: Line>(path: &Path, text: &str) -> Result<(Vec<L>, usize)> {
    let mut rows = Vec::new();
    let mut whole = 0;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        match serde_json::from_str::<L>(line) {
            Ok(row) if row.schema() == L::SCHEMA => rows.push(row),
            Ok(row) => {
                let why = format!(
                    "line {number}: schema {} is not {}",
                    row.schema(),
                    L::SCHEMA
                );
                return Err(wrong::<L>(path, why));
            }
            Err(_) if !line.ends_with('\n') => break,
            Err(error) => return Err(wrong::<L>(path, format!("line {number}: {error}"))),
        }
        whole += line.len();
    }
    Ok((rows, whole))
}

impl Rows {
    /// Opens a file for appending, and reads its rows.
    pub fn open<L: Line>(path: &Path) -> Result<(Rows, Vec<L>)> {
        if let Some(folder) = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
        {
            std::fs::create_dir_all(folder).map_err(|error| refused(folder, &error))?;
        }
        let failed = |error: std::io::Error| refused(path, &error);
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(failed(error)),
        };
        let (rows, whole) = parse(path, &text)?;
        let mut options = OpenOptions::new();
        let mut file = options
            .append(true)
            .create(true)
            .open(path)
            .map_err(failed)?;
        file.set_len(whole as u64).map_err(failed)?;
        if whole > 0 && !text[..whole].ends_with('\n') {
            file.write_all(b"\n").map_err(failed)?;
        }
        let path = path.to_owned();
        Ok((Rows { path, file }, rows))
    }

    pub fn push(&mut self, row: &impl Line) -> Result<()> {
        let mut line =
            serde_json::to_string(row).map_err(|error| refused(&self.path, &error.into()))?;
        line.push('\n');
        self.file
            .write_all(line.as_bytes())
            .map_err(|error| refused(&self.path, &error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::record::tests::sample;

    #[test]
    fn a_line_cut_off_does_not_lose_the_others() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("new/rows.jsonl");
        let (mut rows, before): (Rows, Vec<Row>) = Rows::open(&path).expect("new");
        assert!(before.is_empty());
        for repetition in 0..3 {
            rows.push(&sample("aes-128-cbc", repetition, 100))
                .expect("written");
        }
        let text = std::fs::read_to_string(&path).expect("there");
        std::fs::write(&path, &text[..text.len() - 20]).expect("cut");
        let (mut rows, before): (Rows, Vec<Row>) = Rows::open(&path).expect("two whole lines");
        assert_eq!(before.len(), 2);
        rows.push(&sample("aes-128-cbc", 2, 100)).expect("written");
        assert_eq!(std::fs::read_to_string(&path).expect("there"), text);

        std::fs::write(&path, format!("nonsense\n{text}")).expect("written");
        let error = Rows::open::<Row>(&path).expect_err("a bad line is not lost in silence");
        assert!(error.to_string().contains("line 1"), "{error}");
    }

    #[test]
    fn a_file_that_is_not_there_is_told_with_what_writes_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let hint = |error: Error| error.hint().expect("a hint");
        let path = folder.path().join("none.jsonl");
        assert!(hint(read::<Row>(&path).expect_err("none")).contains("run`, `tls`"));
        assert!(hint(read::<Served>(&path).expect_err("none")).contains("peer"));
        std::fs::create_dir(&path).expect("a folder in its place");
        let error = Rows::open::<Row>(&path).expect_err("not a file");
        assert!(hint(error).contains("you can write"));
    }
}
