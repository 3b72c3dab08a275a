//! Errors of a benchmark. Each message says what happened and where; [`Error::hint`] says what to
//! do next.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Result of a step of a benchmark.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of the benchmark.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    #[error("cannot start {program}: {source}")]
    Start { program: String, source: io::Error },

    /// There is no Python with the module `cryptography`.
    #[error("the baseline needs Python 3 with the module cryptography; {tried} does not have it")]
    NoPython { tried: String },

    #[error("{} is missing: the baseline gateway", path.display())]
    NoBaseline { path: PathBuf },

    /// A gateway under load misbehaved.
    #[error("{name}: {message}")]
    Gateway { name: &'static str, message: String },

    #[error("a socket of the load generator failed: {source}")]
    Network { source: io::Error },

    #[error(transparent)]
    Random(#[from] selo_link::RandomError),

    #[error(transparent)]
    State(#[from] selo_gateway::Error),

    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
}

impl Error {
    /// A one-line hint that says what the user can do, if there is anything.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Error::NoPython { .. } => {
                "run apt-get install python3-cryptography, or pass --python FILE or \
                --without-baseline"
                    .into()
            }
            Error::NoBaseline { .. } => {
                "run it in Selo's source folder, or pass --project DIR".into()
            }
            Error::Network { source } if source.raw_os_error() == Some(24) => {
                "allow more open files: ulimit -n 4096".into()
            }
            Error::State(error) => return error.hint(),
            _ => return None,
        })
    }

    /// Exit code of the command line for this error (docs/reference.md).
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::NoPython { .. } | Error::NoBaseline { .. } => 3,
            _ => 4,
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
