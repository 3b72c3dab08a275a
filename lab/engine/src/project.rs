//! The project folder: finds it, and loads the boards, libraries and
//! algorithms that its data files describe.

mod load;
mod place;
mod port;

use std::path::{Path, PathBuf};

use selo_vectors::Catalog;

use crate::algorithm::Algorithm;
use crate::board::Board;
use crate::data::read_toml;
use crate::error::{Error, Result};
use crate::interface::Interface;
use crate::library::{Library, Unit};
use crate::model::CycleModel;
use crate::source::{Lock, Source};
pub use load::IMPORTED;
use load::{load_algorithms, load_boards, load_libraries, load_models};

pub use crate::library::MANIFEST;

pub use port::Port;

/// The contents of all data files.
#[derive(Clone, Debug)]
pub struct Project {
    pub root: PathBuf,
    pub boards: Vec<Board>,
    pub libraries: Vec<Library>,
    pub algorithms: Vec<Algorithm>,
    /// Cycle models of cores (`lab/boards/models/`).
    pub models: Vec<CycleModel>,
}

/// Instead of a library's name: every library except those that only test the instrument.
pub const ALL: &str = "all";

/// A selection of the project's units. An empty list selects all.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    pub libraries: Vec<String>,
    pub algorithms: Vec<String>,
    pub variants: Vec<String>,
}

impl Project {
    /// Loads every data file below `root`. Fails if a file is invalid, or if a reference between
    /// files is.
    pub fn load(root: &Path) -> Result<Project> {
        let project = Project {
            root: root.to_owned(),
            boards: load_boards(root)?,
            libraries: load_libraries(root)?,
            algorithms: load_algorithms(root)?,
            models: load_models(root)?,
        };
        project.check_references()?;
        Ok(project)
    }

    /// Adds the library in any folder that has a manifest. Returns the library's name. A library of
    /// the project with the same name is replaced.
    pub fn add_library(&mut self, folder: &Path) -> Result<String> {
        let folder = folder.canonicalize().map_err(|source| Error::Read {
            path: folder.to_owned(),
            source,
        })?;
        let Some(path) = Library::manifest_of(&folder) else {
            return Err(Error::NoManifest { folder });
        };
        let mut library: Library = read_toml(&path)?;
        library.folder = folder;
        library.root.clone_from(&self.root);
        library.pin(&Lock::read(&self.root)?);
        let name = library.name.clone();
        self.libraries.retain(|known| known.name != name);
        self.libraries.push(library);
        self.check_references()?;
        Ok(name)
    }

    /// The board with this name.
    pub fn board(&self, name: &str) -> Result<&Board> {
        self.boards
            .iter()
            .find(|board| board.name == name)
            .ok_or_else(|| {
                Error::unknown("board", name, self.boards.iter().map(|b| b.name.as_str()))
            })
    }

    /// The library with this name.
    pub fn library(&self, name: &str) -> Result<&Library> {
        self.libraries
            .iter()
            .find(|library| library.name == name)
            .ok_or_else(|| {
                Error::unknown(
                    "library",
                    name,
                    self.libraries.iter().map(|c| c.name.as_str()),
                )
            })
    }

    /// The cycle model of a board, if its file names one.
    pub fn model(&self, board: &Board) -> Option<&CycleModel> {
        let name = board.cycle_model.as_ref()?;
        self.models.iter().find(|model| &model.name == name)
    }

    /// The algorithm with this name.
    pub fn algorithm(&self, name: &str) -> Result<&Algorithm> {
        self.algorithms
            .iter()
            .find(|algorithm| algorithm.name == name)
            .ok_or_else(|| {
                Error::unknown(
                    "algorithm",
                    name,
                    self.algorithms.iter().map(|a| a.name.as_str()),
                )
            })
    }

    /// The official vectors, for the project's own algorithms too.
    pub fn catalog(&self) -> Result<Catalog> {
        let more: Vec<selo_vectors::Algorithm> = self
            .algorithms
            .iter()
            .filter(|algorithm| selo_vectors::Algorithm::named(&algorithm.name).is_err())
            .filter_map(|algorithm| {
                let key_bytes = algorithm.key_bytes? as usize;
                let interface = match algorithm.interface {
                    Interface::BlockCipher => selo_vectors::Interface::BlockCipher { key_bytes },
                    Interface::ModeEcb => selo_vectors::Interface::Ecb { key_bytes },
                    Interface::ModeCbc => selo_vectors::Interface::Cbc { key_bytes },
                    Interface::ModeCtr => selo_vectors::Interface::Ctr { key_bytes },
                    Interface::Aead => selo_vectors::Interface::Aead(selo_vectors::Aead {
                        key_bytes,
                        sizes: selo_vectors::AeadSizes::Fixed {
                            nonce_bytes: algorithm.nonce_bytes? as usize,
                        },
                    }),
                    _ => return None,
                };
                Some(selo_vectors::Algorithm::cipher_of(
                    &algorithm.name,
                    interface,
                ))
            })
            .collect();
        Ok(Catalog::load_with(&self.root.join("lab/vectors"), &more)?)
    }

