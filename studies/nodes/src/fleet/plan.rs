//! The settings of a fleet.

use std::net::SocketAddr;
use std::time::Duration;

use crate::impairment::Impairment;

/// The nodes' starts are spread over one reading interval, but over at most this long.
const SPREAD_MAX: Duration = Duration::from_secs(10);

/// Maximum rate of joins at the start; the spread is lengthened if necessary. A join takes two
/// scalar multiplications here and two at the gateway. A node without an answer repeats its
/// request, which increases the load.
const JOINS_PER_SECOND: u32 = 500;

/// Parameters of a run.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The gateway.
    pub to: SocketAddr,
    /// Time between two readings of a node.
    pub every: Duration,
    /// Readings of each node; `None` for no limit.
    pub readings: Option<u64>,
    /// Repeats every reading until the gateway acknowledges it.
    pub confirmed: bool,
    /// Impairment of frames, in each direction.
    pub impairment: Impairment,
    /// Seed of the impairment, the weather and the start times, but never of keys.
    pub seed: u64,
    /// Latest time to stop.
    pub limit: Option<Duration>,
    /// Number of threads, at least one.
    pub threads: usize,
    /// Speed of the nodes' clocks relative to the wall clock. 1, except in tests that cannot wait
    /// for timers of seconds.
    pub speed: u32,
}

/// Time until this many nodes have been switched on, with a reading per `every`.
pub fn start_time(nodes: usize, every: Duration) -> Duration {
    let joins = Duration::from_secs_f64(nodes as f64 / f64::from(JOINS_PER_SECOND));
    every.min(SPREAD_MAX).max(joins)
}
