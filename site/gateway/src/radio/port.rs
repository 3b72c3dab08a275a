//! The serial port of a module, as a user names it.

use std::fs::File;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use rustix::fs::{FlockOperation, OFlags};
use rustix::termios::{ControlModes, OptionalActions, QueueSelector};
use selo_e32::airtime::AirRate;
use selo_e32::parameters::{Parity, SILENCE_BYTES, Uart};

use crate::error::Result;

/// A serial port with a radio module, in command-line syntax: `PATH[,BAUD[,AIR RATE]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Port {
    pub path: PathBuf,
    pub baud: u32,
    pub air_rate: AirRate,
}

impl FromStr for Port {
    type Err = String;

    fn from_str(text: &str) -> Result<Port, String> {
        let mut parts = text.split(',');
        let path = parts.next().filter(|path| !path.is_empty());
        let path = path.ok_or("the path of the serial port is missing")?;
        let baud = parts.next().unwrap_or("9600");
        let known = selo_e32::parameters::Parameters::bauds();
        let baud = baud.parse().ok().filter(|baud| known.contains(baud));
        let baud = baud.ok_or_else(|| format!("the baud rate must be one of {known:?}"))?;
        let air_rate = match parts.next() {
            Some(rate) => rate
                .parse()
                .map_err(|rates| format!("the air data rate must be {rates}"))?,
            None => AirRate::R2400,
        };
        if parts.next().is_some() {
            return Err("expected no more than PATH,BAUD,AIR RATE".into());
        }
        Ok(Port {
            path: path.into(),
            baud,
            air_rate,
        })
    }
}

impl Port {
    /// Duration of one byte on the serial line.
    pub(super) fn byte(&self) -> Duration {
        let uart = Uart {
            baud: self.baud,
            parity: Parity::None,
        };
        uart.byte()
    }

    /// Time for which the module is busy with a frame of `bytes` bytes: serial transfer, final
    /// silence, and air time. Assumes forward error correction, which takes longer.
    pub(super) fn busy(&self, bytes: usize) -> Duration {
        let line = self.byte() * (bytes as u32 + SILENCE_BYTES);
        line + self.air_rate.airtime(bytes, true)
    }

    /// Opens the port: raw, 8N1, locked and flushed. The flock ends with the process. The
    /// terminal's exclusive mode would outlive the process on a pty that is held open.
    pub(super) fn open(&self) -> io::Result<File> {
        let file = std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags((OFlags::NOCTTY | OFlags::NONBLOCK).bits() as i32)
            .open(&self.path)?;
        // Lock first, so that another program's settings stay unchanged.
        rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive)?;
        let mut settings = rustix::termios::tcgetattr(&file)?;
        settings.make_raw();
        settings.control_modes |= ControlModes::CLOCAL | ControlModes::CREAD;
        settings.control_modes -= ControlModes::CSTOPB | ControlModes::CRTSCTS;
        settings.set_speed(self.baud)?;
        rustix::termios::tcsetattr(&file, OptionalActions::Now, &settings)?;
        rustix::termios::tcflush(&file, QueueSelector::IOFlush)?;
        Ok(file)
    }
}
