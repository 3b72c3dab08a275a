//! What happens on the air, and its counts.

use crate::Time;
use crate::e32::Counts;
use crate::medium::Reception;

/// Number of a module of an [`Ether`](super::Ether), in the order of
/// [`Ether::add`](super::Ether::add).
pub type Station = usize;

/// A recorded event.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Its time.
    pub at: Time,
    /// The module.
    pub station: Station,
    /// The kind of event.
    pub what: What,
}

/// See [`Event`].
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// It started to transmit.
    Sends {
        /// User bytes.
        bytes: usize,
        /// End of the transmission.
        until: Time,
    },
    /// A transmission was suppressed by the duty-cycle limit.
    Refused,
    /// It received a packet.
    Heard {
        /// The sending module.
        from: Station,
        /// Signal strength.
        rssi_dbm: f64,
    },
    /// It missed a packet that was addressed to it.
    Missed {
        /// The sending module.
        from: Station,
        /// User bytes.
        bytes: usize,
        /// The reason, never [`Reception::Received`].
        why: Reception,
    },
}

/// Counters of one module's bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// The module's own counters.
    pub module: Counts,
    /// Packets for it that it missed because it was asleep or transmitting.
    pub deaf: u64,
    /// Packets that it missed because they were too weak.
    pub weak: u64,
    /// Packets that it missed because of a collision.
    pub collided: u64,
    /// Bytes between host and module that were garbled by different UART settings.
    pub garbled: u64,
    /// Time on the air.
    pub on_air: Time,
    /// Transmissions beyond the duty-cycle limit.
    pub over_duty: u64,
}
