//! The project folder: finds it, and loads the boards, contenders and
//! algorithms that its data files describe.

use std::path::{Path, PathBuf};

use selo_vectors::Catalog;
use serde::Deserialize;

use crate::algorithm::{Algorithm, AlgorithmFile};
use crate::board::Board;
use crate::contender::{Contender, Unit};
use crate::data::{read_toml, sorted_entries};
use crate::error::{Error, Result};
use crate::interface::Interface;

/// The name of a contender's manifest in its folder.
pub const MANIFEST: &str = "contender.toml";

/// Everything that the data files say.
#[derive(Clone, Debug)]
pub struct Project {
    pub root: PathBuf,
    pub boards: Vec<Board>,
    pub contenders: Vec<Contender>,
    pub algorithms: Vec<Algorithm>,
}

/// `firmware/ports/<port>/port.toml`: what an image for this core is made of,
/// beside the contender. Paths are relative to the project's root.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Port {
    pub agent_sources: Vec<String>,
    pub footprint_sources: Vec<String>,
    #[serde(default)]
    pub include: Vec<String>,
    #[serde(default)]
    pub flags: Vec<String>,
    /// Flags of C++ sources, in the place of a `-std=` among `flags`.
    #[serde(default = "default_cxx_flags")]
    pub cxx_flags: Vec<String>,
    #[serde(default)]
    pub link_flags: Vec<String>,
}

/// As the Arduino tools compile: no exceptions, and no locks around static variables, for
/// which a chip without a system has no code; nor types at run time, for the same reason.
fn default_cxx_flags() -> Vec<String> {
    [
        "-std=gnu++11",
        "-fno-exceptions",
        "-fno-rtti",
        "-fno-threadsafe-statics",
    ]
    .map(str::to_owned)
    .to_vec()
}

/// Which of the project's units are meant; empty lists mean all.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    pub contenders: Vec<String>,
    pub algorithms: Vec<String>,
    pub strategies: Vec<String>,
}

impl Project {
    /// Finds the project from `start` upwards: the first folder with `boards/`
    /// and `contenders/`.
    pub fn find(start: &Path) -> Result<PathBuf> {
        start
            .ancestors()
            .find(|folder| folder.join("boards").is_dir() && folder.join("contenders").is_dir())
            .map(Path::to_owned)
            .ok_or_else(|| Error::Data {
                path: start.to_owned(),
                message: "not inside a Selo project (no boards/ and contenders/ here or above); \
                          change into it or pass --project"
                    .into(),
            })
    }

    /// Loads every data file below `root`.
    pub fn load(root: &Path) -> Result<Project> {
        let mut boards = Vec::new();
        for path in sorted_entries(&root.join("boards"))? {
            if path.extension().is_some_and(|e| e == "toml") {
                let board: Board = read_toml(&path)?;
                same_name(&path, path.file_stem(), &board.name)?;
                boards.push(board);
            }
        }
        let mut contenders = Vec::new();
        for folder in sorted_entries(&root.join("contenders"))? {
            let path = folder.join(MANIFEST);
            if path.is_file() {
                let mut contender: Contender = read_toml(&path)?;
                same_name(&path, folder.file_name(), &contender.name)?;
                contender.folder = folder;
                contenders.push(contender);
            }
        }
        let mut algorithms: Vec<Algorithm> = Vec::new();
        for path in sorted_entries(&root.join("algorithms"))? {
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
        let project = Project {
            root: root.to_owned(),
            boards,
            contenders,
            algorithms,
        };
        project.check_references()?;
        Ok(project)
    }

    /// Adds the contender of a folder anywhere, with its manifest in it; its name. One of
    /// the project that has the same name is left aside.
    pub fn add_contender(&mut self, folder: &Path) -> Result<String> {
        let folder = folder.canonicalize().map_err(|source| Error::Read {
            path: folder.to_owned(),
            source,
        })?;
        let path = folder.join(MANIFEST);
        if !path.is_file() {
            return Err(Error::NoManifest { folder });
        }
        let mut contender: Contender = read_toml(&path)?;
        contender.folder = folder;
        let name = contender.name.clone();
        self.contenders.retain(|known| known.name != name);
        self.contenders.push(contender);
        self.check_references()?;
        Ok(name)
    }

    /// The board of that name.
    pub fn board(&self, name: &str) -> Result<&Board> {
        self.boards
            .iter()
            .find(|board| board.name == name)
            .ok_or_else(|| {
                Error::unknown("board", name, self.boards.iter().map(|b| b.name.as_str()))
            })
    }

    /// The algorithm of that name.
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

    /// The vectors, for the algorithms of the data files too.
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
        Ok(Catalog::load_with(&self.root.join("vectors"), &more)?)
    }

    /// The port of a board.
    pub fn port(&self, board: &Board) -> Result<Port> {
        read_toml(
            &self
                .root
                .join("firmware/ports")
                .join(&board.port)
                .join("port.toml"),
        )
    }

    /// The units of a selection that can be built for `board`, in the order of
    /// the data files. A name that nothing defines is an error; contenders that
    /// only test the instrument are left out unless named.
    pub fn units<'a>(&'a self, board: &Board, selection: &Selection) -> Result<Vec<Unit<'a>>> {
        for name in &selection.contenders {
            if !self
                .contenders
                .iter()
                .any(|contender| &contender.name == name)
            {
                return Err(Error::unknown(
                    "contender",
                    name,
                    self.contenders.iter().map(|c| c.name.as_str()),
                ));
            }
        }
        for name in &selection.algorithms {
            self.algorithm(name)?;
        }
        let known_strategies = || {
            self.contenders
                .iter()
                .flat_map(|c| &c.implementations)
                .flat_map(|i| &i.strategies)
                .map(String::as_str)
        };
        for name in &selection.strategies {
            if !known_strategies().any(|known| known == name) {
                return Err(Error::unknown("strategy", name, known_strategies()));
            }
        }
        let wanted =
            |list: &[String], name: &str| list.is_empty() || list.iter().any(|n| n == name);
        let mut units = Vec::new();
        for contender in &self.contenders {
            let named = selection.contenders.contains(&contender.name);
            if (contender.test_only && !named) || !wanted(&selection.contenders, &contender.name) {
                continue;
            }
            for implementation in &contender.implementations {
                if !wanted(&implementation.boards, &board.name) {
                    continue;
                }
                for name in &implementation.algorithms {
                    if !wanted(&selection.algorithms, name) {
                        continue;
                    }
                    for strategy in &implementation.strategies {
                        if wanted(&selection.strategies, strategy) {
                            units.push(Unit {
                                contender,
                                implementation,
                                algorithm: self.algorithm(name)?,
                                strategy,
                            });
                        }
                    }
                }
            }
        }
        if units.is_empty() {
            return Err(Error::NothingSelected {
                what: format!(
                    "no contender offers this on board '{}'{}{}{}",
                    board.name,
                    listed("contender", &selection.contenders),
                    listed("algorithm", &selection.algorithms),
                    listed("strategy", &selection.strategies),
                ),
            });
        }
        Ok(units)
    }

    /// Every algorithm and board that a contender names must exist.
    fn check_references(&self) -> Result<()> {
        for contender in &self.contenders {
            let path = contender.folder.join("contender.toml");
            let in_file = |error: Error| Error::Data {
                path: path.clone(),
                message: error.to_string(),
            };
            for implementation in &contender.implementations {
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
