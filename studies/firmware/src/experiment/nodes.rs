//! Two nodes and the air between them, in one simulated time.

use std::collections::BTreeMap;
use std::path::Path;

use selo_e32::parameters::Parameters;
use selo_engine::board::Board;
use selo_engine::build::Image;
use selo_engine::error::{Error, Result};
use selo_engine::interface::{RECEIVE, TRANSMIT};
use selo_engine::runner::Span;
use selo_radio::Time;
use selo_radio::ether::{Ether, Settings, Station, What};
use selo_radio::medium::Position;

use crate::field::FieldNode;

/// The results of a pair of nodes.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// The runs of each operation of a chip, without the cost of the marks.
    pub took: BTreeMap<&'static str, Vec<Span>>,
    /// Seconds on the air, for each packet.
    pub on_air: Vec<f64>,
    /// For each role, the rate between consecutive packets that are sent without a pause, in
    /// packets a second.
    pub rates: BTreeMap<&'static str, Vec<f64>>,
    /// For each role, the deepest stack in bytes, from the end of the RAM.
    pub stack: BTreeMap<&'static str, u64>,
    /// The packets sent to the radio.
    pub aired: Vec<Vec<u8>>,
    /// The packets that the receiver output.
    pub received: Vec<Vec<u8>>,
}

/// Number of packets at the paper's period of five seconds, and number without a pause. The first
/// packet at the period is not timed, because it waits for the radio to start. The first packet
/// without a pause finds the radio free.
const PACED: usize = 5;
const HURRIED: usize = 12;

/// The sensors' values.
const CLOCK: u32 = 1_795_343_211;
const CENTIDEGREES: i16 = -325;
const MILLIVOLTS: u16 = 4_800;

/// The steps of the analogue-to-digital converter are coarse.
const MILLIVOLTS_TOLERANCE: u16 = 24;

/// `READING_RESTARTED` of station/src/selo_station/reading.h.
const RESTARTED: u16 = 2;

/// Steps of the simulated time in nanoseconds. Chips and modules see each other's pins and bytes at
/// most one step late.
const FINE: Time = 100_000;
const COARSE: Time = 1_000_000;
/// The step after a packet at the paper's period, until shortly before the next packet.
const LONG: Time = 50_000_000;
const QUIET: Time = 4_500_000_000;
const SECOND: Time = 1_000_000_000;

/// Distance of the two nodes in metres. At this distance no packet is lost.
const DISTANCE: f64 = 50.0;

/// A node and its radio.
#[derive(Debug)]
struct Side {
    chip: FieldNode,
    station: Station,
    role: &'static str,
    /// Spans that are not yet assigned to a packet.
    spans: Vec<Span>,
    /// Cycles between two marks without code between them.
    marks: u64,
}

/// Both nodes and the air.
#[derive(Debug)]
struct Experiment {
    transmitter: Side,
    receiver: Side,
    ether: Ether,
    /// Whether packets follow without a pause, which needs fine steps.
    hurry: bool,
    plain: bool,
    tips: u32,
    /// The times at which the packets went on the air, and at which the receiver output them.
    sent_at: Vec<Time>,
    handed_at: Vec<Time>,
    /// Lines of the packet that the receiver is printing.
    lines: Vec<String>,
    uart: Vec<u8>,
    measured: Measured,
    /// The folder of the EEPROM files, kept as long as the experiment.
    _folder: tempfile::TempDir,
}

/// Runs both firmwares against each other. `plain` means that they have no cipher.
pub fn run(
    root: &Path,
    board: &Board,
    transmitter: &Image,
    receiver: &Image,
    plain: bool,
) -> Result<Measured> {
    let folder = tempfile::tempdir().map_err(|source| Error::Write {
        path: std::env::temp_dir(),
        source,
    })?;
    let mut ether = Ether::new(Settings::default());
    ether.record();
    let mut side = |role: &'static str, image: &Image, x: f64| -> Result<Side> {
        let eeprom = folder.path().join(role);
        Ok(Side {
            chip: FieldNode::start(root, board, image, &eeprom, CLOCK)?,
            station: ether.add(Position { x, y: 0.0 }, Parameters::default()),
            role,
            spans: Vec::new(),
            marks: 0,
        })
    };
    let mut experiment = Experiment {
        transmitter: side(TRANSMIT, transmitter, DISTANCE)?,
        receiver: side(RECEIVE, receiver, 0.0)?,
        ether,
        hurry: false,
        plain,
        tips: 0,
        sent_at: Vec::new(),
        handed_at: Vec::new(),
        lines: Vec::new(),
        uart: Vec::new(),
        measured: Measured::default(),
        _folder: folder,
    };
    experiment.play()?;
    Ok(experiment.measured)
}

