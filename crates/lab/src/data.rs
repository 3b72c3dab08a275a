//! Reads the TOML files that describe boards, contenders and algorithms.

use std::path::Path;

use serde::de::DeserializeOwned;

use crate::error::{Error, Result};

/// Reads one TOML file. Errors name the file and show the line.
pub fn read_toml<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let text = std::fs::read_to_string(path).map_err(|source| Error::Read {
        path: path.to_owned(),
        source,
    })?;
    toml::from_str(&text).map_err(|error| Error::Data {
        path: path.to_owned(),
        message: error.to_string().trim_end().to_owned(),
    })
}

/// The entries of a folder, sorted by name, so that nothing depends on the file system's order.
pub fn sorted_entries(folder: &Path) -> Result<Vec<std::path::PathBuf>> {
    let read_error = |source| Error::Read {
        path: folder.to_owned(),
        source,
    };
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(read_error)? {
        entries.push(entry.map_err(read_error)?.path());
    }
    entries.sort();
    Ok(entries)
}
