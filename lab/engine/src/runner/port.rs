//! Serial ports of this machine: a list of them, and bytes through one of them.
//!
//! Any error of a read or write means that the port is gone: a pulled cable shows as ENODEV, EIO, a
//! hang-up or an end of file, depending on the driver.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use rustix::termios::{
    ControlModes, OptionalActions, QueueSelector, ioctl_tiocexcl, tcflush, tcgetattr, tcsetattr,
};
use serde::Serialize;

use crate::board::Board;
use crate::board::SERIAL;
use crate::error::{Error, Result};

/// Length of a DTR pulse.
const PULSE: Duration = Duration::from_millis(100);

/// Longest wait for a line that accepts no bytes.
const STUCK: Duration = Duration::from_secs(10);

/// An open port: 8N1, without flow control.
#[derive(Debug)]
pub(super) struct Port {
    tty: File,
    baud: u32,
}

/// The port is gone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gone;

impl Port {
    /// Opens a port for this process alone. Opening raises DTR, which resets many boards.
    pub(super) fn open(path: &Path, baud: u32) -> std::io::Result<Port> {
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let tty = File::from(rustix::fs::open(path, flags, Mode::empty())?);
        // TIOCEXCL does not stop root; programs that know flock respect the lock.
        flock(&tty, FlockOperation::NonBlockingLockExclusive)?;
        ioctl_tiocexcl(&tty)?;
        let port = Port { tty, baud };
        port.set_speed(baud)?;
        tcflush(&port.tty, QueueSelector::IOFlush)?;
        Ok(port)
    }

    fn set_speed(&self, baud: u32) -> std::io::Result<()> {
        let mut settings = tcgetattr(&self.tty)?;
        settings.make_raw();
        settings.control_modes |= ControlModes::CREAD | ControlModes::CLOCAL;
        // Closing the port must not reset the board.
        settings.control_modes -= ControlModes::HUPCL;
        settings.set_speed(baud)?;
        Ok(tcsetattr(&self.tty, OptionalActions::Now, &settings)?)
    }

    /// Lowers DTR for a moment: a speed of 0 baud hangs up the line.
    pub(super) fn pulse_dtr(&self) -> Result<(), Gone> {
        self.set_speed(0).map_err(|_| Gone)?;
        std::thread::sleep(PULSE);
        self.set_speed(self.baud).map_err(|_| Gone)
    }

    /// Discards received bytes that were not read.
    pub(super) fn flush(&self) -> Result<(), Gone> {
        tcflush(&self.tty, QueueSelector::IFlush).map_err(|_| Gone)
    }

    pub(super) fn write(&mut self, mut bytes: &[u8]) -> Result<(), Gone> {
        while !bytes.is_empty() {
            match self.tty.write(bytes) {
                Ok(0) => return Err(Gone),
                Ok(count) => bytes = &bytes[count..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if !self.wait(PollFlags::OUT, STUCK)? {
                        return Err(Gone);
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(Gone),
            }
        }
        Ok(())
    }

    /// Returns received bytes, waiting until `until`; empty if none came by then.
    pub(super) fn read(&mut self, until: Instant) -> Result<Vec<u8>, Gone> {
        let left = until.saturating_duration_since(Instant::now());
        if !self.wait(PollFlags::IN, left)? {
            return Ok(Vec::new());
        }
        let mut buffer = [0; 4096];
        match self.tty.read(&mut buffer) {
            Ok(0) => Err(Gone),
            Ok(count) => Ok(buffer[..count].to_vec()),
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) =>
            {
                Ok(Vec::new())
            }
            Err(_) => Err(Gone),
        }
    }

    fn wait(&self, what: PollFlags, how_long: Duration) -> Result<bool, Gone> {
        let timeout = Timespec::try_from(how_long).map_err(|_| Gone)?;
        let mut fds = [PollFd::from_borrowed_fd(self.tty.as_fd(), what)];
        match poll(&mut fds, Some(&timeout)) {
            Ok(0) => Ok(false),
            // Bytes that came before a hang-up can still be read.
            Ok(_) if fds[0].revents().contains(what) => Ok(true),
            Ok(_) => Err(Gone),
            Err(rustix::io::Errno::INTR) => Ok(false),
            Err(_) => Err(Gone),
        }
    }
}

/// A serial port of this machine.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct PortInfo {
    pub path: PathBuf,
    /// `VENDOR:PRODUCT` in hexadecimal, if the port is on USB.
    pub usb: Option<String>,
    /// The device's own description.
    pub product: Option<String>,
    /// A name that stays the same if the board moves to another USB socket.
    pub stable: Option<PathBuf>,
}

pub use crate::board::BY_ID;

/// The folder in which Linux lists its terminals.
pub const SYSTEM: &str = "/sys/class/tty";

