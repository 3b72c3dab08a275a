//! The folder of a project: the one named, one above, or the installed one.

use std::path::{Path, PathBuf};

use super::Project;
use crate::data::sorted_entries;
use crate::error::{Error, Result};

pub(super) fn is_project(folder: &Path) -> bool {
    folder.join("lab/boards").is_dir() && folder.join("lab/libraries").is_dir()
}

/// The folder of a project with the lab's data.
const DATA: &str = "lab";

/// The data files of an installed command: PREFIX/share/selo for PREFIX/bin/selo.
pub(super) fn installed(program: &Path) -> Option<PathBuf> {
    let program = program.canonicalize().ok()?;
    let share = program.parent()?.parent()?.join("share/selo");
    is_project(&share).then_some(share)
}

/// Makes a folder of the user's own with links to the installed data. Images and rows need a
/// writable place, and the installation may be read-only.
pub(super) fn workspace(installed: &Path, own: &Path) -> Result<PathBuf> {
    let failed = |source| Error::Write {
        path: own.to_owned(),
        source,
    };
    std::fs::create_dir_all(own).map_err(failed)?;
    let mut targets = sorted_entries(installed)?;
    // DATA is a real folder, so that the user can add boards and libraries beside the installed
    // ones.
    targets.retain(|target| !target.ends_with(DATA));
    targets.extend(sorted_entries(&installed.join(DATA))?);
    std::fs::create_dir_all(own.join(DATA)).map_err(failed)?;
    for target in targets {
        let Ok(name) = target.strip_prefix(installed) else {
            continue;
        };
        let link = own.join(name);
        if std::fs::read_link(&link).is_ok_and(|now| now == target) {
            continue;
        }
        // A link to another version is replaced. Anything else belongs to the user and stays.
        if link.is_symlink() {
            std::fs::remove_file(&link).map_err(failed)?;
        }
        if !link.exists() {
            std::os::unix::fs::symlink(&target, &link).map_err(failed)?;
        }
    }
    Ok(own.to_owned())
}

impl Project {
    /// Finds the project from `start` upwards: the first folder with `lab/boards/` and
    /// `lab/libraries/`. If there is none, uses the data installed with the command at `program`.
    pub fn find(start: &Path, program: Option<&Path>) -> Result<PathBuf> {
        if let Some(folder) = start.ancestors().find(|folder| is_project(folder)) {
            return Ok(folder.to_owned());
        }
        if let Some(installed) = program.and_then(installed) {
            let home = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
            let own = home("XDG_DATA_HOME")
                .map(PathBuf::from)
                .or_else(|| Some(PathBuf::from(home("HOME")?).join(".local/share")));
            if let Some(own) = own {
                return workspace(&installed, &own.join("selo/lab"));
            }
        }
        Err(Error::Data {
            path: start.to_owned(),
            message:
                "not inside a Selo project (no lab/boards/ and lab/libraries/ here or above); \
                      change into it or pass --project"
                    .into(),
        })
    }
}
