//! A digest over the files of a folder, which does not depend on the program that brought them.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::data::sorted_entries;
use crate::error::{Error, Result};

/// SHA-256 over the files in the order of their paths: for each, the length of its path, the path
/// with `/`, the length of its content, and the content; lengths as 8 bytes, little-endian.
pub fn digest(folder: &Path) -> Result<String> {
    let mut files = Vec::new();
    walk(folder, folder, &mut files)?;
    files.sort();
    let mut hash = Sha256::new();
    for (name, path) in files {
        let content = std::fs::read(&path).map_err(|source| Error::Read { path, source })?;
        for part in [name.as_bytes(), &content] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
    }
    Ok(hex::encode(hash.finalize()))
}

fn walk(root: &Path, folder: &Path, files: &mut Vec<(String, PathBuf)>) -> Result<()> {
    for path in sorted_entries(folder)? {
        if path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            walk(root, &path, files)?;
        } else {
            let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy();
            files.push((name.into_owned(), path));
        }
    }
    Ok(())
}
