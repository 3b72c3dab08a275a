//! Errors that occur before a connection is made: files, addresses, certificates.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Result of an operation of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of this crate.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },

    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },

    /// A file with invalid contents.
    #[error("{}: {why}", path.display())]
    File {
        path: PathBuf,
        why: String,
        hint: String,
    },

    /// Other users may read a file with a secret.
    #[error("{} holds a secret, but others may read it (mode {mode:03o})", path.display())]
    Permissions { path: PathBuf, mode: u32 },

    /// An invalid name, address or option, with a hint.
    #[error("{0}")]
    Invalid(String, &'static str),

    #[error("the broker cannot listen on {address}: {why}")]
    Listen {
        address: std::net::SocketAddr,
        why: String,
    },

    #[error("{} already exists", path.display())]
    Exists { path: PathBuf },

    #[error("{0}")]
    Internal(String),
}

impl Error {
    pub(crate) fn read(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Error {
        let path = path.into();
        move |source| Error::Read { path, source }
    }

    pub(crate) fn write(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Error {
        let path = path.into();
        move |source| Error::Write { path, source }
    }

    /// A one-line hint that says what the user can do, if there is anything.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Error::File { hint, .. } => hint.clone(),
            Error::Permissions { path, .. } => format!("chmod 600 {}", path.display()),
            Error::Invalid(_, hint) => (*hint).into(),
            Error::Listen { address, .. } => format!(
                "find the process that uses it with `ss -ltnp 'sport = :{}'`, or choose another \
                address",
                address.port()
            ),
            Error::Exists { .. } => {
                "choose another directory; existing files are never changed".into()
            }
            Error::Read { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                "create certificates, passwords and configuration with `selo setup DIR`".into()
            }
            _ => return None,
        })
    }

    /// Exit code of the command line for this error (docs/reference.md).
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::File { .. }
            | Error::Permissions { .. }
            | Error::Invalid(..)
            | Error::Exists { .. } => 2,
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
