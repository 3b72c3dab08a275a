//! A pseudo-terminal in the place of a module's serial port.

use std::fs::File;
use std::io::Write;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

use super::{LINE, QUIET};
use crate::error::{Error, Result};

/// A pseudo-terminal connected to a module's UART. Another process opens [`Pty::path`] like a
/// serial port. It carries only RXD and TXD: the process's line settings have no effect, and M1,
/// M0 and AUX are not available.
#[derive(Debug)]
pub struct Pty {
    pub(super) master: File,
    /// Kept open, so that the terminal outlives each process that uses it.
    _slave: OwnedFd,
    path: PathBuf,
    link: Option<PathBuf>,
    /// Bytes that a process has written but that are not on the line yet, and the time of the
    /// last one.
    burst: Vec<u8>,
    came: Instant,
}

impl Pty {
    /// Opens a raw pseudo-terminal, and creates a link to it.
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

    /// The path for another process: the link if there is one.
    pub fn path(&self) -> &Path {
        self.link.as_deref().unwrap_or(&self.path)
    }

    /// Writes bytes to the terminal. Bytes that do not fit are lost, as on a wire without a
    /// reader.
    pub(super) fn put(&mut self, bytes: &[u8]) {
        let _ = self.master.write(bytes);
    }

    /// Takes written bytes for the line, which still holds `unwritten` bytes. They are taken when
    /// a burst is over, or when no silence can result: the line is busy, or they fill it.
    pub(super) fn take(&mut self, unwritten: usize) -> Vec<u8> {
        // Read the clock first: if this thread is delayed afterwards, the delay must not count as
        // silence.
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

    pub(super) fn room(&self, unwritten: usize) -> usize {
        LINE.saturating_sub(unwritten + self.burst.len())
    }

    /// Time until the current burst is over, if there is one.
    pub(super) fn patience(&self) -> Option<Duration> {
        (!self.burst.is_empty()).then(|| QUIET.saturating_sub(self.came.elapsed()))
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        if let Some(link) = &self.link {
            // Remove the link only if it is still ours.
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

/// Creates the link, and replaces one that an earlier run left behind.
fn make_link(path: &Path, link: &Path) -> io::Result<()> {
    if std::fs::read_link(link).is_ok_and(|target| target.starts_with("/dev/pts")) {
        std::fs::remove_file(link)?;
    }
    std::os::unix::fs::symlink(path, link)
}
