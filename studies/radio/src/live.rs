//! An ether shared by several parts of a program: in real time ([`Air::paced`], driven by a
//! thread, with ptys and sockets for other processes), or in steps by the caller
//! ([`Air::stepped`]). Both use the same handles.

mod pty;

use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::error::{Error, Result};
use crate::ether::{Ether, Station};
use crate::wires::Wires;
use crate::{Time, nanos};

pub use pty::Pty;

/// Longest sleep of the thread.
const LONGEST_WAIT: Duration = Duration::from_secs(1);
/// Bytes from a process that may be on the line to the module. The rest waits in the pty, which
/// blocks the process as a UART would.
const LINE: usize = 64;
/// A burst ends when a process has written nothing for this long. A single write may leave a pty
/// in pieces, with delays that depend on the machine's load. On the line the pieces must follow
/// without a gap, because silence ends a frame. A simulated chip on a busy machine may stand still for
/// tens of milliseconds within a frame; a node waits seconds for an answer.
const QUIET: Duration = Duration::from_millis(60);

/// A shared ether.
#[derive(Debug, Clone)]
pub struct Air {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    ether: Mutex<Ether>,
    /// Wall-clock time of virtual time 0, for an ether in real time.
    start: Option<Instant>,
    wake: UnixStream,
    awake: UnixStream,
    stop: AtomicBool,
}

impl Air {
    /// The time advances only by [`Air::advance`].
    pub fn stepped(ether: Ether) -> Result<Air> {
        Air::new(ether, None)
    }

    /// The time follows the wall clock. Without a [`Driver`] it advances whenever a handle is
    /// used, which suffices if nothing else waits.
    pub fn paced(ether: Ether) -> Result<Air> {
        let start = Instant::now() - Duration::from_nanos(ether.now());
        Air::new(ether, Some(start))
    }

    fn new(ether: Ether, start: Option<Instant>) -> Result<Air> {
        let (wake, awake) = UnixStream::pair()
            .and_then(|pair| {
                pair.0.set_nonblocking(true)?;
                pair.1.set_nonblocking(true)?;
                Ok(pair)
            })
            .map_err(|source| Error::Thread { source })?;
        let shared = Shared {
            ether: Mutex::new(ether),
            start,
            wake,
            awake,
            stop: AtomicBool::new(false),
        };
        Ok(Air {
            shared: Arc::new(shared),
        })
    }

    /// The ether at the current time.
    fn lock(&self) -> MutexGuard<'_, Ether> {
        // No code that holds the lock leaves the ether inconsistent.
        let lock = self.shared.ether.lock();
        let mut ether = lock.unwrap_or_else(PoisonError::into_inner);
        if let Some(start) = self.shared.start {
            ether.advance(nanos(start.elapsed()));
        }
        ether
    }

    /// Runs a function on the ether.
    pub fn with<R>(&self, act: impl FnOnce(&mut Ether) -> R) -> R {
        let result = act(&mut self.lock());
        self.wake();
        result
    }

    /// Advances the time to `to` after the start. Has no effect in real time.
    pub fn advance(&self, to: Duration) {
        let mut ether = self.lock();
        if self.shared.start.is_none() {
            ether.advance(nanos(to));
        }
    }

    /// The host's side of a module.
    pub fn handle(&self, station: Station) -> Handle {
        Handle {
            air: self.clone(),
            station,
        }
    }

    fn wake(&self) {
        // A full pipe also wakes the thread.
        let _ = (&self.shared.wake).write(&[0]);
    }
}

/// The host's side of a module, corresponding to the four wires that a microcontroller uses.
#[derive(Debug, Clone)]
pub struct Handle {
    air: Air,
    station: Station,
}

impl Handle {
    /// Writes bytes to RXD. They are transferred at UART speed.
    pub fn write(&self, bytes: &[u8]) {
        self.air.with(|ether| ether.write(self.station, bytes));
    }

    /// The bytes that have arrived on TXD since the last call.
    pub fn read(&self) -> Vec<u8> {
        self.air.lock().read(self.station)
    }

    /// Sets the levels of M1 and M0.
    pub fn set_pins(&self, m1: bool, m0: bool) {
        self.air.with(|ether| ether.set_pins(self.station, m1, m0));
    }

    /// The level of AUX: low while the module is busy.
    pub fn aux(&self) -> bool {
        self.air.lock().aux(self.station)
    }

