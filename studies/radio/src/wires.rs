//! All wires of a module over a Unix socket: RXD and TXD, M0 and M1, AUX. A pseudo-terminal has
//! only the first two. A simulated microcontroller in another process connects with [`Plug`],
//! which switches the module on.
//!
//! Both sides send messages that consist of a letter, a count, and that many bytes:
//!
//! | to the module | |
//! |---|---|
//! | `b` | bytes on RXD, which follow each other without a pause |
//! | `p` | the levels of M1 and M0 |
//!
//! | from the module | |
//! |---|---|
//! | `b` | bytes on TXD, all that arrived without a pause |
//! | `a` | the level of AUX has changed |
//! | `t` | the module has the last bytes; AUX is as last reported |
//!
//! Bytes are transferred in whole bursts, because silence ends a frame and either process may be
//! delayed at any time.

use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::ether::{Ether, Station};

/// Maximum bytes of a message. A module holds 512 before the first are on the air.
const MOST: usize = 255;

/// A message on the socket.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Message {
    Bytes(Vec<u8>),
    Pins { m1: bool, m0: bool },
    Aux(bool),
    Taken,
}

impl Message {
    fn write(&self, out: &mut Vec<u8>) {
        let (letter, bytes): (u8, &[u8]) = match self {
            Message::Bytes(bytes) => {
                for part in bytes.chunks(MOST) {
                    out.extend([b'b', part.len() as u8]);
                    out.extend(part);
                }
                return;
            }
            Message::Pins { m1, m0 } => (b'p', &[u8::from(*m1), u8::from(*m0)]),
            Message::Aux(level) => (b'a', &[u8::from(*level)]),
            Message::Taken => (b't', &[]),
        };
        out.extend([letter, bytes.len() as u8]);
        out.extend(bytes);
    }

    fn of(letter: u8, bytes: &[u8]) -> Option<Message> {
        Some(match (letter, bytes) {
            (b'b', bytes) => Message::Bytes(bytes.to_vec()),
            (b'p', [m1, m0]) => Message::Pins {
                m1: *m1 != 0,
                m0: *m0 != 0,
            },
            (b'a', [level]) => Message::Aux(*level != 0),
            (b't', []) => Message::Taken,
            _ => return None,
        })
    }
}

/// One side of the connection. It never blocks.
#[derive(Debug)]
struct Line {
    stream: UnixStream,
    come: Vec<u8>,
    /// Bytes that the other side has not read yet.
    going: Vec<u8>,
}

impl Line {
    fn new(stream: UnixStream) -> io::Result<Line> {
        stream.set_nonblocking(true)?;
        Ok(Line {
            stream,
            come: Vec::new(),
            going: Vec::new(),
        })
    }

