//! E32 radio modules and the air between them, without hardware. Time on air and parameters of a
//! module are in `selo-e32`.
//!
//! | module | is |
//! |---|---|
//! | [`e32`] | one module: bytes, pin levels and the time in; bytes, AUX and packets out |
//! | [`medium`] | who hears whom: path loss, collisions, capture, half duplex |
//! | [`duty`] | how much of an hour a transmitter was on the air |
//! | [`ether`] | modules in one place of virtual time, driven by events |
//! | [`live`] | an ether at the pace of the wall clock, reached by handles and ptys |
//! | [`wires`] | all wires of a module, for a microcontroller in another process |
//! | [`study`] | how many nodes one gateway carries |
//!
//! Everything but [`live`] and [`wires`] is a function of its inputs and a seed: no clock, no thread.
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

/// A duration as virtual time; 584 years are the most.
pub fn nanos(duration: std::time::Duration) -> Time {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
