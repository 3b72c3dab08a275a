//! Number of nodes that one gateway can serve. Nodes around a gateway send readings without
//! listening before they talk (ALOHA). Modules are reduced to their timing, so that hours are
//! simulated in a moment. The medium is the ether's.
//!
//! With acknowledgements, a node repeats a reading as the link does [docs/protocol.md, State
//! machines]. The gateway answers each one, and cannot receive while it answers.

mod capacity;
mod plan;
mod run;

pub use capacity::{Point, STEPS, capacity, curve};
pub use plan::{Arrivals, Plan};
pub use run::{Report, run};

/// Maximum relative extension of the link's waits: 1,020 ms of 2 s [docs/protocol.md, state
/// machines].
pub const LINK_JITTER: f64 = 1020.0 / 2000.0;

#[cfg(test)]
mod tests;
