//! The rain gauge of `lab/firmware/node` (field) on a simulated chip: its UART to a radio module,
//! the module's pins, the bucket, the clock, the button and its console. The caller controls the
//! simulated time: it advances only in [`FieldNode::advance`].

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::Duration;

use selo_engine::board::Board;
use selo_engine::build::Image;
use selo_engine::error::{Error, Result};
use selo_engine::runner::{Paced, Span, Surroundings};

/// The role in `lab/firmware/node/node.toml`.
pub const ROLE: &str = "field";

/// The chip's connections (lab/firmware/node/README.md).
const BUTTON: (char, u8) = ('D', 2);
const GAUGE: (char, u8) = ('D', 3);
const M0: (char, u8) = ('D', 4);
const M1: (char, u8) = ('D', 5);
const AUX: (char, u8) = ('D', 6);
const CONSOLE: &str = "D7:9600";

/// The bucket's contact closes for this part of a second: 1/10 s.
const CONTACT: u64 = 10;

/// A running rain gauge.
#[derive(Debug)]
pub struct FieldNode {
    chip: Paced,
    eeprom: PathBuf,
    clock_hz: u64,
    line: Vec<u8>,
    /// The cycle at which the bucket's contact opens again.
    closed_until: Option<u64>,
    aux: Option<bool>,
    /// Bytes for the radio module.
    pub uart: Vec<u8>,
    /// The levels of M1 and M0.
    pub pins: (bool, bool),
    /// Lines of its console.
    pub console: VecDeque<String>,
    /// Finished calls of the library.
    pub spans: Vec<Span>,
    /// The deepest stack since the start or the last [`FieldNode::cut_power`].
    pub stack: u64,
    /// The chip's cycle counter.
    pub cycle: u64,
    /// Cycles asleep with running timers.
    pub light: u64,
    /// Cycles asleep with the oscillator stopped.
    pub deep: u64,
    /// Cycles with M0 and M1 high, in which the module slept.
    pub radio_asleep: u64,
}

impl FieldNode {
    /// Puts the firmware on a chip whose EEPROM is the given file and whose DS3231 shows the given
    /// time, in seconds since 1970. A time of 0 means that the clock has lost its power. The chip
    /// has not run yet.
    pub fn start(
        root: &Path,
        board: &Board,
        image: &Image,
        eeprom: &Path,
        time: u32,
    ) -> Result<FieldNode> {
        let around = Surroundings {
            watch: vec![format!("{}{}", M0.0, M0.1), format!("{}{}", M1.0, M1.1)],
            console: Some(CONSOLE.into()),
            clock: Some(time),
            watchdog: true,
        };
        Ok(FieldNode {
            chip: Paced::start(root, board, &image.path, &image.weight, eeprom, &around)?,
            eeprom: eeprom.to_owned(),
            clock_hz: board.clock_hz.unwrap_or(1),
            line: Vec::new(),
            closed_until: None,
            aux: None,
            uart: Vec::new(),
            pins: (false, false),
            console: VecDeque::new(),
            spans: Vec::new(),
            stack: 0,
            cycle: 0,
            light: 0,
            deep: 0,
            radio_asleep: 0,
        })
    }

    /// Cycles in a second.
    pub fn clock_hz(&self) -> u64 {
        self.clock_hz
    }

    /// The time for which the chip has run.
    pub fn time(&self) -> Duration {
        Duration::from_secs_f64(self.cycle as f64 / self.clock_hz as f64)
    }

    /// Advances by `cycles`, and collects the chip's output.
    pub fn advance(&mut self, cycles: u64) -> Result<()> {
        let end = self.cycle + cycles;
        if let Some(open) = self.closed_until.filter(|open| *open <= end) {
            self.run(open.saturating_sub(self.cycle))?;
            self.chip.pin(GAUGE.0, GAUGE.1, true)?;
            self.closed_until = None;
        }
        self.run(end.saturating_sub(self.cycle))
    }

    fn run(&mut self, cycles: u64) -> Result<()> {
        let done = self.chip.advance(cycles)?;
        if self.pins == (true, true) {
            self.radio_asleep += done.cycle - self.cycle;
        }
        self.cycle = done.cycle;
        (self.light, self.deep) = (done.light, done.deep);
        self.stack = done.stack;
        self.spans.extend(done.spans);
        self.uart.extend(done.bytes);
        for pin in done.pins {
            match (pin.port, pin.bit) {
                M0 => self.pins.1 = pin.level,
                M1 => self.pins.0 = pin.level,
                _ => {}
            }
        }
        for byte in done.console {
            match byte {
                b'\r' => {}
                b'\n' => {
                    let line = std::mem::take(&mut self.line);
                    self.console
                        .push_back(String::from_utf8_lossy(&line).into_owned());
                }
                byte => self.line.push(byte),
            }
        }
        Ok(())
    }

    /// Sends bytes from the radio module at the speed of the line.
    pub fn receive(&mut self, bytes: &[u8]) -> Result<()> {
        self.chip.send(bytes)
    }

    /// Sets the level of the module's AUX.
    pub fn set_aux(&mut self, free: bool) -> Result<()> {
        if self.aux != Some(free) {
            self.aux = Some(free);
            self.chip.pin(AUX.0, AUX.1, free)?;
        }
        Ok(())
    }

    /// Tips the bucket: its contact closes now, and opens after a tenth of a second.
    pub fn tip(&mut self) -> Result<()> {
        self.chip.pin(GAUGE.0, GAUGE.1, false)?;
        self.closed_until = Some(self.cycle + self.clock_hz / CONTACT);
        Ok(())
    }

    /// Sets the level of the bucket's contact, for bounces. False is closed.
    pub fn contact(&mut self, level: bool) -> Result<()> {
        self.chip.pin(GAUGE.0, GAUGE.1, level)
    }

    /// Sets the level of the button. False is pressed.
    pub fn button(&mut self, level: bool) -> Result<()> {
        self.chip.pin(BUTTON.0, BUTTON.1, level)
    }

    /// Sets the temperature of the clock's thermometer, in hundredths of a degree.
    pub fn temperature(&mut self, centidegrees: i16) -> Result<()> {
        self.chip.temperature(centidegrees)
    }

    /// Sets the chip's supply voltage.
    pub fn supply(&mut self, millivolts: u16) -> Result<()> {
        self.chip.supply(millivolts)
    }

    /// Cuts the power at the current cycle, and restores it. An EEPROM byte that is being
    /// programmed is corrupted. The clock has its own battery.
    pub fn cut_power(&mut self) -> Result<()> {
        self.line.clear();
        self.uart.clear();
        self.chip.reset()
    }

    /// The content of the EEPROM.
    pub fn eeprom(&mut self) -> Result<Vec<u8>> {
        self.chip.save()?;
        std::fs::read(&self.eeprom).map_err(|source| Error::Read {
            path: self.eeprom.clone(),
            source,
        })
    }
}
