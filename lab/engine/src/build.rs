//! Makes images. Every object and every image is kept under a name that is a
//! hash of all that went into it, so nothing is compiled twice and nothing
//! stale is ever used.

mod arduino;
mod image;
mod object;
mod program;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;

use crate::board::Board;
use crate::elf::Weight;
use crate::error::{Error, Result};
use crate::interface::Footprint;
use crate::library::{Unit, macro_name};
use crate::project::{Port, Project};

use arduino::Arduino;
use image::{BUFFERS, Content};
pub use program::{Group, Program};

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
    project: &'a Project,
    board: &'a Board,
    port: Port,
    arduino: Arduino,
    /// First line of the compiler's `--version`.
    compiler: String,
    sweep: Option<SweepPoint>,
    cache: PathBuf,
    /// Digest of the headers below a folder, computed once a run.
    headers: Mutex<BTreeMap<PathBuf, [u8; 32]>>,
    /// Static libraries of crates by library, built once a run and one at a time.
    crates: Mutex<BTreeMap<String, PathBuf>>,
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

    fn vary(&self, mut flags: Vec<String>) -> Vec<String> {
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

    /// The image with the agent and every operation of the unit.
    pub fn agent(&self, unit: &Unit<'_>) -> Result<Image> {
        self.agent_with(unit, &[])
    }

    /// The same with buffers of `bytes` bytes, which cannot be more than the board's.
    pub fn agent_with_buffers(&self, unit: &Unit<'_>, bytes: u32) -> Result<Image> {
        let own = bytes >= self.board.agent.io_bytes;
        let defines = [format!("{BUFFERS}{bytes}")];
        self.agent_with(unit, if own { &[] } else { &defines })
    }

    /// The same with other settings of the port, such as `-DNAME=VALUE`.
    pub fn agent_with(&self, unit: &Unit<'_>, defines: &[String]) -> Result<Image> {
        let sources = &self.port.agent_sources;
        self.image(unit, sources, defines, Content::Library)
    }

    /// A program that only calls the operations of `footprint`.
    pub fn footprint(&self, unit: &Unit<'_>, footprint: &Footprint) -> Result<Image> {
        let defines = footprint_defines(footprint.operations);
        let sources = &self.port.footprint_sources;
        self.image(unit, sources, &defines, Content::Library)
    }

    /// The same program calling nothing, by the same flags: what [`Builder::footprint`] grows from.
    /// It has nothing of the unit, because the linker keeps static objects, constructors and
    /// interrupt handlers even where nothing calls them.
    pub fn baseline(&self, unit: &Unit<'_>) -> Result<Image> {
        let defines = ["-DAGENT_FOOTPRINT=1".to_owned()];
        let sources = &self.port.footprint_sources;
        self.image(unit, sources, &defines, Content::Nothing)
    }

    /// True if the port says how a whole program is built.
    pub fn weighs_whole(&self) -> bool {
        !self.port.whole_flags.is_empty()
    }

    /// A whole program that calls the operations of `footprint`, as a user builds it: with link-time
    /// optimisation, and with buffers of one block.
    pub fn whole(&self, unit: &Unit<'_>, footprint: &Footprint) -> Result<Image> {
        let mut defines = footprint_defines(footprint.operations);
        defines.push("-DFOOTPRINT_BYTES=16".to_owned());
        let sources = &self.port.footprint_sources;
        self.image(unit, sources, &defines, Content::Whole)
    }

    /// The flags of [`Builder::whole`] that decide the code of a unit, as its rows have them.
    pub fn whole_flags(&self, unit: &Unit<'_>) -> Vec<String> {
        let board = &self.board.toolchain.flags[..];
        let of_unit = unit.flags(&self.board.port);
        self.vary(self.as_whole([board, &of_unit[..]].concat()))
    }

    /// Flags with those of a whole program at their end.
    fn as_whole(&self, mut flags: Vec<String>) -> Vec<String> {
        flags.retain(|flag| !flag.starts_with("-O"));
        flags.extend(self.port.whole_flags.iter().cloned());
        flags
    }

    /// The image with the agent, which also counts the heap. `None` if the port cannot.
    pub fn agent_with_heap(&self, unit: &Unit<'_>) -> Option<Result<Image>> {
        if self.port.heap_sources.is_empty() {
            return None;
        }
        let defines = ["-DAGENT_HEAP=1".to_owned()];
        let sources = [&self.port.agent_sources[..], &self.port.heap_sources].concat();
        Some(self.image(unit, &sources, &defines, Content::Heap))
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

/// The macros of a program that calls these operations and nothing else.
fn footprint_defines(operations: &[&str]) -> Vec<String> {
    let selected = operations.iter();
    let selected = selected.map(|name| format!("-DFOOTPRINT_{}=1", macro_name(name)));
    let program = "-DAGENT_FOOTPRINT=1".to_owned();
    [program].into_iter().chain(selected).collect()
}

/// A compiler that is not there.
fn missing(board: &Board, program: &str) -> Error {
    let sketch = board.toolchain.sketch.as_ref();
    Error::MissingProgram {
        program: program.to_owned(),
        needed_for: format!("building for {}", board.title),
        packages: board.toolchain.debian.clone(),
        install: sketch.map_or_else(String::new, |sketch| sketch.install.clone()),
    }
}
