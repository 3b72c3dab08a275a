//! The control socket: how commands talk to a running gateway. A Unix domain socket of
//! mode 0600 in the state directory; JSON, one message a line.
//!
//! A client sends a [`Request`] and gets a [`Reply`]. `pair`, `watch` and `send` then go on
//! with [`Reply::Event`] lines until the client hangs up, which takes back what it began:
//! the window closes, the message is withdrawn.

mod client;
mod server;

use std::fs::File;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use client::Client;
pub use server::{Server, Services};

use crate::engine::{DownlinkOutcome, WindowState};

/// What a client asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Request {
    /// How it goes: [`Status`].
    Status,
    /// Write what is known of devices into the registry.
    Flush,
    /// These devices have changed in the registry; none named: any may have.
    Reload { devices: Vec<String> },
    /// Open the pairing window.
    Pair { seconds: u64, name: Option<String> },
    /// Hear what happens in the pairing window.
    Watch,
    /// The six digits that the node shows, as the operator has typed them: its attempt becomes
    /// a device.
    Confirm {
        digits: String,
        name: Option<String>,
    },
    /// Reject the attempts that have got as far as digits.
    Reject,
    /// A message to a node.
    Send {
        device: String,
        /// Hexadecimal.
        payload: String,
        /// The time follows the payload ([`crate::engine::Downlink::timed`]).
        #[serde(default)]
        timed: bool,
        confirmed: bool,
        after_uplink: bool,
        seconds: u64,
    },
}

/// What the gateway answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    Done,
    Status(Box<Status>),
    Error(String),
    Event(Event),
}

/// How a gateway goes.
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
    pub dropped: u64,
}

/// What a client that waits is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    Closed {
        why: String,
    },
    Open {
        /// How often the operator may type digits that no attempt has.
        entries_left: u8,
    },
    Keyed {
        attempt: u64,
        device: String,
        suite: String,
    },
    /// The node shows its digits. They are not told: whoever types them has read the node.
    Comparing {
        attempt: u64,
        device: String,
        suite: String,
        /// The id belongs to a device whose key would be replaced.
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
            WindowState::Paired { attempt, device } => Event::Paired {
                attempt,
                device: device.to_string(),
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

/// A line is not longer: a reload names at most so many devices.
const LINE_MAX: u64 = 64 << 10;
/// Devices that one [`Request::Reload`] names at most.
pub const RELOAD_MAX: usize = 1000;

/// Reads a line of at most [`LINE_MAX`] bytes; `None` at the end.
fn read_line(from: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = String::new();
    let size = io::Read::take(&mut *from, LINE_MAX).read_line(&mut line)?;
    match size {
        0 => Ok(None),
        _ if !line.ends_with('\n') => Err(io::ErrorKind::InvalidData.into()),
        _ => Ok(Some(line)),
    }
}

/// Calls `use_path` with a path of the socket that is short enough for the system: its
/// own, or one through an open handle of its directory.
fn with_short_path<R>(path: &Path, use_path: impl FnOnce(&Path) -> io::Result<R>) -> io::Result<R> {
    // sun_path has 104 to 108 bytes, terminator included.
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
