//! One E32 module as a pure state machine. Inputs: bytes on RXD, pin levels and the time.
//! Outputs: bytes on TXD, the level of AUX, and packets to send. No I/O, no threads, no clock.
//!
//! The model follows the manual [E32-MANUAL, 5.6, 6, 7]. Where the manual is silent, the model
//! does this:
//!
//! | not in the manual | this model |
//! |---|---|
//! | duration of a power-on reset | [`RESET`] |
//! | duration of AUX low after sleep mode | [`RECONFIGURE`] |
//! | the 513th byte | is lost and counted |
//! | separation of frames that wait in the buffer | silence on the UART ends a frame, and a sub-packet never holds bytes of two frames |
//! | whether the head of fixed transmission counts among the 58 bytes, and its scope | it does not count; it applies to all sub-packets of its frame |
//! | a frame that consists of the head only, or less | nothing is sent |
//! | an invalid or incomplete command | no answer; silence ends it |
//! | the answer to a setting | the six bytes as they are then |
//! | a preamble shorter than the sleeper's interval | the packet is missed |
//! | packets received while TXD is busy | are output without a pause; beyond 512 bytes a packet is lost and counted |
//! | a pin change while the last packet is on the air | takes effect after its end |

use std::collections::VecDeque;

use crate::{Time, nanos};
use selo_e32::parameters::{EVERYONE, Parameters, SILENCE_BYTES, Uart};

mod kinds;

use kinds::{AFTER_AUX, AFTER_PINS};
pub use kinds::{
    BEFORE_OUTPUT, BUFFER, Counts, Mode, Output, Packet, RECONFIGURE, RESET, SUB_PACKET,
};

/// Destination of a frame in fixed transmission.
#[derive(Debug, Clone, Copy)]
struct Head {
    address: u16,
    channel: u8,
}

/// See the module's documentation.
#[derive(Debug, Clone)]
pub struct Module {
    /// Parameters that survive a power loss.
    saved: Parameters,
    live: Parameters,
    mode: Mode,
    pins: Mode,
    pins_at: Time,
    /// End of a reset or reconfiguration.
    busy_until: Option<Time>,
    /// Bytes for the air.
    input: VecDeque<u8>,
    /// Length of each complete frame in `input`.
    frames: VecDeque<usize>,
    /// Number of bytes in `input` after the complete frames, and the time of the last one.
    open: usize,
    last_byte: Option<Time>,
    /// The head of the first frame in `input`, once it has been removed.
    head: Option<Head>,
    on_air_until: Option<Time>,
    /// Bytes for TXD, and the time when the next one is complete.
    output: VecDeque<u8>,
    next_output: Option<Time>,
    command: Vec<u8>,
    aux_low: bool,
    aux_rose: Time,
    counts: Counts,
}

impl Module {
    /// A module that is switched on at `now`, with M1 and M0 low.
    pub fn new(parameters: Parameters, now: Time) -> Module {
        let mut module = Module {
            saved: parameters,
            live: parameters,
            mode: Mode::Normal,
            pins: Mode::Normal,
            pins_at: now,
            busy_until: None,
            input: VecDeque::new(),
            frames: VecDeque::new(),
            open: 0,
            last_byte: None,
            head: None,
            on_air_until: None,
            output: VecDeque::new(),
            next_output: None,
            command: Vec::new(),
            aux_low: false,
            aux_rose: now,
            counts: Counts::default(),
        };
        module.reset(now);
        module
    }

    /// Cycles the power.
    pub fn power_cycle(&mut self, now: Time) {
        self.mode = self.pins;
        self.on_air_until = None;
        self.reset(now);
    }

    fn reset(&mut self, now: Time) {
        self.live = self.saved;
        self.input.clear();
        self.frames.clear();
        self.open = 0;
        self.last_byte = None;
        self.head = None;
        self.output.clear();
        self.next_output = None;
        self.command.clear();
        self.busy_until = Some(now + nanos(RESET));
        self.update_aux(now);
    }

    /// The level of AUX; high means idle.
    pub fn aux(&self) -> bool {
        !self.aux_low
    }

    /// Returns true if bytes wait for TXD.
    pub fn is_saying(&self) -> bool {
        !self.output.is_empty()
    }

    /// The active parameters.
    pub fn parameters(&self) -> Parameters {
        self.live
    }

