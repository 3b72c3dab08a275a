//! Runs whole firmwares on simulated chips. The lab measures them like libraries. This crate plays
//! the other side: [`Gateway`] for a node of the link, [`Air`] for the nodes of an experiment.
//!
//! [`node`] and [`field`] run the firmwares as programs with pins, a clock and an EEPROM.

pub mod experiment;
pub mod field;
pub mod link;
pub mod node;

pub use experiment::Air;
pub use link::Gateway;

use selo_engine::measure::whole::Whole;

/// The other sides of all whole firmwares of this project.
pub const ALL: [&dyn Whole; 2] = [&Gateway, &Air];
