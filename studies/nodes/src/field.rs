//! The rain gauge of `lab/firmware/node` (field) on a simulated Uno, and a radio module on its
//! UART: a virtual one in this program or in another, or one behind a serial port.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use selo_e32::parameters::{Parameters, SILENCE_BYTES};
use selo_engine::board::Board;
use selo_engine::build::Image;
use selo_firmware::field::{FieldNode, ROLE};
use selo_radio::e32::{BEFORE_OUTPUT, Module};
use selo_radio::live::Handle;
use selo_radio::wires::Plug;

use crate::board::build_with;
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

/// A virtual module in another process, with all its wires ([`selo_radio::wires`]).
///
/// The chip's time is its own, and the other process may be kept waiting: so the bytes of a
/// frame leave together once the chip is silent, and come together, and AUX is low as long as
/// any of them is on its way.
#[derive(Debug)]
pub struct Wired {
    path: PathBuf,
    plug: Plug,
    frame: Vec<u8>,
    last_byte: Duration,
    come: VecDeque<Vec<u8>>,
    /// Until when bytes are on their way to the chip.
    busy_until: Duration,
    low_since: Duration,
}

impl Wired {
    /// Plugs a module in, which switches it on.
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
        // The chip may need AUX to wake it.
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
pub fn build(root: &Path, board: &str, suite: &str, every: Duration) -> Result<(Board, Image)> {
    let period = [
        "-UNODE_PERIOD_MS".to_owned(),
        format!("-DNODE_PERIOD_MS={}", every.as_millis()),
    ];
    build_with(root, board, suite, |builder, unit, list| {
        builder.program_role(unit, list, ROLE, &period)
    })
}

/// What passed between a chip and its module.
struct Passed {
    sent: Vec<u8>,
    come: bool,
}

fn advance(node: &mut FieldNode, radio: &mut impl Radio) -> Result<Passed> {
    node.advance(node.clock_hz() / STEPS_PER_SECOND)?;
    let sent = std::mem::take(&mut node.uart);
    let (come, free) = radio.exchange(node.time(), &sent, node.pins)?;
    node.set_aux(free)?;
    if !come.is_empty() {
        node.receive(&come)?;
    }
    // What the lab measures; here it only takes memory.
    node.spans.clear();
    Ok(Passed {
        sent,
        come: !come.is_empty(),
    })
}

/// The chip and its module, a thousandth of a second further; what comes from the module and
/// the level of AUX reach the chip then.
pub fn step(node: &mut FieldNode, radio: &mut impl Radio) -> Result<()> {
    advance(node, radio).map(drop)
}

/// Rain that nobody has to make: tips at random moments, so many an hour.
#[derive(Debug)]
pub struct Rain {
    random: ChaCha8Rng,
    an_hour: f64,
    left: u64,
    next: Option<Duration>,
}

impl Rain {
    /// The same seed gives the same rain, which ends after so many tips.
    pub fn new(seed: u64, tips_an_hour: f64, tips: u64) -> Rain {
        Rain {
            random: ChaCha8Rng::seed_from_u64(seed),
            an_hour: tips_an_hour,
            left: tips,
            next: None,
        }
    }

    /// Whether a tip is due at `now`; the rain begins when this is asked first.
    fn tips(&mut self, now: Duration) -> bool {
        if self.an_hour <= 0.0 || self.left == 0 {
            return false;
        }
        let due = self.next.is_some_and(|next| now >= next);
        if due || self.next.is_none() {
            let waited: f64 = self.random.random_range(f64::MIN_POSITIVE..1.0);
            let seconds = -waited.ln() * 3600.0 / self.an_hour;
            // A bucket does not tip faster.
            self.next = Some(now + Duration::from_secs_f64(seconds.clamp(0.5, 1e6)));
        }
        self.left -= u64::from(due);
        due
    }
}

/// What a station is to do.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// Readings after which it ends; without a number it goes on.
    pub readings: Option<u64>,
    /// When to stop at the latest, by the wall clock.
    pub limit: Option<Duration>,
}

