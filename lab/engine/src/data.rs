//! Reads the TOML files that describe boards, libraries and algorithms.

use std::path::{Path, PathBuf};

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

/// The entries of a folder, sorted by name, so that results do not depend on the file system.
pub fn sorted_entries(folder: &Path) -> Result<Vec<PathBuf>> {
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

/// Expands a path whose file name may have one `*`, sorted. Fails if a pattern matches no file;
/// `named_in` is the file to name in that error.
pub fn matching(path: &Path, named_in: &Path) -> Result<Vec<PathBuf>> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (Some((prefix, suffix)), Some(folder)) = (name.split_once('*'), path.parent()) else {
        return Ok(vec![path.to_owned()]);
    };
    let fits = |entry: &PathBuf| {
        let name = entry.file_name().unwrap_or_default().to_string_lossy();
        name.len() >= prefix.len() + suffix.len()
            && name.starts_with(prefix)
            && name.ends_with(suffix)
    };
    let found: Vec<PathBuf> = sorted_entries(folder)?.into_iter().filter(fits).collect();
    if found.is_empty() {
        return Err(Error::Data {
            path: named_in.to_owned(),
            message: format!("the pattern \"{}\" matches no file", path.display()),
        });
    }
    Ok(found)
}

/// True if the file name has an extension of C++.
pub fn is_cpp(path: &Path) -> bool {
    path.extension()
        .and_then(|extension| extension.to_str())
        .is_some_and(|extension| ["cpp", "cc", "cxx"].contains(&extension))
}
