//! A node on a simulated board whose serial line leads to a gateway: the firmware of
//! `studies/firmware/node`, run by the lab's simulator, with UDP behind the line.

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use selo_engine::board::Board;
use selo_engine::build::{Builder, Image};
use selo_engine::library::Unit;
use selo_engine::project::{Project, Selection};
use selo_firmware::node::{Node, eeprom_with};

use crate::error::{Error, Result};
use crate::fleet::{Tally, any_port};
use crate::reading::{RainGauge, wall_clock};
use crate::records::Record;

/// The chip runs this fraction of a second between two polls of its line and the network.
const STEPS_PER_SECOND: u64 = 500;

/// Time allowed for a round trip of a frame that expects an answer. Until it passes, a chip that
/// runs at full speed is held back; otherwise its clock would be far ahead of the gateway's.
const ANSWER: Duration = Duration::from_millis(500);

/// The type of a sealed frame from a node [docs/protocol.md, Data].
const UP: u8 = 0x70;

/// Console output of the firmware.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said<'a> {
    /// Digits to compare. The line contains them too.
    Digits(u32),
    /// A line.
    Line(&'a str),
    /// A payload from the gateway.
    Payload(&'a [u8]),
}

/// The operator's answer about the digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// The digits match.
    Same,
    /// The digits differ.
    Different,
}

/// Parameters of a run.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The gateway.
    pub to: SocketAddr,
    /// Time between two readings, by the chip's clock.
    pub every: Duration,
    /// Number of readings; `None` for no limit.
    pub readings: Option<u64>,
    /// Repeats every reading until the gateway acknowledges it.
    pub confirmed: bool,
    /// Runs at the simulator's full speed instead of in real time.
    pub fast: bool,
    /// Seed of the weather.
    pub seed: u64,
    /// Latest time to stop, by the wall clock.
    pub limit: Option<Duration>,
}

/// Builds the firmware for a board and a suite.
pub fn build(root: &Path, board: &str, suite: &str) -> Result<(Board, Image)> {
    build_with(root, board, suite, |builder, unit, list| {
        builder.program(unit, list)
    })
}

/// Finds the node's firmware for a board and a suite. `build` creates its image.
pub(crate) fn build_with(
    root: &Path,
    board: &str,
    suite: &str,
    build: impl FnOnce(&Builder<'_>, &Unit<'_>, &Path) -> selo_engine::Result<Image>,
) -> Result<(Board, Image)> {
    let project = Project::load(root)?;
    let board = project.board(board)?;
    let selection = Selection {
        libraries: vec!["selo".into()],
        algorithms: vec!["link".into()],
        variants: vec![suite.into()],
    };
    let units = project.units(board, &selection)?;
    let unit = units.iter().find(|unit| unit.program().is_some());
    let (unit, list) = unit
        .and_then(|unit| Some((unit, unit.program()?)))
        .ok_or_else(|| selo_engine::Error::NothingSelected {
            what: format!("there is no node firmware for board '{}'", board.name),
        })?;
    let image = build(&Builder::new(&project, board)?, unit, &list)?;
    Ok((board.clone(), image))
}

/// Writes an EEPROM image that holds `record`, for a board that starts for the first time.
pub fn write_eeprom(path: &Path, record: &Record) -> Result<()> {
    use std::io::Write as _;
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut options = std::fs::OpenOptions::new();
    options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .and_then(|mut file| {
            file.write_all(&eeprom_with(record))?;
            file.sync_all()
        })
        .map_err(|source| Error::Write {
            path: path.into(),
            source,
        })
}

/// A running board.
struct Running<'p> {
    node: Node,
    plan: &'p Plan,
    socket: UdpSocket,
    gauge: RainGauge,
    clock_hz: u64,
    start: Instant,
    tally: Tally,
    joined: bool,
    unconfirmed: bool,
    /// The chip was given a reading and has neither sent nor refused it.
    unsent: bool,
    next_reading: u64,
    /// Time at which a frame was sent that the gateway will answer.
    asked: Option<Instant>,
}