/// What a station did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Times it has joined.
    pub joins: u64,
    /// It has a session now.
    pub joined_now: bool,
    /// Sessions that it has lost.
    pub sessions_lost: u64,
    /// Readings that it has sent. A frame that is repeated is one more.
    pub readings: u64,
    /// Frames that it has sent.
    pub frames_out: u64,
    /// Bursts of bytes that it has received.
    pub frames_in: u64,
    /// Tips of its bucket, since it has joined.
    pub tips: u64,
    /// How chip and module have spent the time from the first reading on.
    pub spent: Spent,
}

/// Time in each state, from which the energy follows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// The core computes, or its oscillator starts.
    pub awake: Duration,
    /// The core sleeps, its timers run.
    pub idle: Duration,
    /// Its oscillator stands still.
    pub power_down: Duration,
    /// The module is on the air, at 2.4 kbit/s.
    pub sending: Duration,
    /// The module is awake, and does not send.
    pub listening: Duration,
    /// The module sleeps.
    pub radio_asleep: Duration,
}

/// Where a node's counters stood.
#[derive(Debug, Clone, Copy)]
struct Mark {
    cycle: u64,
    light: u64,
    deep: u64,
    radio_asleep: u64,
}

impl Mark {
    fn of(node: &FieldNode) -> Mark {
        Mark {
            cycle: node.cycle,
            light: node.light,
            deep: node.deep,
            radio_asleep: node.radio_asleep,
        }
    }

    /// What has been spent since then, with so long on the air.
    fn spent(&self, node: &FieldNode, sending: Duration) -> Spent {
        let time = |cycles: u64| Duration::from_secs_f64(cycles as f64 / node.clock_hz() as f64);
        let all = time(node.cycle - self.cycle);
        let (idle, power_down) = (time(node.light - self.light), time(node.deep - self.deep));
        let radio_asleep = time(node.radio_asleep - self.radio_asleep);
        Spent {
            awake: all.saturating_sub(idle + power_down),
            idle,
            power_down,
            sending,
            listening: all.saturating_sub(radio_asleep + sending),
            radio_asleep,
        }
    }
}

impl Spent {
    /// All of it.
    pub fn all(&self) -> Duration {
        self.awake + self.idle + self.power_down
    }
}

/// A frame of the link that carries a reading: sealed by the node, and longer than one that
/// only acknowledges [docs/protocol.md, Data].
fn is_reading(frame: &[u8]) -> bool {
    const UP: u8 = 0x70;
    const ACKNOWLEDGEMENT_MAX: usize = 25;
    frame.first().is_some_and(|first| first & 0xf0 == UP) && frame.len() > ACKNOWLEDGEMENT_MAX
}

/// Frames out of what the chip sends: silence ends one.
#[derive(Debug, Default)]
struct Frames {
    open: Vec<u8>,
    last: Duration,
    on_air: Duration,
}

impl Frames {
    fn push(&mut self, now: Duration, sent: &[u8], tally: &mut Tally) {
        if !sent.is_empty() {
            self.open.extend(sent);
            self.last = now;
        } else if now >= self.last + Parameters::default().uart().byte() * SILENCE_BYTES
            && !self.open.is_empty()
        {
            tally.frames_out += 1;
            tally.readings += u64::from(is_reading(&self.open));
            let parameters = Parameters::default();
            let rate = parameters.air_rate();
            self.on_air += rate.airtime(self.open.len(), parameters.fec());
            self.open.clear();
        }
    }
}

/// How far the chip may fall behind the wall clock and still make up for it. What is late by
/// more stays late: a chip that runs faster than the clock would not wait for its answers.
const BEHIND: Duration = Duration::from_millis(200);

/// How long a finger is on the button to start a pairing, and to confirm one.
const SHORT_PRESS: Duration = Duration::from_millis(200);
const LONG_PRESS: Duration = Duration::from_millis(2_500);
/// A button that is held while the station starts makes it forget its keys.
const STARTED: Duration = Duration::from_secs(1);

