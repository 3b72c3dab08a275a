//! Measures the gateway under load, beside the gateway of the paper.

pub mod classic;
pub mod error;
pub mod load;
pub mod machine;
pub mod process;
pub mod sealed;

pub use error::{Error, Result};
