//! Reads the data files of a project.

use std::path::{Path, PathBuf};

use crate::algorithm::{Algorithm, AlgorithmFile};
use crate::board::Board;
use crate::data::{read_toml, sorted_entries};
use crate::error::{Error, Result};
use crate::library::Library;
use crate::model::CycleModel;
use crate::row::Fidelity;
use crate::runner;
use crate::source::Lock;

/// The boards. A board that is simulated from its RTL is exact only if it has passed the comparison
/// of cores.
pub(super) fn load_boards(root: &Path) -> Result<Vec<Board>> {
    let mut boards = Vec::new();
    for path in sorted_entries(&root.join("lab/boards"))? {
        if path.extension().is_some_and(|e| e == "toml") {
            let mut board: Board = read_toml(&path)?;
            same_name(&path, path.file_stem(), &board.name)?;
            if board.rtl.is_some() && !runner::rtl::has_passed(root, &board) {
                board.fidelity = Fidelity::Instructions;
            }
            boards.push(board);
        }
    }
    Ok(boards)
}

/// The cycle models of boards.
pub(super) fn load_models(root: &Path) -> Result<Vec<CycleModel>> {
    let mut models = Vec::new();
    let folder = root.join("lab/boards/models");
    if folder.is_dir() {
        for path in sorted_entries(&folder)? {
            let model: CycleModel = read_toml(&path)?;
            same_name(&path, path.file_stem(), &model.name)?;
            models.push(model);
        }
    }
    Ok(models)
}

/// The folder of imported libraries, below the project's root.
pub const IMPORTED: &str = "out/import";

/// The libraries, with the pins of the user's lock file and what was bound by trial.
pub(super) fn load_libraries(root: &Path) -> Result<Vec<Library>> {
    let lock = Lock::read(root)?;
    let mut libraries = Vec::new();
    let imported = root.join(IMPORTED);
    let mut folders = sorted_entries(&root.join("lab/libraries"))?;
    if imported.is_dir() {
        // An import that was killed leaves a hidden folder.
        let whole = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default();
            !name.to_string_lossy().starts_with('.')
        };
        folders.extend(sorted_entries(&imported)?.into_iter().filter(whole));
    }
    for folder in folders {
        let found = match Library::manifest_of(&folder) {
            Some(path) => vec![path],
            None => collection(&folder)?,
        };
        for path in found {
            let own_folder = Library::manifest_of(&folder).is_some();
            let name = if own_folder {
                folder.file_name()
            } else {
                path.file_stem()
            };
            let mut library: Library = read_toml(&path)?;
            same_name(&path, name, &library.name)?;
            library.folder.clone_from(&folder);
            library.root = root.to_owned();
            library.pin(&lock);
            library.take_binding()?;
            libraries.push(library);
        }
    }
    Ok(libraries)
}

/// The algorithms of all files. Each has a name of its own.
pub(super) fn load_algorithms(root: &Path) -> Result<Vec<Algorithm>> {
    let mut algorithms: Vec<Algorithm> = Vec::new();
    for path in sorted_entries(&root.join("lab/algorithms"))? {
        if path.extension().is_some_and(|e| e == "toml") {
            let file: AlgorithmFile = read_toml(&path)?;
            for algorithm in file.algorithm {
                if algorithms.iter().any(|known| known.name == algorithm.name) {
                    return Err(Error::Data {
                        path,
                        message: format!("algorithm '{}' is defined twice", algorithm.name),
                    });
                }
                algorithms.push(algorithm);
            }
        }
    }
    Ok(algorithms)
}

fn same_name(path: &Path, stem: Option<&std::ffi::OsStr>, name: &str) -> Result<()> {
    if stem.is_some_and(|stem| stem == name) {
        return Ok(());
    }
    Err(Error::Data {
        path: path.to_owned(),
        message: format!(
            "name = \"{name}\" must equal the name of the file or folder ('{}')",
            stem.unwrap_or_default().to_string_lossy()
        ),
    })
}

/// The manifests of a folder of libraries that are bound by trial: each is one file.
fn collection(folder: &Path) -> Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut files = sorted_entries(folder)?;
    files.retain(|path| path.extension().is_some_and(|end| end == "toml"));
    Ok(files)
}