    fn send(&mut self, message: &Message) -> io::Result<()> {
        message.write(&mut self.going);
        while !self.going.is_empty() {
            match self.stream.write(&self.going) {
                Ok(written) => drop(self.going.drain(..written)),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The messages that have arrived. An error means the end of the connection.
    fn receive(&mut self) -> io::Result<Vec<Message>> {
        let mut buffer = [0; 512];
        loop {
            match self.stream.read(&mut buffer) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(size) => self.come.extend(&buffer[..size]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        let mut messages = Vec::new();
        while let [letter, count, rest @ ..] = &self.come[..] {
            let count = usize::from(*count);
            let Some(bytes) = rest.get(..count) else {
                break;
            };
            let message = Message::of(*letter, bytes).ok_or(ErrorKind::InvalidData)?;
            messages.push(message);
            self.come.drain(..2 + count);
        }
        Ok(messages)
    }
}

/// The module's side: a socket in the file system, with at most one connected microcontroller.
#[derive(Debug)]
pub struct Wires {
    listener: UnixListener,
    path: PathBuf,
    line: Option<Line>,
    aux: Option<bool>,
    said: Vec<u8>,
    /// Bytes of the last message are still on the line.
    taking: bool,
}

impl Wires {
    /// Creates the socket, and replaces one that an earlier run left behind.
    pub fn open(path: &Path) -> Result<Wires> {
        let listen = || -> io::Result<UnixListener> {
            // A socket without a listener refuses connections.
            if UnixStream::connect(path).is_err_and(|e| e.kind() == ErrorKind::ConnectionRefused) {
                use std::os::unix::fs::FileTypeExt as _;
                if std::fs::symlink_metadata(path)?.file_type().is_socket() {
                    std::fs::remove_file(path)?;
                }
            }
            let listener = UnixListener::bind(path)?;
            listener.set_nonblocking(true)?;
            Ok(listener)
        };
        Ok(Wires {
            listener: listen().map_err(|source| Error::Link {
                path: path.into(),
                source: match source.kind() {
                    // The error of `bind` for a name that is taken.
                    ErrorKind::AddrInUse => ErrorKind::AlreadyExists.into(),
                    _ => source,
                },
            })?,
            path: path.into(),
            line: None,
            aux: None,
            said: Vec::new(),
            taking: false,
        })
    }

    /// The socket's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The descriptor that the driver waits for: new connections, or the current one.
    pub(crate) fn fd(&self) -> std::os::fd::BorrowedFd<'_> {
        use std::os::fd::AsFd as _;
        match &self.line {
            Some(line) => line.stream.as_fd(),
            None => self.listener.as_fd(),
        }
    }

    /// Transfers everything in both directions.
    pub(crate) fn step(&mut self, ether: &mut Ether, station: Station) {
        if self.line.is_none() {
            let Some(line) = self
                .listener
                .accept()
                .ok()
                .and_then(|(stream, _)| Line::new(stream).ok())
            else {
                ether.read(station); // discard bytes that nobody reads
                return;
            };
            self.line = Some(line);
            (self.aux, self.taking) = (None, false);
            self.said.clear();
            ether.set_pins(station, false, false);
            ether.power_cycle(station);
        }
        if self.exchange(ether, station).is_err() {
            // Disconnected. The module still sends its buffered bytes.
            self.line = None;
        }
    }

    fn exchange(&mut self, ether: &mut Ether, station: Station) -> io::Result<()> {
        let Some(line) = &mut self.line else {
            return Ok(());
        };
        for message in line.receive()? {
            match message {
                Message::Bytes(bytes) => {
                    ether.write(station, &bytes);
                    self.taking = true;
                }
                Message::Pins { m1, m0 } => ether.set_pins(station, m1, m0),
                Message::Aux(_) | Message::Taken => return Err(ErrorKind::InvalidData.into()),
            }
        }
        self.said.extend(ether.read(station));
        if !self.said.is_empty() && !ether.is_saying(station) {
            line.send(&Message::Bytes(std::mem::take(&mut self.said)))?;
        }
        let aux = ether.aux(station);
        if self.aux != Some(aux) {
            self.aux = Some(aux);
            line.send(&Message::Aux(aux))?;
        }
        if self.taking && ether.unwritten(station) == 0 {
            self.taking = false;
            line.send(&Message::Taken)?;
        }
        Ok(())
    }
}

impl Drop for Wires {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// The microcontroller's side.
#[derive(Debug)]
pub struct Plug {
    line: Line,
    aux: bool,
    on_the_way: u32,
    pins: Option<(bool, bool)>,
}

impl Plug {
    /// Connects, which switches the module on.
    pub fn connect(path: &Path) -> io::Result<Plug> {
        Ok(Plug {
            line: Line::new(UnixStream::connect(path)?)?,
            aux: false,
            on_the_way: 0,
            pins: None,
        })
    }

    /// Writes bytes to RXD that follow each other without a pause.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if !bytes.is_empty() {
            self.on_the_way += bytes.len().div_ceil(MOST) as u32;
            self.line.send(&Message::Bytes(bytes.to_vec()))?;
        }
        Ok(())
    }

    /// Sets the levels of M1 and M0.
    pub fn set_pins(&mut self, m1: bool, m0: bool) -> io::Result<()> {
        if self.pins != Some((m1, m0)) {
            self.pins = Some((m1, m0));
            self.line.send(&Message::Pins { m1, m0 })?;
        }
        Ok(())
    }

    /// The bursts from TXD since the last call.
    pub fn read(&mut self) -> io::Result<Vec<Vec<u8>>> {
        let mut bursts = Vec::new();
        for message in self.line.receive()? {
            match message {
                Message::Bytes(bytes) => bursts.push(bytes),
                Message::Aux(level) => self.aux = level,
                // Messages that arrive together are handled together.
                Message::Taken => self.on_the_way = 0,
                Message::Pins { .. } => return Err(ErrorKind::InvalidData.into()),
            }
        }
        Ok(bursts)
    }

    /// The level of AUX as last read. Also low while bytes are in transit to the module.
    pub fn aux(&self) -> bool {
        self.aux && self.on_the_way == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_as_they_were_sent_in_whatever_pieces() {
        let messages = [
            Message::Bytes((0..255).collect()),
            Message::Pins {
                m1: true,
                m0: false,
            },
            Message::Aux(true),
            Message::Taken,
            Message::Bytes(vec![7]),
        ];
        let (a, b) = UnixStream::pair().expect("a pair");
        let mut line = Line::new(b).expect("a line");
        let mut bytes = Vec::new();
        for message in &messages {
            message.write(&mut bytes);
        }
        let mut got = Vec::new();
        for piece in bytes.chunks(3) {
            (&a).write_all(piece).expect("writes");
            got.extend(line.receive().expect("messages"));
        }
        assert_eq!(got, messages);
        // More bytes than one message holds become several messages.
        let mut bytes = Vec::new();
        Message::Bytes(vec![1; 300]).write(&mut bytes);
        assert_eq!((bytes[1], bytes[258]), (255, 45));
    }

    #[test]
    fn what_is_no_message_ends_the_connection() {
        for wrong in [&b"x\0"[..], b"p\x01\x01", b"t\x01\x00"] {
            let (a, b) = UnixStream::pair().expect("a pair");
            let mut line = Line::new(b).expect("a line");
            (&a).write_all(wrong).expect("writes");
            assert!(line.receive().is_err(), "{wrong:?}");
        }
    }
}
