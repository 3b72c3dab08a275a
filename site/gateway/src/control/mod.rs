//! The control socket between commands and a running gateway: a Unix domain socket of mode 0600
//! in the state directory. It carries JSON, one message per line.
//!
//! A client sends a [`Request`] and gets a [`Reply`]. After `pair`, `watch` and `send`,
//! [`Reply::Event`] lines follow until the client disconnects. Disconnecting cancels what the
//! client started: the window closes, the message is withdrawn.

mod client;
mod message;
mod pairing;
mod reply;
mod server;
mod services;
mod windows;

use std::fs::File;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use client::Client;
pub use server::Server;
pub use services::Services;

use crate::engine::{DownlinkOutcome, WindowState};

/// A request of a client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Request {
    /// Request a [`Status`].
    Status,
    /// Request a [`HeadsStatus`].
    Heads,
    /// Write the current knowledge of devices to the registry.
    Flush,
    /// These devices have changed in the registry. An empty list means any device.
    Reload { devices: Vec<String> },
    /// Open the pairing window.
    Pair { seconds: u64, name: Option<String> },
    /// Receive events of the open pairing window.
    Watch,
    /// The six digits that the node shows, as typed by the operator. The matching attempt
    /// becomes a device.
    Confirm {
        digits: String,
        name: Option<String>,
    },
    /// Reject all attempts whose digits are shown.
    Reject,
    /// Send a message to a node.
    Send {
        device: String,
        /// Hexadecimal digits.
        payload: String,
        /// Append the time to the payload ([`crate::engine::Downlink::timed`]).
        #[serde(default)]
        timed: bool,
        confirmed: bool,
        after_uplink: bool,
        seconds: u64,
    },
}

/// A reply of the gateway.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    Done,
    Status(Box<Status>),
    Heads(HeadsStatus),
    Error(String),
    Event(Event),
}

/// Status of a gateway.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Status {
    pub version: String,
    pub pid: u32,
    pub uptime_seconds: u64,
    pub listen: String,
    pub metrics: Option<String>,
    pub devices: u64,
    pub sessions: u64,
    pub pending: u64,
    pub readings: u64,
    pub delivered: u64,
    /// Bytes of the journal that are not delivered yet, also those of earlier runs.
    #[serde(default)]
    pub undelivered_bytes: u64,
    pub dropped: u64,
}

/// The radio heads of a gateway.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HeadsStatus {
    /// The address that they connect to. `None`: the gateway takes no heads.
    pub listen: Option<String>,
    /// Those that are connected now.
    pub heads: Vec<HeadStatus>,
}

/// A connected head, and what it did since it connected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeadStatus {
    pub number: u16,
    pub name: String,
    /// The address that it connects from.
    pub from: String,
    /// Seconds since it connected.
    pub seconds: u64,
    /// Frames that it heard, and frames of these that it heard best.
    pub heard: u64,
    pub best: u64,
    /// Frames that were too many.
    pub limited: u64,
    /// Answers that it was given.
    pub answers: u64,
    /// Mean time that a frame waited at the head for the connection, milliseconds.
    pub waited_ms: u64,
}

/// An event for a waiting client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    Closed {
        why: String,
    },
    Open {
        /// Number of wrong entries that remain.
        entries_left: u8,
    },
    /// A node exchanges a secret by `kem` before it gets a PAIR-KEY.
    Opened {
        attempt: u64,
        device: String,
        suite: String,
        kem: String,
    },
    Keyed {
        attempt: u64,
        device: String,
        suite: String,
    },
    /// The node shows its digits. The event does not contain them, so whoever types them must
    /// have seen the node.
    Comparing {
        attempt: u64,
        device: String,
        suite: String,
        /// A device with this id exists; its key would be replaced.
        replaces: bool,
    },
    Failed {
        attempt: u64,
        device: String,
        why: String,
    },
    Paired {
        attempt: u64,
        device: String,
        /// The key encapsulation of a hybrid pairing, such as `ml-kem-512`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kem: Option<String>,
    },
    Sent {
        counter: u64,
        to: String,
    },
    Acknowledged {
        counter: u64,
    },
    Unacknowledged,
    Expired,
    Cancelled,
}

impl From<WindowState> for Event {
    fn from(state: WindowState) -> Event {
        match state {
            WindowState::Closed { why } => Event::Closed { why: why.into() },
            WindowState::Open { entries_left } => Event::Open { entries_left },
            WindowState::Opened {
                attempt,
                device,
                suite,
                kem,
            } => Event::Opened {
                attempt,
                device: device.to_string(),
                suite: suite.to_string(),
                kem: kem.to_string(),
            },
            WindowState::Keyed {
                attempt,
                device,
                suite,
            } => Event::Keyed {
                attempt,
                device: device.to_string(),
                suite: suite.to_string(),
            },
            WindowState::Comparing {
                attempt,
                device,
                suite,
                replaces,
            } => Event::Comparing {
                attempt,
                device: device.to_string(),
                suite: suite.to_string(),
                replaces,
            },
            WindowState::Failed {
                attempt,
                device,
                why,
            } => Event::Failed {
                attempt,
                device: device.to_string(),
                why: why.into(),
            },
            WindowState::Paired {
                attempt,
                device,
                kem,
            } => Event::Paired {
                attempt,
                device: device.to_string(),
                kem: kem.map(|kem| kem.to_string()),
            },
        }
    }
}

impl From<DownlinkOutcome> for Event {
    fn from(outcome: DownlinkOutcome) -> Event {
        match outcome {
            DownlinkOutcome::Sent { counter, to } => Event::Sent {
                counter,
                to: to.to_string(),
            },
            DownlinkOutcome::Acknowledged { counter } => Event::Acknowledged { counter },
            DownlinkOutcome::Unacknowledged => Event::Unacknowledged,
            DownlinkOutcome::Expired => Event::Expired,
            DownlinkOutcome::Cancelled => Event::Cancelled,
        }
    }
}

/// Maximum size of a line, bytes. Fits a reload of [`RELOAD_MAX`] devices.
const LINE_MAX: u64 = 64 << 10;
/// Maximum number of devices in one [`Request::Reload`].
pub const RELOAD_MAX: usize = 1000;

/// Reads a line of at most [`LINE_MAX`] bytes. Returns `None` at the end.
///
/// # Errors
/// `InvalidData` if the line is too long or incomplete.
fn read_line(from: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = String::new();
    let size = io::Read::take(&mut *from, LINE_MAX).read_line(&mut line)?;
    match size {
        0 => Ok(None),
        _ if !line.ends_with('\n') => Err(io::ErrorKind::InvalidData.into()),
        _ => Ok(Some(line)),
    }
}

/// Calls `use_path` with a path of the socket that fits the system's limit: the path itself, or
/// one through an open handle of its directory.
fn with_short_path<R>(path: &Path, use_path: impl FnOnce(&Path) -> io::Result<R>) -> io::Result<R> {
    // `sun_path` holds 104 to 108 bytes, including the terminator.
    const PATH_MAX: usize = 100;
    let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else {
        return use_path(path);
    };
    if path.as_os_str().len() <= PATH_MAX || !cfg!(target_os = "linux") {
        return use_path(path);
    }
    let handle = File::open(directory)?;
    let number = std::os::fd::AsRawFd::as_raw_fd(&handle);
    let short: PathBuf = format!("/proc/self/fd/{number}").into();
    use_path(&short.join(name))
}
