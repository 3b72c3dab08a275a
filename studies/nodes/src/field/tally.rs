//! The counts and the energy of a run.

use std::time::Duration;

use selo_e32::parameters::{Parameters, SILENCE_BYTES};
use selo_firmware::field::FieldNode;

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
pub(super) struct Mark {
    cycle: u64,
    light: u64,
    deep: u64,
    radio_asleep: u64,
}

impl Mark {
    pub(super) fn of(node: &FieldNode) -> Mark {
        Mark {
            cycle: node.cycle,
            light: node.light,
            deep: node.deep,
            radio_asleep: node.radio_asleep,
        }
    }

    /// Time spent since the snapshot, of which `sending` was on the air.
    pub(super) fn spent(&self, node: &FieldNode, sending: Duration) -> Spent {
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

/// Splits the chip's output into frames, which silence ends.
#[derive(Debug, Default)]
pub(super) struct Frames {
    open: Vec<u8>,
    last: Duration,
    pub(super) on_air: Duration,
}

impl Frames {
    pub(super) fn push(&mut self, now: Duration, sent: &[u8], tally: &mut Tally) {
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

impl Tally {
    /// Counts what a line of the console says about sessions.
    pub(super) fn note(&mut self, line: &str) {
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

/// Returns true for a frame that carries a reading: sealed by the node, and longer than a mere
/// acknowledgement [docs/protocol.md, Data].
fn is_reading(frame: &[u8]) -> bool {
    const UP: u8 = 0x70;
    const ACKNOWLEDGEMENT_MAX: usize = 25;
    frame.first().is_some_and(|first| first & 0xf0 == UP) && frame.len() > ACKNOWLEDGEMENT_MAX
}
