//! The rain gauge of `studies/firmware/node` (field) on a simulated Uno, with a radio module on its
//! UART: a virtual module in this program or in another one, or a module behind a serial port.

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

/// The chip runs this fraction of a second between two polls of its module.
const STEPS_PER_SECOND: u64 = 1000;

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

/// Builds the rain gauge for a board and a suite, with one reading per `every`.
pub fn build(root: &Path, board: &str, suite: &str, every: Duration) -> Result<(Board, Image)> {
    let period = [
        "-UNODE_PERIOD_MS".to_owned(),
        format!("-DNODE_PERIOD_MS={}", every.as_millis()),
    ];
    build_with(root, board, suite, |builder, unit, list| {
        builder.program_role(unit, list, ROLE, &period)
    })
}

/// Bytes exchanged between a chip and its module.
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
    // Cycle spans are for the lab. Here they only take memory.
    node.spans.clear();
    Ok(Passed {
        sent,
        come: !come.is_empty(),
    })
}

/// Advances the chip and its module by a millisecond. The module's bytes and AUX level reach the
/// chip at the end.
pub fn step(node: &mut FieldNode, radio: &mut impl Radio) -> Result<()> {
    advance(node, radio).map(drop)
}

/// Simulated rain: tips at random times, with a given mean rate per hour.
#[derive(Debug)]
pub struct Rain {
    random: ChaCha8Rng,
    an_hour: f64,
    left: u64,
    next: Option<Duration>,
}

impl Rain {
    /// The same seed gives the same rain. It ends after `tips` tips.
    pub fn new(seed: u64, tips_an_hour: f64, tips: u64) -> Rain {
        Rain {
            random: ChaCha8Rng::seed_from_u64(seed),
            an_hour: tips_an_hour,
            left: tips,
            next: None,
        }
    }

    /// Returns true if a tip is due at `now`. The rain starts at the first call.
    fn tips(&mut self, now: Duration) -> bool {
        if self.an_hour <= 0.0 || self.left == 0 {
            return false;
        }
        let due = self.next.is_some_and(|next| now >= next);
        if due || self.next.is_none() {
            let waited: f64 = self.random.random_range(f64::MIN_POSITIVE..1.0);
            let seconds = -waited.ln() * 3600.0 / self.an_hour;
            // A bucket cannot tip faster.
            self.next = Some(now + Duration::from_secs_f64(seconds.clamp(0.5, 1e6)));
        }
        self.left -= u64::from(due);
        due
    }
}

/// Parameters of a station.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// Number of readings; `None` for no limit.
    pub readings: Option<u64>,
    /// Latest time to stop, by the wall clock.
    pub limit: Option<Duration>,
}

/// Activity of a station.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Number of joins.
    pub joins: u64,
    /// True if it has a session now.
    pub joined_now: bool,
    /// Sessions that it has lost.
    pub sessions_lost: u64,
    /// Readings sent. A repeated frame counts again.
    pub readings: u64,
    /// Frames sent.
    pub frames_out: u64,
    /// Bursts of bytes received.
    pub frames_in: u64,
    /// Bucket tips since it joined.
    pub tips: u64,
    /// Time that chip and module spent in each state since the first reading.
    pub spent: Spent,
}

/// Time in each state, from which the energy is computed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// The core is running, or its oscillator is starting.
    pub awake: Duration,
    /// The core sleeps and its timers run.
    pub idle: Duration,
    /// Its oscillator is stopped.
    pub power_down: Duration,
    /// The module is transmitting at 2.4 kbit/s.
    pub sending: Duration,
    /// The module is awake and not transmitting.
    pub listening: Duration,
    /// The module is asleep.
    pub radio_asleep: Duration,
}

/// Snapshot of a node's counters.
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

    /// Time spent since the snapshot, of which `sending` was on the air.
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
    /// The total.
    pub fn all(&self) -> Duration {
        self.awake + self.idle + self.power_down
    }
}

/// Returns true for a frame that carries a reading: sealed by the node, and longer than a mere
/// acknowledgement [docs/protocol.md, Data].
fn is_reading(frame: &[u8]) -> bool {
    const UP: u8 = 0x70;
    const ACKNOWLEDGEMENT_MAX: usize = 25;
    frame.first().is_some_and(|first| first & 0xf0 == UP) && frame.len() > ACKNOWLEDGEMENT_MAX
}

/// Splits the chip's output into frames, which silence ends.
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

/// The chip may fall this far behind the wall clock and still catch up. A larger delay remains,
/// because a chip that runs faster than the clock would not wait for its answers.
const BEHIND: Duration = Duration::from_millis(200);

/// Duration of a button press that starts a pairing, and of one that confirms it.
const SHORT_PRESS: Duration = Duration::from_millis(200);
const LONG_PRESS: Duration = Duration::from_millis(2_500);
/// Holding the button during the start makes the station forget its keys.
const STARTED: Duration = Duration::from_secs(1);

impl Tally {
    /// Counts what a line of the console says about sessions.
    fn note(&mut self, line: &str) {
        match line {
            "joined" => {
                self.joins += 1;
                self.joined_now = true;
            }
            "session lost" => {
                self.sessions_lost += 1;
                self.joined_now = false;
            }
            _ => {}
        }
    }
}

/// Runs the station in real time until the plan is complete or `stop` is set. `hear` receives
/// each console line. An unpaired station gets the short press that starts a pairing, and, if
/// `confirm` is set, the long press that confirms it.
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
            tally.note(&line);
            if line == "unpaired" {
                start_pairing = Some(now + STARTED);
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