    /// The active mode.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The current UART settings.
    pub fn uart(&self) -> Uart {
        match self.mode {
            Mode::Sleep => Uart::CONFIGURATION,
            _ => self.live.uart(),
        }
    }

    /// The counters.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Returns true if its receiver is on and it is not transmitting.
    pub fn listening(&self) -> bool {
        self.busy_until.is_none() && self.on_air_until.is_none() && self.mode != Mode::Sleep
    }

    /// Returns true if a packet that reached its receiver is addressed to it.
    pub fn accepts(&self, packet: &Packet) -> bool {
        let own = self.live.address();
        let woken = packet
            .preamble
            .is_some_and(|preamble| preamble >= self.live.wake_up());
        self.listening()
            && packet.channel == self.live.channel()
            && packet.rate == self.live.air_rate()
            && packet.fec == self.live.fec()
            && (packet.address == own || packet.address == EVERYONE || own == EVERYONE)
            && (self.mode != Mode::PowerSaving || woken)
    }

    /// Sets the levels of M1 and M0. The mode changes when the module is idle.
    pub fn set_pins(&mut self, now: Time, m1: bool, m0: bool) {
        let pins = Mode::of(m1, m0);
        if pins != self.pins {
            self.pins = pins;
            self.pins_at = now;
        }
    }

    /// Delivers a byte on RXD. Call [`Module::advance`] up to now first.
    pub fn receive_byte(&mut self, now: Time, byte: u8) {
        if self.busy_until.is_some() || self.mode == Mode::PowerSaving {
            self.counts.closed += 1;
            return;
        }
        self.last_byte = Some(now);
        if self.mode == Mode::Sleep {
            self.command.push(byte);
            self.obey(now);
        } else if self.input.len() == BUFFER {
            self.counts.overflow += 1;
        } else {
            self.input.push_back(byte);
            self.open += 1;
        }
        self.update_aux(now);
    }

    /// Delivers a packet that was received without error. Call [`Module::advance`] up to now
    /// first. Ignored if it is not addressed to this module.
    pub fn receive_packet(&mut self, now: Time, packet: &Packet) {
        if !self.accepts(packet) {
            return;
        }
        if self.output.len() + packet.payload.len() > BUFFER {
            self.counts.cut += 1;
            return;
        }
        self.counts.received += 1;
        self.say(now, &packet.payload);
    }

