//! The rain gauge of `firmware/node/field` on a simulated Uno, and a radio module on its
//! UART: a virtual one in this program, or one behind a serial port.

use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use selo_lab::build::{Builder, Image};
use selo_lab::field::{FieldNode, VARIANT};
use selo_lab::project::{Project, Selection};
use selo_radio::e32::Module;
use selo_radio::live::Handle;
use selo_radio::parameters::Parameters;

use crate::error::{Error, Result};

/// The part of a second that the chip runs between two looks at its module.
const STEPS_PER_SECOND: u64 = 1000;

/// The module at the chip's UART.
pub trait Radio {
    /// `now` has come: gives the module what the chip has sent and the levels of M1 and M0;
    /// gives what the module sends, and the level of AUX.
    fn exchange(
        &mut self,
        now: Duration,
        sent: &[u8],
        pins: (bool, bool),
    ) -> Result<(Vec<u8>, bool)>;
}

/// A module in an ether of this program, whose time is another's.
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

/// A module behind a serial port, virtual or real, which has no pins: M0 and M1 have to be
/// low there, and AUX is that of a model which gets the same bytes.
#[derive(Debug)]
pub struct SerialPort {
    path: PathBuf,
    file: File,
    model: Module,
    /// Until when bytes are on their way to the chip.
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
            // The port takes what a UART sends within a second; what it does not is lost.
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

/// Builds the rain gauge for a board and a suite, with a reading each `every`.
pub fn build(
    root: &Path,
    board: &str,
    suite: &str,
    every: Duration,
) -> Result<(selo_lab::board::Board, Image)> {
    let project = Project::load(root)?;
    let board = project.board(board)?;
    let selection = Selection {
        contenders: vec!["selo".into()],
        algorithms: vec!["link".into()],
        strategies: vec![suite.into()],
    };
    let units = project.units(board, &selection)?;
    let unit = units.iter().find(|unit| unit.program().is_some());
    let (unit, list) = unit
        .and_then(|unit| Some((unit, unit.program()?)))
        .ok_or_else(|| selo_lab::Error::NothingSelected {
            what: format!("there is no firmware of a node for board '{}'", board.name),
        })?;
    let period = [
        "-UNODE_PERIOD_MS".to_owned(),
        format!("-DNODE_PERIOD_MS={}", every.as_millis()),
    ];
    let image = Builder::new(&project, board)?.program_variant(unit, &list, VARIANT, &period)?;
    Ok((board.clone(), image))
}

/// The chip and its module, a thousandth of a second further; what comes from the module and
/// the level of AUX reach the chip then.
pub fn step(node: &mut FieldNode, radio: &mut impl Radio) -> Result<()> {
    node.advance(node.clock_hz() / STEPS_PER_SECOND)?;
    let now = Duration::from_secs_f64(node.cycle as f64 / node.clock_hz() as f64);
    let sent = std::mem::take(&mut node.uart);
    let (come, free) = radio.exchange(now, &sent, node.pins)?;
    node.set_aux(free)?;
    if !come.is_empty() {
        node.receive(&come)?;
    }
    // What the lab measures; here it only takes memory.
    node.spans.clear();
    Ok(())
}

/// Rain that nobody has to make: tips at random moments, so many an hour.
#[derive(Debug)]
pub struct Rain {
    random: ChaCha8Rng,
    an_hour: f64,
    next: Option<Duration>,
}

impl Rain {
    /// The same seed gives the same rain.
    pub fn new(seed: u64, tips_an_hour: f64) -> Rain {
        let mut rain = Rain {
            random: ChaCha8Rng::seed_from_u64(seed),
            an_hour: tips_an_hour,
            next: None,
        };
        rain.next = rain.after(Duration::ZERO);
        rain
    }

    fn after(&mut self, now: Duration) -> Option<Duration> {
        let waited: f64 = self.random.random_range(f64::MIN_POSITIVE..1.0);
        let seconds = -waited.ln() * 3600.0 / self.an_hour;
        // A bucket does not tip faster.
        (self.an_hour > 0.0).then(|| now + Duration::from_secs_f64(seconds.clamp(0.5, 1e6)))
    }

    /// Whether a tip is due at `now`.
    fn tips(&mut self, now: Duration) -> bool {
        let due = self.next.is_some_and(|next| now >= next);
        if due {
            self.next = self.after(now);
        }
        due
    }
}

/// Runs the station at the pace of the wall clock until `stop` is set or `limit` has passed.
/// `hear` is told each line of its console; if it answers true, the button is pressed.
pub fn run(
    node: &mut FieldNode,
    radio: &mut impl Radio,
    rain: &mut Rain,
    limit: Option<Duration>,
    stop: &AtomicBool,
    mut hear: impl FnMut(&str) -> bool,
) -> Result<()> {
    let start = Instant::now();
    let mut release = None;
    while !stop.load(Relaxed) && limit.is_none_or(|limit| start.elapsed() < limit) {
        step(node, radio)?;
        let now = Duration::from_secs_f64(node.cycle as f64 / node.clock_hz() as f64);
        if rain.tips(now) {
            node.tip()?;
        }
        while let Some(line) = node.console.pop_front() {
            if hear(&line) {
                node.button(false)?;
                release = Some(now + Duration::from_millis(200));
            }
        }
        if release.is_some_and(|at| now >= at) {
            node.button(true)?;
            release = None;
        }
        std::thread::sleep(now.saturating_sub(start.elapsed()));
    }
    Ok(())
}
