//! An ether that several parts of a program share: at the pace of the wall clock
//! ([`Air::paced`], driven by a thread, with ptys and sockets for other processes), or in steps
//! that the caller takes ([`Air::stepped`]). The handles are the same for both.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

use crate::error::{Error, Result};
use crate::ether::{Ether, Station};
use crate::wires::Wires;
use crate::{Time, nanos};

/// The longest that the thread sleeps.
const LONGEST_WAIT: Duration = Duration::from_secs(1);
/// Bytes of a process that may be on the line to the module; the rest waits in the pty, and
/// then the process waits, as it would for a UART.
const LINE: usize = 64;
/// How long a process has to write nothing until a burst of it is over. What it writes at once
/// comes out of a pty in pieces, with as much time between them as the machine finds other
/// things to do; on the line they must follow each other, because silence ends a frame.
const QUIET: Duration = Duration::from_millis(20);

/// An ether that is shared.
#[derive(Debug, Clone)]
pub struct Air {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    ether: Mutex<Ether>,
    /// When virtual time 0 was, for an ether at the pace of the wall clock.
    start: Option<Instant>,
    wake: UnixStream,
    awake: UnixStream,
    stop: AtomicBool,
}

impl Air {
    /// Time passes only in [`Air::advance`].
    pub fn stepped(ether: Ether) -> Result<Air> {
        Air::new(ether, None)
    }

    /// Time passes as the wall clock's. Without a [`Driver`] it passes whenever a handle is
    /// used, which is enough where nothing else waits.
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

    /// The ether, at the time that it is.
    fn lock(&self) -> MutexGuard<'_, Ether> {
        // Nothing that holds the lock leaves the ether half changed.
        let lock = self.shared.ether.lock();
        let mut ether = lock.unwrap_or_else(PoisonError::into_inner);
        if let Some(start) = self.shared.start {
            ether.advance(nanos(start.elapsed()));
        }
        ether
    }

    /// Does something with the ether.
    pub fn with<R>(&self, act: impl FnOnce(&mut Ether) -> R) -> R {
        let result = act(&mut self.lock());
        self.wake();
        result
    }

    /// Lets the time pass until `to` after the start; at the pace of the wall clock it passes
    /// by itself, and this changes nothing.
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
        // A full pipe wakes, too.
        let _ = (&self.shared.wake).write(&[0]);
    }
}

/// The host's side of a module: what the four wires of its socket are to a microcontroller.
#[derive(Debug, Clone)]
pub struct Handle {
    air: Air,
    station: Station,
}

impl Handle {
    /// Bytes to RXD. They take their time on the line.
    pub fn write(&self, bytes: &[u8]) {
        self.air.with(|ether| ether.write(self.station, bytes));
    }

    /// The bytes that have come out of TXD since they were last read.
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

/// A pseudo-terminal whose other end is a module's UART. Another process opens
/// [`Pty::path`] like a serial port. It has RXD and TXD and nothing else: the line settings of
/// the other process do not matter, and M1, M0 and AUX cannot be reached.
#[derive(Debug)]
pub struct Pty {
    master: File,
    /// Kept open, so that the terminal outlives each process that uses it.
    _slave: OwnedFd,
    path: PathBuf,
    link: Option<PathBuf>,
    /// What a process has written and is not on the line yet, and when the last of it came.
    burst: Vec<u8>,
    came: Instant,
}

impl Pty {
    /// Opens a pseudo-terminal, raw, and makes a link of that name to it.
    pub fn open(link: Option<&Path>) -> Result<Pty> {
        let (master, slave, path) = open_pair().map_err(|errno| Error::Pty {
            source: errno.into(),
        })?;
        if let Some(link) = link {
            make_link(&path, link).map_err(|source| Error::Link {
                path: link.into(),
                source,
            })?;
        }
        Ok(Pty {
            master: File::from(master),
            _slave: slave,
            path,
            link: link.map(Path::to_owned),
            burst: Vec::new(),
            came: Instant::now(),
        })
    }

    /// What another process opens: the link if there is one.
    pub fn path(&self) -> &Path {
        self.link.as_deref().unwrap_or(&self.path)
    }

    /// Puts bytes into the terminal. Those that it does not take are lost, as on a wire that
    /// nobody listens to.
    fn put(&mut self, bytes: &[u8]) {
        let _ = self.master.write(bytes);
    }

    /// Takes what a process has written: bytes for the line, where so many are still on their
    /// way. They come when a burst is over, or when no silence can come of them: the line is
    /// busy, or they fill it.
    fn take(&mut self, unwritten: usize) -> Vec<u8> {
        // Before the look: while this thread is kept waiting after it, no silence passes.
        let now = Instant::now();
        let mut buffer = [0; LINE];
        let room = self.room(unwritten);
        match self.master.read(&mut buffer[..room]).unwrap_or(0) {
            0 => {}
            size => {
                self.burst.extend_from_slice(&buffer[..size]);
                self.came = Instant::now();
            }
        }
        let over = now.saturating_duration_since(self.came) >= QUIET;
        if over || unwritten > 0 || self.room(unwritten) == 0 {
            std::mem::take(&mut self.burst)
        } else {
            Vec::new()
        }
    }

    fn room(&self, unwritten: usize) -> usize {
        LINE.saturating_sub(unwritten + self.burst.len())
    }

    /// How long until a burst is over, if one is under way.
    fn patience(&self) -> Option<Duration> {
        (!self.burst.is_empty()).then(|| QUIET.saturating_sub(self.came.elapsed()))
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        if let Some(link) = &self.link {
            // Only if it still is ours.
            if std::fs::read_link(link).is_ok_and(|target| target == self.path) {
                let _ = std::fs::remove_file(link);
            }
        }
    }
}

fn open_pair() -> rustix::io::Result<(OwnedFd, OwnedFd, PathBuf)> {
    use std::os::unix::ffi::OsStringExt as _;
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let master = openpt(flags)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    let name = ptsname(&master, Vec::new())?.into_bytes();
    let path = PathBuf::from(std::ffi::OsString::from_vec(name));
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let slave = rustix::fs::open(&path, flags, rustix::fs::Mode::empty())?;
    let mut settings = tcgetattr(&slave)?;
    settings.make_raw();
    tcsetattr(&slave, OptionalActions::Now, &settings)?;
    let status = rustix::fs::fcntl_getfl(&master)?;
    rustix::fs::fcntl_setfl(&master, status | OFlags::NONBLOCK)?;
    Ok((master, slave, path))
}

/// Makes the link; one that an earlier run left behind is replaced.
fn make_link(path: &Path, link: &Path) -> io::Result<()> {
    if std::fs::read_link(link).is_ok_and(|target| target.starts_with("/dev/pts")) {
        std::fs::remove_file(link)?;
    }
    std::os::unix::fs::symlink(path, link)
}

/// What of another process is connected to a module.
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
    /// What another process opens.
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

    /// Brings bytes both ways, whole bursts of them, because silence ends a frame, and whoever
    /// writes or reads may be kept waiting.
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

/// A thread that keeps an ether at the pace of the wall clock, and its hosts supplied.
/// Dropping it stops it, and removes the ptys and sockets.
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

    /// Brings bytes both ways; gives how long nothing will happen by itself.
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
