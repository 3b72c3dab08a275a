//! The folder `common` that the schemes of a tree share, as in PQClean and pqm4: hashes and the
//! source of random numbers. A scheme's own build names it; its files include `fips202.h`.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::scan;

/// The name of the folder, and of its copy inside the library's.
pub const FOLDER: &str = "common";

/// Levels above a scheme's folder: implementation, scheme, kind, tree.
const LEVELS: usize = 3;

/// Most files that are taken.
const MOST: usize = 64;

/// The sources beside a header.
const SOURCES: [&str; 3] = ["c", "S", "s"];

/// The shared files that the files of a scheme include, directly or not, and the sources beside
/// those headers, by their paths inside the shared folder. None if the scheme has such a folder itself.
pub(super) fn files(scheme: &Path, own: &BTreeSet<PathBuf>) -> BTreeMap<PathBuf, PathBuf> {
    let mut found: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
    if scheme.join(FOLDER).exists() {
        return found;
    }
    let above = scheme.ancestors().skip(1).take(LEVELS);
    let shared: Vec<PathBuf> = above
        .map(|folder| folder.join(FOLDER))
        .filter(|folder| folder.is_dir() && !folder.is_symlink())
        .collect();
    if shared.is_empty() {
        return found;
    }
    let mut open: Vec<PathBuf> = own.iter().cloned().collect();
    while let Some(file) = open.pop() {
        for name in scan::included(&file) {
            let is_own = own.iter().any(|file| file.ends_with(&name));
            let leads_out = name.contains("..") || name.starts_with('/');
            if is_own || leads_out || found.contains_key(Path::new(&name)) {
                continue;
            }
            let header = shared.iter().map(|folder| folder.join(&name));
            let Some(header) = header.into_iter().find(|path| is_plain(path)) else {
                continue;
            };
            let beside = SOURCES.iter().map(|end| header.with_extension(end));
            let sources: Vec<PathBuf> = beside.filter(|path| is_plain(path)).collect();
            for path in std::iter::once(header).chain(sources) {
                let end = path.extension().unwrap_or(OsStr::new("h"));
                let to = Path::new(&name).with_extension(end);
                if found.len() < MOST && found.insert(to, path.clone()).is_none() {
                    open.push(path);
                }
            }
        }
    }
    found
}

fn is_plain(path: &Path) -> bool {
    path.is_file() && !path.is_symlink()
}
