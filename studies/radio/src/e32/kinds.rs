//! What goes into a module and comes out of it: modes, packets, outputs, counts, and the manual's
//! times and sizes.

use std::time::Duration;

use selo_e32::airtime::AirRate;

/// User bytes in one packet on the air [E32-MANUAL, 6.2].
pub const SUB_PACKET: usize = 58;
/// Capacity of the buffer towards the air, and of the buffer towards TXD, in bytes [E32-MANUAL,
/// 5.6.2].
pub const BUFFER: usize = 512;
/// Time from AUX going low to the first bit of a received packet on TXD [E32-MANUAL, 6.2].
pub const BEFORE_OUTPUT: Duration = Duration::from_millis(5);
/// Duration of a power-on or commanded reset. Not in the manual; [ramalho2024] needed 100 ms to
/// get its module ready.
pub const RESET: Duration = Duration::from_millis(100);
/// Time to apply the parameters on leaving sleep mode. Not in the manual.
pub const RECONFIGURE: Duration = Duration::from_millis(10);
/// Time from a pin change to the new mode [E32-MANUAL, 6.1].
pub(super) const AFTER_PINS: Duration = Duration::from_millis(1);
/// Time from AUX going high to the new mode [E32-MANUAL, 5.6.4].
pub(super) const AFTER_AUX: Duration = Duration::from_millis(2);

/// The operating mode, by the levels of M1 and M0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// 0 0: transparent transmission and reception.
    Normal,
    /// 0 1: the same, with a long preamble that wakes receivers in power saving.
    WakeUp,
    /// 1 0: receives from modules in [`Mode::WakeUp`]; RXD is closed.
    PowerSaving,
    /// 1 1: no radio; configuration commands.
    Sleep,
}

impl Mode {
    /// The mode for these pin levels.
    pub fn of(m1: bool, m0: bool) -> Mode {
        match (m1, m0) {
            (false, false) => Mode::Normal,
            (false, true) => Mode::WakeUp,
            (true, false) => Mode::PowerSaving,
            (true, true) => Mode::Sleep,
        }
    }
}

/// A packet on the air.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packet {
    /// Its channel.
    pub channel: u8,
    /// Its air data rate.
    pub rate: AirRate,
    /// Forward error correction. Modules with different settings do not understand each other.
    pub fec: bool,
    /// Destination address.
    pub address: u16,
    /// Duration of the wake-up preamble, if there is one.
    pub preamble: Option<Duration>,
    /// Transmission power.
    pub power_dbm: i8,
    /// 1 to 58 bytes.
    pub payload: Vec<u8>,
}

impl Packet {
    /// Its time on the air.
    pub fn airtime(&self) -> Duration {
        self.preamble.unwrap_or_default() + self.rate.airtime(self.payload.len(), self.fec)
    }
}

/// An output of the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// A byte is complete on TXD.
    Byte(u8),
    /// A packet starts to be on the air.
    Transmit(Packet),
}

/// Counters of a module.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Packets sent.
    pub sent: u64,
    /// Packets received and understood.
    pub received: u64,
    /// Bytes lost because the buffer was full.
    pub overflow: u64,
    /// Bytes on RXD while the UART was closed: reset, reconfiguration, power saving.
    pub closed: u64,
    /// Invalid commands, and frames of fixed transmission without a payload.
    pub malformed: u64,
    /// Received packets lost because the TXD buffer was full.
    pub cut: u64,
}
