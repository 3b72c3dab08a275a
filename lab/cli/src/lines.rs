//! Reads the files of lines that other commands wrote beside their rows.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use selo_base::report::Context as _;
use selo_engine::check::CheckLine;
use serde::de::DeserializeOwned;

/// Name of the file with the lines of `lab check`, in the folder of the rows.
const CHECKS: &str = "check.jsonl";

/// The files of `lab check` in the folders of the row files that [`rows::read`](super::rows::read) reads.
pub fn check_files(named: &[PathBuf], root: &Path) -> Vec<PathBuf> {
    files_beside(named, root, CHECKS)
}

/// The files of a name in the folders of the row files that [`rows::read`](super::rows::read) reads.
pub fn files_beside(named: &[PathBuf], root: &Path, name: &str) -> Vec<PathBuf> {
    let named = if named.is_empty() {
        vec![root.join("out/lab")]
    } else {
        named.to_vec()
    };
    let mut files = Vec::new();
    for path in named {
        if !path.is_dir() {
            files.push(path.with_file_name(name));
            continue;
        }
        files.push(path.join(name));
        let inside = std::fs::read_dir(&path).into_iter().flatten().flatten();
        let mut inside: Vec<PathBuf> = inside.map(|entry| entry.path().join(name)).collect();
        inside.sort();
        files.extend(inside);
    }
    files.retain(|file| file.is_file());
    files
}

/// The lines of a file of `lab check`.
pub fn read_checks(path: &Path) -> selo_base::report::Result<Vec<CheckLine>> {
    read_lines(path, "selo lab check")
}

/// The lines of a file that `command` wrote.
pub fn read_lines<T: DeserializeOwned>(
    path: &Path,
    command: &str,
) -> selo_base::report::Result<Vec<T>> {
    let file =
        std::fs::File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut lines = Vec::new();
    for (index, line) in BufReader::new(file).lines().enumerate() {
        let line = line.with_context(|| format!("cannot read {}", path.display()))?;
        if line.trim().is_empty() {
            continue;
        }
        let read = serde_json::from_str(&line).with_context(|| {
            format!("{}:{}: not a line of {command}", path.display(), index + 1)
        })?;
        lines.push(read);
    }
    Ok(lines)
}