    /// Time of its next spontaneous action.
    pub fn deadline(&self) -> Option<Time> {
        let silence = self
            .last_byte
            .map(|last| last + nanos(self.uart().byte() * SILENCE_BYTES));
        [
            self.busy_until,
            silence,
            self.on_air_until,
            self.next_output,
            self.mode_change(),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    /// Runs everything that is due up to now. After a packet starts, [`Module::advance`] must be
    /// called at its end at the latest.
    pub fn advance(&mut self, now: Time, out: &mut Vec<(Time, Output)>) {
        // Carries out at once what the last external call made possible.
        while let Some(at) = self.deadline().filter(|at| *at <= now) {
            self.happen(at, out);
            self.update_aux(at);
            self.transmit(at, out);
            self.update_aux(at);
        }
        self.transmit(now, out);
        self.update_aux(now);
    }

    /// Time at which the mode requested by the pins becomes active.
    fn mode_change(&self) -> Option<Time> {
        let free = self.pins != self.mode && !self.aux_low && self.on_air_until.is_none();
        free.then(|| {
            let pins = self.pins_at + nanos(AFTER_PINS);
            // If AUX has been high for long enough, the change takes effect at once.
            pins.max(self.aux_rose + nanos(AFTER_AUX))
        })
    }

    /// Runs the action that is due at `at`, the deadline.
    fn happen(&mut self, at: Time, out: &mut Vec<(Time, Output)>) {
        if self.busy_until == Some(at) {
            self.busy_until = None;
        } else if self.on_air_until == Some(at) {
            self.on_air_until = None;
        } else if self.next_output == Some(at) {
            if let Some(byte) = self.output.pop_front() {
                out.push((at, Output::Byte(byte)));
            }
            let more = !self.output.is_empty();
            self.next_output = more.then(|| at + nanos(self.uart().byte()));
        } else if self.mode_change() == Some(at) {
            let from = std::mem::replace(&mut self.mode, self.pins);
            self.command.clear();
            self.last_byte = None;
            if from == Mode::Sleep {
                self.busy_until = Some(at + nanos(RECONFIGURE));
            }
        } else {
            self.silence();
        }
    }

    /// The UART has been silent long enough to end a frame or a command.
    fn silence(&mut self) {
        self.last_byte = None;
        if !self.command.is_empty() {
            self.command.clear();
            self.counts.malformed += 1;
        }
        if self.open > 0 {
            self.frames.push_back(self.open);
            self.open = 0;
        } else if self.frames.is_empty() {
            // Its last sub-packet was sent when it was full. The frame ends only now.
            self.head = None;
        }
    }

    /// Starts the next sub-packet if there is one and the transmitter is free.
    fn transmit(&mut self, now: Time, out: &mut Vec<(Time, Output)>) {
        let talks = matches!(self.mode, Mode::Normal | Mode::WakeUp);
        if !talks || self.busy_until.is_some() {
            return;
        }
        while self.on_air_until.is_none() {
            if self.live.fixed() && self.head.is_none() && !self.take_head() {
                return;
            }
            let (size, ends) = match self.frames.front() {
                Some(rest) => ((*rest).min(SUB_PACKET), *rest <= SUB_PACKET),
                None if self.open >= SUB_PACKET => (SUB_PACKET, false),
                None => return,
            };
            let head = self.head.unwrap_or(Head {
                address: self.live.address(),
                channel: self.live.channel(),
            });
            let payload: Vec<u8> = self.take(size);
            if ends {
                self.frames.pop_front();
                self.head = None;
            }
            if payload.is_empty() {
                continue;
            }
            let packet = Packet {
                channel: head.channel,
                rate: self.live.air_rate(),
                fec: self.live.fec(),
                address: head.address,
                preamble: (self.mode == Mode::WakeUp).then(|| self.live.wake_up()),
                power_dbm: self.live.power_dbm(),
                payload,
            };
            self.on_air_until = Some(now + nanos(packet.airtime()));
            self.counts.sent += 1;
            out.push((now, Output::Transmit(packet)));
        }
    }

    /// Removes bytes from the first frame.
    fn take(&mut self, size: usize) -> Vec<u8> {
        match self.frames.front_mut() {
            Some(rest) => *rest -= size,
            None => self.open -= size,
        }
        self.input.drain(..size).collect()
    }

    /// Removes the head from the first frame, if it is complete. Drops frames without a payload.
    fn take_head(&mut self) -> bool {
        const HEAD: usize = 3;
        while let Some(size) = self.frames.front().copied().filter(|size| *size <= HEAD) {
            self.take(size);
            self.frames.pop_front();
            self.counts.malformed += 1;
        }
        if self.frames.is_empty() && self.open < HEAD + SUB_PACKET {
            return false;
        }
        let bytes = self.take(HEAD);
        self.head = Some(Head {
            address: u16::from_be_bytes([bytes[0], bytes[1]]),
            channel: bytes[2] & 0x1f,
        });
        true
    }

    /// Executes the command if it is complete.
    fn obey(&mut self, now: Time) {
        let answer = match self.command[..] {
            [head @ (0xc0 | 0xc2), a, b, c, d, e] => {
                self.live = Parameters::from_bytes([a, b, c, d, e]);
                if head == 0xc0 {
                    self.saved = self.live;
                }
                let mut answer = vec![head];
                answer.extend(self.live.bytes());
                answer
            }
            [0xc1, 0xc1, 0xc1] => {
                let mut answer = vec![0xc0];
                answer.extend(self.live.bytes());
                answer
            }
            // The 433 MHz model, a version, the highest power in dBm.
            [0xc3, 0xc3, 0xc3] => vec![0xc3, 0x32, 0x10, 0x14],
            [0xc4, 0xc4, 0xc4] => {
                self.reset(now);
                return;
            }
            _ => return,
        };
        self.command.clear();
        self.last_byte = None;
        self.say(now, &answer);
    }

    /// Appends bytes to the TXD buffer.
    fn say(&mut self, now: Time, bytes: &[u8]) {
        self.output.extend(bytes);
        if self.next_output.is_none() {
            self.next_output = Some(now + nanos(BEFORE_OUTPUT + self.uart().byte()));
        }
        self.update_aux(now);
    }

    fn update_aux(&mut self, now: Time) {
        let low = self.busy_until.is_some() || !self.input.is_empty() || !self.output.is_empty();
        if self.aux_low && !low {
            self.aux_rose = now;
        }
        self.aux_low = low;
    }
}

#[cfg(test)]
mod tests;
