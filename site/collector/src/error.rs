//! What can go wrong in the collector. Every message says what happened and where;
//! [`Error::hint`] says what to do next.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use thiserror::Error;

/// The result of a collector operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },

    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },

    /// A directory or file with secrets that other users may read.
    #[error("{} holds secrets, but others may read it (mode {mode:03o})", path.display())]
    Permissions { path: PathBuf, mode: u32 },

    #[error("another collector runs on {place}")]
    Locked { place: String },

    #[error("cannot listen on {address}: {source}")]
    Listen {
        address: SocketAddr,
        source: io::Error,
    },

    /// The database has no room; nothing of the batch was stored.
    #[error("the database {place} is full: {reason}")]
    Full { place: String, reason: String },

    /// The database cannot be reached for now; nothing of the batch was stored.
    #[error("the database {place} does not answer: {reason}")]
    Unavailable { place: String, reason: String },

    /// The database refused what it was asked.
    #[error("the database {place}: {reason}")]
    Database { place: String, reason: String },

    #[error("the database {place} is of version {found}; this program knows version {known}")]
    Version {
        place: String,
        found: i64,
        known: i64,
    },

    /// Somebody who is asked does not answer in time, or too many ask.
    #[error("{what} does not answer in time")]
    Busy { what: String },

    /// A token sends for a station that is not its own; nothing of the portion was stored.
    #[error("the token may not send for station {device} of site {site}")]
    Scope { device: String, site: String },

    /// An input that is not what it should be.
    #[error("{0}")]
    Invalid(String),

    #[error("there is no {what}")]
    Unknown { what: String },

    /// The collector stops, and takes nothing more.
    #[error("the collector is stopping")]
    Stopping,

    #[error("the system has no random numbers: {0}")]
    Random(String),

    /// A certificate or its key cannot be used.
    #[error(transparent)]
    Certificate(#[from] selo_mqtt::Error),

    /// Passwords would cross a network that others may listen to.
    #[error("http://{address} would show passwords to everyone on the way")]
    Clear { address: SocketAddr },
}

impl Error {
    /// True if the same request may succeed later: it is worth coming again.
    pub fn is_passing(&self) -> bool {
        matches!(
            self,
            Error::Full { .. } | Error::Unavailable { .. } | Error::Busy { .. } | Error::Stopping
        )
    }

    /// What the user can do about it, in one line, if there is something.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Error::Permissions { path, mode } => {
                let wanted = if mode & 0o111 != 0 { "700" } else { "600" };
                format!("chmod {wanted} {}", path.display())
            }
            Error::Locked { .. } => "stop it first, or give this one another database".into(),
            Error::Listen { source, address } => match source.kind() {
                io::ErrorKind::AddrInUse => format!(
                    "see who has it with `ss -ltnp 'sport = :{}'`, or choose another --http ADDR:PORT",
                    address.port()
                ),
                io::ErrorKind::AddrNotAvailable => "--http takes an address of this machine".into(),
                io::ErrorKind::PermissionDenied => "choose a port above 1023".into(),
                _ => return None,
            },
            Error::Full { .. } => {
                "free some space; the collector goes on by itself when there is room".into()
            }
            Error::Unavailable { .. } => {
                "see whether the database runs; the collector goes on by itself when it answers"
                    .into()
            }
            Error::Scope { .. } => "an admin says for which it may: PATCH /api/v1/tokens/ID, \
                 {\"site\":\"...\",\"stations\":[\"...\"]}"
                .into(),
            Error::Busy { .. } => {
                "come again in a moment; the log may say what it waits for".into()
            }
            Error::Certificate(error) => return error.hint(),
            Error::Clear { .. } => {
                "bring a certificate with --tls-cert FILE and --tls-key FILE (`selo setup DIR` \
                 makes one, `selo up --tls` has its own), or say --behind-proxy if a proxy \
                 with TLS stands before it"
                    .into()
            }
            Error::Version { .. } => "use the version of Selo that wrote it, or a newer one".into(),
            Error::Write { source, .. } if source.kind() == io::ErrorKind::StorageFull => {
                "free some space".into()
            }
            _ => return None,
        })
    }

    /// Exit code of the command line for this error (docs/reference.md).
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Invalid(_)
            | Error::Unknown { .. }
            | Error::Version { .. }
            | Error::Clear { .. } => 2,
            Error::Certificate(error) => error.exit_code(),
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