/// Runs the board until the plan is complete or `stop` is set. `hear` receives the firmware's
/// output. Its answer to digits is the operator's.
pub fn run(
    node: Node,
    clock_hz: u64,
    plan: &Plan,
    stop: &AtomicBool,
    mut hear: impl FnMut(Said<'_>) -> Option<Word>,
) -> Result<Tally> {
    let network = |source| Error::Network {
        address: plan.to,
        source,
    };
    let socket = UdpSocket::bind(any_port(plan.to)).map_err(network)?;
    socket.connect(plan.to).map_err(network)?;
    let mut board = Running {
        node,
        plan,
        socket,
        gauge: RainGauge::new(plan.seed, 0),
        clock_hz,
        start: Instant::now(),
        tally: Tally::default(),
        joined: false,
        unconfirmed: false,
        unsent: false,
        next_reading: 0,
        asked: None,
    };
    while !board.is_done() && !stop.load(Relaxed) {
        if plan
            .limit
            .is_some_and(|limit| board.start.elapsed() >= limit)
        {
            break;
        }
        board.node.advance(clock_hz / STEPS_PER_SECOND)?;
        board.listen(&mut hear)?;
        board.send()?;
        board.read()?;
        board.receive()?;
    }
    Ok(board.tally)
}

impl Running<'_> {
    fn is_done(&self) -> bool {
        let sent = |readings| self.tally.sent >= readings && !self.unsent && !self.unconfirmed;
        self.joined && self.plan.readings.is_some_and(sent)
    }

    fn network(&self, source: io::Error) -> Error {
        Error::Network {
            address: self.plan.to,
            source,
        }
    }

    /// Handles the chip's output.
    fn listen(&mut self, hear: &mut impl FnMut(Said<'_>) -> Option<Word>) -> Result<()> {
        while let Some(line) = self.node.console.pop_front() {
            match line.as_str() {
                "joined" => {
                    self.tally.joined = 1;
                    self.tally.joined_now = 1;
                    self.tally.rejoins += u64::from(self.joined);
                    self.joined = true;
                    self.next_reading = self.next_reading.max(self.node.cycle);
                }
                "session lost" => {
                    self.tally.sessions_lost += 1;
                    self.tally.joined_now = 0;
                }
                "delivered" => {
                    self.tally.acknowledged += 1;
                    self.unconfirmed = false;
                }
                "undelivered" => {
                    self.tally.lost += 1;
                    self.unconfirmed = false;
                }
                // Running an unpaired board means that it is to be paired.
                "unpaired" => self.node.command("pair")?,
                refused if refused.starts_with("error ") => self.unsent = false,
                _ => {}
            }
            hear(Said::Line(&line));
            let digits = line
                .strip_prefix("digits ")
                .and_then(|text| text.parse().ok());
            if let Some(word) = digits.and_then(|digits| hear(Said::Digits(digits))) {
                self.node.command(match word {
                    Word::Same => "confirm",
                    Word::Different => "reject",
                })?;
            }
        }
        while let Some(payload) = self.node.payloads.pop_front() {
            self.tally.received += 1;
            hear(Said::Payload(&payload));
        }
        // Cycle spans are for the lab. Here they only take memory.
        self.node.spans.clear();
        Ok(())
    }

    /// Sends frames from the chip to the gateway.
    fn send(&mut self) -> Result<()> {
        while let Some(frame) = self.node.link.pop_front() {
            self.tally.frames_out += 1;
            self.unsent &= frame.first().is_none_or(|first| first & 0xf0 != UP);
            if expects_answer(&frame) {
                self.asked = Some(Instant::now());
            }
            match self.socket.send(&frame) {
                Ok(_) => {}
                Err(error) if is_momentary(&error) => self.tally.send_errors += 1,
                Err(source) => return Err(self.network(source)),
            }
        }
        Ok(())
    }

    /// Gives the chip a reading if one is due.
    fn read(&mut self) -> Result<()> {
        let all = self
            .plan
            .readings
            .is_some_and(|readings| self.tally.sent >= readings);
        if all || self.tally.joined_now == 0 || self.unconfirmed {
            return Ok(());
        }
        if self.node.cycle < self.next_reading {
            return Ok(());
        }
        let reading = self.gauge.read(wall_clock());
        self.node.reading(&reading, self.plan.confirmed)?;
        self.tally.sent += 1;
        self.unsent = true;
        self.unconfirmed = self.plan.confirmed;
        let pause = (self.plan.every.as_secs_f64() * self.clock_hz as f64) as u64;
        self.next_reading = self.node.cycle + pause;
        Ok(())
    }

    /// Passes frames from the gateway to the chip. Waits for them as long as the chip may be held
    /// back.
    fn receive(&mut self) -> Result<()> {
        let wait = if self.plan.fast {
            let asked = self.asked.take();
            asked.map_or(Duration::ZERO, |asked| {
                ANSWER.saturating_sub(asked.elapsed())
            })
        } else {
            let chip = Duration::from_secs_f64(self.node.cycle as f64 / self.clock_hz as f64);
            chip.saturating_sub(self.start.elapsed())
        };
        let mut packet = [0; 2048];
        let end = Instant::now() + wait;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let set = match left {
                Duration::ZERO => self.socket.set_nonblocking(true),
                left => self
                    .socket
                    .set_nonblocking(false)
                    .and_then(|()| self.socket.set_read_timeout(Some(left))),
            };
            set.map_err(|source| self.network(source))?;
            match self.socket.recv(&mut packet) {
                Ok(size) => {
                    self.tally.frames_in += 1;
                    // A carrier drops packets longer than any frame.
                    if size <= selo_sys::node::FRAME_MAX {
                        self.node.send_frame(&packet[..size])?;
                    }
                    if self.plan.fast {
                        return Ok(());
                    }
                }
                Err(error) if is_momentary(&error) => {
                    if left.is_zero() {
                        return Ok(());
                    }
                }
                Err(source) => return Err(self.network(source)),
            }
        }
    }
}

/// Returns true if the gateway answers such a frame at once.
fn expects_answer(frame: &[u8]) -> bool {
    const ACK_REQUEST: u8 = 4;
    match frame.first() {
        Some(0x10 | 0x50) => true,
        Some(first) if first & 0xf0 == UP => first & ACK_REQUEST != 0,
        _ => false,
    }
}

fn is_momentary(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock
            | io::ErrorKind::TimedOut
            | io::ErrorKind::Interrupted
            | io::ErrorKind::ConnectionRefused
    )
}

#[cfg(test)]
mod tests;