/// Runs the station at the pace of the wall clock until the plan is carried out or `stop` is
/// set. `hear` is told each line of its console. A station that is not paired gets the short
/// press that starts a pairing; when `confirm` is set, the long one that confirms it.
pub fn run(
    node: &mut FieldNode,
    radio: &mut impl Radio,
    rain: &mut Rain,
    plan: &Plan,
    stop: &AtomicBool,
    confirm: &AtomicBool,
    mut hear: impl FnMut(&str),
) -> Result<Tally> {
    let start = Instant::now();
    let mut late = Duration::ZERO;
    let mut tally = Tally::default();
    let mut frames = Frames::default();
    let (mut start_pairing, mut release) = (None, None);
    let mut mark = None;
    let limit = plan.limit;
    let done = |tally: &Tally| plan.readings.is_some_and(|wanted| tally.readings >= wanted);
    while !done(&tally) && !stop.load(Relaxed) && limit.is_none_or(|most| start.elapsed() < most) {
        let bytes = advance(node, radio)?;
        let now = node.time();
        frames.push(now, &bytes.sent, &mut tally);
        tally.frames_in += u64::from(bytes.come);
        if mark.is_none() && tally.readings > 0 {
            mark = Some((Mark::of(node), frames.on_air));
        }
        if tally.joins > 0 && rain.tips(now) {
            tally.tips += 1;
            node.tip()?;
        }
        while let Some(line) = node.console.pop_front() {
            match line.as_str() {
                "joined" => {
                    tally.joins += 1;
                    tally.joined_now = true;
                }
                "session lost" => {
                    tally.sessions_lost += 1;
                    tally.joined_now = false;
                }
                "unpaired" => start_pairing = Some(now + STARTED),
                _ => {}
            }
            hear(&line);
        }
        if start_pairing.take_if(|at| now >= *at).is_some() {
            node.button(false)?;
            release = Some(now + SHORT_PRESS);
        }
        if confirm.swap(false, Relaxed) {
            node.button(false)?;
            release = Some(now + LONG_PRESS);
        }
        if release.is_some_and(|at| now >= at) {
            node.button(true)?;
            release = None;
        }
        let behind = start.elapsed().saturating_sub(late + now);
        late += behind.saturating_sub(BEHIND);
        std::thread::sleep((late + now).saturating_sub(start.elapsed()));
    }
    if let Some((mark, before)) = mark {
        tally.spent = mark.spent(node, frames.on_air - before);
    }
    Ok(tally)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rain_falls_as_hard_and_as_long_as_it_is_told_to() {
        let tips = |seed, an_hour, most| -> Vec<u64> {
            let mut rain = Rain::new(seed, an_hour, most);
            let second = |s| rain.tips(Duration::from_secs(s)).then_some(s);
            (0..36_000).filter_map(second).collect()
        };
        let few = tips(1, 60.0, u64::MAX);
        assert!((500..700).contains(&few.len()), "{}", few.len());
        assert_eq!(few, tips(1, 60.0, u64::MAX));
        assert_ne!(few, tips(2, 60.0, u64::MAX));
        assert_eq!(tips(1, 60.0, 7), few[..7]);
        assert!(tips(1, 0.0, u64::MAX).is_empty());
    }

    #[test]
    fn readings_are_told_from_other_frames() {
        let mut frames = Frames::default();
        let mut tally = Tally::default();
        let mut at = 0;
        for (first, size) in [(0x50, 58), (0x70, 29), (0x72, 15), (0x74, 33), (0x60, 40)] {
            for byte in 0..size {
                at += 1;
                let byte = if byte == 0 { first } else { 0x70 };
                frames.push(Duration::from_millis(at), &[byte], &mut tally);
            }
            for _ in 0..5 {
                at += 1;
                frames.push(Duration::from_millis(at), &[], &mut tally);
            }
        }
        assert_eq!((tally.frames_out, tally.readings), (5, 2));
    }
}
