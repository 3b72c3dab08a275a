//! One end of a connection: messages over TLS over TCP, without a wait that another thread could not
//! end.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustls::Connection;
use rustls::server::{Accepted, Acceptor};
use thiserror::Error;

use super::wire::{Decoder, Malformed, Message};

/// Interval between two ALIVE, and the silence after which a connection counts as lost.
pub const ALIVE_EVERY: Duration = Duration::from_secs(5);
pub const SILENCE_MAX: Duration = Duration::from_secs(20);
/// Maximum time of a TLS handshake with HELLO.
pub const HANDSHAKE_MAX: Duration = Duration::from_secs(8);
/// Maximum time until the first bytes of a handshake are there.
const KNOCK_MAX: Duration = Duration::from_secs(5);

/// Bytes that are read before the messages in them are handled.
const PART: usize = 16 << 10;
/// Maximum bytes that wait for the other end. More would arrive too late to be useful.
const UNSENT_MAX: usize = 32 << 10;

/// Why a connection ended.
#[derive(Debug, Error)]
pub enum Ended {
    #[error("the other end closed the connection")]
    Closed,
    #[error("the other end closed the connection before its greeting")]
    Unknown,
    #[error("the other end was silent for {} seconds", SILENCE_MAX.as_secs())]
    Silent,
    #[error("the other end did not finish its greeting in time")]
    Slow,
    #[error("{0}")]
    Tls(#[from] rustls::Error),
    #[error(transparent)]
    Malformed(#[from] Malformed),
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Waits for the first message of a TLS handshake, which has the name that the client asks for.
pub fn first_message(socket: &TcpStream) -> Result<Accepted, Ended> {
    socket.set_nonblocking(true)?;
    let until = Instant::now() + KNOCK_MAX;
    let mut acceptor = Acceptor::default();
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Ended::Slow);
        }
        let timeout = Timespec {
            tv_sec: left.as_secs() as i64,
            tv_nsec: i64::from(left.subsec_nanos()),
        };
        let mut fds = [PollFd::new(socket, PollFlags::IN)];
        match poll(&mut fds, Some(&timeout)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => continue,
            Ok(_) => {}
            Err(errno) => return Err(io::Error::from(errno).into()),
        }
        match acceptor.read_tls(&mut &*socket) {
            Ok(0) => return Err(Ended::Closed),
            Ok(_) => {}
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(error) => return Err(error.into()),
        }
        match acceptor.accept() {
            Ok(Some(accepted)) => return Ok(accepted),
            Ok(None) => {}
            Err((error, mut alert)) => {
                // Tells the other end why, as far as the socket takes it.
                let _ = alert.write_all(&mut &*socket);
                return Err(error.into());
            }
        }
    }
}

/// A connection.
#[derive(Debug)]
pub struct Link {
    socket: TcpStream,
    tls: Connection,
    decoder: Decoder,
    /// Bytes of messages since everything was last with the system.
    unsent: usize,
    begun: Instant,
    heard: Instant,
    said: Instant,
    /// When the socket last took something, or nothing waited for it.
    written: Instant,
    greeted: bool,
}

impl Link {
    pub fn new(socket: TcpStream, tls: Connection) -> io::Result<Link> {
        socket.set_nonblocking(true)?;
        // A frame waits for nothing.
        let _ = socket.set_nodelay(true);
        let now = Instant::now();
        Ok(Link {
            socket,
            tls,
            decoder: Decoder::default(),
            unsent: 0,
            begun: now,
            heard: now,
            said: now,
            written: now,
            greeted: false,
        })
    }

    /// The other end has sent its HELLO: from now on only silence ends the connection.
    pub fn greeted(&mut self) {
        self.greeted = true;
    }

    /// The other end's certificate, after its handshake.
    pub fn peer(&self) -> Option<&[u8]> {
        self.tls.peer_certificates()?.first().map(AsRef::as_ref)
    }