impl Experiment {
    fn play(&mut self) -> Result<()> {
        self.transmitter.chip.temperature(CENTIDEGREES)?;
        self.transmitter.chip.supply(MILLIVOLTS)?;
        self.transmitter.chip.button(true)?;
        self.until_handed_on(1)?;
        self.measured.took.remove(TRANSMIT); // it waited for the radio's start
        while self.measured.received.len() < PACED {
            self.transmitter.chip.tip()?;
            self.tips += 1;
            self.until_handed_on(self.measured.received.len() + 1)?;
        }
        let spans = |measured: &Measured, role| measured.took.get(role).map_or(0, Vec::len);
        let paced = spans(&self.measured, TRANSMIT);
        // The packets from here on follow without a pause. They wait for the radio, so they are not
        // timed.
        self.hurry = true;
        let first = self.sent_at.len();
        self.transmitter.chip.button(false)?;
        self.until_handed_on(PACED + HURRIED)?;
        self.transmitter.chip.button(true)?;
        // Let packets in transit arrive.
        self.hurry = false;
        let end = self.ether.now() + SECOND;
        while self.ether.now() < end {
            self.step()?;
        }
        if let Some(spans) = self.measured.took.get_mut(TRANSMIT) {
            spans.truncate(paced);
        }
        let (sent, received) = (self.measured.aired.len(), self.measured.received.len());
        if sent != received {
            return Err(wrong(format!(
                "{sent} packets were sent, but {received} were received"
            )));
        }
        let last = first + HURRIED;
        for (role, moments) in [(TRANSMIT, &self.sent_at), (RECEIVE, &self.handed_at)] {
            let pairs = moments.get(first..last).unwrap_or_default().windows(2);
            let rates = pairs.map(|pair| SECOND as f64 / (pair[1] - pair[0]).max(1) as f64);
            self.measured.rates.insert(role, rates.collect());
        }
        for side in [&self.transmitter, &self.receiver] {
            self.measured.stack.insert(side.role, side.chip.stack);
        }
        Ok(())
    }

    /// Runs until the receiver has output `count` packets.
    fn until_handed_on(&mut self, count: usize) -> Result<()> {
        let mut end = self.ether.now() + 8 * SECOND;
        while self.measured.received.len() < count {
            let before = self.measured.received.len();
            self.step()?;
            if self.measured.received.len() > before {
                end = self.ether.now() + 8 * SECOND;
            }
            if self.ether.now() > end {
                let sent = self.measured.aired.len();
                return Err(wrong(format!(
                    "delivered {before} of {sent} packets, then none for 8 s"
                )));
            }
        }
        Ok(())
    }

    /// Whether nothing will happen for a while: every packet has been output, and the next one is
    /// far off.
    fn is_quiet(&self, now: Time) -> bool {
        let next = self.sent_at.last().map_or(0, |at| at + QUIET);
        !self.hurry && self.measured.received.len() == self.sent_at.len() && now < next
    }

    /// Advances the chips and the air by one step.
    fn step(&mut self) -> Result<()> {
        selo_engine::schedule::check_interrupt()?;
        let now = self.ether.now();
        let free = if self.hurry { FINE } else { COARSE };
        let to = match self.ether.deadline() {
            Some(at) => at.clamp(now + FINE, now + COARSE),
            None if self.is_quiet(now) => now + LONG,
            None => now + free,
        };
        for side in [&mut self.transmitter, &mut self.receiver] {
            let cycle = u128::from(to) * u128::from(side.chip.clock_hz()) / u128::from(SECOND);
            let cycle = u64::try_from(cycle).unwrap_or(u64::MAX);
            side.chip.advance(cycle.saturating_sub(side.chip.cycle))?;
        }
        self.ether.advance(to);
        for side in [&mut self.transmitter, &mut self.receiver] {
            let bytes = std::mem::take(&mut side.chip.uart);
            self.ether.write(side.station, &bytes);
            if side.role == TRANSMIT {
                self.uart.extend(bytes);
            }
            let (m1, m0) = side.chip.pins;
            self.ether.set_pins(side.station, m1, m0);
            side.chip.set_aux(self.ether.aux(side.station))?;
            side.chip.receive(&self.ether.read(side.station))?;
            side.spans.append(&mut side.chip.spans);
        }
        self.look_at_air()?;
        self.look_at_transmitter()?;
        self.look_at_receiver()
    }

    fn look_at_air(&mut self) -> Result<()> {
        for event in self.ether.take_events() {
            match event.what {
                What::Sends { until, .. } => {
                    self.sent_at.push(event.at);
                    let seconds = (until - event.at) as f64 / SECOND as f64;
                    self.measured.on_air.push(seconds);
                }
                What::Heard { .. } => {}
                lost => return Err(wrong(format!("a packet was lost on the air: {lost:?}"))),
            }
        }
        Ok(())
    }

