//! Errors of the lab. Every message says what happened and where; [`Error::hint`] says what to do
//! next.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The result of a lab operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// cannot read {path}: {source}
    #[error("cannot read {}: {source}", path.display())]
    Read {
        path: PathBuf,
        source: std::io::Error,
    },

    /// cannot write {path}: {source}
    #[error("cannot write {}: {source}", path.display())]
    Write {
        path: PathBuf,
        source: std::io::Error,
    },

    /// A data file (TOML) is invalid; the message points at the line.
    #[error("{}: {message}", path.display())]
    Data { path: PathBuf, message: String },

    /// A row file holds a line that is not a row.
    #[error("{}:{line}: not a measurement row: {message}", path.display())]
    BadRow {
        path: PathBuf,
        line: usize,
        message: String,
    },

    /// No data file defines this name.
    #[error("unknown {kind} '{name}'{}", nearest.as_deref().map(|n| format!("; did you mean '{n}'?")).unwrap_or_default())]
    Unknown {
        kind: &'static str,
        name: String,
        nearest: Option<String>,
        known: Vec<String>,
    },

    /// The filters select nothing.
    #[error("nothing matches: {what}")]
    NothingSelected { what: String },

    /// A library folder without a manifest.
    #[error("{} has no library.toml", folder.display())]
    NoManifest { folder: PathBuf },

    /// No library was found in this folder.
    #[error("{} {message}", folder.display())]
    NoLibrary { folder: PathBuf, message: String },

    /// A file exists and must not be overwritten.
    #[error("{} exists and is not overwritten", path.display())]
    Exists { path: PathBuf },

    /// A program that the lab needs is not installed.
    #[error("{program} is not installed; {needed_for} needs it")]
    MissingProgram {
        program: String,
        needed_for: String,
        packages: Vec<String>,
        /// Installation instructions, if no package has the program.
        install: String,
    },

    /// The compiler or linker failed.
    #[error("{program} failed on {what}:\n{output}")]
    Compile {
        program: String,
        what: String,
        output: String,
    },

    /// An image is not a readable ELF file.
    #[error("{} is not a readable ELF image: {message}", path.display())]
    Image { path: PathBuf, message: String },

    /// A library's cipher cannot be built as a shared library, loaded or called.
    #[error("{}: {message}", path.display())]
    Load { path: PathBuf, message: String },

    /// The runner did not start or broke its protocol.
    #[error("runner {runner}: {message}")]
    Runner { runner: String, message: String },

    /// A board on a cable cannot be reached or flashed.
    #[error("{}: {message}", port.display())]
    Port {
        port: PathBuf,
        message: String,
        hint: String,
    },

    /// The answer of an operation on a board is lost, and perhaps the agent's state too.
    #[error("the operation was interrupted: {0}")]
    Cut(Cut),

    /// The agent's counter is too narrow for the operation.
    #[error("the counter wrapped during '{0}'")]
    Wrapped(String),

    /// The program on the chip stopped: a crash, a hang, or an access out of bounds.
    #[error("the program stopped: {0}")]
    Stopped(Stop),

    /// The agent's answer does not match the request.
    #[error("agent: {0}")]
    Agent(String),

    /// A node's firmware broke its protocol.
    #[error("node: {0}")]
    Node(String),

    /// The vectors could not be loaded.
    #[error(transparent)]
    Vectors(#[from] selo_vectors::Error),

    /// A library's sources could not be fetched.
    #[error("{package}: {message}")]
    Source {
        package: String,
        message: String,
        hint: String,
    },

    /// The digest of an archive differs from the manifest's.
    #[error("{}: its sha256 is {found}, the manifest pins {pinned} for {package}", archive.display())]
    Digest {
        archive: PathBuf,
        package: String,
        found: String,
        pinned: String,
    },

    /// Nobody has tried how to call the library.
    #[error("the lab does not know yet how to call {library}")]
    NotBound { library: String },

    /// A git repository holds something other than what is pinned.
    #[error("{package}: {what} is {found}, but {pinned} is pinned")]
    Revision {
        package: String,
        what: &'static str,
        found: String,
        pinned: String,
    },

    /// Ctrl-C.
    #[error("interrupted")]
    Interrupted,
}

/// The reason why an operation was cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// The board was unplugged and is back.
    Gone,
    /// An invalid answer.
    Damaged,
    /// No answer for this many seconds; the board was restarted.
    Silent(u64),
}

impl std::fmt::Display for Cut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Cut::Gone => write!(f, "the board was disconnected"),
            Cut::Damaged => write!(f, "the answer was damaged"),
            Cut::Silent(seconds) => write!(f, "no answer for {seconds} s"),
        }
    }
}

