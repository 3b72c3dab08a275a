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
use crate::source::Source;

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
    #[serde(default)]
    pub link_flags: Vec<String>,
}

/// In the place of a contender's name: every one but those that only test the instrument.
pub const ALL: &str = "all";

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
            let path = folder.join("contender.toml");
            if path.is_file() {
                let mut contender: Contender = read_toml(&path)?;
                same_name(&path, folder.file_name(), &contender.name)?;
                contender.folder = folder;
                contender.root = root.to_owned();
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

    /// The board of that name.
    pub fn board(&self, name: &str) -> Result<&Board> {
        self.boards
            .iter()
            .find(|board| board.name == name)
            .ok_or_else(|| {
                Error::unknown("board", name, self.boards.iter().map(|b| b.name.as_str()))
            })
    }

    /// The contender of that name.
    pub fn contender(&self, name: &str) -> Result<&Contender> {
        self.contenders
            .iter()
            .find(|contender| contender.name == name)
            .ok_or_else(|| {
                Error::unknown(
                    "contender",
                    name,
                    self.contenders.iter().map(|c| c.name.as_str()),
                )
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
    /// only test the instrument are left out unless named, and those of registries unless
    /// named or [`ALL`] is: what is asked for by default needs no network.
    pub fn units<'a>(&'a self, board: &Board, selection: &Selection) -> Result<Vec<Unit<'a>>> {
        for name in &selection.contenders {
            if name != ALL {
                self.contender(name)?;
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
        let all = selection.contenders.iter().any(|name| name == ALL);
        let mut units = Vec::new();
        for contender in &self.contenders {
            let named = selection.contenders.contains(&contender.name);
            let own = selection.contenders.is_empty() && contender.source.is_none();
            if !named && (contender.test_only || !(own || all)) {
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
            if let Some(message) = contender.all_sources().find_map(Source::problem) {
                let message = format!("source: {message}");
                return Err(Error::Data { path, message });
            }
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
