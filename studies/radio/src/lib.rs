//! Simulated E32 radio modules and the radio channel between them. Time on air and module
//! parameters are in `selo-e32`.
//!
//! | module | is |
//! |---|---|
//! | [`e32`] | one module: bytes, pin levels and time in; bytes, AUX and packets out |
//! | [`medium`] | radio propagation: path loss, collisions, capture, half duplex |
//! | [`duty`] | duty cycle of a transmitter |
//! | [`ether`] | several modules in shared virtual time, driven by events |
//! | [`live`] | an ether in real time, accessed by handles and ptys |
//! | [`wires`] | all wires of a module, for a microcontroller in another process |
//! | [`study`] | number of nodes that one gateway can serve |
//!
//! Except [`live`] and [`wires`], every module is a function of its inputs and a seed, without
//! clock or threads.
#![warn(missing_docs)]

pub mod duty;
pub mod e32;
mod error;
pub mod ether;
pub mod live;
pub mod medium;
pub mod study;
pub mod wires;

pub use error::{Error, Result};

/// Virtual time: nanoseconds since the start.
pub type Time = u64;

/// Converts a duration to virtual time, up to 584 years.
pub fn nanos(duration: std::time::Duration) -> Time {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