    /// The port of a board.
    pub fn port(&self, board: &Board) -> Result<Port> {
        read_toml(
            &self
                .root
                .join("lab/firmware/ports")
                .join(&board.port)
                .join("port.toml"),
        )
    }

    /// The units of a selection that can be built for `board`, in the order of the data files. An
    /// unknown name is an error. Libraries that only test the instrument must be named. Libraries
    /// of registries must be named, or selected by [`ALL`]: the default needs no network.
    pub fn units<'a>(&'a self, board: &Board, selection: &Selection) -> Result<Vec<Unit<'a>>> {
        self.check_names(selection)?;
        let all = selection.libraries.iter().any(|name| name == ALL);
        let mut units = Vec::new();
        for library in &self.libraries {
            let named = selection.libraries.contains(&library.name);
            let own = selection.libraries.is_empty() && library.is_own();
            if named || !library.test_only && (own || all) {
                self.add_units(library, board, selection, &mut units)?;
            }
        }
        if !units.is_empty() {
            return Ok(units);
        }
        let unbound =
            |library: &&Library| selection.libraries.contains(&library.name) && !library.is_bound();
        if let Some(library) = self.libraries.iter().find(unbound) {
            return Err(Error::NotBound {
                library: library.name.clone(),
            });
        }
        Err(Error::NothingSelected {
            what: format!(
                "no library matches on board '{}'{}{}{}",
                board.name,
                listed("library", &selection.libraries),
                listed("algorithm", &selection.algorithms),
                listed("variant", &selection.variants),
            ),
        })
    }

    /// Fails if the selection has a name that no data file has.
    fn check_names(&self, selection: &Selection) -> Result<()> {
        for name in &selection.libraries {
            if name != ALL {
                self.library(name)?;
            }
        }
        for name in &selection.algorithms {
            self.algorithm(name)?;
        }
        let known_variants = || {
            self.libraries
                .iter()
                .flat_map(|c| &c.implementations)
                .flat_map(|i| &i.variants)
                .map(String::as_str)
        };
        for name in &selection.variants {
            if !known_variants().any(|known| known == name) {
                return Err(Error::unknown("variant", name, known_variants()));
            }
        }
        Ok(())
    }

    /// Adds the selected units of one library that can be built for `board`.
    fn add_units<'a>(
        &'a self,
        library: &'a Library,
        board: &Board,
        selection: &Selection,
        units: &mut Vec<Unit<'a>>,
    ) -> Result<()> {
        let wanted =
            |list: &[String], name: &str| list.is_empty() || list.iter().any(|n| n == name);
        for implementation in &library.implementations {
            if !wanted(&implementation.boards, &board.name) {
                continue;
            }
            for name in &implementation.algorithms {
                if !wanted(&selection.algorithms, name) {
                    continue;
                }
                for variant in &implementation.variants {
                    if wanted(&selection.variants, variant) {
                        units.push(Unit {
                            library,
                            implementation,
                            algorithm: self.algorithm(name)?,
                            variant,
                        });
                    }
                }
            }
        }
        Ok(())
    }

    /// The libraries to choose among if the user names none: the project's own, and all whose
    /// sources are on this machine. Those that only test the instrument are left out.
    pub fn libraries_here(&self) -> impl Iterator<Item = &Library> {
        self.for_users().filter(|library| library.is_here())
    }

    /// The libraries that [`Project::libraries_here`] leaves out because they are not here.
    pub fn libraries_elsewhere(&self) -> impl Iterator<Item = &Library> {
        self.for_users().filter(|library| !library.is_here())
    }

    fn for_users(&self) -> impl Iterator<Item = &Library> {
        self.libraries.iter().filter(|library| !library.test_only)
    }

    /// Checks that every algorithm and board of a library exists, and every cycle model of a board.
    fn check_references(&self) -> Result<()> {
        for board in &self.boards {
            if let (Some(name), None) = (&board.cycle_model, self.model(board)) {
                let known = self.models.iter().map(|model| model.name.as_str());
                return Err(Error::Data {
                    path: self.root.join(format!("lab/boards/{}.toml", board.name)),
                    message: Error::unknown("cycle model", name, known).to_string(),
                });
            }
        }
        for library in &self.libraries {
            let path = library.manifest();
            let in_file = |error: Error| Error::Data {
                path: path.clone(),
                message: error.to_string(),
            };
            if let Some(message) = library.all_sources().find_map(Source::problem) {
                let message = format!("source: {message}");
                return Err(Error::Data { path, message });
            }
            if library.by_trial && library.source.is_none() {
                let message = "a library that is bound by trial has a [source]".to_owned();
                return Err(Error::Data { path, message });
            }
            for implementation in &library.implementations {
                if implementation.glue.is_empty() == implementation.program.is_none() {
                    let message = "an implementation has either glue or a program".to_owned();
                    return Err(Error::Data { path, message });
                }
                for name in &implementation.algorithms {
                    self.algorithm(name).map_err(in_file)?;
                }
                for name in &implementation.boards {
                    self.board(name).map_err(in_file)?;
                }
            }
        }
        Ok(())
    }
}

fn listed(what: &str, names: &[String]) -> String {
    if names.is_empty() {
        String::new()
    } else {
        format!(", {what} {}", names.join(" or "))
    }
}

#[cfg(test)]
mod tests;