    fn look_at_transmitter(&mut self) -> Result<()> {
        self.transmitter
            .begin("start-transmit", &mut self.measured)?;
        let spans = self.transmitter.packet();
        let Some([reading, cipher, radio]) = spans else {
            return Ok(());
        };
        let packet: Vec<u8> = self.uart.drain(..).collect();
        if packet.len() != 16 {
            return Err(wrong(format!("sent {} bytes, not 16", packet.len())));
        }
        self.measured.aired.push(packet);
        self.measured.note("encrypt", cipher);
        self.measured.note(TRANSMIT, sum(&[reading, cipher, radio]));
        Ok(())
    }

    fn look_at_receiver(&mut self) -> Result<()> {
        self.receiver.begin("start-receive", &mut self.measured)?;
        self.lines.extend(self.receiver.chip.console.drain(..));
        let Some([frame, cipher, line]) = self.receiver.packet() else {
            return Ok(());
        };
        self.measured.note("decrypt", cipher);
        self.measured.note(RECEIVE, sum(&[frame, cipher, line]));
        let lines = std::mem::take(&mut self.lines);
        let packet = handed_on(&lines)
            .ok_or_else(|| wrong(format!("delivered {lines:?}, which is not a packet")))?;
        self.check(&packet)?;
        self.handed_at.push(self.ether.now());
        self.measured.received.push(packet);
        Ok(())
    }

    /// Checks that the packet just output has the sensors' values.
    fn check(&self, packet: &[u8]) -> Result<()> {
        let number = self.measured.received.len();
        let differs = |what: &str| {
            let packet = hex::encode(packet);
            wrong(format!("delivered {packet} as packet {number}: {what}"))
        };
        let sent = self.sent_at.get(number);
        let aired = self.measured.aired.get(number);
        let (Some(sent), Some(aired)) = (sent, aired) else {
            return Err(differs("it was not sent"));
        };
        if (aired == packet) != self.plain {
            return Err(differs(
                "it was sent in clear although the variant encrypts, or encrypted although it does not",
            ));
        }
        let word = |at: usize| {
            let bytes = packet.get(at..at + 4).and_then(|b| b.try_into().ok());
            u32::from_le_bytes(bytes.unwrap_or_default())
        };
        // The node reads the clock up to a packet's time before the packet is on the air.
        let latest = CLOCK + u32::try_from(sent / SECOND).unwrap_or(u32::MAX);
        if !(latest.saturating_sub(1)..=latest).contains(&word(0)) {
            return Err(differs("the time differs from the clock"));
        }
        if word(4) != self.tips {
            return Err(differs("the tips differ from the gauge"));
        }
        if word(8) as i32 != i32::from(CENTIDEGREES) {
            return Err(differs("the temperature differs from the thermometer"));
        }
        let (millivolts, status) = (word(12) as u16, (word(12) >> 16) as u16);
        if millivolts.abs_diff(MILLIVOLTS) > MILLIVOLTS_TOLERANCE {
            return Err(differs("the supply voltage differs from the battery"));
        }
        if status != if number == 0 { RESTARTED } else { 0 } {
            return Err(differs("the status does not match a working node"));
        }
        Ok(())
    }
}

impl Side {
    /// Records the start-up once it is over: its span, and the span of an empty operation.
    fn begin(&mut self, operation: &'static str, measured: &mut Measured) -> Result<()> {
        if self.marks == 0
            && let [start, empty, ..] = self.spans[..]
        {
            self.marks = empty.cycles;
            self.spans.drain(..2);
            measured.note(operation, self.without_marks(start));
        }
        Ok(())
    }

    /// The three spans of a packet, once all three have arrived.
    fn packet(&mut self) -> Option<[Span; 3]> {
        if self.marks == 0 || self.spans.len() < 3 {
            return None;
        }
        let three = [self.spans[0], self.spans[1], self.spans[2]];
        self.spans.drain(..3);
        Some(three.map(|span| self.without_marks(span)))
    }

    fn without_marks(&self, span: Span) -> Span {
        Span {
            cycles: span.cycles.saturating_sub(self.marks),
            ..span
        }
    }
}

impl Measured {
    fn note(&mut self, operation: &'static str, span: Span) {
        self.took.entry(operation).or_default().push(span);
    }
}

fn sum(spans: &[Span]) -> Span {
    let of = |pick: fn(&Span) -> u64| spans.iter().map(pick).sum();
    Span {
        cycles: of(|span| span.cycles),
        slept: of(|span| span.slept),
        stack: spans.iter().map(|span| span.stack).max().unwrap_or(0),
    }
}

/// Parses a packet that the receiver printed: a line with the time of arrival, then four lines with
/// one variable each.
fn handed_on(lines: &[String]) -> Option<Vec<u8>> {
    let [head, variables @ ..] = lines else {
        return None;
    };
    head.strip_prefix("packet ")?.parse::<u32>().ok()?;
    let mut bytes = Vec::new();
    for line in variables {
        bytes.extend(u32::from_str_radix(line, 16).ok()?.to_le_bytes());
    }
    (variables.len() == 4).then_some(bytes)
}

pub(super) fn wrong(what: String) -> Error {
    Error::Node(what)
}
