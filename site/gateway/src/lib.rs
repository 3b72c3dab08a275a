//! The gateway of the Selo link. It receives packets from nodes and delivers their readings.
//!
//! | module | contents |
//! |---|---|
//! | [`engine`] | the protocol logic, without sockets, clocks or files |
//! | [`limit`] | rate limits in bounded memory |
//! | [`journal`] | accepted packets, written to disk before the gateway answers or delivers |
//! | [`delivery`], [`sink`], [`reading`] | readings, and their delivery |
//! | [`registry`] | the devices and their keys |
//! | [`shards`] | which engine answers which devices |
//! | [`site_key`] | the key that seals device keys in the registry |
//! | [`exchange`], [`label`] | devices as files and as labels |
//! | [`state`] | the directory that holds all state |
//! | [`radio`] | radio modules on serial ports, in addition to UDP |
//! | [`heads`] | radio heads that connect to a gateway: messages, keys, listener |
//! | [`head`] | a radio head: it forwards frames between its carriers and gateways |
//! | [`gateway`] | the whole gateway in one process |
//! | [`control`] | the socket between commands and a running gateway |
//! | [`counters`], [`metrics`] | counters, and their HTTP endpoint |

mod carriers;
pub mod clock;
pub mod control;
pub mod counters;
pub mod delivery;
pub mod device_file;
mod devices;
pub mod engine;
pub mod error;
pub mod gateway;
pub mod head;
pub mod heads;
pub mod journal;
mod keeper;
pub mod keys;
pub mod label;
pub mod limit;
pub mod metrics;
pub mod peer;
pub mod radio;
pub mod reading;
mod recorder;
pub mod registry;
pub mod shards;
mod sharing;
pub mod sink;
pub mod site_key;
pub mod state;
mod udp;
mod worker;

pub use error::{Error, Result};
pub use gateway::{Config, Gateway, Handle};
pub use worker::Remote;