/// The serial ports that have a device behind them; `system` is [`SYSTEM`].
pub fn ports(system: &Path, by_id: &Path) -> Vec<PortInfo> {
    let entries = std::fs::read_dir(system).into_iter().flatten().flatten();
    let mut found: Vec<PortInfo> = entries
        .filter_map(|entry| {
            let device = entry.path().join("device").canonicalize().ok()?;
            let usb = device.ancestors().take(4).find_map(|folder| {
                let text = |file: &str| {
                    let text = std::fs::read_to_string(folder.join(file)).ok()?;
                    Some(text.trim().to_owned())
                };
                let id = format!("{}:{}", text("idVendor")?, text("idProduct")?);
                Some((id, text("product")))
            });
            // A PC's chipset has four ports even if nothing is connected.
            let name = entry.file_name();
            let usb_less = name.to_string_lossy().starts_with("ttyS");
            let path = Path::new("/dev").join(&name);
            let (usb, product) = match usb {
                Some((usb, product)) => (Some(usb), product),
                None if usb_less => return None,
                None => (None, None),
            };
            Some(PortInfo {
                stable: stable_name(by_id, &path),
                path,
                usb,
                product,
            })
        })
        .collect();
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// The ports of this machine.
pub fn all() -> Vec<PortInfo> {
    ports(Path::new(SYSTEM), Path::new(BY_ID))
}

/// True if the port's USB bridge is one that such boards have.
pub fn may_be(board: &Board, port: &PortInfo) -> bool {
    let known = board.serial.as_ref().map(|serial| &serial.usb);
    let usb = port.usb.as_ref();
    usb.is_some_and(|usb| known.is_some_and(|known| known.contains(usb)))
}

/// Sets the port of a board: the given one, else the only port that the board may be on. Fails if
/// no port or several ports qualify.
pub fn choose(board: &mut Board, given: Option<&Path>) -> Result<()> {
    let candidates = match given {
        Some(path) => vec![path.to_owned()],
        None => {
            let found = all().into_iter().filter(|port| may_be(board, port));
            found.map(|port| port.path).collect()
        }
    };
    let title = board.title.clone();
    let Some(serial) = &mut board.serial else {
        return Err(Error::Runner {
            runner: SERIAL.into(),
            message: format!("the file of {title} has no [serial] table"),
        });
    };
    match candidates.as_slice() {
        [one] => serial.port.clone_from(one),
        several => {
            let names: Vec<String> = several.iter().map(|p| p.display().to_string()).collect();
            return Err(Error::Port {
                port: "serial".into(),
                message: match names.as_slice() {
                    [] => format!("found no serial port with the USB bridge of {title}"),
                    _ => format!("several ports may belong to {title}: {}", names.join(", ")),
                },
                hint: "name the port with --port; selo lab ports lists the ports of this machine"
                    .into(),
            });
        }
    }
    Ok(())
}

/// The name in `by_id` that points to the port.
pub(super) fn stable_name(by_id: &Path, port: &Path) -> Option<PathBuf> {
    let meant = port.canonicalize().ok()?;
    let mut names: Vec<PathBuf> = std::fs::read_dir(by_id)
        .ok()?
        .flatten()
        .map(|entry| entry.path())
        .filter(|name| name.canonicalize().is_ok_and(|target| target == meant))
        .collect();
    names.sort();
    names.into_iter().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree like Linux's, with an Uno, a bare USB bridge and a chipset port.
    #[test]
    fn ports_are_found_with_what_hangs_on_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let (devices, class) = (folder.path().join("devices"), folder.path().join("class"));
        let by_id = folder.path().join("by-id");
        for (name, place, usb) in [
            (
                "ttyACM0",
                "usb1/1-2/1-2:1.0",
                Some(("2341", "0043", "Arduino Uno")),
            ),
            (
                "ttyUSB0",
                "usb1/1-3/1-3:1.0/ttyUSB0",
                Some(("1a86", "7523", "USB Serial")),
            ),
            ("ttyS0", "serial8250", None),
        ] {
            let device = devices.join(place);
            std::fs::create_dir_all(&device).expect("written");
            if let Some((vendor, product, title)) = usb {
                let root = devices.join(place.split('/').take(2).collect::<PathBuf>());
                for (file, text) in [
                    ("idVendor", vendor),
                    ("idProduct", product),
                    ("product", title),
                ] {
                    std::fs::write(root.join(file), format!("{text}\n")).expect("written");
                }
            }
            std::fs::create_dir_all(class.join(name)).expect("written");
            std::os::unix::fs::symlink(&device, class.join(name).join("device")).expect("a link");
        }
        // A console has no device.
        std::fs::create_dir_all(class.join("tty1")).expect("written");

        let found = ports(&class, &by_id);

        let seen: Vec<_> = found
            .iter()
            .map(|port| {
                (
                    port.path.to_str(),
                    port.usb.as_deref(),
                    port.product.as_deref(),
                )
            })
            .collect();
        assert_eq!(
            seen,
            [
                (Some("/dev/ttyACM0"), Some("2341:0043"), Some("Arduino Uno")),
                (Some("/dev/ttyUSB0"), Some("1a86:7523"), Some("USB Serial")),
            ]
        );
    }
}