    /// Waits until the socket or `wake` has something, or a deadline passes. `until` is the caller's.
    pub fn wait(&self, wake: &UnixStream, until: Option<Instant>) -> io::Result<()> {
        let due = match self.greeted {
            true => (self.said + ALIVE_EVERY).min(self.heard + SILENCE_MAX),
            false => self.begun + HANDSHAKE_MAX,
        };
        let due = until.map_or(due, |until| until.min(due));
        let wait = due.saturating_duration_since(Instant::now()) + Duration::from_micros(100);
        let timeout = Timespec {
            tv_sec: wait.as_secs() as i64,
            tv_nsec: i64::from(wait.subsec_nanos()),
        };
        let mut flags = PollFlags::IN;
        if self.tls.wants_write() {
            flags |= PollFlags::OUT;
        }
        let mut fds = [
            PollFd::new(&self.socket, flags),
            PollFd::new(wake, PollFlags::IN),
        ];
        match poll(&mut fds, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
        let mut bytes = [0; 64];
        while (&mut &*wake).read(&mut bytes).is_ok_and(|read| read > 0) {}
        Ok(())
    }

    /// Reads and writes what the socket takes now, and handles each message.
    pub fn turn(
        &mut self,
        mut handle: impl FnMut(&mut Link, Message) -> Result<(), Ended>,
    ) -> Result<(), Ended> {
        let now = Instant::now();
        if !self.greeted && now >= self.begun + HANDSHAKE_MAX {
            return Err(Ended::Slow);
        }
        let closed = self.read()?;
        while let Some(message) = self.decoder.message()? {
            self.heard = now;
            handle(self, message)?;
        }
        if closed {
            return Err(Ended::Closed);
        }
        if self.greeted && now >= self.heard + SILENCE_MAX {
            return Err(Ended::Silent);
        }
        if self.greeted && now >= self.said + ALIVE_EVERY {
            self.send(&Message::Alive);
            // Even if it was dropped: the next one is due in its time.
            self.said = now;
        }
        self.flush()
    }

    /// Reads a part. True at the end of the stream.
    fn read(&mut self) -> Result<bool, Ended> {
        let mut taken = 0;
        while taken < PART {
            match self.tls.read_tls(&mut self.socket) {
                Ok(0) => return Ok(true),
                Ok(read) => taken += read,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            }
            let state = match self.tls.process_new_packets() {
                Ok(state) => state,
                Err(error) => {
                    // Tells the other end why, as far as the socket takes it.
                    let _ = self.tls.write_tls(&mut self.socket);
                    return Err(error.into());
                }
            };
            let mut plain = vec![0; state.plaintext_bytes_to_read()];
            self.tls.reader().read_exact(&mut plain)?;
            self.decoder.push(&plain);
            if state.peer_has_closed() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Sends a message. False if too much waits already: it is dropped.
    pub fn send(&mut self, message: &Message) -> bool {
        if !self.tls.wants_write() {
            self.unsent = 0;
        }
        if self.unsent > UNSENT_MAX {
            return false;
        }
        let mut bytes = Vec::new();
        message.write(&mut bytes);
        self.unsent += bytes.len();
        self.said = Instant::now();
        // Less than the limit of its buffer, so it takes them whole.
        self.tls.writer().write_all(&bytes).is_ok()
    }

    /// Writes what the socket takes.
    ///
    /// # Errors
    /// [`Ended::Silent`] if the other end takes nothing for too long.
    pub fn flush(&mut self) -> Result<(), Ended> {
        while self.tls.wants_write() {
            match self.tls.write_tls(&mut self.socket) {
                Ok(_) => self.written = Instant::now(),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    return match self.written.elapsed() < SILENCE_MAX {
                        true => Ok(()),
                        false => Err(Ended::Silent),
                    };
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.written = Instant::now();
        Ok(())
    }

    /// Says good-bye, as far as the socket takes it.
    pub fn close(mut self) {
        self.tls.send_close_notify();
        let _ = self.flush();
        let _ = self.socket.shutdown(std::net::Shutdown::Write);
    }
}