    /// The module's number in the ether.
    pub fn station(&self) -> Station {
        self.station
    }
}

/// Connection of another process to a module.
#[derive(Debug)]
pub enum Host {
    /// Its serial port.
    Pty(Pty),
    /// All its wires.
    Wires(Wires),
}

impl From<Pty> for Host {
    fn from(pty: Pty) -> Host {
        Host::Pty(pty)
    }
}

impl From<Wires> for Host {
    fn from(wires: Wires) -> Host {
        Host::Wires(wires)
    }
}

impl Host {
    /// The path for another process.
    pub fn path(&self) -> &Path {
        match self {
            Host::Pty(pty) => pty.path(),
            Host::Wires(wires) => wires.path(),
        }
    }

    fn fd(&self) -> BorrowedFd<'_> {
        match self {
            Host::Pty(pty) => pty.master.as_fd(),
            Host::Wires(wires) => wires.fd(),
        }
    }

    /// Transfers bytes in both directions, in whole bursts, because silence ends a frame and
    /// either process may be delayed.
    fn step(&mut self, ether: &mut Ether, station: Station) {
        let pty = match self {
            Host::Pty(pty) => pty,
            Host::Wires(wires) => return wires.step(ether, station),
        };
        let bytes = pty.take(ether.unwritten(station));
        ether.write(station, &bytes);
        if !ether.is_saying(station) {
            let said = ether.read(station);
            if !said.is_empty() {
                pty.put(&said);
            }
        }
    }
}

/// A thread that keeps an ether in real time and serves its hosts. Dropping it stops the thread,
/// and removes the ptys and sockets.
#[derive(Debug)]
pub struct Driver {
    air: Air,
    thread: Option<JoinHandle<()>>,
}

impl Driver {
    /// Starts the thread, for an [`Air::paced`].
    pub fn start<H: Into<Host>>(air: &Air, hosts: Vec<(Station, H)>) -> Result<Driver> {
        let hosts = hosts.into_iter();
        let run = Run {
            air: air.clone(),
            hosts: hosts
                .map(|(station, host)| (station, host.into()))
                .collect(),
        };
        let thread = std::thread::Builder::new()
            .name("ether".into())
            .spawn(move || run.run())
            .map_err(|source| Error::Thread { source })?;
        Ok(Driver {
            air: air.clone(),
            thread: Some(thread),
        })
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.air.shared.stop.store(true, Ordering::Release);
        self.air.wake();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        self.air.shared.stop.store(false, Ordering::Release);
    }
}

struct Run {
    air: Air,
    hosts: Vec<(Station, Host)>,
}

impl Run {
    fn run(mut self) {
        while !self.air.shared.stop.load(Ordering::Acquire) {
            let wait = self.step();
            self.wait(wait);
        }
    }

    /// Transfers bytes in both directions. Returns the time until the next spontaneous event.
    fn step(&mut self) -> Duration {
        let air = self.air.clone();
        let mut ether = air.lock();
        for (station, host) in &mut self.hosts {
            host.step(&mut ether, *station);
        }
        let now: Time = ether.now();
        let next = ether.deadline().unwrap_or(Time::MAX);
        let bursts = self.hosts.iter().filter_map(|(_, host)| match host {
            Host::Pty(pty) => pty.patience(),
            Host::Wires(_) => None,
        });
        let longest = bursts.fold(LONGEST_WAIT, Duration::min);
        Duration::from_nanos(next.saturating_sub(now)).min(longest)
    }

    fn wait(&self, wait: Duration) {
        let ether = self.air.lock();
        let wanted: Vec<&Host> = self
            .hosts
            .iter()
            .filter(|(station, host)| match host {
                Host::Pty(pty) => pty.room(ether.unwritten(*station)) > 0,
                Host::Wires(_) => true,
            })
            .map(|(_, host)| host)
            .collect();
        drop(ether);
        let mut fds = vec![PollFd::new(&self.air.shared.awake, PollFlags::IN)];
        let others = wanted.iter().map(|host| host.fd());
        fds.extend(others.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        let timeout = Timespec {
            tv_sec: wait.as_secs() as i64,
            tv_nsec: i64::from(wait.subsec_nanos()),
        };
        let _ = poll(&mut fds, Some(&timeout));
        let mut bytes = [0; 64];
        loop {
            match (&self.air.shared.awake).read(&mut bytes) {
                Ok(read) if read > 0 => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                _ => break,
            }
        }
    }
}
