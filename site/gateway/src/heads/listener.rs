//! The gateway's listener for heads. A thread accepts, each connection has a thread, and one passes
//! on frames that have waited for better copies.
//!
//! Before a head has proven who it is, it is a stranger: strangers are few, each has seconds, and a
//! new one takes the place of the oldest (`strangers`). After it, a head may be stolen: its frames are limited, and
//! what it says reaches the engine as a stranger's packet does.

use std::collections::HashMap;
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustls::ServerConfig;
use selo_base::address::neighbourhood;
use tracing::{debug, info, warn};

use super::connected::{Connected, Connection, Mine};
use super::credentials::{All, Store, certificate};
use super::gather::{Copy, Gather};
use super::link::{Ended, Link, first_message};
use super::strangers::Strangers;
use super::tls::{self, Expected, Known};
use super::wire::{Malformed, Message, Signal, VERSION};
use crate::counters::{Count, Shared};
use crate::error::{Error, Result};
use crate::limit::{Bucket, Budget, Pace, Rate, Sources, Tick};
use crate::peer::{HeadPeer, Peer};
use crate::worker::Remote;

/// New connections in all; each costs a thread. Above it, a host has its own limit, so that one
/// host cannot keep the others out.
const NEW_IN_ALL: Pace = Pace::new(500, 1000);
const NEW_OF_HOST: Rate = Rate::new(5, 50);
/// Frames of one head. A LoRa concentrator hears fewer than 500 a second.
const FRAMES: Rate = Rate::new(1000, 2000);
/// Stack of a connection's thread: there may be a thousand.
const STACK: usize = 256 << 10;
/// Maximum connections accepted before the list of heads is looked at again.
const ACCEPTS: usize = 100;
/// Interval in which the heads on the disk are looked at.
const LOOK: Duration = Duration::from_secs(1);

/// Where frames of heads go.
pub(crate) trait Deliver: Send + Sync {
    fn deliver(&self, from: Peer, rssi: Option<i16>, frame: &[u8]);
}

impl Deliver for Remote {
    fn deliver(&self, from: Peer, rssi: Option<i16>, frame: &[u8]) {
        self.packet(from, rssi, frame.to_vec());
    }
}

/// Frames that wait for better copies, shared by all connections.
struct Gathering {
    gather: Mutex<Gather<HeadPeer>>,
    more: Condvar,
    stop: AtomicBool,
}

/// What the threads share.
struct Parts {
    store: Store,
    tls: Arc<ServerConfig>,
    known: Arc<Known>,
    connected: Arc<Connected>,
    gathering: Gathering,
    deliver: Box<dyn Deliver>,
    counters: Arc<Shared>,
    started: Instant,
    strangers: Mutex<Strangers>,
}

/// A listener that has its port, and no thread yet.
#[derive(Debug)]
pub(crate) struct Bound {
    listener: TcpListener,
    address: SocketAddr,
}

/// The running listener. Dropping it ends all connections.
pub(crate) struct Listener {
    address: SocketAddr,
    parts: Arc<Parts>,
    wake: UnixStream,
    threads: Vec<JoinHandle<()>>,
}

impl std::fmt::Debug for Listener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Listener({})", self.address)
    }
}

/// Binds the port.
pub(crate) fn bind(address: SocketAddr) -> Result<Bound> {
    let failed = |source| Error::Heads { address, source };
    let listener = TcpListener::bind(address).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    Ok(Bound { listener, address })
}

impl Bound {
    /// Starts the threads.
    pub(crate) fn start(
        self,
        store: Store,
        connected: Arc<Connected>,
        deliver: Box<dyn Deliver>,
        counters: Arc<Shared>,
    ) -> Result<Listener> {
        let address = self.address;
        let failed = |source| Error::Heads { address, source };
        let known = Arc::new(Known::default());
        let parts = Arc::new(Parts {
            tls: tls::server(&store.identity()?, known.clone())?,
            store,
            known,
            connected,
            gathering: Gathering {
                gather: Mutex::default(),
                more: Condvar::new(),
                stop: AtomicBool::new(false),
            },
            deliver,
            counters,
            started: Instant::now(),
            strangers: Mutex::default(),
        });
        parts.look()?;
        let (wake, awake) = UnixStream::pair().map_err(failed)?;
        awake.set_nonblocking(true).map_err(failed)?;
        let accepting = Accepting {
            listener: self.listener,
            awake,
            parts: parts.clone(),
            all: Budget::default(),
            hosts: Sources::default(),
        };
        let gathering = parts.clone();
        let spawn = |name: &str, run: Box<dyn FnOnce() + Send>| {
            std::thread::Builder::new()
                .name(name.into())
                .spawn(run)
                .map_err(failed)
        };
        let threads = vec![
            spawn("heads", Box::new(move || accepting.run()))?,
            spawn("gather", Box::new(move || gathering.pass_on()))?,
        ];
        info!(%address, "heads may connect");
        Ok(Listener {
            address,
            parts,
            wake,
            threads,
        })
    }
}

