//! Errors of the gateway. Each message says what happened and where; [`Error::hint`] says what
//! to do next.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// The result of a gateway operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },

    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },

    /// Other users can access the state directory.
    #[error("{} holds keys, but other users can access it (mode {mode:03o})", path.display())]
    Permissions { path: PathBuf, mode: u32 },

    /// The state directory belongs to another user.
    #[error("{} belongs to another user (uid {owner}, this is uid {user})", path.display())]
    Owner {
        path: PathBuf,
        owner: u32,
        user: u32,
    },

    #[error("{} is not a directory", path.display())]
    NotADirectory { path: PathBuf },

    /// No directory was given, and no default can be derived.
    #[error("no state directory is given, and neither XDG_STATE_HOME nor HOME is set")]
    NoStateDirectory,

    /// Another gateway holds the lock of the state directory.
    #[error("another gateway{} already uses {}", pid.map(|pid| format!(" (process {pid})")).unwrap_or_default(), path.display())]
    Locked { path: PathBuf, pid: Option<u32> },

    #[error("cannot listen on {address}: {source}")]
    Listen {
        address: SocketAddr,
        source: io::Error,
    },

    /// The serial port of a radio module.
    #[error("cannot use the radio module on {}: {source}", path.display())]
    Radio { path: PathBuf, source: io::Error },

    #[error("cannot listen for radio heads on {address}: {source}")]
    Heads {
        address: SocketAddr,
        source: io::Error,
    },

    #[error("there is already a head '{name}'")]
    HeadExists { name: String },

    #[error("there is no head '{name}'")]
    UnknownHead { name: String },

    #[error("{} holds the key of a radio head or its gateway, but other users can read it (mode {mode:03o})", path.display())]
    HeadFileMode { path: PathBuf, mode: u32 },

    #[error("cannot serve metrics on {address}: {source}")]
    Metrics {
        address: SocketAddr,
        source: io::Error,
    },

    /// The registry's file is damaged, or SQLite returned an error.
    #[error("registry {}: {source}", path.display())]
    Registry {
        path: PathBuf,
        source: rusqlite::Error,
    },

    #[error("registry {place} has version {found}; this program supports version {known}")]
    RegistryVersion {
        place: String,
        found: i64,
        known: i64,
    },

    #[error("{} is not a Selo registry", path.display())]
    NotARegistry { path: PathBuf },

    /// A registry on a server, which did not answer. The request may come into force.
    #[error("the registry {place} does not answer: {reason}")]
    RegistryAway { place: String, reason: String },

    /// A registry on a server, which takes no changes.
    #[error("the registry {place} is read-only: {reason}")]
    RegistryReadOnly { place: String, reason: String },

    /// A registry on a server, which refused a request.
    #[error("the registry {place} refused a request: {reason}")]
    RegistryRefused { place: String, reason: String },

    #[error("the registry {registry} has keys, but {} is missing, under which they are sealed", path.display())]
    NoSiteKey { registry: String, path: PathBuf },

    #[error("the registry {registry} has keys that are sealed under the site key {known}; the one in {} is {found}", path.display())]
    WrongSiteKey {
        registry: String,
        known: String,
        found: String,
        path: PathBuf,
    },

    #[error("{} holds the key of the site, but other users can read it (mode {mode:03o})", path.display())]
    SiteKeyMode { path: PathBuf, mode: u32 },

    /// Shards need a registry that several engines share.
    #[error(
        "an engine shares its devices with others through a registry in PostgreSQL, and none is given"
    )]
    NotShared,

    #[error("{} does not hold a site key: 64 hexadecimal digits", path.display())]
    SiteKeyFile { path: PathBuf },

    /// The row of a device was changed, or moved to another device.
    #[error("the key of device {id} in the registry is damaged")]
    SealedKey { id: String },

    #[error("{} was written by a newer version of Selo (journal version {found}; this program supports version {known})", path.display())]
    JournalVersion {
        path: PathBuf,
        found: u16,
        known: u16,
    },

    #[error("there is no device '{what}'")]
    UnknownDevice { what: String },

    #[error("there is already a device {id}")]
    DeviceExists { id: String },

    #[error("the name '{name}' belongs to device {id}")]
    NameTaken { name: String, id: String },

    /// An invalid input: a name, an id, a key, or a file.
    #[error("{0}")]
    Invalid(String),

    /// The command needs a running gateway.
    #[error("no gateway runs on {}", path.display())]
    NotRunning { path: PathBuf },

    /// The gateway refused the request.
    #[error("{0}")]
    Refused(String),

    /// The control connection broke, or its data does not follow the protocol.
    #[error("control connection to the gateway failed: {0}")]
    Control(String),

    #[error("the system cannot supply random numbers: {0}")]
    Random(String),
}

