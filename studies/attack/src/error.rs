//! What can go wrong with an attack's own means. An attack that fails is no error.

use std::io;
use std::net::SocketAddr;

use thiserror::Error;

/// The result of a step of an attack.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// Attacks are carried out against this machine only.
    #[error("{address} is not on loopback: attacks are carried out against this machine only")]
    NotLoopback {
        /// The target.
        address: SocketAddr,
    },

    /// The sockets on loopback.
    #[error("the loopback network: {source}")]
    Network {
        /// Why.
        source: io::Error,
    },

    /// What should happen without an attacker did not happen.
    #[error("the attack cannot be set up: {0}")]
    Setup(&'static str),

    /// The C library refused what it should not.
    #[error("the node: {0}")]
    Node(#[from] selo_sys::Error),

    /// No randomness.
    #[error(transparent)]
    Random(#[from] selo_link::RandomError),

    /// A service under attack, or an honest user of it.
    #[error("{0}")]
    Service(String),

    /// A connection to a service, or a file of it.
    #[error(transparent)]
    Io(#[from] io::Error),

    /// The gateway under attack.
    #[error("the gateway under attack: {0}")]
    Gateway(String),
}

impl selo_base::report::Failure for Error {}
