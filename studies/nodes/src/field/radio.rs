//! Radios for a board: a simulated module, a cable, a serial port.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use selo_e32::parameters::{Parameters, SILENCE_BYTES};
use selo_radio::e32::{BEFORE_OUTPUT, Module};
use selo_radio::live::Handle;
use selo_radio::wires::Plug;

use crate::error::{Error, Result};

/// The module on the chip's UART.
pub trait Radio {
    /// Advances the module to `now` with the chip's output bytes and the levels of M1 and M0.
    /// Returns the module's output bytes and the level of AUX.
    fn exchange(
        &mut self,
        now: Duration,
        sent: &[u8],
        pins: (bool, bool),
    ) -> Result<(Vec<u8>, bool)>;
}

/// A module in an ether of this program, which shares its virtual time.
impl Radio for Handle {
    fn exchange(
        &mut self,
        _now: Duration,
        sent: &[u8],
        pins: (bool, bool),
    ) -> Result<(Vec<u8>, bool)> {
        self.set_pins(pins.0, pins.1);
        if !sent.is_empty() {
            self.write(sent);
        }
        Ok((self.read(), self.aux()))
    }
}

/// A virtual module in another process, with all its wires ([`selo_radio::wires`]).
///
/// The chip has its own time, and the other process may be delayed. The bytes of a frame are
/// therefore sent together once the chip is silent, and arrive together. AUX is low while any of
/// them is in transit.
#[derive(Debug)]
pub struct Wired {
    path: PathBuf,
    plug: Plug,
    frame: Vec<u8>,
    last_byte: Duration,
    come: VecDeque<Vec<u8>>,
    /// Time until which bytes are in transit to the chip.
    busy_until: Duration,
    low_since: Duration,
}

impl Wired {
    /// Connects to a module, which switches it on.
    pub fn connect(path: &Path) -> Result<Wired> {
        let plug = Plug::connect(path).map_err(|source| Error::Read {
            path: path.into(),
            source,
        })?;
        Ok(Wired {
            path: path.into(),
            plug,
            frame: Vec::new(),
            last_byte: Duration::ZERO,
            come: VecDeque::new(),
            busy_until: Duration::ZERO,
            low_since: Duration::ZERO,
        })
    }

    fn lost(&self) -> impl Fn(io::Error) -> Error + use<> {
        let path = self.path.clone();
        move |source| Error::Read {
            path: path.clone(),
            source,
        }
    }
}

impl Radio for Wired {
    fn exchange(
        &mut self,
        now: Duration,
        sent: &[u8],
        pins: (bool, bool),
    ) -> Result<(Vec<u8>, bool)> {
        let byte = Parameters::default().uart().byte();
        let lost = self.lost();
        if !sent.is_empty() {
            self.frame.extend(sent);
            self.last_byte = now;
        } else if !self.frame.is_empty() && now >= self.last_byte + byte * SILENCE_BYTES {
            self.plug.write(&self.frame).map_err(&lost)?;
            self.frame.clear();
        }
        self.plug.set_pins(pins.0, pins.1).map_err(&lost)?;
        self.come.extend(self.plug.read().map_err(&lost)?);
        let quiet = self.plug.aux() && self.frame.is_empty() && now >= self.busy_until;
        let free = quiet && self.come.is_empty();
        if free {
            self.low_since = now;
        }
        // The chip may rely on AUX to wake it.
        let mut bytes = Vec::new();
        if now >= self.low_since + BEFORE_OUTPUT {
            bytes.extend(self.come.drain(..).flatten());
        }
        if !bytes.is_empty() {
            self.busy_until = now + byte * bytes.len() as u32;
        }
        Ok((bytes, free))
    }
}

/// A module behind a serial port, virtual or real. The port has no pins, so M0 and M1 must be low
/// at the module, and AUX comes from a model that gets the same bytes.
#[derive(Debug)]
pub struct SerialPort {
    path: PathBuf,
    file: File,
    model: Module,
    /// Time until which bytes are in transit to the chip.
    busy_until: Duration,
}

impl SerialPort {
    /// Opens the port at 9600 baud.
    pub fn open(path: &Path) -> Result<SerialPort> {
        let open = || -> io::Result<File> {
            use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
            let flags = rustix::fs::OFlags::NOCTTY | rustix::fs::OFlags::NONBLOCK;
            let file = std::fs::OpenOptions::new()
                .read(true)
                .write(true)
                .custom_flags(flags.bits() as i32)
                .open(path)?;
            let mut settings = tcgetattr(&file)?;
            settings.make_raw();
            settings.set_speed(9_600)?;
            tcsetattr(&file, OptionalActions::Now, &settings)?;
            Ok(file)
        };
        Ok(SerialPort {
            path: path.into(),
            file: open().map_err(|source| Error::Read {
                path: path.into(),
                source,
            })?,
            model: Module::new(Parameters::default(), 0),
            busy_until: Duration::ZERO,
        })
    }
}

impl Radio for SerialPort {
    fn exchange(
        &mut self,
        now: Duration,
        sent: &[u8],
        pins: (bool, bool),
    ) -> Result<(Vec<u8>, bool)> {
        let time = now.as_nanos() as u64;
        let mut ignored = Vec::new();
        self.model.set_pins(time, pins.0, pins.1);
        self.model.advance(time, &mut ignored);
        for byte in sent {
            self.model.receive_byte(time, *byte);
        }
        self.model.advance(time, &mut ignored);
        if !sent.is_empty() {
            // The port accepts as much as a UART sends within a second; the rest is lost.
            match self.file.write(sent) {
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(source) => {
                    return Err(Error::Write {
                        path: self.path.clone(),
                        source,
                    });
                }
            }
        }
        let mut buffer = [0; 512];
        let size = match self.file.read(&mut buffer) {
            Ok(size) => size,
            Err(error) if error.kind() == ErrorKind::WouldBlock => 0,
            Err(source) => {
                return Err(Error::Read {
                    path: self.path.clone(),
                    source,
                });
            }
        };
        if size > 0 {
            self.busy_until = now + self.model.uart().byte() * size as u32;
        }
        let free = self.model.aux() && now >= self.busy_until;
        Ok((buffer[..size].to_vec(), free))
    }
}