impl Listener {
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.parts.gathering.stop.store(true, Ordering::Release);
        self.parts.gathering.more.notify_all();
        let _ = io::Write::write(&mut &self.wake, &[0]);
        for (_, connection) in self.parts.connected.all() {
            connection.end();
        }
        self.parts.strangers().end_all();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

struct Accepting {
    listener: TcpListener,
    awake: UnixStream,
    parts: Arc<Parts>,
    all: Budget,
    hosts: Sources,
}

impl Accepting {
    fn run(mut self) {
        let mut look = Instant::now() + LOOK;
        let mut version = self.parts.store.version();
        while !self.parts.stopping() {
            if let Err(error) = self.wait(look) {
                warn!(%error, "cannot wait for heads");
                std::thread::sleep(LOOK);
            }
            self.accept();
            if Instant::now() >= look {
                look = Instant::now() + LOOK;
                let now = self.parts.store.version();
                if now != version && self.parts.look().is_ok() {
                    // A further change within the clock's resolution would look the same.
                    version = now.filter(|version| version.is_settled());
                }
            }
        }
    }

    fn wait(&self, until: Instant) -> io::Result<()> {
        let wait = until.saturating_duration_since(Instant::now());
        let timeout = Timespec {
            tv_sec: wait.as_secs() as i64,
            tv_nsec: i64::from(wait.subsec_nanos()),
        };
        let mut fds = [
            PollFd::new(&self.listener, PollFlags::IN),
            PollFd::new(&self.awake, PollFlags::IN),
        ];
        match poll(&mut fds, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }

    fn accept(&mut self) {
        for _ in 0..ACCEPTS {
            let (socket, from) = match self.listener.accept() {
                Ok(accepted) => accepted,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) => {
                    // Too many open files, for example. Connected heads are served meanwhile.
                    debug!(%error, "cannot accept the connection of a head");
                    std::thread::sleep(Duration::from_millis(50));
                    return;
                }
            };
            let host = neighbourhood(from.ip());
            let ms = self.parts.started.elapsed().as_millis() as u64;
            let tick = Tick::from_ms(ms);
            let few = self.hosts.take(host, NEW_OF_HOST, 1, tick);
            if !self.all.take(NEW_IN_ALL, ms) && !few {
                continue;
            }
            let Ok(handle) = socket.try_clone() else {
                continue;
            };
            let stranger = self.parts.strangers().admit(host, handle);
            let parts = self.parts.clone();
            let spawned = std::thread::Builder::new()
                .name("head".into())
                .stack_size(STACK)
                .spawn(move || {
                    parts.serve(socket, from, stranger);
                });
            if spawned.is_err() {
                self.parts.strangers().leave(stranger);
            }
        }
    }
}

impl Parts {
    fn stopping(&self) -> bool {
        self.gathering.stop.load(Ordering::Acquire)
    }

    /// Reads the heads from the disk, and ends the connections of those that are gone.
    fn look(&self) -> Result<()> {
        let All { heads, damaged } = match self.store.all() {
            Ok(all) => all,
            Err(error) => {
                let hint = error.hint();
                warn!(%error, hint, "cannot read the list of heads; those known before stay");
                return Err(error);
            }
        };
        for error in damaged {
            let hint = error.hint();
            warn!(%error, hint, "a head is left out");
        }
        let known = heads.iter().filter_map(|(name, head)| {
            Some(Expected {
                name: name.clone(),
                number: head.number,
                certificate: certificate(&head.certificate)?.to_vec(),
                knock: head.knock.clone(),
            })
        });
        let known = known.collect();
        let numbers: HashMap<u16, &str> = heads
            .iter()
            .map(|(name, head)| (head.number, name.as_str()))
            .collect();
        self.known.set(known);
        for (number, connection) in self.connected.all() {
            if numbers.get(&number) != Some(&connection.name.as_str()) {
                info!(
                    head = connection.name,
                    "the head was removed; its connection ends"
                );
                connection.end();
            }
        }
        Ok(())
    }

    fn strangers(&self) -> MutexGuard<'_, Strangers> {
        self.strangers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self, socket: TcpStream, from: SocketAddr, stranger: u64) {
        let met = self.meet(socket, from, stranger);
        self.strangers().leave(stranger);
        let (link, number, mine) = match met {
            Ok(met) => met,
            Err(error) => {
                debug!(%from, %error, "a connection to the port of heads came to nothing");
                return;
            }
        };
        let connection = mine.connection.clone();
        self.connected.enter(number, &connection);
        self.count();
        info!(head = connection.name, %from, "a head is connected");
        let error = match self.carry(link, number, mine) {
            Ok(()) => "this end closed it".to_owned(),
            Err(error) => error.to_string(),
        };
        self.connected.leave(number, &connection);
        self.count();
        info!(head = connection.name, why = error, "a head is gone");
    }

