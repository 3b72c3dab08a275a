//! Messages to a service manager by the protocol of sd_notify(3): the program is ready, is alive,
//! is stopping. Without a manager nothing is sent.

use std::cell::Cell;
use std::ffi::OsString;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::{Duration, Instant};

#[derive(Debug)]
pub struct Manager {
    socket: Option<UnixDatagram>,
    /// Interval between watchdog messages: a third of the manager's timeout.
    every: Option<Duration>,
    last: Cell<Option<Instant>>,
}

impl Manager {
    pub fn find() -> Manager {
        let every = std::env::var("WATCHDOG_USEC")
            .ok()
            .and_then(|text| text.parse().ok())
            .map(|micros| Duration::from_micros(micros) / 3);
        Manager {
            socket: std::env::var_os("NOTIFY_SOCKET").and_then(connect),
            every,
            last: Cell::new(None),
        }
    }

    fn say(&self, text: &str) {
        if let Some(socket) = &self.socket {
            // If the manager does not read, there is nothing to do about it.
            let _ = socket.send(text.as_bytes());
        }
    }

    pub fn ready(&self) {
        self.say("READY=1");
    }

    pub fn stopping(&self) {
        self.say("STOPPING=1");
    }

    /// Sends a watchdog message if one is due. Call it often, from a loop that stops if the program
    /// hangs.
    pub fn alive(&self) {
        let Some(every) = self.every else { return };
        if self.last.get().is_none_or(|last| last.elapsed() >= every) {
            self.last.set(Some(Instant::now()));
            self.say("WATCHDOG=1");
        }
    }
}

fn connect(name: OsString) -> Option<UnixDatagram> {
    let address = match name.as_bytes() {
        [b'@', name @ ..] => SocketAddr::from_abstract_name(name).ok()?,
        _ => SocketAddr::from_pathname(&name).ok()?,
    };
    let socket = UnixDatagram::unbound().ok()?;
    socket.connect_addr(&address).ok()?;
    Some(socket)
}
