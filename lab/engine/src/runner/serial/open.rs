//! Opening the port of a board, also after the board was away.

use std::time::{Duration, Instant};

use super::super::port::Port;
use super::{GLANCE, SerialSession};
use crate::error::{Error, Result};
use crate::schedule::check_interrupt;

/// Some boards' ports disappear during a flash or a reset. They may stay away for this long.
const REAPPEARS: Duration = Duration::from_secs(10);

impl SerialSession {
    pub(super) fn open(&mut self) -> Result<()> {
        self.port = None;
        self.pending.clear();
        match Port::open(&self.path(), self.serial.baud) {
            Ok(port) => {
                self.port = Some(port);
                Ok(())
            }
            Err(error) => Err(self.cannot_open(&error)),
        }
    }

    fn cannot_open(&self, error: &std::io::Error) -> Error {
        use std::io::ErrorKind;
        match error.kind() {
            ErrorKind::PermissionDenied => self.error(
                "this user has no permission to open the port".into(),
                "sudo usermod -aG dialout $USER, then log in again",
            ),
            ErrorKind::NotFound => self.error(
                "this port does not exist".into(),
                "selo lab ports lists the ports of this machine",
            ),
            ErrorKind::WouldBlock | ErrorKind::ResourceBusy => self.error(
                "another program uses the port".into(),
                "close the serial monitor or the other run",
            ),
            _ => self.error(
                format!("cannot be used as a serial port: {error}"),
                "selo lab ports lists the ports of this machine",
            ),
        }
    }

    /// Opens a port that may be away for a moment, for up to [`REAPPEARS`].
    pub(super) fn reopen(&mut self) -> Result<()> {
        let until = Instant::now() + REAPPEARS;
        loop {
            check_interrupt()?;
            match self.open() {
                Err(_) if Instant::now() < until => std::thread::sleep(GLANCE),
                done => return done,
            }
        }
    }

    /// Waits until a missing board is back and holds the same image; flashes it if needed.
    pub(super) fn come_back(&mut self) -> Result<()> {
        self.port = None;
        let (name, since) = (self.serial.port.display().to_string(), Instant::now());
        eprintln!(
            "the board on {name} is disconnected; plug it in again, or press Ctrl-C to stop and keep the rows"
        );
        loop {
            check_interrupt()?;
            if self
                .serial
                .patience
                .is_some_and(|most| since.elapsed() >= most)
            {
                return Err(self.error(
                    format!(
                        "the board was not reconnected within {} s",
                        since.elapsed().as_secs()
                    ),
                    "plug it in and run the same command again: it continues",
                ));
            }
            // The permissions of a port that has just reappeared may not be set yet.
            if self.open().is_err() {
                std::thread::sleep(GLANCE);
                continue;
            }
            self.boot()?;
            let back = match self.hello()? {
                Some(said) if Some(&said) == self.known_identity().as_ref() => Ok(()),
                _ if self.port_is_there() => self.flash(),
                _ => continue,
            };
            match back {
                Ok(()) => {
                    eprintln!("the board on {name} is connected again");
                    return Ok(());
                }
                // The board is gone again, perhaps during the flash.
                Err(Error::Port { .. } | Error::Runner { .. }) if !self.port_is_there() => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn port_is_there(&self) -> bool {
        self.path().exists()
    }
}
