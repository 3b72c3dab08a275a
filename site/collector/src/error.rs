//! Errors of the collector. Each message says what happened and where; [`Error::hint`] says what
//! to do next.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use thiserror::Error;

/// Result of a collector operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of the collector.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },

    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },

    /// Other users may read a directory or file with secrets.
    #[error("{} holds secrets, but others may read it (mode {mode:03o})", path.display())]
    Permissions { path: PathBuf, mode: u32 },

    /// The users are in a database that collectors share.
    #[error("the users are not in a file any more: a database has taken them over ({})", path.display())]
    Moved { path: PathBuf },

    #[error("another collector is using {place}")]
    Locked { place: String },

    #[error("cannot listen on {address}: {source}")]
    Listen {
        address: SocketAddr,
        source: io::Error,
    },

    /// The database is full. Nothing of the batch was stored.
    #[error("the database {place} is full: {reason}")]
    Full { place: String, reason: String },

    /// The database is unreachable for now. Nothing of the batch was stored.
    #[error("the database {place} does not answer: {reason}")]
    Unavailable { place: String, reason: String },

    /// The database rejected the request.
    #[error("the database {place} rejected the request: {reason}")]
    Database { place: String, reason: String },

    #[error(
        "the database {place} has schema version {found}; this program supports version \
        {known}"
    )]
    Version {
        place: String,
        found: i64,
        known: i64,
    },

    /// A resource does not answer in time, or too many requests are waiting for it.
    #[error("{what} does not answer in time")]
    Busy { what: String },

    /// A token sent a reading for a station outside its scope. Nothing of the portion was stored.
    #[error("the token may not send readings of station {device} of site {site}")]
    Scope { device: String, site: String },

    /// An invalid input.
    #[error("{0}")]
    Invalid(String),

    #[error("there is no {what}")]
    Unknown { what: String },

    #[error("cannot start a thread: {0}")]
    Thread(#[source] io::Error),

    /// The collector is stopping and accepts no more work.
    #[error("the collector is stopping")]
    Stopping,

    #[error("the system's random number generator failed: {0}")]
    Random(String),

    /// A certificate or its key is unusable.
    #[error(transparent)]
    Certificate(#[from] selo_mqtt::Error),

    /// Passwords would be sent without TLS over a network that others may listen to.
    #[error("http://{address} would send passwords unencrypted over the network")]
    Clear { address: SocketAddr },
}

impl Error {
    /// Returns true if the same request may succeed later, so a retry is worthwhile.
    pub fn is_passing(&self) -> bool {
        matches!(
            self,
            Error::Full { .. } | Error::Unavailable { .. } | Error::Busy { .. } | Error::Stopping
        )
    }

    /// A one-line hint that says what the user can do, if there is anything.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Error::Permissions { path, mode } => {
                let wanted = if mode & 0o111 != 0 { "700" } else { "600" };
                format!("chmod {wanted} {}", path.display())
            }
            Error::Moved { path } => format!(
                "pass the same --stream and --database as for the collectors, or rename {} to {} to \
                 use its earlier users in a site of one collector",
                path.display(),
                path.with_extension("").display()
            ),
            Error::Locked { .. } => "stop it first, or use another database for this one".into(),
            Error::Listen { source, address } => match source.kind() {
                io::ErrorKind::AddrInUse => format!(
                    "find the process that uses it with `ss -ltnp 'sport = :{}'`, or choose \
                    another --http ADDR:PORT",
                    address.port()
                ),
                io::ErrorKind::AddrNotAvailable => {
                    "--http must be an address of this machine".into()
                }
                io::ErrorKind::PermissionDenied => "choose a port above 1023".into(),
                _ => return None,
            },
            Error::Full { .. } => {
                "free some disk space; the collector continues by itself when there is room".into()
            }
            Error::Unavailable { .. } => {
                "check that the database is running; the collector continues by itself when it \
                answers"
                    .into()
            }
            Error::Scope { .. } => "an admin can set its stations: PATCH /api/v1/tokens/ID, \
                {\"site\":\"...\",\"stations\":[\"...\"]}"
                .into(),
            Error::Busy { .. } => "try again in a moment; the log may show the cause".into(),
            Error::Certificate(error) => return error.hint(),
            Error::Clear { .. } => {
                "pass a certificate with --tls-cert FILE and --tls-key FILE (`selo setup DIR` \
                creates one, `selo up --tls` has its own), or pass --behind-proxy if a TLS \
                proxy is in front of it"
                    .into()
            }
            Error::Version { .. } => "use the Selo version that wrote it, or a newer one".into(),
            Error::Write { source, .. } if source.kind() == io::ErrorKind::StorageFull => {
                "free some disk space".into()
            }
            _ => return None,
        })
    }

    /// Exit code of the command line for this error (docs/reference.md).
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Invalid(_)
            | Error::Unknown { .. }
            | Error::Moved { .. }
            | Error::Version { .. }
            | Error::Clear { .. } => 2,
            Error::Certificate(error) => error.exit_code(),
            _ => 4,
        }
    }
}

impl From<selo_postgres::tls::Error> for Error {
    fn from(error: selo_postgres::tls::Error) -> Error {
        match error {
            selo_postgres::tls::Error::Invalid(what) => Error::Invalid(what),
            selo_postgres::tls::Error::Certificate(error) => Error::Certificate(error),
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
