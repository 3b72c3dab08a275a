//! Measures the gateway under load, beside the gateway of the paper.
//!
//! | module | is |
//! |---|---|
//! | [`gateway`] | the benchmark: who is measured, how often, what is made of it |
//! | [`classic`], [`sealed`] | the two gateways, each in a process of its own, and their devices |
//! | [`load`] | the load generator that both get |
//! | [`process`], [`machine`] | what the kernel says of a process, and of the machine |

pub mod classic;
pub mod error;
pub mod gateway;
pub mod load;
pub mod machine;
pub mod process;
pub mod sealed;

pub use error::{Error, Result};
