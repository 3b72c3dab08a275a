//! What an E32 LoRa module is set to, and how long it takes on the air. The gateway's driver and
//! the simulated modules of `selo-radio` share it.
//!
//! | module | is |
//! |---|---|
//! | [`airtime`] | the transceiver's formula; what an E32 makes of its air data rates |
//! | [`parameters`] | the six bytes that configure an E32 |
#![warn(missing_docs)]

pub mod airtime;
pub mod parameters;
