//! The library that a user names: one of the project, a folder, an archive, the address of a git
//! repository, or a library of Arduino's index.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use selo_engine::bind::manifest::{self, Target};
use selo_engine::library::{Library, MANIFEST, OLD_MANIFEST};
use selo_engine::project::Project;
use selo_engine::source::{SUFFIXES, Sources, git_name, is_archive, is_git_address};
use selo_engine::{Error, Result};

use super::binding::{Came, Wanted};
use super::{binding, common};

/// The program that downloads libraries of Arduino's index.
const ARDUINO: &str = "arduino-cli";

/// The name of the given library in the project. A library without a manifest is copied, bound by
/// trial, and added to the project. `None` if no way to call it was found; that has been said.
///
/// Only the wanted algorithms are tried.
pub fn library(
    project: &mut Project,
    given: &str,
    board: &str,
    wanted: Wanted<'_>,
) -> Result<Option<String>> {
    for name in wanted.algorithms {
        project.algorithm(name)?;
    }
    let known = project.libraries.iter().find(|known| known.name == given);
    if let Some(known) = known {
        if known.by_trial && !binding::bind_library(project, board, given, false)? {
            eprintln!("not told: the lab found no way to call {given}");
            return Ok(None);
        }
        return Ok(Some(given.to_owned()));
    }
    let folder = folder(project, given)?;
    let Some(folder) = folder else {
        return with_manifest(project, Path::new(given)).map(Some);
    };
    let named = match is_git_address(given) {
        true => PathBuf::from(git_name(given)),
        false => folder.clone(),
    };
    let name = manifest::library_name(&named);
    bound(project, given, &folder, &name, board, wanted)
}

/// A folder with the files of what the user gave. `None` if that is a folder with a manifest, which is
/// used where it is.
fn folder(project: &Project, given: &str) -> Result<Option<PathBuf>> {
    let sources = Sources::new(&project.root, false);
    let path = Path::new(given);
    let is_address = given.contains("://");
    let folder = if is_git_address(given) && !is_archive(given) {
        let folder = sources.newest(given, &mut common::tell)?;
        eprintln!("the newest commit is in {}", folder.display());
        folder
    } else if is_address {
        return Err(Error::Data {
            path: given.into(),
            message: "is not the address of a git repository over https, ssh or file; \
                      download an archive first, and give its file"
                .to_owned(),
        });
    } else if path.is_dir() && Library::manifest_of(path).is_some() {
        return Ok(None);
    } else if path.is_dir() {
        sources.copied(path)?
    } else if path.is_file() && is_archive(given) {
        sources.unpacked(path)?
    } else if path.is_file() {
        return Err(Error::Data {
            path: path.to_owned(),
            message: format!(
                "is a file; give the folder that contains the library, or an archive ({})",
                SUFFIXES.join(", ")
            ),
        });
    } else if given.contains('/') {
        return Err(Error::Data {
            path: path.to_owned(),
            message: "does not exist; give a folder, an archive, the address of a git repository, \
                      or a name that `selo lab list libraries` prints"
                .to_owned(),
        });
    } else {
        of_arduino(project, given, &sources)?
    };
    Ok(Some(folder))
}

/// Adds a library that has a manifest, and returns its name. Its manifest may name files around
/// it, so it is used where it is.
fn with_manifest(project: &mut Project, folder: &Path) -> Result<String> {
    let name = project.add_library(folder)?;
    let old = |library: &Library| library.name == name && library.has_old_manifest();
    if project.libraries.iter().any(old) {
        eprintln!(
            "hint: rename {OLD_MANIFEST} to {MANIFEST}, and 'strategies' in it to 'variants'"
        );
    }
    Ok(name)
}

/// Binds the library in a folder by trial, adds it to the project, and returns its name. Its
/// manifest and glue are in out/survey/NAME of the project.
pub fn bound(
    project: &mut Project,
    given: &str,
    folder: &Path,
    name: &str,
    board: &str,
    wanted: Wanted<'_>,
) -> Result<Option<String>> {
    let into = project.root.join("out/survey").join(name);
    let target = Target::new(name, &into);
    let came = binding::bind_into(project, board, folder, wanted, target);
    let came = came.map_err(|error| match error {
        // The user knows the library by what was given, not by the folder of its copy.
        Error::NoLibrary { message, .. } => Error::NoLibrary {
            folder: given.into(),
            message,
        },
        error => error,
    })?;
    if came == Came::Nothing {
        eprintln!("not told: the lab found no way to call {given}");
        eprintln!("hint: docs/contributor/add-a-library.md describes glue by hand");
        return Ok(None);
    }
    eprintln!("manifest and glue: {}", into.display());
    project.add_library(&into).map(Some)
}

/// Downloads a library of Arduino's index. Without arduino-cli, the name is unknown.
fn of_arduino(project: &Project, name: &str, sources: &Sources) -> Result<PathBuf> {
    let unknown = || {
        let known = project.libraries.iter().filter(|known| !known.test_only);
        let names = known.map(|library| library.name.as_str());
        Error::unknown("folder or library", name, names)
    };
    if name.starts_with('-') {
        return Err(unknown());
    }
    let made = tempfile::tempdir().map_err(|source| Error::Write {
        path: std::env::temp_dir(),
        source,
    })?;
    let output = Command::new(ARDUINO)
        .args(["lib", "install", "--no-deps", name])
        // The user's own libraries stay as they are.
        .env("ARDUINO_DIRECTORIES_USER", made.path())
        .stdin(Stdio::null())
        .output();
    let Ok(output) = output else {
        eprintln!(
            "selo: note: with {ARDUINO}, selo finds a library of Arduino's index by its name"
        );
        return Err(unknown());
    };
    let folders = std::fs::read_dir(made.path().join("libraries"));
    let found = folders
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    match found.into_iter().find(|path| path.is_dir()) {
        Some(folder) if output.status.success() => sources.copied(&folder),
        _ => {
            let said = String::from_utf8_lossy(&output.stderr);
            let said = said.lines().last().unwrap_or("no message").to_owned();
            eprintln!("selo: note: {ARDUINO}: {said}");
            Err(unknown())
        }
    }
}