impl Error {
    /// A one-line suggestion for the user, if there is one.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Error::Permissions { path, .. } => format!("chmod 700 {}", path.display()),
            Error::Owner { .. } => {
                "run it as that user, or give --state a directory of your own".into()
            }
            Error::NoStateDirectory => "name one with --state DIR".into(),
            Error::Locked { .. } => "stop it first, or give this one another --state DIR; \
                 commands such as `selo device list` work while it runs"
                .into(),
            Error::Radio { source, path } => radio_hint(source, path),
            Error::Listen { source, address } => return listen_hint(source, *address),
            Error::Metrics { source, .. } if source.kind() == io::ErrorKind::AddrInUse => {
                "choose another --metrics ADDR:PORT".into()
            }
            Error::Read { source, path } if source.kind() == io::ErrorKind::PermissionDenied => {
                format!("see who may read it with `ls -ld {}`", path.display())
            }
            Error::Write { source, .. } if source.kind() == io::ErrorKind::StorageFull => {
                "free some space".into()
            }
            Error::Registry { source, path } => return registry_hint(source, path),
            Error::RegistryVersion { .. } | Error::JournalVersion { .. } => {
                "use the version of Selo that wrote it, or a newer one".into()
            }
            Error::RegistryAway { .. } => {
                "is PostgreSQL running, and may this machine connect to it?".into()
            }
            Error::RegistryReadOnly { .. } => {
                "name the primary server, and a user that may write".into()
            }
            Error::NoSiteKey { path, .. } | Error::WrongSiteKey { path, .. } => format!(
                "copy the file site-key of the gateway that created the registry, or of its \
                 backup, to {} with mode 600",
                path.display()
            ),
            Error::NotShared => "--registry postgresql://USER@HOST/DATABASE".into(),
            Error::SiteKeyMode { path, .. } | Error::HeadFileMode { path, .. } => {
                format!("chmod 600 {}", path.display())
            }
            Error::Heads { source, .. } if source.kind() == io::ErrorKind::AddrInUse => {
                "choose another --heads ADDR:PORT".into()
            }
            Error::HeadExists { .. } => {
                "remove it first with `selo head remove`, or choose another name".into()
            }
            Error::UnknownHead { .. } => "`selo head list` shows the heads".into(),
            Error::SiteKeyFile { .. } => {
                "copy it from another gateway of the site, or from a backup".into()
            }
            Error::SealedKey { .. } => {
                "someone changed the database; restore the device from a backup, or pair it again"
                    .into()
            }
            Error::UnknownDevice { .. } => "`selo device list` shows the devices".into(),
            Error::DeviceExists { .. } => {
                "remove it first with `selo device remove`, or choose another id".into()
            }
            Error::NameTaken { .. } => "choose another name, or rename that device".into(),
            Error::NotRunning { path } => {
                format!("start one with `selo gateway --state {}`", path.display())
            }
            Error::Control(_) => "the gateway's log says more".into(),
            _ => return None,
        })
    }

    /// Exit code of the command line for this error (see docs/reference.md).
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::UnknownDevice { .. }
            | Error::DeviceExists { .. }
            | Error::NameTaken { .. }
            | Error::HeadExists { .. }
            | Error::UnknownHead { .. }
            | Error::Invalid(_)
            | Error::NotADirectory { .. }
            | Error::NoStateDirectory
            | Error::RegistryVersion { .. }
            | Error::NotARegistry { .. }
            | Error::NoSiteKey { .. }
            | Error::NotShared
            | Error::WrongSiteKey { .. }
            | Error::SiteKeyFile { .. }
            | Error::JournalVersion { .. } => 2,
            Error::NotRunning { .. } => 3,
            Error::Refused(_) => 1,
            _ => 4,
        }
    }
}

fn radio_hint(source: &io::Error, path: &Path) -> String {
    match source.kind() {
        io::ErrorKind::PermissionDenied => {
            "add the user to the port's group, often: adduser USER dialout".into()
        }
        io::ErrorKind::NotFound => {
            "is it plugged in? `ls /dev/serial/by-id` shows what there is".into()
        }
        io::ErrorKind::WouldBlock | io::ErrorKind::ResourceBusy => format!(
            "another program has it open; see which with `fuser {}`",
            path.display()
        ),
        _ => "--radio takes a serial port, such as /dev/ttyUSB0".into(),
    }
}

fn listen_hint(source: &io::Error, address: SocketAddr) -> Option<String> {
    Some(match source.kind() {
        io::ErrorKind::AddrInUse => format!(
            "see who has it with `ss -lunp 'sport = :{}'`, or choose another --listen ADDR:PORT",
            address.port()
        ),
        io::ErrorKind::AddrNotAvailable => {
            "--listen takes an address of this machine; 0.0.0.0 means all".into()
        }
        io::ErrorKind::PermissionDenied => "choose a port above 1023".into(),
        _ => return None,
    })
}

fn registry_hint(source: &rusqlite::Error, path: &Path) -> Option<String> {
    Some(match source.sqlite_error_code() {
        Some(rusqlite::ErrorCode::DatabaseBusy) => {
            "another command is writing to it; try again".into()
        }
        Some(rusqlite::ErrorCode::DiskFull) => "free some space".into(),
        Some(rusqlite::ErrorCode::DatabaseCorrupt | rusqlite::ErrorCode::NotADatabase) => format!(
            "move {} away and restore the devices with `selo device import`",
            path.display()
        ),
        _ => return None,
    })
}

impl selo_base::report::Failure for Error {
    fn hint(&self) -> Option<String> {
        Error::hint(self)
    }

    fn exit_code(&self) -> u8 {
        Error::exit_code(self)
    }
}
