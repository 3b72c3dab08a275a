//! Virtual nodes: the device library on a PC, by the thousand, over a network that may be bad.
//!
//! | module | is |
//! |---|---|
//! | [`node`] | one node without I/O: the C code, its frames, its record |
//! | [`fleet`] | many of them over UDP |
//! | [`pairing`] | one of them pairs |
//! | [`board`] | a node on a simulated board |
//! | [`field`] | the rain gauge on a simulated board, with a radio module |
//! | [`records`] | what they store, in one file |
//! | [`impairment`] | loss, delay, reordering, duplicates, damage |
//! | [`latency`] | how long acknowledgements took |
//! | [`reading`] | what they measure |
#![warn(missing_docs)]

pub mod board;
mod error;
pub mod field;
pub mod fleet;
pub mod impairment;
pub mod latency;
pub mod node;
pub mod pairing;
pub mod reading;
pub mod records;

pub use error::{Error, Result};
