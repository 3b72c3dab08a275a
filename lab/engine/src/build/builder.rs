//! The tools, the flags and the cache by which the images of one board are made.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;

use super::arduino::Arduino;
use crate::board::Board;
use crate::elf::Weight;
use crate::error::{Error, Result};
use crate::library::Unit;
use crate::project::{Port, Project};

/// A linked program.
#[derive(Clone, Debug)]
pub struct Image {
    pub path: PathBuf,
    /// SHA-256 of the file, in hex.
    pub sha256: String,
    pub weight: Weight,
}

/// What a sweep puts in the place of compiler and flags of board and library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SweepPoint {
    /// The name on rows: the compiler, if it is another one, and the flags.
    pub name: String,
    /// They come last; one that begins with `-O` removes every other such flag.
    pub flags: Vec<String>,
}

/// Compiles for one board.
#[derive(Debug)]
pub struct Builder<'a> {
    pub(super) project: &'a Project,
    pub(super) board: &'a Board,
    pub(super) port: Port,
    pub(super) arduino: Arduino,
    /// First line of the compiler's `--version`.
    pub(super) compiler: String,
    sweep: Option<SweepPoint>,
    pub(super) cache: PathBuf,
    /// Digest of the headers below a folder, computed once a run.
    pub(super) headers: Mutex<BTreeMap<PathBuf, [u8; 32]>>,
    /// Static libraries of crates by library, built once a run and one at a time.
    pub(super) crates: Mutex<BTreeMap<String, PathBuf>>,
}

impl<'a> Builder<'a> {
    /// Asks the board's compiler what it is.
    pub fn new(project: &'a Project, board: &'a Board) -> Result<Builder<'a>> {
        let (text, first) = match &board.toolchain.sketch {
            Some(sketch) if !sketch.version.is_empty() => (said(board, &sketch.version)?, false),
            _ => (
                said(board, &[board.toolchain.cc.clone(), "--version".into()])?,
                true,
            ),
        };
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let compiler = match first {
            true => lines.next().unwrap_or_default().to_owned(),
            false => lines.collect::<Vec<_>>().join("; "),
        };
        Ok(Builder {
            project,
            board,
            port: project.port(board)?,
            arduino: Arduino::new(&project.root, board)?,
            compiler,
            sweep: None,
            cache: project.root.join("target/images").join(&board.name),
            headers: Mutex::new(BTreeMap::new()),
            crates: Mutex::new(BTreeMap::new()),
        })
    }

    /// First line of the compiler's `--version`.
    pub fn compiler(&self) -> &str {
        &self.compiler
    }

    /// The same compiler with the flags of a sweep.
    #[must_use]
    pub fn swept(mut self, sweep: Option<SweepPoint>) -> Builder<'a> {
        self.sweep = sweep;
        self
    }

    /// What a sweep chose, on every row of it.
    pub fn sweep(&self) -> Option<&str> {
        self.sweep.as_ref().map(|sweep| sweep.name.as_str())
    }

    /// The flags that decide the code of a unit, as its rows have them.
    pub fn flags(&self, unit: &Unit<'_>) -> Vec<String> {
        let board = &self.board.toolchain.flags[..];
        let of_unit = unit.flags(&self.board.port);
        self.vary([board, &of_unit[..]].concat())
    }

    pub(super) fn vary(&self, mut flags: Vec<String>) -> Vec<String> {
        let Some(sweep) = &self.sweep else {
            return flags;
        };
        let optimises = |flag: &String| flag.starts_with("-O");
        if sweep.flags.iter().any(optimises) {
            flags.retain(|flag| !optimises(flag));
        }
        flags.extend(sweep.flags.iter().cloned());
        flags
    }

    /// Flags with those of a whole program at their end.
    pub(super) fn as_whole(&self, mut flags: Vec<String>) -> Vec<String> {
        flags.retain(|flag| !flag.starts_with("-O"));
        flags.extend(self.port.whole_flags.iter().cloned());
        flags
    }
}

/// What a command says on its standard output.
fn said(board: &Board, words: &[String]) -> Result<String> {
    let (program, arguments) = words.split_first().map_or(("", &[][..]), |(p, a)| (p, a));
    let output = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|_| missing(board, program))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A compiler that is not there.
pub(super) fn missing(board: &Board, program: &str) -> Error {
    let sketch = board.toolchain.sketch.as_ref();
    Error::MissingProgram {
        program: program.to_owned(),
        needed_for: format!("building for {}", board.title),
        packages: board.toolchain.debian.clone(),
        install: sketch.map_or_else(String::new, |sketch| sketch.install.clone()),
    }
}
