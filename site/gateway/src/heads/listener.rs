//! The gateway's listener for heads. A thread accepts, each connection has a thread, and one passes
//! on frames that have waited for better copies.
//!
//! Before a head has proven who it is, it is a stranger: strangers are few, each has seconds, and a
//! new one takes the place of the oldest (`strangers`). After it, a head may be stolen: its frames are
//! limited (`served`), and what it says reaches the engine as a stranger's packet does.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use selo_base::address::neighbourhood;
use tracing::{debug, info, warn};

use super::connected::Connected;
use super::served::{Gathering, Parts};
use super::store::Store;
use super::tls::{self, Known};
use crate::counters::Shared;
use crate::error::{Error, Result};
use crate::limit::{Budget, Pace, Rate, Sources, Tick};
use crate::worker::Remote;

/// New connections in all; each costs a thread. Above it, a host has its own limit, so that one
/// host cannot keep the others out.
const NEW_IN_ALL: Pace = Pace::new(500, 1000);
const NEW_OF_HOST: Rate = Rate::new(5, 50);
/// Stack of a connection's thread: there may be a thousand.
const STACK: usize = 256 << 10;
/// Maximum connections accepted before the list of heads is looked at again.
const ACCEPTS: usize = 100;
/// Interval in which the heads on the disk are looked at.
const LOOK: Duration = Duration::from_secs(1);

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
        remote: Remote,
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
            remote,
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
