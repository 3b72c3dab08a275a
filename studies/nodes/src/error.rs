//! What can go wrong with virtual nodes. Every message says what happened and where;
//! [`Error::hint`] says what to do next.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use thiserror::Error;

/// The result of something with virtual nodes.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },

    /// A file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },

    /// The directory with the records is open to other users.
    #[error("{} holds keys, but others may enter it (mode {mode:03o})", path.display())]
    Permissions {
        /// The directory.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },

    /// Other virtual nodes run on these records.
    #[error("other virtual nodes run on {}", path.display())]
    Locked {
        /// The directory.
        path: PathBuf,
    },

    /// A file that is not a record file.
    #[error("{} does not hold records of virtual nodes", path.display())]
    NotRecords {
        /// The file.
        path: PathBuf,
    },

    /// What the user asked for cannot be.
    #[error("{what}")]
    Wrong {
        /// What is wrong, and where.
        what: String,
        /// What to do.
        hint: String,
    },

    /// The gateway cannot be reached by any frame.
    #[error("cannot send to {address}: {source}")]
    Network {
        /// The gateway.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },

    /// The firmware cannot be built, or the simulator does not run it.
    #[error(transparent)]
    Board(#[from] selo_engine::Error),

    /// The C library refused.
    #[error("node {node}: {source}")]
    Node {
        /// Which one, from 0.
        node: usize,
        /// Why.
        source: selo_sys::Error,
    },
}

impl Error {
    /// What the user can do about it, in one line, if there is something.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Error::Permissions { path, .. } => format!("chmod 700 {}", path.display()),
            Error::Locked { .. } => "wait until they end, or give --state another directory".into(),
            Error::NotRecords { .. } => {
                "give --state another directory; nothing was changed in this one".into()
            }
            Error::Network { source, .. } if source.raw_os_error() == Some(24) => {
                "allow more open files (ulimit -n 16384), or run fewer nodes".into()
            }
            Error::Wrong { hint, .. } => hint.clone(),
            Error::Network { source, .. }
                if matches!(
                    source.kind(),
                    io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable
                ) =>
            {
                "this machine has no way there: see `ip route get`, or choose another --to".into()
            }
            Error::Write { source, .. } => match source.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                    "free some space; the nodes go on from what is there".into()
                }
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                    "choose a place that you may write to: --state DIR".into()
                }
                io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
                    "there is a file of that name: choose another --state DIR".into()
                }
                _ => return None,
            },
            Error::Board(error) => return error.hint(),
            _ => return None,
        })
    }

    /// Exit code of the command line for this error (docs/reference.md).
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::NotRecords { .. } | Error::Wrong { .. } => 2,
            Error::Board(error) => error.exit_code(),
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
