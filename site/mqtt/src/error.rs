//! What can go wrong before anything is connected: files, addresses, certificates.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// The result of an operation of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },

    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },

    /// A file that does not say what it should.
    #[error("{}: {why}", path.display())]
    File {
        path: PathBuf,
        why: String,
        hint: String,
    },

    /// A file with a secret that others may read.
    #[error("{} holds a secret, but others may read it (mode {mode:03o})", path.display())]
    Permissions { path: PathBuf, mode: u32 },

    /// A name, an address, an option that cannot be.
    #[error("{0}")]
    Invalid(String, &'static str),

    #[error("the broker cannot listen on {address}: {why}")]
    Listen {
        address: std::net::SocketAddr,
        why: String,
    },

    #[error("{} is there already", path.display())]
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

    /// What the user can do about it, in one line, if there is something.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Error::File { hint, .. } => hint.clone(),
            Error::Permissions { path, .. } => format!("chmod 600 {}", path.display()),
            Error::Invalid(_, hint) => (*hint).into(),
            Error::Listen { address, .. } => format!(
                "see who has it with `ss -ltnp 'sport = :{}'`, or choose another address",
                address.port()
            ),
            Error::Exists { .. } => {
                "choose another directory; what is there is left as it is".into()
            }
            Error::Read { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                "`selo setup DIR` makes certificates, passwords and configuration".into()
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