/// The reason why a program on a chip stopped, as its runner reports it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Stop {
    /// `cycle-limit`, `instruction-limit`, `crash`, `fault`, `halted`, `quit`, or `lost` if the
    /// runner itself ended.
    pub reason: String,
    /// The kind and place of the fault, if there was one.
    pub fault: Option<String>,
    /// Program counter, as the runner prints it.
    pub pc: Option<String>,
}

impl Stop {
    /// True if the runner stopped it at the cycle or instruction limit.
    pub fn is_of_limit(&self) -> bool {
        matches!(self.reason.as_str(), "cycle-limit" | "instruction-limit")
    }
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.reason)?;
        if let Some(fault) = &self.fault {
            write!(f, " ({fault})")?;
            if fault.contains("unaligned-access") {
                f.write_str(
                    ": this core takes a word at its own addresses only; a library may have a \
                     setting for that",
                )?;
            }
        } else if let Some(pc) = &self.pc {
            write!(f, " at pc {pc}")?;
        }
        Ok(())
    }
}

impl Error {
    /// One line on what the user can do about the error, if anything.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::Unknown {
                kind,
                known,
                nearest: None,
                ..
            } => Some(format!("known {kind} names: {}", known.join(", "))),
            Error::NoManifest { folder } => Some(format!(
                "generate one from the sources in the folder: selo lab new-library {}",
                folder.display()
            )),
            Error::NoLibrary { .. } => {
                Some("give the folder that contains the library's .h and .c or .cpp files".into())
            }
            Error::Exists { .. } => {
                Some("edit or move the file, or write into another folder with --into".into())
            }
            Error::MissingProgram { install, .. } if !install.is_empty() => Some(install.clone()),
            Error::MissingProgram { packages, .. } if !packages.is_empty() => Some(format!(
                "install it with: sudo apt-get install {} (or run: make setup)",
                packages.join(" ")
            )),
            Error::MissingProgram { .. } => Some("selo-lab doctor lists what is missing".into()),
            Error::Write { source, .. } if source.kind() == std::io::ErrorKind::StorageFull => {
                Some("free some space, then run the same command again: it continues".into())
            }
            Error::Read { path, source } if source.kind() == std::io::ErrorKind::InvalidData => {
                Some(format!("{} is not a text file; give one that selo-lab wrote", path.display()))
            }
            Error::BadRow { .. } => {
                Some("remove that line, or measure everything again with --fresh".into())
            }
            Error::Runner { .. } => Some("selo-lab doctor checks the runners".into()),
            Error::Source { hint, .. } => Some(hint.clone()),
            Error::Load { .. } => Some(
                "a statically linked program cannot load libraries; use the program that `make build` builds".into(),
            ),
            Error::Digest { .. } => Some(
                "the file is another release, changed or incomplete; remove it from the folder of archives and fetch it again".into(),
            ),
            Error::NotBound { library } => Some(format!(
                "selo lab survey {library} fetches it and finds out"
            )),
            Error::Revision { .. } => Some(
                "the repository or the pinned digests changed; compare both before you pin the new ones".into(),
            ),
            Error::Port { hint, .. } => Some(hint.clone()),
            Error::Interrupted => Some("run the same command again: it continues where it stopped".into()),
            _ => None,
        }
    }

    /// True if the error concerns only one unit or board, so that others can continue.
    pub fn is_of_one_unit(&self) -> bool {
        !matches!(self, Error::Interrupted | Error::Write { .. })
    }

    /// Exit code of the command line for this error (documented in docs/reference.md).
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Unknown { .. }
            | Error::Data { .. }
            | Error::NoManifest { .. }
            | Error::NoLibrary { .. }
            | Error::Exists { .. }
            | Error::NotBound { .. }
            | Error::NothingSelected { .. } => 2,
            Error::MissingProgram { .. } => 3,
            Error::Interrupted => 130,
            _ => 4,
        }
    }

    /// Makes an [`Error::Unknown`] with the nearest known name, if one is similar enough.
    pub fn unknown<'a>(
        kind: &'static str,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let mut known: Vec<String> = known.into_iter().map(str::to_owned).collect();
        known.sort();
        known.dedup();
        let nearest = known
            .iter()
            .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
            .filter(|(score, _)| *score > 0.75)
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, candidate)| candidate.clone());
        Error::Unknown {
            kind,
            name: name.to_owned(),
            nearest,
            known,
        }
    }
}

impl selo_base::report::Failure for Error {
    fn hint(&self) -> Option<String> {
        Error::hint(self)
    }

    fn exit_code(&self) -> u8 {
        Error::exit_code(self)
    }
}
