//! Errors of virtual nodes. Each message says what happened and where; [`Error::hint`] says what
//! to do next.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use thiserror::Error;

/// Result of an operation on virtual nodes.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of virtual nodes.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },

    /// A file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },

    /// Other users may enter the directory with the records.
    #[error("{} holds keys, but other users may enter it (mode {mode:03o})", path.display())]
    Permissions {
        /// The directory.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },

    /// Other virtual nodes are using these records.
    #[error("other virtual nodes are using {}", path.display())]
    Locked {
        /// The directory.
        path: PathBuf,
    },

    /// The file is not a record file.
    #[error("{} does not hold records of virtual nodes", path.display())]
    NotRecords {
        /// The file.
        path: PathBuf,
    },

    /// The request is impossible.
    #[error("{what}")]
    Wrong {
        /// The problem, and where it is.
        what: String,
        /// The hint.
        hint: String,
    },

    /// No frame can be sent to the gateway.
    #[error("cannot send to {address}: {source}")]
    Network {
        /// The gateway.
        address: SocketAddr,
        /// The cause.
        source: io::Error,
    },

    /// The firmware cannot be built, or the simulator cannot run it.
    #[error(transparent)]
    Board(#[from] selo_engine::Error),

    /// The C library returned an error.
    #[error("node {node}: {source}")]
    Node {
        /// Number of the node, from 0.
        node: usize,
        /// The cause.
        source: selo_sys::Error,
    },
}

impl Error {
    /// A one-line hint that says what the user can do, if there is anything.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Error::Permissions { path, .. } => format!("chmod 700 {}", path.display()),
            Error::Locked { .. } => {
                "wait until they end, or pass another directory with --state".into()
            }
            Error::NotRecords { .. } => {
                "pass another directory with --state; this one was not changed".into()
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
                "this machine has no route to it: check with `ip route get`, or pass another --to"
                    .into()
            }
            Error::Write { source, .. } => match source.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                    "free some disk space; the nodes continue from the stored records".into()
                }
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                    "pass a directory that you may write to with --state DIR".into()
                }
                io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
                    "a file with that name exists: pass another --state DIR".into()
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
