//! The headers of the folders above and beside a library. Each folder is listed once, because the
//! sources of a large library name hundreds of headers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Levels above the library's folder where a header is looked for.
const UP: usize = 2;

/// Most folders that are listed below one of these.
const FOLDERS: usize = 500;

/// Most files that are noted below one of these.
const FILES: usize = 50_000;

/// Folders of the lab's own, each of which holds many libraries. No header of one is for another.
const SHELVES: [&str; 3] = ["target/inputs", "target/sources", "out/survey"];

/// What has been listed so far, by folder.
#[derive(Debug, Default)]
pub struct Around {
    trees: BTreeMap<PathBuf, Tree>,
}

/// The files below a folder, by their last names, as paths from the folder.
#[derive(Debug, Default)]
struct Tree {
    files: BTreeMap<String, Vec<PathBuf>>,
    folders: usize,
    count: usize,
}

impl Around {
    /// The way from a library's folder to the folder, above or beside it, in which `header` can be
    /// included.
    pub fn way_to(&mut self, library: &Path, header: &str) -> Option<PathBuf> {
        let mut folder = library;
        let mut way = PathBuf::new();
        for _ in 0..UP {
            folder = folder.parent()?;
            if SHELVES.iter().any(|shelf| folder.ends_with(shelf)) {
                break;
            }
            way.push("..");
            if !self.trees.contains_key(folder) {
                self.trees.insert(folder.to_owned(), Tree::of(folder));
            }
            let tree = self.trees.get(folder);
            if let Some(below) = tree.and_then(|tree| tree.folder_of(header)) {
                return Some(way.join(below));
            }
            if folder.join(".git").exists() || folder.parent().is_none() {
                break;
            }
        }
        None
    }

    /// The folder, above or beside a library's, in which `header` can be included.
    pub fn above(&mut self, library: &Path, header: &str) -> Option<PathBuf> {
        Some(library.join(self.way_to(library, header)?))
    }
}

impl Tree {
    fn of(top: &Path) -> Tree {
        let mut tree = Tree::default();
        tree.list(top, Path::new(""));
        tree
    }

    /// Notes the files of a folder, and then those of each folder in it. Links to folders are not
    /// followed: they may form a loop.
    fn list(&mut self, folder: &Path, way: &Path) {
        self.folders += 1;
        let Ok(entries) = std::fs::read_dir(folder) else {
            return;
        };
        let mut below = Vec::new();
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if kind.is_dir() {
                below.push(name);
            } else if self.count < FILES && (kind.is_file() || entry.path().is_file()) {
                self.count += 1;
                let path = way.join(&name);
                let name = name.to_string_lossy().into_owned();
                self.files.entry(name).or_default().push(path);
            }
        }
        below.sort();
        for name in below {
            if self.folders > FOLDERS {
                return;
            }
            self.list(&folder.join(&name), &way.join(&name));
        }
    }

    /// The first folder in which `header` can be included, relative to the top.
    fn folder_of(&self, header: &str) -> Option<PathBuf> {
        let header = Path::new(header);
        let name = header.file_name()?.to_string_lossy();
        let levels = header.components().count();
        let fits = self.files.get(&*name)?.iter();
        let fits = fits.filter(|path| path.ends_with(header));
        let folders = fits.filter_map(|path| path.ancestors().nth(levels));
        // A folder comes before those in it, and these come in the order of their names.
        let first = folders.min_by(|one, other| one.components().cmp(other.components()));
        first.map(Path::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(top: &Path, path: &str) {
        let path = top.join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        std::fs::write(path, "").expect("a file");
    }

    #[test]
    fn a_header_is_found_beside_and_above_a_library() {
        let top = tempfile::tempdir().expect("a folder");
        let library = top.path().join("a/library");
        for path in [
            "a/library/x.c",
            "a/beside/inc/b.h",
            "a/z/inc/b.h",
            "a/beside/inc/deep/b.h",
            "far/c/d.h",
            "a/c/d.h",
            "a/sub/e.h",
        ] {
            write(top.path(), path);
        }
        let mut around = Around::default();
        let mut way = |header: &str| around.way_to(&library, header);
        assert_eq!(way("b.h"), Some("../beside/inc".into()));
        assert_eq!(way("inc/b.h"), Some("../beside".into()));
        assert_eq!(way("c/d.h"), Some("../".into()));
        assert_eq!(way("far/c/d.h"), Some("../../".into()));
        assert_eq!(way("nc/b.h"), None);
        assert_eq!(way("none.h"), None);
        assert_eq!(way(""), None);
    }

    #[test]
    fn links_and_other_libraries_are_left_alone() {
        let top = tempfile::tempdir().expect("a folder");
        let library = top.path().join("target/inputs/0123/library");
        write(top.path(), "target/inputs/0123/library/x.c");
        write(top.path(), "target/inputs/4567/other/other.h");
        write(top.path(), "target/inputs/0123/own/own.h");
        let link = top.path().join("target/inputs/0123/own/loop");
        std::os::unix::fs::symlink(top.path(), link).expect("a link");
        let mut around = Around::default();
        assert_eq!(around.way_to(&library, "own.h"), Some("../own".into()));
        assert_eq!(around.way_to(&library, "other.h"), None);
    }
}
