//! Errors of the attacks' own set-up. An attack that fails is not an error.

use std::io;
use std::net::SocketAddr;

use thiserror::Error;

/// Result of a step of an attack.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of the set-up.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The target is not on this machine. Attacks run against this machine only.
    #[error("{address} is not on loopback: attacks run against this machine only")]
    NotLoopback {
        /// The target.
        address: SocketAddr,
    },

    /// An error of the loopback sockets.
    #[error("a loopback socket failed: {source}")]
    Network {
        /// The cause.
        source: io::Error,
    },

    /// A step failed that works without an attacker.
    #[error("cannot set up the attack: {0}")]
    Setup(&'static str),

    /// The C library returned an unexpected error.
    #[error("the node: {0}")]
    Node(#[from] selo_sys::Error),

    /// The system's random number generator failed.
    #[error(transparent)]
    Random(#[from] selo_link::RandomError),

    /// An error of a service under attack, or of an honest user.
    #[error("{0}")]
    Service(String),

    /// An error of a connection to a service, or of one of its files.
    #[error(transparent)]
    Io(#[from] io::Error),

    /// An error of the gateway under attack.
    #[error("the gateway under attack failed: {0}")]
    Gateway(String),
}

impl selo_base::report::Failure for Error {}
