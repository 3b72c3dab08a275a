//! Copies a folder, and restores it from the copy.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn run(program: &str, arguments: &[&Path]) {
    let status = Command::new(program).args(arguments).status();
    assert!(status.expect("runs").success(), "{program} {arguments:?}");
}

pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.is_file() {
            found.push(path);
        }
    }
    found
}

/// Copies a folder with everything that `cp` preserves.
pub fn copy_of(folder: &Path, to: &Path) {
    run("cp", &[Path::new("-a"), folder, to]);
}

/// A way to restore a directory.
#[derive(Debug, Clone, Copy)]
pub enum Manner {
    /// Another directory takes its name.
    Moved,
    /// An archive is unpacked in its place.
    Tar,
    /// Its files get their old bytes, as `rsync --inplace --delete` writes them.
    InPlace,
}

pub fn put_back(manner: Manner, copy: &Path, state: &Path) {
    match manner {
        Manner::Moved => {
            fs::remove_dir_all(state).expect("removes");
            run("cp", &[Path::new("-a"), copy, state]);
        }
        Manner::Tar => {
            let archive = copy.with_extension("tar");
            run(
                "tar",
                &[
                    Path::new("-cf"),
                    &archive,
                    Path::new("-C"),
                    copy,
                    Path::new("."),
                ],
            );
            for path in files(state) {
                fs::remove_file(path).expect("removes");
            }
            run("tar", &[Path::new("-xf"), &archive, Path::new("-C"), state]);
        }
        Manner::InPlace => {
            let name =
                |folder: &Path, path: &Path| path.strip_prefix(folder).expect("below").to_owned();
            let old: HashSet<_> = files(copy).iter().map(|path| name(copy, path)).collect();
            for path in files(state) {
                if !old.contains(&name(state, &path)) {
                    fs::remove_file(path).expect("removes");
                }
            }
            for path in &old {
                let bytes = fs::read(copy.join(path)).expect("there");
                // `fs::write` keeps the inode of an existing file.
                fs::write(state.join(path), bytes).expect("writes");
            }
        }
    }
}
