//! The gateway of the Selo link: what stands between nodes and whoever wants their readings.
//!
//! | module | is |
//! |---|---|
//! | [`engine`] | what is done with a packet, without sockets, clocks or files |
//! | [`limit`] | limits in bounded memory |
//! | [`journal`] | what was accepted, written before anyone is told |
//! | [`delivery`], [`sink`], [`reading`] | readings, and how they leave |
//! | [`registry`] | the devices and their keys |
//! | [`exchange`], [`label`] | devices as files and as labels |
//! | [`state`] | the directory that holds all of it |
//! | [`radio`] | radio modules on serial ports, beside UDP |
//! | [`gateway`] | all of it in one process |
//! | [`control`] | how commands talk to a running gateway |
//! | [`counters`], [`metrics`] | what is counted, and how it is told |

mod carriers;
pub mod clock;
pub mod control;
pub mod counters;
pub mod delivery;
pub mod device_file;
pub mod engine;
pub mod error;
pub mod gateway;
pub mod journal;
mod keeper;
pub mod keys;
pub mod label;
pub mod limit;
pub mod metrics;
pub mod peer;
pub mod radio;
pub mod reading;
pub mod registry;
pub mod sink;
pub mod state;
mod udp;
mod worker;

pub use error::{Error, Result};
pub use gateway::{Config, Gateway, Handle};
pub use worker::Remote;
