//! Errors of this crate. Each message says what happened and where; [`Error::hint`] says what to
//! do next.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Result of an operation of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// See the module.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The system could not open a pseudo-terminal.
    #[error("cannot open a pseudo-terminal: {source}")]
    Pty {
        /// The system's error.
        source: io::Error,
    },
    /// The link to the pseudo-terminal could not be created.
    #[error("cannot create the link {}: {source}", path.display())]
    Link {
        /// The link's path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The thread that drives the ether could not be started.
    #[error("cannot start a thread: {source}")]
    Thread {
        /// The system's error.
        source: io::Error,
    },
}

impl Error {
    /// A one-line hint that says what to do next.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Error::Pty { .. } => "check that /dev/pts is mounted and that not too many \
                pseudo-terminals are open"
                .into(),
            Error::Link { path, source } if source.kind() == io::ErrorKind::AlreadyExists => {
                format!(
                    "{} is not a link from an earlier run: choose another name, or remove it",
                    path.display()
                )
            }
            Error::Link { .. } => "choose a name in a folder that you may write to".into(),
            Error::Thread { .. } => return None,
        })
    }

    /// Exit code of the command (docs/reference.md).
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Link { .. } => 2,
            Error::Pty { .. } | Error::Thread { .. } => 4,
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
