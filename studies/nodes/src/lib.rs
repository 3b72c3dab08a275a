//! Virtual nodes: thousands of device-library nodes on a PC, over a simulated bad network.
//!
//! | module | is |
//! |---|---|
//! | [`node`] | one node without I/O: the C code, its frames, its record |
//! | [`fleet`] | many nodes over UDP |
//! | [`pairing`] | pairing of one node |
//! | [`board`] | a node on a simulated board |
//! | [`field`] | the rain gauge on a simulated board, with a radio module |
//! | [`records`] | the nodes' stored records, in one file |
//! | [`impairment`] | loss, delay, reordering, duplication, corruption |
//! | [`latency`] | histogram of acknowledgement times |
//! | [`reading`] | simulated readings |
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
