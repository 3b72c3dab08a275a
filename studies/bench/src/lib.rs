//! Measures the gateway under load, next to the paper's gateway.
//!
//! | module | is |
//! |---|---|
//! | [`gateway`] | the benchmark: subjects, rounds and figures |
//! | [`classic`], [`sealed`] | the two gateways, each in a process of its own, and their devices |
//! | [`load`] | the load generator for both gateways |
//! | [`receiving`] | the least that any gateway must do |
//! | [`process`], [`machine`] | the kernel's data about a process and the machine |

pub mod classic;
pub mod error;
pub mod gateway;
pub mod load;
pub mod machine;
pub mod process;
pub mod receiving;
pub mod sealed;

pub use error::{Error, Result};
