//! Connections with time limits, and this machine's name.

use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use crate::error::{Error, Result};

/// Connects to `HOST:PORT`, where the subcommand `server` should be listening.
pub fn connect(to: &str, server: &'static str, timeout: Duration) -> Result<TcpStream> {
    let absent = |source| Error::Absent {
        to: to.to_owned(),
        server,
        source,
    };
    let mut last = std::io::Error::other("the name has no address");
    for address in to.to_socket_addrs().map_err(absent)? {
        match TcpStream::connect_timeout(&address, timeout) {
            Ok(stream) => {
                prepare(&stream, timeout)?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(absent(last))
}

/// Sets the time limits, and sends small writes at once.
pub fn prepare(stream: &TcpStream, timeout: Duration) -> Result<()> {
    stream
        .set_read_timeout(Some(timeout))
        .and_then(|()| stream.set_write_timeout(Some(timeout)))
        .and_then(|()| stream.set_nodelay(true))
        .map_err(|source| Error::Machine {
            doing: "set a time limit",
            source,
        })
}

/// The name of this machine: operating system and architecture, with [`EMULATED`] if `emulated`.
pub fn machine(emulated: bool) -> String {
    let name = rustix::system::uname();
    let text = format!(
        "{} {}{}",
        name.sysname().to_string_lossy(),
        name.machine().to_string_lossy(),
        if emulated { EMULATED } else { "" }
    );
    text.chars().filter(|c| !c.is_control()).collect()
}

/// The suffix that marks the name of an emulated machine.
pub const EMULATED: &str = ", emulated";
