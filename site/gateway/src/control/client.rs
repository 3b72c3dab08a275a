//! Client side of the control socket, used by commands.

use std::io::{self, BufReader, Write};
use std::os::unix::net::UnixStream;

use super::{Reply, Request, read_line, with_short_path};
use crate::error::{Error, Result};
use crate::state::StateDir;

/// A connection to a running gateway.
#[derive(Debug)]
pub struct Client {
    reader: BufReader<UnixStream>,
    writer: UnixStream,
}

impl Client {
    /// Connects to the gateway of a state directory.
    ///
    /// # Errors
    /// [`Error::NotRunning`] if no gateway listens.
    pub fn connect(state: &StateDir) -> Result<Client> {
        let connected = with_short_path(&state.control(), |path| UnixStream::connect(path));
        let writer = connected.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => Error::NotRunning {
                path: state.path().into(),
            },
            _ => Error::Control(error.to_string()),
        })?;
        let reader = writer.try_clone().map_err(broken)?;
        Ok(Client {
            reader: BufReader::new(reader),
            writer,
        })
    }

    /// Sends a request without waiting for its reply.
    pub fn send(&mut self, request: &Request) -> Result<()> {
        let mut line = serde_json::to_vec(request).map_err(|error| broken(error.into()))?;
        line.push(b'\n');
        self.writer.write_all(&line).map_err(broken)
    }

    /// Receives the next reply.
    ///
    /// # Errors
    /// [`Error::Refused`] if the gateway refused the request, [`Error::Control`] if the
    /// connection broke.
    pub fn receive(&mut self) -> Result<Reply> {
        let line = read_line(&mut self.reader)
            .map_err(broken)?
            .ok_or_else(|| Error::Control("the gateway closed the connection".into()))?;
        match serde_json::from_str(&line) {
            Ok(Reply::Error(message)) => Err(Error::Refused(message)),
            Ok(reply) => Ok(reply),
            Err(error) => Err(broken(error.into())),
        }
    }

    /// Sends a request and receives its reply.
    pub fn ask(&mut self, request: &Request) -> Result<Reply> {
        self.send(request)?;
        self.receive()
    }

    /// Closes the connection for all its handles. A pending [`Client::receive`] fails, and the
    /// gateway cancels what this client started.
    pub fn hang_up(&self) {
        // An error means that the connection has already ended.
        let _ = self.writer.shutdown(std::net::Shutdown::Both);
    }

    /// A second handle of the connection, to send requests while another thread waits for
    /// replies.
    pub fn writer(&self) -> Result<Client> {
        let writer = self.writer.try_clone().map_err(broken)?;
        let reader = writer.try_clone().map_err(broken)?;
        Ok(Client {
            reader: BufReader::new(reader),
            writer,
        })
    }
}

fn broken(error: io::Error) -> Error {
    Error::Control(error.to_string())
}
