//! Parameters and air time of E32 LoRa modules, shared by the gateway's driver and the
//! simulated modules of `selo-radio`.
//!
//! | module | contents |
//! |---|---|
//! | [`airtime`] | the transceiver's formula; the modulation of each air data rate |
//! | [`parameters`] | the six bytes that configure an E32 |
//! | [`regions`] | the rules of regions, as data |
//! | [`plan`] | the number of stations that share a channel |
#![warn(missing_docs)]

pub mod airtime;
pub mod parameters;
pub mod plan;
pub mod regions;
