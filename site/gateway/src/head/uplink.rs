//! The connection of a head to one gateway, which is made again whenever it ends.

use std::collections::VecDeque;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustls::{ClientConfig, ClientConnection};
use tracing::{debug, info, warn};

use crate::error::{Error, Result};
use crate::heads::link::{Ended, Link};
use crate::heads::wire::{Malformed, Message, Signal, VERSION};
use crate::heads::{self, Identity, Way};

/// Maximum frames that wait for the connection. The oldest makes room: its node repeats it.
const QUEUE: usize = 512;
/// Age at which a frame is of no use any more: its node has repeated it by then.
const AGE_MAX: Duration = Duration::from_secs(2);
/// Maximum wait for a TCP connection, and between two attempts.
const CONNECT: Duration = Duration::from_secs(5);
const RETRY_MIN: Duration = Duration::from_millis(500);
const RETRY_MAX: Duration = Duration::from_secs(5);
/// Interval in which a wait sees that the head stops.
const STOP: Duration = Duration::from_millis(250);

/// Sends an answer of the gateway on its way to a node.
type Send<'s> = dyn Fn(Way, &[u8]) -> io::Result<()> + 's;

#[derive(Debug)]
struct Heard {
    at: Instant,
    way: Way,
    signal: Signal,
    frame: Vec<u8>,
}

/// See the [module](self).
#[derive(Debug)]
pub(super) struct Uplink {
    address: String,
    tls: Arc<ClientConfig>,
    knock: String,
    frames: Mutex<VecDeque<Heard>>,
    wake: UnixStream,
    awake: UnixStream,
    connected: AtomicBool,
}

impl Uplink {
    pub(super) fn new(identity: &Identity, gateway: &heads::Place) -> Result<Uplink> {
        let failed =
            |error: io::Error| Error::Invalid(format!("cannot make a pair of sockets: {error}"));
        let (wake, awake) = UnixStream::pair().map_err(failed)?;
        wake.set_nonblocking(true).map_err(failed)?;
        awake.set_nonblocking(true).map_err(failed)?;
        Ok(Uplink {
            address: gateway.address.clone(),
            knock: gateway.knock.clone(),
            tls: heads::client(identity, &gateway.certificate)?,
            frames: Mutex::default(),
            wake,
            awake,
            connected: AtomicBool::new(false),
        })
    }

    pub(super) fn is_connected(&self) -> bool {
        self.connected.load(Ordering::Acquire)
    }

    pub(super) fn wake(&self) {
        let _ = (&self.wake).write(&[0]);
    }

    /// Queues a frame.
    pub(super) fn push(&self, way: Way, signal: Signal, frame: &[u8]) {
        let mut frames = self.frames.lock().unwrap_or_else(PoisonError::into_inner);
        if frames.len() >= QUEUE {
            frames.pop_front();
        }
        frames.push_back(Heard {
            at: Instant::now(),
            way,
            signal,
            frame: frame.to_vec(),
        });
        drop(frames);
        self.wake();
    }

    /// Connects, again and again, until the head stops. `send` takes the gateway's answers to nodes.
    pub(super) fn run(&self, stop: &AtomicBool, send: &Send) {
        let mut wait = RETRY_MIN;
        let mut told = None;
        while !stop.load(Ordering::Acquire) {
            let mut connected = false;
            let ended = self.connect(stop).and_then(|link| {
                connected = true;
                info!(gateway = self.address, "the gateway is connected");
                self.connected.store(true, Ordering::Release);
                self.carry(link, stop, send)
            });
            self.connected.store(false, Ordering::Release);
            if stop.load(Ordering::Acquire) {
                return;
            }
            if connected {
                (wait, told) = (RETRY_MIN, None);
            }
            let Err(problem) = ended else { continue };
            // One line until it is connected again, or something else is the matter.
            let hint = hint(&problem);
            match told == Some(hint) {
                false => warn!(gateway = self.address, %problem, hint, "not connected; will retry"),
                true => debug!(gateway = self.address, %problem, "not connected"),
            }
            told = Some(hint);
            self.pause(wait, stop);
            wait = (wait * 2).min(RETRY_MAX);
        }
    }

    /// Waits, a little longer or shorter than others: not all heads come back at the same moment.
    fn pause(&self, wait: Duration, stop: &AtomicBool) {
        let random = RandomState::new().hash_one(0u8) % 1000;
        let until = Instant::now() + wait / 2 + wait.mul_f64(random as f64 / 1000.0);
        while Instant::now() < until && !stop.load(Ordering::Acquire) {
            std::thread::sleep(STOP.min(until.saturating_duration_since(Instant::now())));
        }
    }

    fn connect(&self, stop: &AtomicBool) -> Result<Link, Ended> {
        let name = heads::server_name(&self.knock).ok_or(Ended::Unknown)?;
        let tls = ClientConnection::new(self.tls.clone(), name)?;
        let mut link = Link::new(self.socket()?, tls.into())?;
        link.send(&Message::Hello {
            version: VERSION,
            head: 0,
        });
        let mut greeted = false;
        while !greeted {
            link.flush()?;
            link.wait(&self.awake, None)?;
            if stop.load(Ordering::Acquire) {
                return Err(Ended::Closed);
            }
            let heard = link.turn(|link, message| match message {
                Message::Hello { .. } => {
                    greeted = true;
                    link.greeted();
                    Ok(())
                }
                // An answer that was on its way to this head's earlier connection.
                _ if greeted => Ok(()),
                _ => Err(Ended::Malformed(Malformed)),
            });
            match heard {
                Err(Ended::Closed) => return Err(Ended::Unknown),
                heard => heard?,
            }
        }
        Ok(link)
    }

    fn socket(&self) -> io::Result<TcpStream> {
        let mut last = io::Error::new(io::ErrorKind::NotFound, "its name has no address");
        for address in self.address.to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, CONNECT) {
                Ok(socket) => return Ok(socket),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    fn carry(&self, mut link: Link, stop: &AtomicBool, send: &Send) -> Result<(), Ended> {
        loop {
            link.turn(|_, message| {
                if let Message::Send { way, frame } = message
                    && let Err(error) = send(way, &frame)
                {
                    debug!(%error, "an answer could not be sent");
                }
                Ok(())
            })?;
            if stop.load(Ordering::Acquire) {
                link.close();
                return Ok(());
            }
            let frames =
                std::mem::take(&mut *self.frames.lock().unwrap_or_else(PoisonError::into_inner));
            for heard in frames {
                let age = heard.at.elapsed();
                if age < AGE_MAX {
                    link.send(&Message::Heard {
                        way: heard.way,
                        signal: heard.signal,
                        age_ms: age.as_millis() as u16,
                        frame: heard.frame,
                    });
                }
            }
            link.flush()?;
            link.wait(&self.awake, None)?;
        }
    }
}

/// What a person can do about a problem.
fn hint(problem: &Ended) -> &'static str {
    match problem {
        Ended::Tls(rustls::Error::InvalidCertificate(_)) => {
            "another gateway answers at this address, or it has a new key: make the head's file again with \
             `selo head add`"
        }
        Ended::Unknown | Ended::Tls(rustls::Error::AlertReceived(_)) => {
            "the gateway at this address does not know this head: see `selo head list` there"
        }
        Ended::Io(_) => "does the gateway run with --heads, and may this machine reach its port?",
        _ => "the gateway's log says more",
    }
}