    fn count(&self) {
        let connected = self.connected.all().len() as u64;
        self.counters.set(Count::Heads, connected);
    }

    /// The handshake, up to the head's HELLO.
    fn meet(
        &self,
        socket: TcpStream,
        from: SocketAddr,
        stranger: u64,
    ) -> std::result::Result<(Link, u16, Mine), Ended> {
        let first = first_message(&socket)?;
        let head = first
            .client_hello()
            .server_name()
            .and_then(|name| self.known.knocks(name));
        // No signature for strangers.
        if !head.is_some_and(|head| self.strangers().knocked(stranger, head)) {
            return Err(Ended::Unknown);
        }
        let tls = first
            .into_connection(self.tls.clone())
            .map_err(|(error, _)| error)?;
        let mut link = Link::new(socket, tls.into())?;
        let (_wake, awake) = UnixStream::pair()?;
        awake.set_nonblocking(true)?;
        let mut greeted = false;
        while !greeted {
            link.wait(&awake, None)?;
            if self.stopping() {
                return Err(Ended::Closed);
            }
            // A head says nothing else before it has the answer.
            link.turn(|_, message| {
                greeted = matches!(message, Message::Hello { .. });
                greeted.then_some(()).ok_or(Ended::Malformed(Malformed))
            })?;
        }
        link.greeted();
        // The list of heads may have changed since the handshake looked at it.
        let peer = link
            .peer()
            .and_then(|certificate| self.known.find(certificate));
        let (name, number) = peer.ok_or(Ended::Closed)?;
        link.send(&Message::Hello {
            version: VERSION,
            head: number,
        });
        let mine = Connected::sides(name, from)?;
        Ok((link, number, mine))
    }

    /// Carries frames until one end has enough.
    fn carry(&self, mut link: Link, number: u16, mine: Mine) -> std::result::Result<(), Ended> {
        let connection = mine.connection.clone();
        let mut frames = Bucket::default();
        loop {
            link.turn(|_, message| {
                if let Message::Heard {
                    way, signal, frame, ..
                } = message
                {
                    let from = HeadPeer { head: number, way };
                    self.heard(&connection, &mut frames, from, signal, &frame);
                }
                Ok(())
            })?;
            if connection.is_over() || self.stopping() {
                link.close();
                return Ok(());
            }
            for (way, frame) in mine.answers.try_iter() {
                if !link.send(&Message::Send { way, frame }) {
                    self.counters.add(Count::SendErrors, 1);
                }
            }
            link.flush()?;
            link.wait(&mine.awake, None)?;
        }
    }

    fn heard(
        &self,
        connection: &Connection,
        frames: &mut Bucket,
        from: HeadPeer,
        signal: Signal,
        frame: &[u8],
    ) {
        let now = Instant::now();
        let tick = Tick::from_ms((now - self.started).as_millis() as u64);
        connection.counts.heard.fetch_add(1, Ordering::Relaxed);
        self.counters.add(Count::HeadFrames, 1);
        if !frames.take(FRAMES, 1, tick) {
            connection.counts.limited.fetch_add(1, Ordering::Relaxed);
            self.counters.add(Count::HeadFramesLimited, 1);
            return;
        }
        let copy = {
            let mut gather = self
                .gathering
                .gather
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            gather.heard(now, from, signal, frame)
        };
        match copy {
            Copy::First => self.gathering.more.notify_one(),
            Copy::Further => self.counters.add(Count::HeadCopies, 1),
            Copy::Alone => self.deliver(from, signal, frame),
        }
    }

    fn deliver(&self, from: HeadPeer, signal: Signal, frame: &[u8]) {
        if let Some(connection) = self.connected.get(from.head) {
            connection.counts.best.fetch_add(1, Ordering::Relaxed);
        }
        self.deliver.deliver(Peer::Head(from), signal.rssi, frame);
    }

    /// Passes on frames that have waited long enough.
    fn pass_on(&self) {
        let Gathering { gather, more, stop } = &self.gathering;
        let mut waiting = gather.lock().unwrap_or_else(PoisonError::into_inner);
        while !stop.load(Ordering::Acquire) {
            if let Some((from, signal, frame)) = waiting.due(Instant::now()) {
                drop(waiting);
                self.deliver(from, signal, &frame);
                waiting = gather.lock().unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let wait = waiting.deadline().map_or(LOOK, |at| {
                at.saturating_duration_since(Instant::now()) + Duration::from_micros(100)
            });
            (waiting, _) = more
                .wait_timeout(waiting, wait)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}
