//! The folders `common` that the schemes of a tree share, as in PQClean and pqm4: hashes and the
//! source of random numbers. A scheme's own build names them; its files include `fips202.h`.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::links::Links;
use crate::scan;

/// The name of the folder, and of its copy inside the library's.
pub const FOLDER: &str = "common";

/// Levels above the folder of an implementation: scheme, kind, tree.
const LEVELS: usize = 3;

/// A part of pqm4's tree that has a folder `common` too.
const PART: &str = "mupq";

/// Most files that are taken.
const MOST: usize = 64;

/// The sources beside a header.
const SOURCES: [&str; 3] = ["c", "S", "s"];

/// The shared folders of a scheme, the nearest first: those of its whole tree, if it is known.
fn folders(scheme: &Path, links: Links<'_>) -> Vec<PathBuf> {
    let above = scheme.ancestors().skip(1);
    let above: Vec<&Path> = match links.tree() {
        Some(tree) => above.take_while(|above| above.starts_with(tree)).collect(),
        None => above.take(LEVELS).collect(),
    };
    let places = above
        .iter()
        .flat_map(|above| [above.join(FOLDER), above.join(PART).join(FOLDER)]);
    let mut found: Vec<PathBuf> = Vec::new();
    for place in places {
        if place.is_dir() && !place.is_symlink() && !found.contains(&place) {
            found.push(place);
        }
    }
    found
}

/// The sources of a header: beside it, or in another of the shared folders.
fn sources(header: &Path, name: &str, shared: &[PathBuf], links: Links<'_>) -> Vec<PathBuf> {
    let of = |header: &Path| -> Vec<PathBuf> {
        let ends = SOURCES.iter().map(|end| header.with_extension(end));
        ends.filter(|path| links.may_take(path)).collect()
    };
    let places = shared.iter().map(|folder| folder.join(name));
    std::iter::once(header.to_owned())
        .chain(places)
        .map(|header| of(&header))
        .find(|sources| !sources.is_empty())
        .unwrap_or_default()
}

/// The shared files that the files of a scheme include, directly or not, and the sources of
/// those headers, by their paths inside the shared folder. None if the scheme has such a folder itself.
pub(super) fn files(
    scheme: &Path,
    own: &BTreeSet<PathBuf>,
    links: Links<'_>,
) -> BTreeMap<PathBuf, PathBuf> {
    let mut found: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
    if scheme.join(FOLDER).exists() {
        return found;
    }
    let shared = folders(scheme, links);
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
            let Some(header) = header.into_iter().find(|path| links.may_take(path)) else {
                continue;
            };
            let sources = sources(&header, &name, &shared, links);
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
